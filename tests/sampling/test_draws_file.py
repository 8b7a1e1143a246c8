"""Draws in ArviZ and on disk: what is written comes back, what is damaged is refused."""

import lzma
import os
import sys
from dataclasses import fields
from itertools import pairwise
from pathlib import Path

import arviz_stats
import h5py
import numpy as np
import pytest
import xarray as xr
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bayesdnf import (
    BitMatrix,
    BooleanFunction,
    Draws,
    Effect,
    Literal,
    LiteralEncoder,
    Posterior,
    RuleList,
    sample,
    simulate,
)
from bayesdnf.boolean.parsing import parse_literal
from bayesdnf.errors import InputError, MissingExtraError, OutOfMemoryError, ParameterError
from bayesdnf.files.seals import opened, seal
from bayesdnf.sampling import draws_file, draws_tree
from tests.files.limits import largest_file
from tests.sampling.made_draws import independent, made

TEXT = st.text(max_size=12) | st.text(alphabet="\0\\\"'\n\t \ud800\udc00u00é=<>()", max_size=8)
LITERALS = st.one_of(
    st.builds(Literal, TEXT, st.sampled_from(["true", "false"])),
    st.builds(Literal, TEXT, st.sampled_from(["=", "!="]), TEXT | st.integers() | st.booleans()),
    st.builds(
        Literal,
        TEXT,
        st.sampled_from([">=", "<"]),
        st.integers(-(10**30), 10**30) | st.floats(allow_nan=False, allow_infinity=False),
    ),
)


def assert_same(one, two):
    """Every field is equal, arrays bit by bit."""
    for field in fields(Draws):
        a, b = getattr(one, field.name), getattr(two, field.name)
        pairs = zip(a, b, strict=True) if field.name == "functions" else [(a, b)]
        for x, y in pairs:
            if isinstance(x, np.ndarray):
                assert (x.dtype, x.shape) == (y.dtype, y.shape), field.name
                assert x.tobytes() == y.tobytes(), field.name
            else:
                assert x == y or (x != x and y != y), field.name  # NaN: not known
    assert [str(x) for x in one.literals] == [str(x) for x in two.literals]


@pytest.fixture(scope="module")
def posterior():
    X, y, _ = simulate(120, 6, random_state=0)
    return Posterior(BitMatrix.from_table(X), y)


@pytest.fixture(scope="module")
def drawn(posterior):
    return sample(posterior, draws=60, warmup=20, chains=3, random_state=0)


@pytest.fixture(scope="module")
def lists():
    """A posterior of lists, with strata and missing values, and draws from it."""
    table, y = mixed_table()
    bits = LiteralEncoder(negations=True).fit_encode(table)
    posterior = Posterior(bits, y, positive="ill", layers=3, strata=strata_of(table))
    return posterior, sample(posterior, draws=40, warmup=20, chains=2, thin=20, random_state=0)


@pytest.fixture(scope="module")
def saved(drawn, tmp_path_factory):
    path = tmp_path_factory.mktemp("draws") / "draws.nc"
    drawn.save(path)
    return path.read_bytes()


@pytest.fixture
def file(saved, tmp_path):
    (tmp_path / "draws.nc").write_bytes(saved)
    return tmp_path / "draws.nc"


@pytest.fixture(scope="module")
def saved_lists(lists, tmp_path_factory):
    path = tmp_path_factory.mktemp("lists") / "lists.nc"
    lists[1].save(path)
    return path.read_bytes()


@pytest.fixture
def file_of_lists(saved_lists, tmp_path):
    (tmp_path / "lists.nc").write_bytes(saved_lists)
    return tmp_path / "lists.nc"


# Round trips --------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("kernel", ["informed", "tempered", "reversible_jump", "single_term"])
def test_real_draws_come_back_bit_by_bit(posterior, tmp_path, kernel):
    draws = sample(posterior, draws=20, warmup=5, chains=2, thin=5, kernel=kernel, random_state=1)
    draws.save(tmp_path / "draws.nc")
    again = Draws.load(tmp_path / "draws.nc")
    assert_same(draws, again)
    again.save(tmp_path / "again.nc")
    assert (tmp_path / "again.nc").read_bytes() == (tmp_path / "draws.nc").read_bytes()


