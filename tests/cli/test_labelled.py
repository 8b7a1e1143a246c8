"""fit and predict: the rule, the model file, the answers, and every wrong table."""

import gzip
import hashlib
import io
import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

from bayesdnf import (
    BooleanFunction,
    DNFClassifier,
    Geometric,
    Poisson,
    Prior,
)
from bayesdnf.data import tables
from bayesdnf.data.columns.any_library import read_column
from bayesdnf.display import bars
from tests.cli.arguments import files, fit
from tests.files.limits import posix

FLAGS = {"numbers": "1 0", "bools": "True False", "quoted": '"1" "0"', "polars": "true false"}


@pytest.mark.parametrize("asked", FLAGS)
def test_copies_of_a_flag_in_files_are_alike(run, plants, asked):
    def write(copy):
        one, zero = FLAGS[copy].split()
        rows = (f"{one if i % 3 else zero},{one if i % 2 else zero}" for i in range(60))
        labels = ("well" if i % 3 else "ill" for i in range(60))
        lines = [f"{row},{label}" for row, label in zip(rows, labels, strict=True)]
        Path(f"{copy}.csv").write_text("\n".join(["a,b,y", *lines]) + "\n")

    for copy in ("numbers", asked):
        write(copy)
        ran = run(
            "fit", f"{copy}.csv", "--target", "y", "--positive", "ill", "--out", f"{copy}.json"
        )
        assert ran.status == 0
        assert "(NOT a)" in ran.out
        assert "2 columns, 4 literals." in ran.out
    scores = [DNFClassifier.load(f"{copy}.json").log_posterior_ for copy in ("numbers", asked)]
    assert scores[0] == scores[1]
    for model, table in (("numbers", asked), (asked, "numbers")):
        run("predict", f"{model}.json", f"{table}.csv", "--out", "answers.csv")
        answers = pd.read_csv("answers.csv")
        assert list(answers["marked"]) == [int(i % 3 == 0) for i in range(60)]


def test_no_rule_says_what_was_on_offer(run, plants):
    rows = "\n".join(f"{i / 7},{'low' if i < 50 else 'high'}" for i in range(100))
    Path("ages.csv").write_text(f"age,y\n{rows}\n")
    given = ("fit", "ages.csv", "--target", "y", "--positive", "low", "--out", "m.json")
    ran = run(*given, "--no-negations")
    assert "No rule: no combination of the 8 literals on offer beats the null function." in ran.out
    assert "Negations, such as age < " in ran.out
    assert "(age < " in run(*given).out


