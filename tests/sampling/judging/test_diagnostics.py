"""Diagnoses: the numbers against slow twins, and the verdict on chains made to fail."""

import sys

import numpy as np
import pytest
from scipy import stats

from bayesdnf import RuleList
from bayesdnf.errors import BayesDNFError, MissingExtraError
from bayesdnf.sampling.kernel import MOVES
from tests.sampling.judging.chains import FOUR, SWAPPED, repeated
from tests.sampling.made_draws import independent, made

SCALARS = ["log_posterior", "terms", "literals", "pi0", "pi1"]


def split_r_hat(values):
    """Rank-normalised split R-hat by the formulas of Vehtari et al. (2021)."""
    half = values.shape[1] // 2
    halves = np.concatenate([values[:, :half], values[:, -half:]])

    def r_hat(x):
        z = stats.norm.ppf((stats.rankdata(x).reshape(x.shape) - 3 / 8) / (x.size + 1 / 4))
        within = z.var(axis=1, ddof=1).mean()
        between = half * z.mean(axis=1).var(ddof=1)
        return np.sqrt(((half - 1) / half * within + between / half) / within)

    return max(r_hat(halves), r_hat(np.abs(halves - np.median(halves))))


def test_quantities_agree_with_slow_twins():
    chains = independent(FOUR, [4, 3, 2, 1], n_draws=300)
    draws = made(chains)
    table = draws.diagnose().quantities
    assert table.index[:5].tolist() == SCALARS
    assert set(table.index[5:]) == {"odor = f", "x1", "x2"}
    values = draws.scalars()
    for name in ("odor = f", "x1", "x2"):
        held = [[name in map(str, f.literals) for f in chain] for chain in chains]
        values[name] = np.array(held, dtype=float)
    for name, drawn in values.items():
        row = table.loc[name]
        assert row["mean"] == pytest.approx(drawn.mean())
        assert row["sd"] == pytest.approx(drawn.std(ddof=1))
        assert row["r_hat"] == pytest.approx(split_r_hat(drawn))
        assert 900 < row["ess_bulk"] < 1600  # 1200 independent draws
        assert row["mcse"] == pytest.approx(row["sd"] / np.sqrt(row["ess_bulk"]), rel=0.1)
        assert not row["constant"]


def test_effective_sizes_fall_with_the_time_a_chain_stays():
    fast = made(independent(FOUR, [4, 3, 2, 1], n_draws=1000)).diagnose()
    slow = made(repeated(independent(FOUR, [4, 3, 2, 1], n_draws=100), 10)).diagnose()
    ratio = fast.quantities["ess_bulk"] / slow.quantities["ess_bulk"]
    assert ratio[["terms", "literals", "x1"]].between(5, 20).all()
    assert fast.agreement.effective_size > 700
    assert 50 < slow.agreement.effective_size < 200


@pytest.mark.parametrize("n_chains", [1, 2, 4])
def test_a_constant_is_called_constant(n_chains):
    diagnosis = made([["odor = f"] * 200] * n_chains).diagnose()
    constant = diagnosis.quantities.loc[["log_posterior", "terms", "literals"]]
    assert constant["constant"].all()
    assert constant[["r_hat", "ess_bulk", "ess_tail", "mcse"]].isna().all(axis=None)
    assert constant.loc["terms", "mean"] == 1
    assert not diagnosis.quantities.loc[["pi0", "pi1"], "constant"].any()
    assert "constant" in diagnosis.verdict
    assert "(odor = f)" in diagnosis.verdict
    assert diagnosis.ok == (n_chains > 1)
    assert "constant" in str(diagnosis)
    assert "nan" not in str(diagnosis)


def test_constant_chains_at_different_values_are_the_worst_disagreement():
    diagnosis = made([["x1"] * 200, ["x1"] * 200, ["x2 AND x3 OR x4"] * 200]).diagnose()
    row = diagnosis.quantities.loc["terms"]
    assert row["constant"]
    assert np.isnan(row["r_hat"])
    assert not diagnosis.ok
    assert "at different values" in diagnosis.verdict
    assert "Chain 3 never left (x4) OR (x2 AND x3)." in diagnosis.verdict
    assert "Chains 1 and 2 never left (x1)." in diagnosis.verdict
    assert diagnosis.agreement.largest == 1
    assert diagnosis.agreement.inclusion == 1


def test_a_switch_in_the_very_middle_of_every_chain():
    diagnosis = made([["x1"] * 100 + ["x2"] * 100] * 2).diagnose()
    assert diagnosis.quantities.loc["x1", "r_hat"] > 1.01
    assert not diagnosis.ok