def test_real_draws_of_lists_come_back_bit_by_bit(lists, file_of_lists, tmp_path):
    _, draws = lists
    assert draws.strata == ("new", "old")
    assert draws.n_layers.max() > 1
    again = Draws.load(file_of_lists)
    assert_same(draws, again)
    assert isinstance(again.function(0), RuleList)
    again.save(tmp_path / "again.nc")
    assert (tmp_path / "again.nc").read_bytes() == file_of_lists.read_bytes()


@pytest.mark.parametrize(
    "draws",
    [
        made([["FALSE"]]),
        made([["FALSE"] * 3] * 5),
        made([["x1", "FALSE", "x1 AND x2 OR x3"]]),
        made([["x1"], ["x2"]], equal={Literal("x2", "true"): [Literal("x 3", "=", "ä")]}),
        made([["x1"]], settings={}),
        made([["x1"]], settings={"kernel": "é\0\ud800", "x": [1, 2.5, None, {"a": True}]}),
        made([["else"]], layers=3),
        made([["x1", "FALSE"]], strata=["one"]),
        made([["if x1 elif x2 else", "else", "if x1 else"]] * 2, layers=2, strata=[False, True]),
        made([["if x1 elif x2 else"]], layers=8, strata=[0.1, 1e300, -2]),
        made([["x1", "FALSE"]], strata=["", "\0", "\ud800", "\\u0041", 'ä"', "A"]),
        made([["x1"]], log_prior=np.array([-np.inf]), rates=np.array([[[[np.nan, 0.5]]]])),
    ],
)
def test_unusual_draws_come_back(draws, tmp_path):
    draws.save(tmp_path / "draws.nc")
    assert_same(draws, Draws.load(tmp_path / "draws.nc"))


@pytest.mark.slow
@given(st.lists(LITERALS, min_size=20, max_size=40, unique=True))
@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_name_and_any_value_comes_back(tmp_path, literals):
    functions = [BooleanFunction([literals[i : i + 3]]) for i in range(len(literals))]
    draws = made([functions], equal={literals[0]: literals[5:8]})
    draws.save(tmp_path / "draws.nc")
    assert_same(draws, Draws.load(tmp_path / "draws.nc"))


@given(LITERALS)
def test_the_text_of_a_literal_is_enough(literal):
    escaped = draws_file._escape(str(literal))
    assert "\0" not in escaped
    escaped.encode()  # no half of a surrogate pair is left
    again = parse_literal(draws_file._unescape(escaped))
    assert again == literal
    assert str(again) == str(literal)


def test_numpy_numbers_in_the_settings_are_numbers(tmp_path):
    made([["x1"]], settings={"thin": np.int64(5)}).save(tmp_path / "draws.nc")
    assert Draws.load(tmp_path / "draws.nc").settings == {"thin": 5}
    with pytest.raises(InputError, match="settings of these draws cannot be written"):
        made([["x1"]], settings={"thin": object()}).save(tmp_path / "draws.nc")


def test_moves_are_known_by_their_names(file, drawn):
    def swap(handle):
        names = handle["moves/move"].asstr()[()]
        handle["moves/move"][...] = names[::-1]
        for name in ("tried", "changed"):
            handle["moves"][name][...] = handle["moves"][name][()][:, ::-1]

    forge(file, swap)
    assert_same(drawn, Draws.load(file))


# What others see ----------------------------------------------------------------------------------


def test_the_file_says_what_it_is_and_opens_in_xarray(file, drawn, posterior):
    with xr.open_datatree(file, engine="h5netcdf") as tree:
        assert tree.attrs["format"] == "bayesdnf.draws"
        assert tree.attrs["schema_version"] == 3
        assert tree.attrs["inference_library_version"]
        assert tree.attrs["seed"] == drawn.settings["seed"]
        assert tree.attrs["data_hash"] == posterior.fingerprint
        assert '"thin": 100' in tree.attrs["settings"]
        assert (tree["posterior"]["pi1"].to_numpy() == drawn.pi1).all()
        summary = arviz_stats.summary(tree, var_names=["pi0", "pi1"], round_to="none")
    assert summary["mean"].tolist() == pytest.approx([drawn.pi0.mean(), drawn.pi1.mean()])