def test_fit_prints_the_rule_and_predict_agrees_with_the_library(run, plants, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    ran = run(*fit("--positive", "p"))
    assert (ran.status, ran.err) == (0, "")
    assert "(odor = f)" in ran.out
    assert "cap = ?" in ran.out
    assert "Model written to model.json." in ran.out
    assert max(map(len, ran.out.splitlines())) <= 80
    assert "\x1b" not in ran.out
    assert "Held out" not in ran.out
    model = DNFClassifier.load("model.json")

    ran = run("predict", "model.json", "plants.csv", "--out", "answers.csv")
    assert (ran.status, ran.err) == (0, "")
    answers = pd.read_csv("answers.csv", keep_default_na=False, dtype={"terms": str})
    assert list(answers.columns) == ["predicted", "probability", "marked", "terms"]
    X = plants.drop(columns="class")
    assert list(answers["predicted"]) == list(model.predict(X))
    assert answers["probability"].to_numpy() == pytest.approx(model.predict_proba(X)[:, 1])
    assert list(answers["marked"]) == list(model.marked(X).astype(int))
    texts = [" AND ".join(term) for term in model.function_.terms]
    for i in (0, 7, 100):
        fired = [str(k) for k, text in enumerate(texts, 1) if BooleanFunction(text)(X)[i]]
        assert answers["terms"][i] == " ".join(fired)
    assert files() == ["answers.csv", "model.json", "plants.csv"]


def test_one_row_is_a_row(run):
    pd.DataFrame({"a": [1, 0] * 20, "class": ["p", "e"] * 20}).to_csv("one.csv", index=False)
    ran = run(*fit("--no-negations", table="one.csv"))
    assert "40 rows, 20 positive (p); 1 column, 1 literal." in ran.out
    pd.read_csv("one.csv")[:1].to_csv("row.csv", index=False)
    ran = run("predict", "model.json", "row.csv", "--out", "answers.csv")
    assert ran.out.startswith("answers.csv: 1 row, the rule holds on 1; predicted e on 0, p on 1.")


def test_predict_reads_each_column_of_the_rule_once(run, plants, monkeypatch):
    assert run(*fit()).status == 0
    model = DNFClassifier.load("model.json")
    parsed = []

    def noted(values, title, missing):
        parsed.append(title)
        return read_column(values, title, missing)

    monkeypatch.setattr(tables, "read_column", noted)
    assert run("predict", "model.json", "plants.csv", "--out", "answers.csv").status == 0
    assert sorted(parsed) == sorted(f"Column {name!r}" for name in model.function_.attributes)


def test_a_label_past_the_precision_of_floats(run, plants):
    labels = [str(2**53 + (label == "p")) for label in plants["class"]]
    plants.assign(**{"class": labels}).to_csv("huge.csv", index=False)
    assert run(*fit("--positive", str(2**53 + 1), table="huge.csv")).status == 0
    assert DNFClassifier.load("model.json").positive_ == 2**53 + 1


def test_fit_as_json(run, plants):
    ran = run(*fit("--positive", "e", "--negations", "--json", "--seed", 3, "--jobs", 2))
    assert (ran.status, ran.err) == (0, "")
    result = ran.json()
    model = DNFClassifier.load("model.json")
    assert result["rule"] == str(model.function_)
    assert result["positive"] == model.positive_ == "e"
    assert [term["rows"] for term in result["terms"]] == list(model.rules_["rows"])
    assert result["risk_marked"]["mean"] == model.risks_[1].mean
    assert result["held_out"] is None
    assert (result["seed"], result["model"]) == (3, "model.json")
    ran = run("predict", "model.json", "plants.csv", "--out", "answers.csv", "--json")
    result = ran.json()
    answers = model.predict(plants.drop(columns="class")).tolist()
    assert result["predicted"] == {label: answers.count(label) for label in "ep"}
    assert result["rows"] == 300


def test_fit_tells_the_gap(run, plants):
    ran = run(*fit("--prove", "--time-limit", 2, "--json"))
    assert ran.status == 0
    result = ran.json()
    model = DNFClassifier.load("model.json")
    assert (result["gap"], result["proved"]) == (model.gap_, model.proved_)
    assert result["gap"] >= 0


@pytest.mark.parametrize("form", ["tsv", "csv.gz", "csv with another name", "sep", "parquet"])
def test_every_form_of_a_file_gives_the_same_rule(run, plants, form):
    expected = run(*fit("--json", table="plants.csv")).json()["rule"]
    extra = []
    if form == "parquet":
        pytest.importorskip("pyarrow")
        plants.to_parquet("t.parquet")
    elif form == "tsv":
        plants.to_csv("t.tsv", index=False, sep="\t")
    elif form == "csv.gz":
        plants.to_csv("t.csv.gz", index=False)
    elif form == "sep":
        plants.to_csv("t.txt", index=False, sep=";")
        extra = ["--sep", ";"]
    else:
        Path("t.csv").write_bytes(gzip.compress(Path("plants.csv").read_bytes()))
    [table] = [name for name in files() if name.startswith("t.")]
    ran = run(*fit(*extra, "--json", table=table))
    assert (ran.status, ran.err) == (0, "")
    assert ran.json()["rule"] == expected


def test_parquet_without_pyarrow_tells_what_to_install(run, monkeypatch):
    Path("t.parquet").write_bytes(b"PAR1 and so on")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    ran = run(*fit(table="t.parquet"))
    assert ran.status == 1
    assert ran.err.endswith('pip install "bayesdnf[parquet]".\n')
    assert len(ran.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "rows"), [(["--test", "other.csv"], 40), (["--test-share", 0.3], 90)]
)
def test_held_out_rows_are_measured(run, plants, arguments, rows):
    other = plants[:40].assign(**{"class": plants["class"][:40].to_numpy()})
    other.loc[:2, "class"] = np.where(other.loc[:2, "class"] == "p", "e", "p")
    other.to_csv("other.csv", index=False)
    result = run(*fit(*arguments, "--json")).json()
    held_out = result["held_out"]
    assert held_out["rows"] == rows
    assert held_out["accuracy"] == pytest.approx(1 - held_out["errors"] / rows)
    assert 0.8 < held_out["auc"] <= 1
    if "--test" in arguments:
        X = other.drop(columns="class")
        model = DNFClassifier.load("model.json")
        assert held_out["errors"] == int((model.predict(X) != other["class"]).sum()) >= 3
        assert held_out["auc"] == pytest.approx(
            roc_auc_score(other["class"] == "p", model.predict_proba(X)[:, 1])
        )
        assert result["rows"] == 300
    else:
        assert result["rows"] == 210


