"""Files of draws that are damaged, forged or of other versions are refused in one sentence."""

import lzma
from itertools import pairwise
from pathlib import Path

import h5py
import numpy as np
import pytest
import xarray as xr

from bayesdnf import (
    BitMatrix,
    Draws,
    Posterior,
    simulate,
)
from bayesdnf.errors import InputError
from bayesdnf.files.seals import opened
from bayesdnf.sampling.drawn import draws_file
from tests.sampling.draw_files import assert_same, forge


def refusal(path):
    """The one sentence that refuses a file; any other error comes through."""
    with pytest.raises(InputError) as caught:
        Draws.load(path)
    text = str(caught.value)
    assert str(path) in text
    assert "\n" not in text
    return text


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
        (lambda h: h.__delitem__("literals"), "an undefined literal"),
        (lambda h: h.__delitem__("moves"), "'moves/move' is missing"),
        (lambda h: replace(h, "posterior/pi1", np.zeros((3, 60), np.float32)), "has type float32"),
        (lambda h: replace(h, "posterior/pi1", np.zeros((60, 3))), "has shape (60, 3)"),
        (lambda h: replace(h, "literals/text", np.arange(3)), "'literals/text'"),
        (
            lambda h: replace(h, "literals/text", ["x0 = "] * len(h["literals/text"])),
            "a literal cannot be read",
        ),
        (lambda h: h["sample_stats/function"].__setitem__((0, 0), 10**6), "an undefined function"),
        (lambda h: h["sample_stats/function"].__setitem__((0, 0), -1), "an undefined function"),
        (lambda h: h["functions/term_starts"].__setitem__(1, -5), "does not count up"),
        (lambda h: h["functions/literal_starts"].__setitem__(-1, 0), "does not count up"),
        (lambda h: h["functions/literals"].__setitem__(0, 99), "an undefined literal"),
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
        (lambda h: h["functions/cells"].__setitem__((0, 0, 1, 0), -1), "has negative counts"),
        (lambda h: h["functions/cells"].__setitem__((0, 0, 0, 0), -2), "has negative counts"),
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
        (stored_elsewhere, "'posterior/pi0' stores its values in another file"),
        (virtual, "'posterior/pi0' stores its values in another file"),
        (
            lambda h, to: linked(h, h5py.ExternalLink(str(to), "/posterior/pi1")),
            "has an external link",
        ),
        (lambda h, to: linked(h, h5py.SoftLink("/posterior/pi1")), "has an external link"),
        (linked_group, "has an external link"),
        (lambda h, to: bomb(h), "'posterior/pi0' is not stored whole"),
    ],
)
def test_a_file_leads_to_no_other_file(file, tmp_path, change, said):
    elsewhere = tmp_path / "secret.nc"
    elsewhere.write_bytes(opened(file.read_bytes(), "bayesdnf.draws").content)
    forge(file, lambda handle: change(handle, elsewhere))
    assert said in refusal(file)