def test_outcomes_drawn_anew_have_the_rates_of_their_rows(posterior, drawn, lists):
    for sampled, draws in ((posterior, drawn), lists):
        tree = draws.to_datatree(sampled, log_likelihood=True, predictive=True)
        again = draws.to_datatree(sampled, predictive=True)["posterior_predictive"]["y"]
        y = tree["posterior_predictive"]["y"].to_numpy()
        assert (y == again.to_numpy()).all()
        assert set(np.unique(y)) == {0, 1}
        observed = tree["observed_data"]["y"].to_numpy()
        likelihood = np.exp(tree["log_likelihood"]["y"].to_numpy())
        rate = np.where(observed == 1, likelihood, 1 - likelihood)
        error = np.sqrt((rate * (1 - rate)).sum()) / rate.size
        assert abs(y.mean() - rate.mean()) < 5 * error
        prior = tree["prior"].to_dataset()
        assert prior["terms"].shape == draws.index.shape
        assert ("layers" in prior) == (draws.layers > 1)
        assert ((prior["terms"] == 0) == (prior["literals"] == 0)).all()
    with pytest.raises(ParameterError, match=r"'posterior' parameter .* predictive=True"):
        drawn.to_datatree(predictive=True)


def test_the_tree_holds_what_the_table_of_draws_does(drawn, posterior):
    tree = drawn.to_datatree(posterior)
    assert set(tree.children) == {"posterior", "sample_stats", "observed_data"}
    table = drawn.to_dataframe()
    group = tree["posterior"].to_dataset()
    assert group["chain"].to_numpy().tolist() == [1, 2, 3]
    for name in ("pi0", "pi1", "terms", "literals", "log_posterior"):
        assert (group[name].to_numpy().ravel() == table[name].to_numpy()).all()
    assert "function" not in group  # no summary may average over names
    numbers = tree["sample_stats"]["function"].to_numpy()
    functions = [drawn.function(i) for i in numbers.ravel()]
    assert [str(f) for f in functions] == table["function"].tolist()
    for literal in drawn.literals:
        held = group["inclusion"].sel(literal=str(literal)).to_numpy().ravel()
        assert held.tolist() == [literal in f.literals for f in functions]
    stats = tree["sample_stats"].to_dataset()
    assert (stats["lp"] == group["log_posterior"]).all()
    texts = table["function"].to_numpy().reshape(drawn.index.shape)
    moved = stats["moved"].to_numpy()
    assert (moved[:, 1:] == (texts[:, 1:] != texts[:, :-1])).all()
    assert not moved[:, 0].any()
    assert (stats["likelihoods"].to_numpy() == drawn.likelihoods).all()
    assert set(drawn.to_datatree().children) == {"posterior", "sample_stats"}
    empty = made([["FALSE"] * 4]).to_datatree()
    assert empty["posterior"]["inclusion"].shape == (1, 4, 0)


def test_the_tree_of_lists_has_a_rate_for_each_part_and_stratum(lists):
    posterior, draws = lists
    group = draws.to_datatree(posterior)["posterior"].to_dataset()
    assert group["rates"].dims == ("chain", "draw", "stratum", "part")
    assert group["stratum"].to_numpy().tolist() == ["new", "old"]
    assert group["part"].to_numpy().tolist() == [0, 1, 2, 3]
    assert np.array_equal(group["rates"].to_numpy(), draws.rates, equal_nan=True)
    assert "pi0" not in group
    table = draws.to_dataframe()
    assert (group["layers"].to_numpy().ravel() == table["layers"].to_numpy()).all()
    n_layers = group["layers"].to_numpy()[:, :, None, None]
    there = ~np.isnan(group["rates"].to_numpy())
    assert (there == (group["part"].to_numpy() <= n_layers)).all()
    rules = [RuleList.parse(text) for text in table["function"]]
    assert [len(rule) for rule in rules] == table["layers"].tolist()
    assert rules == [draws.function(i) for i in draws.index.ravel()]