def test_cross_validation_leaves_the_rule_as_it_is(run, plants):
    alone = run(*fit("--json")).json()
    result = run(*fit("--json", "--cv", 3)).json()
    assert result["held_out"]["rows"] == 300
    assert result["held_out"]["auc"] > 0.8
    assert {**result, "held_out": None} == alone


def test_an_interrupted_search_gives_the_best_so_far(run, plants, monkeypatch):
    def interrupt(self, done, most, best):
        raise KeyboardInterrupt

    monkeypatch.setattr(bars.SearchBar, "__call__", interrupt)
    ran = run(*fit("--cv", 3, "--json"))
    assert ran.status == 130
    assert "nterrupted" in ran.err
    result = ran.json()
    assert result["stopped"] == "interrupted"
    assert result["held_out"] is None
    assert result["rule"] == str(DNFClassifier.load("model.json").function_)
    ran = run(*fit())
    assert ran.status == 130
    assert "Search: it was interrupted; " in ran.out
    assert "too few restarts, or too few strategies, to rely on" in " ".join(ran.out.split())


def test_an_interruption_before_the_search_writes_nothing(run, plants, monkeypatch):
    def interrupt(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(pd, "read_csv", interrupt)
    ran = run(*fit())
    assert (ran.status, ran.out, ran.err) == (130, "", "Interrupted.\n")
    assert files() == ["plants.csv"]


def test_a_bar_is_drawn_on_a_terminal_after_some_time_only(monkeypatch):
    class Screen(io.StringIO):
        def isatty(self):
            return True

    def shown(patience):
        screen = Screen()
        monkeypatch.setattr(sys, "stderr", screen)
        monkeypatch.setattr(bars, "_PATIENCE", patience)
        with bars.SearchBar("Search") as bar:
            for done in range(1, 4):
                bar(done, 40, -62.5)
                time.sleep(0.1)
        return screen.getvalue()

    monkeypatch.setenv("TERM", "xterm")
    assert shown(60) == ""
    assert "-62.50" in shown(0)
    assert "left" in shown(0)


def test_the_prior_is_the_library_s_unless_it_is_given(run, plants):
    assert run(*fit()).status == 0
    assert repr(DNFClassifier.load("model.json").prior_) == repr(Prior())
    assert run(*fit("--size-mean", 5, "--count-p", 0.25)).status == 0
    prior = DNFClassifier.load("model.json").prior_
    assert (prior.size, prior.count) == (Poisson(5), Geometric(0.25, start=0))


@pytest.mark.parametrize("command", [fit(), ("sample", "plants.csv", "--target", "class")])
def test_columns_that_are_ignored_are_not_on_offer(run, plants, command):
    few = () if command[0] == "fit" else ("--draws", 20, "--warmup", 10, "--thin", 5)
    for ignored, literals in (((), 30), (("noise",), 28), (("noise", "odor"), 22)):
        options = [option for name in ignored for option in ("--ignore", name)]
        assert run(*command, *few, *options, "--json").json()["literals"] == literals


def test_the_time_limit_ends_the_search(run, plants):
    ran = run(*fit("--time-limit", 1e-6, "--json"))
    assert ran.json()["stopped"] == "time limit"
    ended = "No rule: the search was stopped by its time limit before a rule was found"
    assert ran.err == f"Warning: {ended}; give it more time.\n"
    assert f"{ended}.\n" in run(*fit("--time-limit", 1e-6)).out


@posix
@pytest.mark.slow
@pytest.mark.parametrize("name", ["-", "/dev/stdin"])
def test_a_table_may_come_through_a_pipe(run, plants, tmp_path, name):
    run(*fit())
    expected = json.loads(Path("model.json").read_text())
    table = Path("plants.csv").read_bytes()
    for command in (fit(table=name, out="piped.json"), ("predict", "model.json", name, "--out")):
        own = [*command, "piped.csv"] if command[-1] == "--out" else command
        ended = subprocess.run(
            [sys.executable, "-m", "bayesdnf", *own], input=table, capture_output=True, check=False
        )
        assert (ended.returncode, ended.stderr) == (0, b"")
    found = json.loads(Path("piped.json").read_text())
    assert found["rule"] == expected["rule"]
    assert found["record"]["source"]["sha256"] == hashlib.sha256(table).hexdigest()
    assert len(pd.read_csv("piped.csv")) == len(plants)


FILES = {
    "empty.csv": b"",
    "header.csv": b"a,class\n",
    "binary.csv": b"\x89PNG\0\0\1\2",
    "latin.csv": "caf\xe9,class\n1,2\n".encode("latin-1"),
    "double.csv": b"a,a,class\n1,2,p\n",
    "semicolons.csv": b"a;b;class\n1;2;p\n",
    "long.csv": b"a,class\n1,p,3\n2,e,4\n",
    "ragged.csv": b"a,class\n1,p\n1,p,3\n",
    "cut.csv.gz": gzip.compress(b"a,class\n1,p\n" * 999)[:-30],
    "broken.parquet": b"PAR1 and then nothing",
    "three.csv": b"a,class\n1,x\n0,y\n1,z\n",
    "many.csv": b"a,class\n" + b"".join(b"%d,%d\n" % (i % 2, i) for i in range(30)),
    "days.csv": b"a,class\n" + b"".join(b"%d,2020-01-%02d\n" % (i % 2, i) for i in range(1, 31)),
    "one.csv": b"a,class\n1,x\n0,x\n",
    "gap.csv": b"a,class\n1,x\n0,\n1,z\n",
    "alone.csv": b"class\nx\ny\n",
}


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (fit(table="absent.csv"), ["absent.csv", "no such file"]),
        (fit(table="."), ["Cannot read .", "folder"]),
        (fit(table="empty.csv"), ["empty.csv", "it is empty"]),
        (fit(table="header.csv"), ["header.csv", "no rows"]),
        (fit(table="binary.csv"), ["binary.csv", "binary"]),
        (fit(table="latin.csv"), ["latin.csv", "UTF-8", "0xe9"]),
        (fit(table="double.csv"), ["double.csv", "'a'", "differ"]),
        (fit(table="semicolons.csv"), ["semicolons.csv", "commas", "by semicolons", "';'"]),
        (fit("--sep", "tab"), ["plants.csv", "tabs", "by commas"]),
        (fit("--sep", ";;"), ["one character", "';;'"]),
        (fit(table="long.csv"), ["long.csv", "line 2 has more cells than its header, 3 and not 2"]),
        (fit(table="ragged.csv"), ["ragged.csv", "line 3"]),
        (fit(table="cut.csv.gz"), ["cut.csv.gz", "damaged"]),
        (fit(table="broken.parquet"), ["broken.parquet", "damaged"]),
        (fit(table="many.csv"), ["'class'", "many.csv", "30 different numbers", "a quantity"]),
        (fit(table="days.csv"), ["'class'", "30 different dates", "2020-01-16 or later"]),
        (fit(table="one.csv"), ["'class'", "one.csv", "1 class "]),
        (fit(table="gap.csv"), ["'class'", "gap.csv", "missing in line 3"]),
        (fit(table="alone.csv"), ["alone.csv", "'class' only"]),
        (fit(target="clas"), ["plants.csv", "'clas'", "Did you mean 'class'?"]),
        (fit(target="CLASS"), ["'CLASS'", "Did you mean 'class'?"]),
        (fit(target="outcome"), ["'outcome'", "Its columns are 'odor', "]),
        (fit("--positive", "q"), ["'class'", "'e', 'p'", "'q'"]),
        (fit("--kind", "odr=binary"), ["'odr'", "Did you mean 'odor'?"]),
        (fit("--kind", "odor=odd"), ["odor", "'odd'"]),
        (fit("--ignore", "odr"), ["plants.csv", "'odr' to ignore", "Did you mean 'odor'?"]),
        (fit("--ignore", "class"), ["'class'", "target"]),
        (fit("--ignore", "a", table="gap.csv"), ["gap.csv", "'class' only"]),
        (fit("--thresholds", 0), ["thresholds", "0"]),
        (fit("--size-mean", -1), ["mean", "-1"]),
        (fit("--count-p", 2), ["2"]),
        (fit("--time-limit", 0), ["--time-limit", "0"]),
        (fit("--jobs", 0), ["--jobs", "0"]),
        (fit("--cv", 1), ["--cv", "Got 1"]),
        (fit("--test-share", 1.5), ["share", "1.5"]),
        (fit(out="plants.csv"), ["plants.csv", "file to read"]),
        (fit(out="no/model.json"), ["no/model.json", "folder no does not exist"]),
        (("predict", "absent.json", "plants.csv", "--out", "a.csv"), ["absent.json"]),
        (("predict", "empty.csv", "plants.csv", "--out", "a.csv"), ["empty.csv"]),
        (("predict", "plants.csv", "three.csv", "--out", "a.csv"), ["plants.csv"]),
    ],
)
def test_what_cannot_be_fitted_is_one_sentence(run, plants, arguments, named):
    for name, content in FILES.items():
        Path(name).write_bytes(content)
    before = {name: Path(name).read_bytes() for name in files()}
    ran = run(*arguments)
    ran.assert_one_sentence(named)
    assert {name: Path(name).read_bytes() for name in files()} == before


