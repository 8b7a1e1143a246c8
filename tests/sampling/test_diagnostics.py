"""Diagnoses: the numbers against slow twins, and the verdict on chains made to fail."""

import sys
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from bayesdnf import BitMatrix, Posterior, RuleList, sample, simulate
from bayesdnf.errors import BayesDNFError, MissingExtraError
from bayesdnf.sampling.kernel import MOVES
from sampling.made_draws import independent, made

SWAPPED = ["if x1 elif x2 else", "if x2 elif x1 else", "if x1 AND x3 else", "else"]
FOUR = ["odor = f", "odor = f OR x1", "x1 AND x2", "FALSE"]
SCALARS = ["log_posterior", "terms", "literals", "pi0", "pi1"]


def repeated(chains, times):
    """Chains that stay at each function for a while."""
    return [[f for f in chain for _ in range(times)] for chain in chains]


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


# Quantities ---------------------------------------------------------------------------------------


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


# Agreement ----------------------------------------------------------------------------------------


def alike(draws, groups):
    """The same draws, lists of one group parting the rows alike."""
    group = {RuleList.parse(text): i for i, texts in enumerate(groups) for text in texts}
    numbers = [group[draws.function(i)] for i in range(draws.n_functions)]
    return replace(draws, rows=np.array([[number, 7] for number in numbers], dtype=np.uint64))


def test_lists_are_compared_by_how_they_part_the_rows():
    """Chains at lists whose layers have changed places agree; as functions they would not."""
    one, other = SWAPPED[:2]
    draws = made([[one, "else"] * 150, [other, "else"] * 150] * 2, layers=2)
    parted = alike(draws, [[one, other], ["else"]]).diagnose()
    assert parted.agreement.largest == 0
    assert parted.agreement.n_functions == 2
    assert parted.agreement.compared == "partitions"
    told = alike(draws, [[one], [other], ["else"]]).diagnose()
    assert told.agreement.largest == pytest.approx(0.5)
    assert not told.ok
    assert "differ most in their partitions: total variation 0.50" in told.verdict
    assert "on the 3 partitions drawn" in str(told)


def test_a_partition_that_is_never_left():
    one, other = SWAPPED[:2]
    draws = made([[one, other, one] * 100] * 2, layers=2)
    diagnosis = alike(draws, [[one, other]]).diagnose()
    assert diagnosis.ok
    constant = "The partition is constant: every draw of every chain parts the rows as "
    assert constant + "if (x1) elif (x2) else does." in diagnosis.verdict
    null = made([["else"] * 200] * 2, layers=2).diagnose()
    assert "parts the rows as the null list does." in null.verdict
    apart = made([[one, other, one] * 100, ["if x3 else"] * 300], layers=2)
    told = alike(apart, [[one, other], ["if x3 else"]]).diagnose().verdict
    assert "Chain 1 never left the partition of if (x1) elif (x2) else." in told
    assert "Chain 2 never left the partition of if (x3) else." in told


def test_chains_of_lists_that_agree_say_so_of_partitions():
    draws = made(independent(SWAPPED, [3, 2, 2, 1], seed=1), layers=2)
    diagnosis = draws.diagnose()
    assert diagnosis.ok
    assert "Total variation between their partitions is at most" in diagnosis.verdict
    assert "function" not in str(diagnosis)


def test_total_variation_between_every_two_chains():
    chains = [["x1"] * 60 + ["x2"] * 40, ["x1"] * 50 + ["x3"] * 50, ["x3"] * 100]
    agreement = made(chains).diagnose().agreement
    for (i, one), (j, other) in combinations(enumerate(chains, start=1), 2):
        apart = sum(abs(one.count(f) - other.count(f)) for f in ("x1", "x2", "x3")) / 200
        assert agreement.variation.loc[i, j] == pytest.approx(apart)
        assert agreement.variation.loc[j, i] == pytest.approx(apart)
    assert np.diag(agreement.variation).tolist() == [0, 0, 0]
    assert agreement.largest == 1
    assert agreement.inclusion == pytest.approx(1.0)
    assert agreement.literal == "x3"


def test_functions_that_are_drawn_once_do_not_set_chains_apart():
    """Ties among them once fell to the first chain."""
    functions = [f"x{i % 40} AND y{i // 40}" for i in range(3000)]
    mixed = np.random.default_rng(0).permutation(functions)
    diagnosis = made(np.split(mixed, 4)).diagnose()
    assert diagnosis.agreement.n_functions == 3000
    assert diagnosis.agreement.largest == pytest.approx(1)
    assert diagnosis.agreement.expected == pytest.approx(1)
    assert diagnosis.level == "fine"


def test_the_expected_variation_is_that_of_independent_draws():
    shares = np.array([0.5, 0.3, 0.2])
    rng = np.random.default_rng(1)
    runs = [independent(["x1", "x2", "x3"], shares, 3, 200, seed=seed) for seed in range(20)]
    expected = np.mean([made(chains).diagnose().agreement.expected for chains in runs])
    largest = []
    for _ in range(2000):
        drawn = [rng.choice(3, size=200, p=shares) for _ in range(3)]
        counts = [np.bincount(d, minlength=3) / 200 for d in drawn]
        largest.append(max(np.abs(a - b).sum() / 2 for a, b in combinations(counts, 2)))
    assert expected == pytest.approx(np.mean(largest), rel=0.08)