def test_a_file_of_lists_opens_in_xarray(lists, file_of_lists):
    _, draws = lists
    with xr.open_datatree(file_of_lists, engine="h5netcdf") as tree:
        assert tree["posterior"]["rates"].sel(stratum="old", part=0).shape == (2, 40)
        assert (tree["functions"]["cells"].to_numpy() == draws.cells).all()
        summary = arviz_stats.summary(tree, var_names=["layers"], round_to="none")
    assert summary["mean"].tolist() == pytest.approx([draws.n_layers[draws.index].mean()])


def mixed_table():
    rng = np.random.default_rng(0)
    odor = rng.choice(["f", "n", "a"], size=80).astype(object)
    odor[::9] = None
    table = {"odor": odor, "age": rng.integers(20, 70, size=80), "x": rng.integers(0, 2, size=80)}
    y = np.where((odor == "f") ^ (rng.random(80) < 0.2), "ill", "well")
    return table, y


def strata_of(table):
    return np.where(table["age"] >= 45, "old", "new")


def test_the_log_likelihood_of_each_row_by_its_definition():
    table, y = mixed_table()
    encoder = LiteralEncoder(negations=True)
    posterior = Posterior(encoder.fit_encode(table), y, positive="ill")
    draws = sample(posterior, draws=15, warmup=20, chains=2, random_state=0)
    tree = draws.to_datatree(posterior, log_likelihood=True)
    assert tree["observed_data"]["y"].to_numpy().tolist() == (y == "ill").tolist()
    values = tree["log_likelihood"]["y"].to_numpy()
    for chain in range(2):
        for draw in range(15):
            function = draws.function(draws.index[chain, draw])
            pi0, pi1 = draws.pi0[chain, draw], draws.pi1[chain, draw]
            rate = np.where(function(table), pi1, pi0)
            expected = np.log(np.where(y == "ill", rate, 1 - rate))
            assert values[chain, draw] == pytest.approx(expected)
            total = posterior.log_likelihood(function, pi0, pi1)
            assert values[chain, draw].sum() == pytest.approx(total)


def test_the_log_likelihood_of_each_row_of_lists(lists):
    posterior, draws = lists
    table, y = mixed_table()
    tree = draws.to_datatree(posterior, log_likelihood=True)
    assert tree["observed_data"]["y"].to_numpy().tolist() == (y == "ill").tolist()
    values = tree["log_likelihood"]["y"].to_numpy()
    stratum = (strata_of(table) == "old").astype(int)
    for chain, draw in np.ndindex(draws.index.shape):
        rule = draws.function(draws.index[chain, draw])
        rate = draws.rates[chain, draw][stratum, rule(table)]
        assert values[chain, draw] == pytest.approx(np.log(np.where(y == "ill", rate, 1 - rate)))


@pytest.mark.parametrize(("layers", "stratified"), [(1, True), (2, False)])
def test_the_log_likelihood_of_each_row_with_weights_of_0(layers, stratified):
    table, y = mixed_table()
    strata = strata_of(table) if stratified else None
    weights = (np.arange(80) % 4 > 0).astype(int)
    bits = LiteralEncoder().fit_encode(table)
    posterior = Posterior(
        bits, y, sample_weight=weights, positive="ill", layers=layers, strata=strata
    )
    draws = sample(posterior, draws=5, warmup=5, chains=2, thin=20, random_state=0)
    values = draws.to_datatree(posterior, log_likelihood=True)["log_likelihood"]["y"].to_numpy()
    assert values.shape == (2, 5, 60)
    number = draws.index[1, 4]
    cells, rates = draws.cells[number], draws.rates[1, 4]
    there = cells.sum(axis=-1) > 0
    total = (cells[there] * np.log(np.stack([rates, 1 - rates], axis=-1))[there]).sum()
    assert values[1, 4].sum() == pytest.approx(total)


