"""Draws in ArviZ and on disk: what is written comes back, what is damaged is refused."""

import os
import sys

import arviz_stats
import numpy as np
import pytest
import xarray as xr
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bayesdnf import (
    BooleanFunction,
    Draws,
    Literal,
    RuleList,
    sample,
)
from bayesdnf.boolean.parsing import parse_literal
from bayesdnf.errors import InputError, MissingExtraError
from bayesdnf.sampling.drawn import draws_file
from tests.files.limits import largest_file
from tests.sampling.draw_files import assert_same, forge
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


def test_a_file_of_lists_opens_in_xarray(lists, file_of_lists):
    _, draws = lists
    with xr.open_datatree(file_of_lists, engine="h5netcdf") as tree:
        assert tree["posterior"]["rates"].sel(stratum="old", part=0).shape == (2, 40)
        assert (tree["functions"]["cells"].to_numpy() == draws.cells).all()
        summary = arviz_stats.summary(tree, var_names=["layers"], round_to="none")
    assert summary["mean"].tolist() == pytest.approx([draws.n_layers[draws.index].mean()])


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


@pytest.mark.skipif(os.name != "posix", reason="limits on sizes are POSIX")
def test_a_failed_save_leaves_the_old_file(file, drawn):
    before = file.read_bytes()
    with largest_file(2000), pytest.raises(InputError) as caught:
        drawn.save(file)
    assert str(caught.value) == f"Cannot write {file}: File too large."
    assert file.read_bytes() == before
    assert os.listdir(file.parent) == [file.name]


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
