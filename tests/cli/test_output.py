"""What commands write and print."""

import os
import tempfile

import pytest

from bayesdnf.cli.output import save_result
from bayesdnf.errors import InputError
from bayesdnf.files.atomic import write_bytes
from tests.files.limits import largest_file, posix


def test_what_cannot_be_saved_is_kept_elsewhere(tmp_path, monkeypatch):
    (tmp_path / "other").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "other"))
    saved = save_result(lambda path: write_bytes(path, b"draws"), tmp_path / "no" / "d.nc", "draws")
    assert saved.path.read_bytes() == b"draws"
    assert saved.path.name == "d.nc"
    with pytest.raises(InputError) as caught:
        saved.require()
    folder = tmp_path / "no"
    assert str(caught.value) == (
        f"Cannot write {folder / 'd.nc'}: the folder {folder} does not exist; draws are kept in "
        f"{saved.path}."
    )
    assert save_result(lambda path: write_bytes(path, b"x"), tmp_path / "x", "it").problem == ""


@posix
@pytest.mark.parametrize("as_json", [False, True])
def test_results_are_told_when_they_cannot_be_saved(run, plants, tmp_path, as_json):
    flags = ["--json"] if as_json else []
    quick = ["--draws", "50", "--warmup", "10", "--thin", "5", "--chains", "2", "--layers", "1"]
    commands = {
        "sample": [*quick, "--out", "draws.nc"],
        "fit": ["--out", "model.json"],
    }
    for command, options in commands.items():
        with largest_file(300):
            ran = run(command, "plants.csv", "--target", "class", *options, *flags)
        assert ran.status == 1
        assert "odor = f" in ran.out
        assert not as_json or ran.json()["rows"] == 300
        assert len(ran.err.splitlines()) == 1
        assert f"Error: Cannot write {options[-1]}: File too large" in ran.err
        assert sorted(os.listdir(tmp_path)) == ["plants.csv"]


@posix
def test_every_writer_names_the_file_that_does_not_fit(run, plants, tmp_path):
    assert run("fit", "plants.csv", "--target", "class", "--out", "m.json").status == 0
    before = sorted(os.listdir(tmp_path))
    for command in (
        ["predict", "m.json", "plants.csv", "--out", "a.csv"],
        ["predict", "m.json", "plants.csv", "--out", "a.csv.gz"],
        ["export", "m.json", "--to", "python", "--out", "rule.py"],
        ["report", "m.json", "--data", "plants.csv", "--out", "r.html"],
        ["simulate", "--out", "s.csv"],
    ):
        with largest_file(20):
            ran = run(*command)
        ran.assert_one_sentence([f"Cannot write {command[-1]}: File too large."])
        assert sorted(os.listdir(tmp_path)) == before