def test_rows_of_no_weight_are_left_out():
    table, y = mixed_table()
    weights = np.arange(80) % 4 > 0
    posterior = Posterior(
        LiteralEncoder().fit_encode(table), y, sample_weight=weights.astype(int), positive="ill"
    )
    draws = sample(posterior, draws=5, warmup=5, chains=2, random_state=0)
    tree = draws.to_datatree(posterior, log_likelihood=True)
    assert tree["observed_data"]["row"].to_numpy().tolist() == np.flatnonzero(weights).tolist()
    assert tree["observed_data"]["y"].to_numpy().tolist() == (y == "ill")[weights].tolist()
    assert tree["log_likelihood"]["y"].shape == (2, 5, weights.sum())
    function, pi0, pi1 = draws.function(draws.index[1, 4]), draws.pi0[1, 4], draws.pi1[1, 4]
    total = posterior.log_likelihood(function, pi0, pi1)
    assert tree["log_likelihood"]["y"].to_numpy()[1, 4].sum() == pytest.approx(total)


def test_leave_one_out_through_arviz():
    X, y, _ = simulate(100, 4, terms=(2,), random_state=3)
    posterior = Posterior(BitMatrix.from_table(X), y)
    draws = sample(posterior, draws=500, warmup=100, random_state=0)
    tree = draws.to_datatree(posterior, log_likelihood=True)
    with np.errstate(all="ignore"):
        result = arviz_stats.loo(tree, reff=1.0)
    pointwise = tree["log_likelihood"]["y"].to_numpy().reshape(-1, 100)
    in_sample = np.logaddexp.reduce(pointwise, axis=0) - np.log(len(pointwise))
    assert result.elpd < in_sample.sum()
    assert result.elpd == pytest.approx(in_sample.sum(), abs=10)


# What cannot be had -------------------------------------------------------------------------------


def test_likelihoods_need_the_rows_and_rows_that_have_them(drawn, posterior, monkeypatch):
    with pytest.raises(ParameterError, match="'posterior' parameter of to_datatree"):
        drawn.to_datatree(log_likelihood=True)
    X, y, _ = simulate(120, 6, random_state=1)
    other = Posterior(BitMatrix.from_table(X), y)
    with pytest.raises(InputError, match="not the one that these draws are of"):
        drawn.to_datatree(other)
    weighted = Posterior(BitMatrix.from_table(X), y, sample_weight=np.full(120, 2))
    draws = sample(weighted, draws=2, warmup=0, chains=1, random_state=0)
    with pytest.raises(InputError, match="count several times"):
        draws.to_datatree(weighted, log_likelihood=True)
    known = Posterior(BitMatrix.from_table(X), y, effect=Effect(prevalence=0.1))
    draws = sample(known, draws=2, warmup=0, chains=1, random_state=0)
    assert "observed_data" in draws.to_datatree(known).children
    with pytest.raises(InputError, match="With a known prevalence"):
        draws.to_datatree(known, log_likelihood=True)
    monkeypatch.setattr(draws_tree, "available_memory", lambda: 100_000)
    with pytest.raises(OutOfMemoryError, match=r"180 draws on 120 rows need 168\.8 KiB"):
        drawn.to_datatree(posterior, log_likelihood=True)


@pytest.mark.parametrize("library", ["arviz_base", "h5netcdf", "h5py"])
def test_without_a_library_one_sentence_says_what_to_install(
    library, drawn, lists, file, monkeypatch
):
    monkeypatch.setitem(sys.modules, library, None)
    listed = lists[1]
    for use in (
        drawn.to_datatree,
        listed.to_datatree,
        lambda: drawn.save(file),
        lambda: listed.save(file),
        lambda: Draws.load(file),
    ):
        with pytest.raises(MissingExtraError) as caught:
            use()
        assert str(caught.value).endswith(": pip install 'bayesdnf[posterior]'.")


# Files that are not what they should be -----------------------------------------------------------


def refusal(path):
    """The one sentence that refuses a file; any other error comes through."""
    with pytest.raises(InputError) as caught:
        Draws.load(path)
    text = str(caught.value)
    assert str(path) in text
    assert "\n" not in text
    return text


