"""report, show and export: what is written, what counts as held out, and every wrong input."""

import contextlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bayesdnf import BooleanFunction, DNFClassifier, PosteriorDNFClassifier
from bayesdnf.display import bars


def fit(run, *arguments, table="plants.csv"):
    ran = run("fit", table, "--target", "class", "--positive", "p", "--out", "m.json", *arguments)
    assert (ran.status, ran.err) == (0, "")
    return ran


def report(*arguments, data="plants.csv"):
    return ("report", "m.json", "--data", data, "--out", "r.html", *arguments)


def page():
    return " ".join(Path("r.html").read_text("utf-8").split())


@pytest.mark.parametrize(
    "command", [("show", "m.json"), ("export", "m.json", "--to", "sql"), report()]
)
def test_a_model_of_markers_is_for_predict_only(run, plants, command):
    Path("m.json").write_text('{"format": "bayesdnf.markers", "version": 1}')
    ran = run(*command)
    assert ran.status == 1
    assert "m.json is a model of markers, which only bayesdnf predict reads" in ran.err


def test_the_rows_of_the_fit_are_not_held_out(run, plants):
    fit(run)
    ran = run(*report())
    assert (ran.status, ran.err) == (0, "")
    assert "All 300 rows were in the fit." in ran.out
    assert "Report written to r.html" in ran.out
    assert "There are no held-out rows" in page()
    result = run(*report("--json")).json()
    assert (result["held_out"], result["report"], result["rows"]) == (False, "r.html", 300)
    assert result["rule"] == str(DNFClassifier.load("m.json").function_)


def test_the_share_that_fit_kept_is_found_again(run, plants):
    measured = fit(run, "--test-share", 0.3, "--seed", 5, "--json").json()["held_out"]
    result = run(*report("--json")).json()
    assert (result["held_out"], result["rows"]) == (True, measured["rows"])
    assert (result["accuracy"], result["auc"]) == pytest.approx(
        (measured["accuracy"], measured["auc"])
    )
    # In another order the split cannot be made again, and nothing is called held out.
    plants.sample(frac=1, random_state=0).to_csv("shuffled.csv", index=False)
    result = run(*report("--json", data="shuffled.csv")).json()
    assert result["held_out"] is False
    assert "cannot be called held out" in result["note"]


def test_another_table_is_held_out(run, plants):
    plants[:200].to_csv("one.csv", index=False)
    plants[200:].to_csv("two.csv", index=False)
    fit(run, table="one.csv")
    result = run(*report("--json", data="two.csv")).json()
    assert (result["held_out"], result["rows"]) == (True, 100)
    assert run(*report("--json", data="plants.csv")).json()["held_out"] is False


@pytest.mark.slow
@pytest.mark.parametrize("how", [("--test", "two.csv"), ("--test-share", 0.4), ("--cv", 3)])
def test_fit_writes_a_report_too(run, plants, how):
    plants[200:].to_csv("two.csv", index=False)
    ran = fit(run, "--report", "r.html", *how)
    assert "Report written to r.html" in ran.out
    text = page()
    assert ("There are no held-out rows" in text) == (how[0] == "--cv")
    if how[0] == "--cv":
        assert "3-fold cross-validation" in text
    assert "--report r.html" in text  # the command line
    sha = DNFClassifier.load("m.json").record_.source.sha256
    assert sha in text
    assert fit(run, "--report", "r.html", "--json", *how).json()["report"] == "r.html"


def test_an_interrupted_search_is_reported_too(run, plants, monkeypatch):
    def interrupt(self, done, most, best):
        raise KeyboardInterrupt

    monkeypatch.setattr(bars.SearchBar, "__call__", interrupt)
    arguments = ("fit", "plants.csv", "--target", "class", "--out", "m.json", "--report", "r.html")
    ran = run(*arguments)
    assert ran.status == 130
    assert "Report written to r.html" in ran.out
    assert "it was interrupted" in page()


