"""demo, simulate, help and wrong usage: what is printed where, and how it ends."""

import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

import bayesdnf
from bayesdnf import (
    BooleanFunction,
    _native,
    simulate,
)
from tests.cli.arguments import files


def small(*arguments, out="sim.csv"):
    return ("simulate", "--rows", 60, "--columns", 8, "--out", out, *arguments)


def rules_in(value):
    """Every text under a key "rule" or "function" of a JSON value, however deep."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in ("rule", "function") and isinstance(inner, str):
                yield inner
            yield from rules_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from rules_in(inner)


# --- demo


@pytest.fixture
def one_restart(monkeypatch):
    """For tests of what the demo writes: a search that is not asked to agree with itself."""
    learner = bayesdnf.DNFClassifier

    def quicker(**given):
        return learner(**(given | {"restarts": 1}))

    monkeypatch.setattr(bayesdnf, "DNFClassifier", quicker, raising=False)


@pytest.mark.slow
def test_the_demo_fits_one_half_and_tests_on_the_other(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    ran = run("demo")
    assert ran.status == 0
    assert "odor != n" in ran.out
    assert "4 errors in 4,062 rows" in ran.out
    assert "they agree, which is not a proof" in " ".join(ran.out.split())
    assert "Report written to mushroom.html" in ran.out
    assert max(map(len, ran.out.splitlines())) <= 80
    assert "\x1b" not in ran.out
    assert (ran.err, files()) == ("", ["mushroom.html"])
    assert "4,062 were held out" in Path("mushroom.html").read_text("utf-8")


@pytest.mark.slow
def test_the_demo_does_without_the_extra_of_the_report(run, one_restart, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    ran = run("demo")
    assert ran.status == 0
    assert "odor != n" in ran.out
    assert ran.err == (
        "No report was written: Reports need Jinja2: pip install 'bayesdnf[report]'.\n"
    )
    assert files() == []


@pytest.mark.slow
def test_the_demo_as_json_holds_rules_that_parse(run, one_restart):
    ran = run("demo", "--json", "--report", "page.html")
    assert ran.status == 0
    result = ran.json()
    assert result["report"] == "page.html"
    assert files() == ["page.html"]
    rules = [BooleanFunction.parse(text) for text in rules_in(result)]
    attributes = set(bayesdnf.datasets.load_mushroom()[0].columns)
    assert all(not rule.is_null and set(rule.attributes) <= attributes for rule in rules)
    assert 0.9 < result["held_out"]["auc"] <= 1
    assert result["rows"] == result["held_out"]["rows"] == 4062


# --- simulate


def test_simulate_writes_the_table_that_the_library_draws(run):
    ran = run(*small("--terms", "2,1", "--beta", "0.3,0.6", "--pi0", 0.2, "--seed", 7))
    X, y, truth = simulate(60, 8, terms=(2, 1), beta=(0.3, 0.6), pi0=0.2, pi1=0.9, random_state=7)
    assert ran.status == 0
    assert files() == ["sim.csv"]
    written = pd.read_csv("sim.csv")
    assert list(written.columns) == [*X.columns, "y"]
    assert (written.drop(columns="y").to_numpy() == X.to_numpy()).all()
    assert (written["y"].to_numpy() == y).all()
    assert str(truth) in ran.out
    assert ran.err == ""


def test_the_same_seed_gives_the_same_bytes(run):
    for name, seed in (("a.csv", 3), ("b.csv", 3), ("c.csv", 4)):
        assert run(*small("--seed", seed, out=name)).status == 0
    a, b, c = (Path(name).read_bytes() for name in ("a.csv", "b.csv", "c.csv"))
    assert a == b
    assert a != c


def test_simulate_compresses_by_the_name(run):
    assert run(*small("--seed", 3)).status == 0
    assert run(*small("--seed", 3, out="sim.csv.gz")).status == 0
    assert Path("sim.csv.gz").read_bytes()[:2] == b"\x1f\x8b"
    pd.testing.assert_frame_equal(pd.read_csv("sim.csv.gz"), pd.read_csv("sim.csv"))


def test_case_control_gives_half_cases(run):
    assert run(*small("--case-control", "--pi0", 0.05, "--pi1", 0.4)).status == 0
    assert pd.read_csv("sim.csv")["y"].sum() == 30


def test_simulate_as_json(run):
    ran = run(*small("--terms", "2,2", "--json"))
    assert ran.status == 0
    result = ran.json()
    assert result["out"] == "sim.csv"
    assert (result["rows"], result["columns"]) == (60, 8)
    assert result["function"] == "(x0 AND x1) OR (x2 AND x3)"
    assert len(pd.read_csv("sim.csv")) == 60


# --- wrong input: status 1, one sentence on standard error, nothing written


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--rows", 0], ["rows", "1 or more", "Got 0"]),
        (["--columns", 3, "--terms", "2,2"], ["terms", "3 columns", "(2, 2)"]),
        (["--terms", "two"], ["--terms", "numbers with commas", "'two'"]),
        (["--terms", ""], ["--terms", "numbers with commas", "''"]),
        (["--terms", "0"], ["terms", "0"]),
        (["--beta", "0.5"], ["--beta", "two numbers", "'0.5'"]),
        (["--beta", "0.2,x"], ["--beta", "numbers with commas", "'0.2,x'"]),
        (["--beta", "0.2,1.5"], ["beta", "1.5"]),
        (["--pi0", 2], ["pi0", "between 0 and 1", "Got 2.0"]),
        (["--pi1", -0.5], ["pi1", "between 0 and 1", "Got -0.5"]),
        (["--seed", -1], ["--seed", "0 or more", "Got -1"]),
        (["--rows", 10**15], ["1,000,000,000,000,000 rows", "free"]),
        (["--terms", "2.7"], ["--terms", "2.7"]),
        (["--terms", "nan"], ["--terms", "nan"]),
        (["--terms", "inf"], ["--terms", "inf"]),
    ],
)
@pytest.mark.parametrize("as_json", [[], ["--json"]], ids=["text", "json"])
def test_wrong_input_is_one_sentence(run, arguments, named, as_json):
    ran = run(*small(*arguments, *as_json))
    assert ran.status == 1
    assert ran.out == ""
    assert ran.err.startswith("Error: ")
    assert len(ran.err.splitlines()) == 1
    assert ran.err.endswith(".\n")
    assert [text for text in named if text not in ran.err] == []
    assert files() == []


def test_a_folder_that_is_not_there(run):
    ran = run(*small(out="nowhere/sim.csv"))
    assert ran.status == 1
    assert ran.err == ("Error: Cannot write nowhere/sim.csv: the folder nowhere does not exist.\n")
    assert files() == []


def test_a_folder_in_place_of_a_file(run):
    Path("sim.csv").mkdir()
    ran = run(*small())
    assert ran.status == 1
    assert ran.err == "Error: Cannot write sim.csv: it is a folder; name a file in it.\n"
    assert files("sim.csv") == []


def test_nothing_is_half_written_when_writing_fails(run, monkeypatch):
    Path("sim.csv").write_text("what was here before")

    def fails_half_way(frame, path, **options):
        Path(path).write_text("x0,x1,")
        raise KeyboardInterrupt

    monkeypatch.setattr(pd.DataFrame, "to_csv", fails_half_way)
    assert run(*small()).status != 0
    assert files() == ["sim.csv"]
    assert Path("sim.csv").read_text() == "what was here before"


@pytest.mark.parametrize("name", ["sim.xlsx", "sim.json", "sim.zip"])
def test_tables_are_written_in_the_format_of_their_name_or_not_at_all(run, name):
    ran = run(*small(out=name))
    named = [f"Cannot write {name}", ".csv, .tsv", "or .parquet", f"not to {name[3:]}"]
    ran.assert_one_sentence(named)
    assert run(*small(out="sim.parquet")).status == 0
    assert run(*small("--terms", "2")).status == 0  # a model to predict with
    assert run("fit", "sim.csv", "--target", "y", "--out", "m.json").status == 0
    predicted = run("predict", "m.json", "sim.csv", "--out", name)
    predicted.assert_one_sentence([f"Cannot write {name}", "or .parquet"])
    run("predict", "m.json", "no.csv", "--out", name).assert_one_sentence(["Cannot write"])  # first
    for good in ("answers.csv", "answers.parquet"):
        assert run("predict", "m.json", "sim.parquet", "--out", good).status == 0
    answers = pd.read_csv("answers.csv", keep_default_na=False, dtype={"terms": str})
    pd.testing.assert_frame_equal(answers, pd.read_parquet("answers.parquet"), check_dtype=False)
    assert name not in files()


# --- wrong usage: status 2


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["nonsense"], "nonsense"),
        (["simulate"], "--out"),
        (["simulate", "--out", "sim.csv", "--rows", "ten"], "--rows"),
        (["simulate", "--out", "sim.csv", "--no-such-option"], "--no-such-option"),
        (["demo", "extra"], "extra"),
        (["fit", "sim.csv", "--out", "m.json"], "--target"),
        (["fit", "t.csv", "--target", "y", "--out", "m", "--cv", "3", "--test", "o"], "--cv"),
        (["fit", "t.csv", "--target", "y", "--out", "m", "--kind", "x"], "--kind"),
        (["predict", "model.json", "--out", "p.csv"], "table"),
        (["sample", "sim.csv"], "--target"),
        (["report", "model.json", "--out", "r.html"], "--data"),
        (["export", "model.json", "--to", "cobol"], "cobol"),
        (["show"], "model"),
        (["sample", "t.csv", "--target", "y", "--kind", "x"], "--kind"),
        (["sample", "t.csv", "--target", "y", "--draws", "many"], "--draws"),
    ],
    ids=" ".join,
)
def test_wrong_usage(run, arguments, named):
    ran = run(*arguments)
    assert ran.status == 2
    assert ran.out == ""
    assert named in ran.err
    assert files() == []


def test_without_a_command_the_help_is_shown(run):
    ran = run()
    assert ran.status == 2
    assert "simulate" in ran.out + ran.err


# --- the rest


@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_help_names_every_command(run, flag):
    ran = run(flag)
    assert ran.status == 0
    assert ran.err == ""
    for command in (
        "demo",
        "simulate",
        "fit",
        "predict",
        "sample",
        "show",
        "report",
        "export",
        "reproduce",
    ):
        assert command in ran.out
        assert run(command, flag).status == 0


def test_paragraphs_of_help_fill_the_lines(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    described = [
        line.strip() for line in run("predict", "--help").out.partition("╭")[0].split("\n")
    ]
    start = next(i for i, line in enumerate(described) if line.startswith("Columns of the output"))
    paragraph = described[start : described.index("", start)]
    assert len(paragraph) > 5
    assert min(map(len, paragraph[:-1])) > 60


def test_version(run):
    ran = run("--version")
    assert ran.status == 0
    lines = dict(line.split(maxsplit=1) for line in ran.out.splitlines())
    assert lines["bayesdnf"] == bayesdnf.__version__
    assert _native.simd() in lines["simd"]


@pytest.mark.slow
def test_the_installed_command_keeps_the_statuses(tmp_path):
    command = shutil.which("bayesdnf", path=str(Path(sys.executable).parent))
    if command is None:
        pytest.skip("the bayesdnf command is not installed beside this Python")
    statuses = []
    for arguments in (["--version"], ["simulate", "--out", "no/x.csv"], ["nonsense"]):
        done = subprocess.run(
            [command, *arguments], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert "Traceback" not in done.stderr
        statuses.append(done.returncode)
    assert statuses == [0, 1, 2]
    assert files(tmp_path) == []