def forge(path, change):
    """Change the content of a file as its writer could have."""
    path.write_bytes(opened(path.read_bytes(), "bayesdnf.draws").content)
    with h5py.File(path, "r+") as handle:
        change(handle)
    path.write_bytes(seal(path.read_bytes(), "bayesdnf.draws", draws_file._VERSION))


def of_last_list(handle, layer):
    """Put the last term of a list of several layers into another one."""
    starts, layers = handle["functions/term_starts"][()], handle["functions/layers"][()]
    ends = [b for a, b in pairwise(starts) if b > a and layers[a:b].max() > 1]
    handle["functions/layers"][int(ends[0]) - 1] = layer


def replace(handle, name, values):
    del handle[name]
    handle[name] = values


def test_files_of_other_kinds(tmp_path):
    assert "No such file" in refusal(tmp_path / "none.nc")
    assert "directory" in refusal(tmp_path).lower()
    for content in (b"", b"\x89HDF", b"chain,draw\n1,2\n", b"PK\x03\x04" + bytes(100)):
        (tmp_path / "other.nc").write_bytes(content)
        assert "it is not NetCDF" in refusal(tmp_path / "other.nc")
    xr.Dataset({"a": ("x", [1.0, 2.0])}).to_netcdf(tmp_path / "other.nc", engine="h5netcdf")
    assert "NetCDF of something else" in refusal(tmp_path / "other.nc")


@pytest.mark.parametrize("share", [0.02, 0.3, 0.7, 0.99, 0.9999])
def test_files_cut_short(file, share):
    data = file.read_bytes()
    file.write_bytes(data[: int(len(data) * share)])
    assert "is damaged" in refusal(file) or "something else" in refusal(file)


def test_changed_bytes_are_found(file):
    data, rng = file.read_bytes(), np.random.default_rng(0)
    for place in rng.integers(8, len(data), size=200):
        changed = bytearray(data)
        changed[place] ^= 1 << int(rng.integers(8))
        file.write_bytes(changed)
        assert "is damaged: it was changed" in refusal(file)
    file.write_bytes(data + b"more")
    assert "is damaged: it was changed" in refusal(file)


