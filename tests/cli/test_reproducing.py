"""``bayesdnf reproduce``: what is printed, what is written, and how it ends."""

import os
from pathlib import Path

import matplotlib as mpl
import pandas as pd
import pytest

from tests.experiments.made import made

mpl.use("Agg")


@pytest.fixture
def made_once(monkeypatch):
    """For tests of what becomes of a table: it is not made again for each of them."""
    monkeypatch.setattr("bayesdnf.experiments.reproduce", lambda name, **_: made(name))


@pytest.mark.slow
def test_text_has_the_papers_figures_and_ours(run):
    ran = run("reproduce", "table1", "--quick")
    assert (ran.status, ran.err) == (0, "")
    for text in ("Table 1", "826.0", "paper's settings", "our defaults", " ± ", "yes"):
        assert text in ran.out
    assert os.listdir() == []


@pytest.mark.slow
def test_json_is_one_object(run, made_once):
    ran = run("reproduce", "table1", "--quick", "--json")
    assert (ran.status, ran.err) == (0, "")
    result = ran.json()
    [table] = result["reproductions"]
    assert (table["name"], result["seed"], result["quick"]) == ("table1", 0, True)
    assert {row["source"] for row in table["rows"]} >= {"paper", "our defaults"}
    assert all({"text", "holds", "found"} == set(claim) for claim in table["claims"])
    assert result["files"] == []


@pytest.mark.slow
def test_out_is_a_folder_of_three_files(run, made_once):
    ran = run("reproduce", "table1", "--quick", "--json", "--out", "deep/folder")
    assert ran.status == 0
    assert sorted(os.listdir("deep/folder")) == ["table1.csv", "table1.png", "table1.txt"]
    assert ran.json()["files"] == [f"deep/folder/table1.{kind}" for kind in ("csv", "txt", "png")]
    table = pd.read_csv("deep/folder/table1.csv")
    assert set(table["source"]) == {"paper", "paper's settings", "our defaults"}
    assert {"m0", "L", "theta", "p_geom", "sets", "sum_k", "sum_k_se"} <= set(table.columns)
    assert Path("deep/folder/table1.png").read_bytes().startswith(b"\x89PNG")
    assert "Table 1" in Path("deep/folder/table1.txt").read_text(encoding="utf-8")


@pytest.mark.slow
def test_nothing_is_half_written(run, made_once, monkeypatch):
    Path("out").mkdir()
    Path("out/table1.csv").write_text("what was here before")

    def fails(figure, path, **options):
        Path(path).write_bytes(b"half")
        raise KeyboardInterrupt

    monkeypatch.setattr("matplotlib.figure.Figure.savefig", fails)
    ran = run("reproduce", "table1", "--quick", "--out", "out")
    assert ran.status == 130
    assert "Interrupted" in ran.err
    assert os.listdir("out") == ["table1.csv"]
    assert Path("out/table1.csv").read_text() == "what was here before"


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["tabel2"], ["'tabel2'", "Did you mean 'table2'?"]),
        (["nonsense"], ["'nonsense'", "figure1", "appendix, all"]),
        (["table1", "--jobs", 0], ["jobs", "1 or more", "Got 0"]),
        (["table1", "--seed", -1], ["seed", "0 or more", "Got -1"]),
        (["table1", "--out", "file.txt"], ["file.txt", "not a folder"]),
        (["table1", "--out", "file.txt/deeper"], ["file.txt", "not a folder"]),
    ],
)
def test_wrong_input_is_told_before_any_work(run, monkeypatch, arguments, named):
    def works(*arguments, **options):
        raise AssertionError

    monkeypatch.setattr("bayesdnf.experiments.work.Work.each", works)
    Path("file.txt").write_text("")
    run("reproduce", *arguments, "--quick").assert_one_sentence(named)
    assert os.listdir() == ["file.txt"]


def test_a_name_is_needed(run):
    ran = run("reproduce")
    assert ran.status == 2
    assert "name" in ran.err.lower()