def test_an_interruption_before_the_report_leaves_none(run, plants, monkeypatch):
    def interrupt(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("bayesdnf.report.html.write_page", interrupt)
    arguments = ("fit", "plants.csv", "--target", "class", "--out", "m.json", "--report", "r.html")
    ran = run(*arguments, "--json")
    assert ran.status == 130
    assert ran.json()["report"] is None
    assert sorted(os.listdir()) == ["m.json", "plants.csv"]


def test_a_test_on_the_table_of_the_fit_is_no_test(run, plants):
    said = "The test rows are those of the fit, so nothing is held out."
    plants.sample(frac=1, random_state=0).to_csv("again.csv", index=False)
    arguments = ("plants.csv", "--target", "class", "--test", "again.csv", "--out", "m.json")
    ran = run("fit", *arguments, "--report", "r.html")
    assert (ran.status, ran.err) == (0, f"again.csv: {said}\n")
    assert "Held out" not in ran.out
    assert said in page()
    assert "There are no held-out rows" in page()
    assert run("fit", *arguments, "--json").json()["held_out"] is None


def test_the_model_file_remembers_its_making(run, plants):
    fit(run, "--test-share", 0.5)
    record = DNFClassifier.load("m.json").record_
    assert record.command.startswith("bayesdnf fit plants.csv --target class")
    assert (record.source.name, record.target, record.split) == ("plants.csv", "class", (0.5, 0))
    assert record.versions["numpy"] == np.__version__


def sample(run, *arguments):
    ran = run(
        "sample", "plants.csv", "--target", "class", "--positive", "p",
        "--layers", 1, "--draws", 200, "--warmup", 100, "--thin", 20, "--out", "d.nc", *arguments,
    )  # fmt: skip
    assert ran.status == 0
    return ran


@pytest.mark.slow
def test_what_sample_wrote_is_shown_reported_and_exported(run, plants):
    pytest.importorskip("arviz_base")
    sampled = sample(run)
    assert sampled.out == f"{run('show', 'd.nc').out}Draws written to d.nc.\n"
    sampled, shown = sample(run, "--json").json(), run("show", "d.nc", "--json").json()
    assert {**shown, "out": "d.nc"} == {**sampled, "model": "d.nc"}
    ran = run("report", "d.nc", "--data", "plants.csv", "--out", "r.html", "--json")
    assert (ran.status, ran.json()["rule"]) == (0, sampled["best"])
    assert ran.json()["note"] == "All 300 rows were in the fit."
    assert "Bayes factor of some rule against none" in page()
    assert "bayesdnf sample plants.csv --target class" in page()
    best = PosteriorDNFClassifier.load("d.nc").map_
    assert run("export", "d.nc", "--to", "sql").out == f"{best.to_sql()}\n"
    again = sample(run, "--test", "plants.csv")
    assert "nothing is held out" in again.err
    assert "Held out" not in again.out


def test_columns_that_fit_ignored_are_not_needed_and_do_no_harm(run, plants):
    plants[:200].to_csv("one.csv", index_label="id")
    plants[200:].to_csv("two.csv", index_label="id")
    plants[200:].to_csv("less.csv", index=False)
    for name in ("two.csv", "less.csv"):
        options = ("--ignore", "id", "--test", name, "--report", "r.html", "--json")
        held_out = fit(run, *options, table="one.csv").json()["held_out"]
        assert held_out["rows"] == 100
        result = run(*report("--json", data=name)).json()
        assert (result["held_out"], result["accuracy"]) == (True, held_out["accuracy"])


def test_draws_bring_rivals(run, plants):
    fit(run)
    sample(run)
    assert run(*report("--draws", "d.nc")).status == 0
    assert "among" in page()
    assert "from another posterior" not in page()
    run(*report())
    assert "no posterior draws" in page()


def test_a_model_from_python_needs_the_name_of_the_target(run, plants):
    X = plants.drop(columns="class")
    DNFClassifier(positive="p", random_state=0).fit(X, plants["class"]).save("m.json")
    run(*report()).assert_one_sentence(["m.json", "--target"])
    assert run(*report("--target", "class")).status == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (report(data="absent.csv"), ["absent.csv", "no such file"]),
        (report(data="third.csv"), ["third.csv", "'class'", "q in line 9", "'e', 'p'"]),
        (report(data="less.csv"), ["less.csv", "'odor'", "m.json was fitted on"]),
        (report("--target", "odor"), ["odor"]),
        (report("--draws", "plants.csv"), ["plants.csv"]),
        (("report", "plants.csv", "--data", "plants.csv", "--out", "r.html"), ["plants.csv"]),
        (("report", "m.json", "--data", "plants.csv", "--out", "plants.csv"), ["plants.csv"]),
        (("report", "m.json", "--data", "plants.csv", "--out", "no/r.html"), ["no/r.html"]),
        (("show", "plants.csv"), ["plants.csv"]),
        (("export", "absent.json", "--to", "sql"), ["absent.json"]),
    ],
)
def test_wrong_input_is_one_sentence(run, plants, arguments, named):
    fit(run)
    labels = plants["class"].astype(object)
    labels[7] = "q"
    plants.assign(**{"class": labels}).to_csv("third.csv", index=False)
    plants.drop(columns="odor").to_csv("less.csv", index=False)
    run(*arguments).assert_one_sentence(named)
    assert not Path("r.html").exists()