def test_a_column_that_is_missing_when_predicting_or_testing(run, plants):
    plants.rename(columns={"odor": "odour"}).to_csv("new.csv", index=False)
    assert run(*fit()).status == 0
    ran = run("predict", "model.json", "new.csv", "--out", "a.csv")
    assert (ran.status, ran.out) == (1, "")
    assert ran.err == (
        "Error: new.csv has no column 'odor', which model.json was fitted on. "
        "Did you mean 'odour'?\n"
    )
    assert not Path("a.csv").exists()
    ran = run(*fit("--test", "new.csv"))
    assert ran.status == 1
    assert "new.csv has no column 'odor'" in ran.err


def test_columns_that_the_rule_does_not_use_may_be_missing_when_that_is_asked_for(run, plants):
    assert run(*fit()).status == 0
    used = list(DNFClassifier.load("model.json").function_.attributes)
    assert set(used) < set(plants.columns) - {"class"}  # some are not used
    plants[used].to_csv("few.csv", index=False)
    ran = run("predict", "model.json", "few.csv", "--out", "few_answers.csv")
    assert (ran.status, ran.out) == (1, "")
    allowed = (
        "predict",
        "model.json",
        "few.csv",
        "--allow-missing-columns",
        "--out",
        "few_answers.csv",
    )
    assert run(*allowed).status == 0
    assert run("predict", "model.json", "plants.csv", "--out", "answers.csv").status == 0
    assert Path("few_answers.csv").read_bytes() == Path("answers.csv").read_bytes()
    plants[used[1:]].to_csv("few.csv", index=False)
    run(*allowed).assert_one_sentence(["few.csv", repr(used[0]), "the rule of model.json uses"])


def test_no_half_model_and_no_half_answers(run, plants, monkeypatch):
    assert run(*fit()).status == 0
    before = Path("model.json").read_bytes()

    def full(*arguments, **options):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", full)
        ran = run(*fit("--negations"))
    assert ran.status == 1
    assert "No space left" in ran.err
    with monkeypatch.context() as patch:
        patch.setattr(pd.DataFrame, "to_csv", full)
        assert run("predict", "model.json", "plants.csv", "--out", "a.csv").status == 1
    assert Path("model.json").read_bytes() == before
    assert files() == ["model.json", "plants.csv"]