def test_independent_draws_are_rarely_blamed():
    verdicts = [made(independent(FOUR, [8, 4, 2, 1], seed=s), seed=s).diagnose() for s in range(20)]
    assert sum(not d.ok for d in verdicts) <= 1
    assert all(d.verdict.startswith("The 4 chains agree") for d in verdicts if d.ok)


def test_chains_with_other_shares_are_told_apart():
    chains = independent(FOUR, [8, 4, 2, 1], n_chains=3, n_draws=1000)
    chains += independent(FOUR, [1, 2, 4, 8], n_chains=1, n_draws=1000, seed=1)
    diagnosis = made(chains).diagnose()
    assert not diagnosis.ok
    assert not diagnosis.agreement.ok
    assert "and 4 differ most in their functions" in diagnosis.verdict
    assert "R-hat is above 1.01 for" in diagnosis.verdict
    assert "Chain 4 differs most in" in diagnosis.verdict


# Verdicts -----------------------------------------------------------------------------------------


def test_a_chain_that_never_left_is_named():
    chains = independent(FOUR, [8, 4, 2, 1], n_chains=3, n_draws=400)
    chains.insert(2, ["odor = f"] * 400)
    diagnosis = made(chains).diagnose()
    assert not diagnosis.ok
    assert "Chain 3 never left (odor = f)." in diagnosis.verdict
    assert diagnosis.verdict.endswith("Run longer or use kernel='tempered'.")


def test_staying_where_all_others_nearly_always_are_is_no_fault():
    chains = [["odor = f"] * 2000 for _ in range(4)]
    chains[0][700] = "x1"
    diagnosis = made(chains).diagnose()
    assert diagnosis.ok
    assert "never left" not in diagnosis.verdict


@pytest.mark.parametrize(
    ("kernel", "advice"),
    [
        ("informed", "Run longer or use kernel='tempered'."),
        ("reversible_jump", "Run longer, or use kernel='informed' or kernel='tempered'."),
        ("tempered", "Run longer."),
        ("single_term", "Run longer."),
        ("my own", "Run longer."),
    ],
)
def test_advice_fits_the_kernel(kernel, advice):
    draws = made([["x1"] * 200, ["x2"] * 200], settings={"kernel": kernel})
    assert draws.diagnose().verdict.endswith(f"of the others'. {advice}")


@pytest.mark.parametrize("seed", range(8))
def test_short_chains_that_do_not_disagree_are_called_short(seed):
    chains = repeated(independent(FOUR, [8, 4, 2, 1], n_draws=30, seed=seed), 4)
    diagnosis = made(chains, seed=seed).diagnose()
    assert not diagnosis.ok
    assert diagnosis.verdict.startswith("The chains are too short to say whether they agree.")
    assert "The effective size is below 200 for" in diagnosis.verdict
    assert diagnosis.verdict.endswith("times as many.")


def test_chains_far_too_short_may_want_another_kernel():
    chains = repeated(independent(FOUR, [8, 4, 2, 1], n_draws=12), 50)
    verdict = made(chains).diagnose().verdict
    assert verdict.startswith("The chains are too short to say whether they agree.")
    assert verdict.endswith("times as many or use kernel='tempered'.")


def test_no_chain_ever_moved():
    still = np.zeros((3, len(MOVES)), dtype=np.int64)
    diagnosis = made([["x1"] * 200] * 3, changed=still).diagnose()
    assert not diagnosis.ok
    assert "No chain moved" in diagnosis.verdict


def test_one_chain_has_no_others_to_agree_with():
    diagnosis = made(independent(FOUR, [8, 4, 2, 1], n_chains=1, n_draws=2000)).diagnose()
    assert diagnosis.ok
    assert diagnosis.agreement is None
    assert diagnosis.quantities["r_hat"].between(0.99, 1.01).all()
    assert "chains agree" not in diagnosis.verdict
    assert "Run several chains" in diagnosis.verdict
    turned = made([["x1"] * 500 + ["x2 AND x3"] * 500]).diagnose()
    assert not turned.ok
    assert turned.quantities.loc["terms", "constant"]
    assert turned.quantities.loc["literals", "r_hat"] > 1.5


@pytest.mark.parametrize("n_chains", [1, 2, 5])
@pytest.mark.parametrize("n_draws", [1, 2, 3, 4, 5, 7, 8, 9, 99])
def test_few_draws_are_called_few(n_chains, n_draws):
    draws = made(independent(FOUR, [1, 1, 1, 1], n_chains=n_chains, n_draws=n_draws))
    diagnosis = draws.diagnose()
    assert not diagnosis.ok
    assert diagnosis.verdict.startswith(f"Too few draws to diagnose: {n_draws}")
    assert "Too few draws" in str(diagnosis)


# Acceptance and text ------------------------------------------------------------------------------


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


# Real chains --------------------------------------------------------------------------------------


def test_real_chains_agree_and_too_short_ones_do_not():
    X, y, _ = simulate(200, 10, random_state=0)
    posterior = Posterior(BitMatrix.from_table(X), y)
    good = sample(posterior, draws=600, warmup=200, random_state=0).diagnose()
    assert good.ok, good
    starts = ["x0", "x5 AND x7", "x9", "x3"]
    short = sample(posterior, draws=100, warmup=0, thin=1, starts=starts, random_state=0).diagnose()
    assert not short.ok
    assert short.verdict.startswith("The chains are too short to say whether they agree.")
    assert "The effective size is below 200 for x3 (12), x5 (13)" in short.verdict