def test_without_jinja_nothing_is_fitted_in_vain(run, plants, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    ran = run("fit", "plants.csv", "--target", "class", "--out", "m.json", "--report", "r.html")
    ran.assert_one_sentence(["Jinja2", "pip install 'bayesdnf[report]'"])
    assert not Path("m.json").exists()


def test_show_prints_what_fit_printed(run, plants, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    printed = fit(run).out
    shown = run("show", "m.json")
    assert (shown.status, shown.err) == (0, "")
    assert printed == f"{shown.out}Model written to m.json.\n"
    fitted, again = fit(run, "--json").json(), run("show", "m.json", "--json").json()
    assert {key: again[key] for key in ("rule", "terms", "risk_marked", "seed")} == {
        key: fitted[key] for key in ("rule", "terms", "risk_marked", "seed")
    }


def test_export_speaks_other_languages(run, plants):
    fit(run)
    rule = DNFClassifier.load("m.json").function_
    assert run("export", "m.json", "--to", "sql").out == f"{rule.to_sql()}\n"
    assert run("export", "m.json", "--to", "latex").out == f"{rule.to_latex()}\n"
    assert BooleanFunction.from_json(run("export", "m.json", "--to", "json").out) == rule
    namespace = {}
    exec(run("export", "m.json", "--to", "python").out, namespace)
    rows = plants.to_dict("records")
    assert [namespace["rule"](row) for row in rows] == list(rule(plants))
    result = run("export", "m.json", "--to", "sql", "--json").json()
    assert (result["to"], result["text"], result["out"]) == ("sql", rule.to_sql(), None)
    ran = run("export", "m.json", "--to", "json", "--out", "rule.json")
    assert ran.out == "Rule written to rule.json.\n"
    assert json.loads(Path("rule.json").read_text())["format"] == "bayesdnf.boolean-function"
    assert run("export", "m.json", "--to", "sql", "--out", "m.json").status == 1


def test_export_knows_what_counts_as_missing(run):
    table = pd.DataFrame({"odor": [*"fna?"] * 25, "class": [*"eppe"] * 25})
    table.to_csv("plants.csv", index=False)
    fit(run, "--missing", "?")
    rule = DNFClassifier.load("m.json").function_
    assert str(rule) == "(odor != f)"
    namespace = {}
    exec(run("export", "m.json", "--to", "python").out, namespace)
    assert [namespace["rule"]({"odor": odor}) for odor in "fna?"] == [False, True, True, False]
    sql = run("export", "m.json", "--to", "sql").out
    assert sql == f"{rule.to_sql(missing_values=['?'])}\n"
    assert json.loads(run("export", "m.json", "--to", "json").out)["missing_values"] == ["?"]


def test_numbers_as_labels_and_texts_that_look_like_numbers(run):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"code": rng.choice(["1", "2", "x"], 200), "z": rng.integers(0, 2, 200)})
    table["y"] = ((table["code"] == "1") | (rng.random(200) < 0.05)).astype(int)
    table.to_csv("t.csv", index=False)
    table[table["code"] != "x"].to_csv("digits.csv", index=False)  # now a column of numbers
    assert run("fit", "t.csv", "--target", "y", "--out", "m.json").status == 0
    assert run("report", "m.json", "--data", "digits.csv", "--out", "r.html").status == 0
    assert "code is 1" in page()


def on_a_terminal(*command, **environment):
    """What a command writes when standard output is a terminal of 80 columns."""
    pty = pytest.importorskip("pty")
    ours, its = pty.openpty()
    kept = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    environment = {**kept, "TERM": "xterm-256color", "COLUMNS": "80", **environment}
    with subprocess.Popen(command, stdin=its, stdout=its, stderr=its, env=environment) as process:
        os.close(its)
        written = b""
        with contextlib.suppress(OSError):  # Linux's way to say that the other side is closed
            while part := os.read(ours, 65536):
                written += part
        os.close(ours)
    assert process.returncode == 0, written
    return written.decode().replace("\r\n", "\n")


@pytest.mark.slow
def test_colours_are_for_terminals_only(run, plants):
    fit(run)
    command = (sys.executable, "-c", "from bayesdnf.cli import main; main()", "show", "m.json")
    coloured = on_a_terminal(*command)
    assert "\x1b[36modor = f" in coloured
    plain = re.sub(r"\x1b\[[\d;]*m", "", coloured)
    assert max(map(len, plain.splitlines())) <= 80
    assert "\x1b[36m" not in on_a_terminal(*command, NO_COLOR="1")
    piped = run("show", "m.json").out
    assert "\x1b" not in piped
    assert piped.split() == plain.split()


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("bayesdnf re", ["report", "reproduce"]),
        ("bayesdnf export m.json --to ", ["sql", "python", "latex", "json", "text"]),
        ("bayesdnf report m.json --dr", ["--draws"]),
    ],
)
def test_the_shell_completes(words, offered):
    named = "import sys; sys.argv[0] = 'bayesdnf'; from bayesdnf.cli import main; main()"
    environment = {
        **os.environ,
        "_BAYESDNF_COMPLETE": "complete_bash",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split(" ")) - 1),
    }
    command = (sys.executable, "-c", named)
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.stdout.split() == offered