def test_literals_that_matter_most_variable_first():
    functions = [f"a{i}" for i in range(70)]
    weights = np.linspace(2, 1, 70)
    chains = independent(functions, weights, n_draws=2000)
    draws = made(chains)
    names = draws.diagnose().quantities.index[5:].tolist()
    shares = draws.inclusion("literal").set_index("what")["frequency"]
    expected = sorted(shares.index, key=lambda name: -shares[name] * (1 - shares[name]))
    assert len(names) == 50
    assert shares[names].tolist() == shares[expected[:50]].tolist()


def test_literals_nearly_always_or_never_there_do_not_matter():
    always = ["x1"] * 999
    draws = made([[*always, "x1 AND x2"], [*always, "x1 AND x2"]])
    assert draws.diagnose().quantities.index[5:].tolist() == []
    draws = made([["x1"] * 980 + ["x1 AND x2"] * 20, ["x1"] * 1000])  # 1 % overall
    assert draws.diagnose().quantities.index[5:].tolist() == ["x2"]
    # Less than 1 % overall, and yet the chains differ by more.
    draws = made([["x1"] * 985 + ["x1 AND x2"] * 15, ["x1"] * 1000])
    assert draws.diagnose().quantities.index[5:].tolist() == ["x2"]


def test_a_column_may_be_called_like_a_quantity():
    table = made(independent(["terms", "pi0 AND x1"], [1, 1])).diagnose().quantities
    assert table.index.is_unique
    assert set(table.index) == {*SCALARS, '"terms"', '"pi0"', "x1"}
    assert table.loc['"terms"', "mean"] + table.loc['"pi0"', "mean"] == pytest.approx(1)


def test_quantities_of_lists():
    chains = independent(SWAPPED, [3, 2, 2, 1], n_draws=300)
    table = made(chains, layers=2, strata=["f", "m"]).diagnose().quantities
    assert table.index[:4].tolist() == ["log_posterior", "terms", "literals", "layers"]
    assert set(table.index[4:]) == {"x1", "x2", "x3"}
    layers = np.array([[len(RuleList.parse(rule)) for rule in map(str, chain)] for chain in chains])
    assert table.loc["layers", "mean"] == pytest.approx(layers.mean())
    assert table.loc["layers", "r_hat"] == pytest.approx(split_r_hat(layers.astype(float)))


def test_acceptance_by_chain_and_move():
    draws = made([["x1"] * 100] * 2)
    draws.tried[:, 2] = draws.changed[:, 2] = 0
    draws.tried[1, 3] = draws.changed[1, 3] = 0
    table = draws.diagnose().acceptance
    assert table.index.names == ["chain", "move"]
    assert table.index.get_level_values("move")[: len(MOVES) - 1].tolist() == [
        move for i, move in enumerate(MOVES) if i != 2
    ]
    for (chain, move), row in table.iterrows():
        i = MOVES.index(move)
        assert row["tried"] == draws.tried[chain - 1, i]
        assert row["changed"] == draws.changed[chain - 1, i]
        if row["tried"]:
            assert row["rate"] == row["changed"] / row["tried"]
        else:
            assert np.isnan(row["rate"])


def test_exchanges_between_temperatures():
    draws = made(
        [["x1"] * 100] * 2,
        betas=(1.0, 0.25, 0.0),
        exchanges_tried=np.array([[10, 20], [30, 40]]),
        exchanged=np.array([[1, 2], [3, 8]]),
    )
    rate = draws.diagnose().acceptance["rate"]
    assert rate.loc[(1, "exchange 1 with 0.25")] == 0.1
    assert rate.loc[(2, "exchange 0.25 with 0")] == 0.2


def test_the_text_is_aligned_and_fits_a_page():
    text = str(made(independent(FOUR, [4, 3, 2, 1])).diagnose())
    assert repr(made(independent(FOUR, [4, 3, 2, 1])).diagnose()) == text
    verdict, quantities, agreement, acceptance = text.split("\n\n")
    assert max(map(len, text.splitlines())) <= 100
    assert verdict.startswith("The 4 chains agree")
    for table in (quantities, acceptance):
        assert len({len(line) for line in table.splitlines()}) == 1
    assert agreement.startswith("Between chains, on the 4 functions drawn")
    assert all(name in quantities for name in (*SCALARS, "odor = f"))
    assert all(move in acceptance for move in MOVES)


def test_without_the_library_one_sentence_says_what_to_install(monkeypatch):
    for name in ("arviz_stats", "arviz_stats.base"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtraError) as caught:
        made([["x1"] * 100] * 2).diagnose()
    assert str(caught.value) == "Diagnostics need arviz-stats: pip install 'bayesdnf[posterior]'."
    assert isinstance(caught.value, ImportError)
    assert isinstance(caught.value, BayesDNFError)