def test_a_file_of_a_later_version(file):
    data = file.read_bytes()
    file.write_bytes(data.replace(b"sha256 000003", b"sha256 000004"))
    assert "has version 4 of the file of draws and this bayesdnf reads version 3" in refusal(file)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda h: h.__delitem__("posterior/pi0"), "'posterior/pi0' is missing"),
        (lambda h: h.__delitem__("sample_stats/function"), "it holds no draws"),
        (lambda h: h.__delitem__("functions"), "does not count up"),
        (lambda h: h.__delitem__("literals"), "a literal that is not there"),
        (lambda h: h.__delitem__("moves"), "'moves/move' is missing"),
        (lambda h: replace(h, "posterior/pi1", np.zeros((3, 60), np.float32)), "has type float32"),
        (lambda h: replace(h, "posterior/pi1", np.zeros((60, 3))), "has shape (60, 3)"),
        (lambda h: replace(h, "literals/text", np.arange(3)), "'literals/text'"),
        (
            lambda h: replace(h, "literals/text", ["x0 = "] * len(h["literals/text"])),
            "a literal cannot be read",
        ),
        (lambda h: h["sample_stats/function"].__setitem__((0, 0), 10**6), "a function that is not"),
        (lambda h: h["sample_stats/function"].__setitem__((0, 0), -1), "a function that is not"),
        (lambda h: h["functions/term_starts"].__setitem__(1, -5), "does not count up"),
        (lambda h: h["functions/literal_starts"].__setitem__(-1, 0), "does not count up"),
        (lambda h: h["functions/literals"].__setitem__(0, 99), "a literal that is not there"),
        (lambda h: h["literals/n_equal"].__setitem__(0, 3), "does not fit"),
        (lambda h: h["moves/move"].__setitem__(0, "jump"), "has other moves"),
        (
            lambda h: replace(h, "sample_stats/function", np.zeros((0, 60), int)),
            "it holds no draws",
        ),
        (lambda h: h.attrs.__setitem__("settings", "{"), "not valid JSON"),
        (lambda h: h.attrs.__setitem__("settings", "[1]"), "not an object"),
        (lambda h: h.attrs.__delitem__("settings"), "it cannot be read"),
    ],
)
def test_forged_content_is_refused(file, change, said):
    forge(file, change)
    assert said in refusal(file)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda h: h.__delitem__("functions/layers"), "'functions/layers' is missing"),
        (lambda h: of_last_list(h, 0), "a term is in none of the layers 1 to 3"),
        (lambda h: of_last_list(h, 4), "a term is in none of the layers 1 to 3"),
        (lambda h: of_last_list(h, 3), "a list has a layer without terms"),
        (lambda h: replace(h, "functions/layers", np.ones(3, np.int32)), "has shape (3,)"),
        (lambda h: replace(h, "functions/layers", h["functions/layers"][()] * 1.0), "float64"),
        (lambda h: h.__delitem__("functions/cells"), "'functions/cells' is missing"),
        (lambda h: h["functions/cells"].__setitem__((0, 0, 1, 0), -1), "fewer rows than none"),
        (lambda h: h["functions/cells"].__setitem__((0, 0, 0, 0), -2), "fewer rows than none"),
        (
            lambda h: replace(h, "functions/cells", h["functions/cells"][:, :, :1]),
            "'functions/cells' has shape",
        ),
        (
            lambda h: replace(h, "functions/cells", h["functions/cells"][:, :1]),
            "'posterior/rates' has shape (2, 40, 2, 4)",
        ),
        (lambda h: h.__delitem__("posterior/rates"), "'posterior/rates' is missing"),
        (
            lambda h: replace(h, "posterior/rates", h["posterior/rates"][()][..., :2]),
            "'posterior/rates' has shape (2, 40, 2, 2)",
        ),
        (lambda h: h.__delitem__("strata"), "does not name 2 different strata"),
        (lambda h: h["strata/label"].__setitem__(0, '"old"'), "does not name 2 different strata"),
        (lambda h: h["strata/label"].__setitem__(0, "old"), "of a stratum cannot be read"),
        (lambda h: h["strata/label"].__setitem__(0, "[1]"), "neither a text nor a number"),
        (lambda h: h["strata/label"].__setitem__(0, "null"), "neither a text nor a number"),
    ],
)
def test_forged_lists_are_refused(file_of_lists, change, said):
    forge(file_of_lists, change)
    assert said in refusal(file_of_lists)


def test_files_of_version_1_are_still_read(tmp_path):
    """Written before there were lists: of 40 rows, by a tempered run of two chains."""
    old = Path(__file__).with_name("draws_version_1.nc.xz")
    (tmp_path / "old.nc").write_bytes(lzma.decompress(old.read_bytes()))
    draws = Draws.load(tmp_path / "old.nc")
    assert [str(draws.function(i)) for i in range(draws.n_functions)] == [
        "FALSE",
        "(x0 AND x1)",
        "(x0 AND x1 AND x2)",
        "(x0 AND x2) OR (x0 AND x1 AND x3)",
        "(x0 AND x3)",
    ]
    assert draws.index.tolist() == [[2, 0, 0, 3, 1, 1], [0, 4, 1, 0, 0, 0]]
    assert draws.marked.tolist() == [[0, 0], [5, 1], [2, 0], [5, 3], [5, 5]]
    assert (draws.cells[:, :, 0] == -1).all()  # such a file does not say
    assert draws.pi0[0, 0] == 0.25566458299919753
    assert draws.pi1[0, 0] == 0.7288704679954691
    assert (draws.layers, draws.strata, draws.betas) == (1, (), (1.0, 0.3, 0.0))
    assert [len(others) for others in draws.equal] == [1, 0, 0, 0]
    X, y, _ = simulate(40, 4, terms=(2,), pi0=0.3, pi1=0.8, random_state=1)
    X["twin"] = X["x0"]
    posterior = Posterior(BitMatrix.from_table(X), y)
    assert draws.settings["data"] == posterior.fingerprint
    functions = [draws.function(i) for i in range(draws.n_functions)]
    assert draws.log_score.tolist() == posterior.scores(functions).log_score.tolist()
    # Written again it is a file of the present version, and still does not say.
    draws.save(tmp_path / "new.nc")
    assert_same(draws, Draws.load(tmp_path / "new.nc"))


def test_damaged_files_of_version_1_are_refused(tmp_path, monkeypatch):
    old = Path(__file__).with_name("draws_version_1.nc.xz")
    monkeypatch.setattr(draws_file, "_VERSION", 1)  # forged files are sealed as old ones
    for name in ("functions/marked", "posterior/pi1"):
        (tmp_path / "old.nc").write_bytes(lzma.decompress(old.read_bytes()))
        forge(tmp_path / "old.nc", lambda h, name=name: h.__delitem__(name))
        assert f"'{name}' is missing" in refusal(tmp_path / "old.nc")


@pytest.mark.skipif(os.name != "posix", reason="limits on sizes are POSIX")
def test_a_failed_save_leaves_the_old_file(file, drawn):
    before = file.read_bytes()
    with largest_file(2000), pytest.raises(InputError) as caught:
        drawn.save(file)
    assert str(caught.value) == f"Cannot write {file}: File too large."
    assert file.read_bytes() == before
    assert os.listdir(file.parent) == [file.name]


def stored_elsewhere(handle, elsewhere):
    shape = handle["posterior/pi0"].shape
    del handle["posterior/pi0"]
    n_bytes = 8 * shape[0] * shape[1]
    handle.create_dataset(
        "posterior/pi0", shape, np.float64, external=[(str(elsewhere), 0, n_bytes)]
    )


def virtual(handle, elsewhere):
    shape = handle["posterior/pi0"].shape
    del handle["posterior/pi0"]
    layout = h5py.VirtualLayout(shape, np.float64)
    layout[...] = h5py.VirtualSource(str(elsewhere), "posterior/pi1", shape)
    handle.create_virtual_dataset("posterior/pi0", layout)


def linked(handle, link):
    del handle["posterior/pi0"]
    handle["posterior/pi0"] = link


def linked_group(handle, elsewhere):
    del handle["moves"]
    handle["moves"] = h5py.ExternalLink(str(elsewhere), "/moves")


def bomb(handle):
    shape = handle["posterior/pi0"].shape
    del handle["posterior/pi0"]
    handle.create_dataset("posterior/pi0", data=np.zeros(shape), chunks=shape, compression="gzip")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (stored_elsewhere, "'posterior/pi0' keeps its values in another file"),
        (virtual, "'posterior/pi0' keeps its values in another file"),
        (lambda h, to: linked(h, h5py.ExternalLink(str(to), "/posterior/pi1")), "has a link to"),
        (lambda h, to: linked(h, h5py.SoftLink("/posterior/pi1")), "has a link to elsewhere"),
        (linked_group, "has a link to elsewhere"),
        (lambda h, to: bomb(h), "'posterior/pi0' is not stored whole"),
    ],
)
def test_a_file_leads_to_no_other_file(file, tmp_path, change, said):
    elsewhere = tmp_path / "secret.nc"
    elsewhere.write_bytes(opened(file.read_bytes(), "bayesdnf.draws").content)
    forge(file, lambda handle: change(handle, elsewhere))
    assert said in refusal(file)


def test_names_of_files_are_taken_as_they_are(drawn, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("~draws.nc", "draws", "a b é.nc"):
        drawn.save(name)
        assert (tmp_path / name).is_file()
        assert_same(drawn, Draws.load(name))
    with pytest.raises(InputError, match="folder no does not exist"):
        drawn.save("no/draws.nc")


def test_independent_chains_survive_the_trip_with_their_verdict(tmp_path):
    draws = made(independent(["x1", "x2 AND odor = f"], [2, 1]))
    draws.save(tmp_path / "draws.nc")
    assert str(Draws.load(tmp_path / "draws.nc").diagnose()) == str(draws.diagnose())
