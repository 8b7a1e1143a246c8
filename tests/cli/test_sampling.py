"""sample: what is printed, what is written, and every wrong wish."""

import dataclasses
import os
import sys
from pathlib import Path

import pandas as pd
import pytest

from bayesdnf import BooleanFunction, Draws, PosteriorDNFClassifier, sample
from bayesdnf.search.result import SearchResult

FEW = ("--layers", 1, "--draws", 200, "--warmup", 100, "--thin", 40, "--chains", 2)


def draw(*arguments, table="plants.csv", target="class"):
    return ("sample", table, "--target", target, *FEW, *arguments)


def test_sample_prints_functions_inclusion_risks_and_a_verdict(run, plants, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    verdict = run(*draw("--positive", "p", "--json")).json()["verdict"]
    ran = run(*draw("--positive", "p"))
    assert (ran.status, ran.err) == (0, "")
    text = " ".join(ran.out.split())
    for part in (
        "300 rows, ",
        "Posterior of the rule for p: 2 chains of 200 draws",
        "(odor = f)",
        "literal odor = f",
        "(in none of 400 draws)",
        "Risk if it holds: 0.9",
        "Sampling (informed): all draws were made; ",
        "of proposed changes accepted.",
    ):
        assert part in text
    assert text.endswith(verdict)
    assert max(map(len, ran.out.splitlines())) <= 80
    assert "\x1b" not in ran.out
    assert os.listdir() == ["plants.csv"]


def test_sample_as_json_is_what_the_library_draws(run, plants):
    ran = run(*draw("--positive", "e", "--json", "--seed", 3, "--jobs", 2))
    assert (ran.status, ran.err) == (0, "")
    result = ran.json()
    model = PosteriorDNFClassifier(
        positive="e", layers=1, draws=200, warmup=100, thin=40, chains=2, random_state=3
    ).fit(plants.drop(columns="class"), plants["class"])
    shown = [BooleanFunction.parse(row["function"]) for row in result["functions"]]
    assert shown == list(model.functions_["function"][:100])
    assert [row["probability"] for row in result["functions"]] == pytest.approx(
        list(model.functions_["probability"][:100])
    )
    assert result["distinct_functions"] == len(model.functions_)
    assert result["best"] == str(model.map_)
    assert result["null_probability"] == model.null_probability_
    assert [row["what"] for row in result["inclusion"]] == list(model.inclusion_["what"])
    assert result["risk_marked"]["mean"] == pytest.approx(model.risks_[1].mean)
    assert result["verdict"] == model.diagnostics_.verdict
    assert (result["seed"], result["positive"], result["rows"]) == (3, "e", 300)
    assert (result["held_out"], result["evidence"], result["out"]) == (None, None, None)
    assert 0 < result["accepted"] < 1


def test_draws_are_written_and_other_rows_are_tested(run, plants):
    plants[:50].to_csv("other.csv", index=False)
    result = run(*draw("--out", "draws.nc", "--test", "other.csv", "--json")).json()
    assert result["out"] == "draws.nc"
    assert result["held_out"]["rows"] == 50
    assert result["held_out"]["auc"] > 0.9
    drawn = Draws.load("draws.nc")
    assert (drawn.n_chains, drawn.n_draws) == (2, 200)
    assert str(drawn.function(0)) == result["functions"][0]["function"]
    model = PosteriorDNFClassifier.load("draws.nc")
    assert str(model.map_) == result["best"]
    assert len(model.predict(plants)) == len(plants)
    ran = run(*draw("--out", "draws.nc", "--test", "other.csv"))
    assert ran.status == 0
    assert "Held out (other.csv): AUC " in ran.out
    assert ran.out.endswith("Draws written to draws.nc.\n")


def test_draws_are_kept_when_printing_ends_the_command(run, plants, monkeypatch):
    """With `| head`, or a second Ctrl-C, the draws of hours were lost."""

    def closed(*given):
        raise BrokenPipeError

    monkeypatch.setattr("bayesdnf.cli.terminal.print_posterior", closed)
    assert run(*draw("--out", "draws.nc")).status == 1
    assert Draws.load("draws.nc").n_draws == 200


def test_the_tempered_kernel_gives_the_evidence(run, plants):
    result = run(*draw("--kernel", "tempered", "--json")).json()
    assert result["kernel"] == "tempered"
    assert result["evidence"]["mean"] < 0
    factor = result["bayes_factor"]
    assert (factor["bound"], factor["source"]) == ("", "scores")
    printed = run(*draw("--kernel", "tempered")).out
    assert "Log evidence -" in printed
    assert f"(log {factor['log']:.2f})" in printed
    plain = run(*draw("--json")).json()["bayes_factor"]
    assert plain["log"] == pytest.approx(factor["log"], abs=0.5)


def test_no_rule_at_all(run):
    pd.DataFrame({"a": [0, 1] * 30, "y": [0, 0, 1] * 20}).to_csv("t.csv", index=False)
    arguments = draw("--count-p", 0.999999, table="t.csv", target="y")
    ran = run(*arguments)
    assert ran.status == 0
    assert "no rule: 1" in ran.out
    assert "Risk on every row: 0.3" in ran.out
    result = run(*arguments, "--json").json()
    assert result["risk_marked"] is None
    assert result["functions"][0]["terms"] == 0
    assert BooleanFunction.parse(result["best"]).is_null


def test_a_checkpoint_is_kept_and_gone_on_from(run, plants):
    first = run(*draw("--checkpoint", "run", "--json"))
    assert sorted(os.listdir()) == ["plants.csv", "run.0"]
    assert run(*draw("--checkpoint", "run", "--json")).out == first.out
    ran = run(*draw("--checkpoint", "run", "--seed", 9))
    assert (ran.status, ran.out) == (1, "")
    assert "is of another run" in ran.err


def test_the_time_limit_ends_it(run, plants):
    result = run(*draw("--draws", 10**7, "--time-limit", 0.5, "--json")).json()
    assert result["stopped"] == "time limit"
    assert 0 < result["draws"] < 10**7


def test_an_interrupted_run_gives_the_draws_so_far(run, plants, monkeypatch):
    def interrupted(posterior, **options):
        drawn = sample(posterior, **options)
        return dataclasses.replace(drawn, settings={**drawn.settings, "stopped": "interrupted"})

    monkeypatch.setattr("bayesdnf.estimators.posterior_classifier.sample", interrupted)
    ran = run(*draw("--json", "--out", "draws.nc"))
    assert ran.status == 130
    assert ran.err == "Interrupted: these are the draws so far.\n"
    assert ran.json()["stopped"] == "interrupted"
    assert Draws.load("draws.nc").n_draws == 200


def test_an_interruption_before_the_first_draw_is_told(run, plants, monkeypatch):
    def interrupted(*_, **__):
        return SearchResult(BooleanFunction(), 0.0, stopped="interrupted", agreement=1, restarts=1)

    monkeypatch.setattr("bayesdnf.sampling.run.hunt", interrupted)
    ran = run(*draw("--out", "draws.nc"))
    said = "Sampling was stopped before the first draw.\n"
    assert (ran.status, ran.out, ran.err) == (130, "", said)
    assert os.listdir() == ["plants.csv"]


def test_without_the_extra_all_but_diagnostics_and_files(run, plants, monkeypatch):
    for name in ("arviz_stats", "arviz_stats.base", "arviz_base"):
        monkeypatch.setitem(sys.modules, name, None)
    ran = run(*draw())
    assert (ran.status, ran.err) == (0, "")
    assert "Diagnostics need arviz-stats: pip install 'bayesdnf[posterior]'." in ran.out
    assert run(*draw("--json")).json()["verdict"].startswith("Diagnostics need")
    ran = run(*draw("--out", "draws.nc"))
    assert (ran.status, ran.out) == (1, "")
    assert ran.err.endswith("pip install 'bayesdnf[posterior]'.\n")
    assert len(ran.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (draw(table="absent.csv"), ["absent.csv", "no such file"]),
        (draw(target="clas"), ["plants.csv", "'clas'", "Did you mean 'class'?"]),
        (draw("--positive", "q"), ["'class'", "'e', 'p'", "'q'"]),
        (draw("--kernel", "gibbs"), ["kernel", "'informed'", "'gibbs'"]),
        (draw("--draws", 0), ["draws", "1 or more", "0"]),
        (draw("--warmup", -1), ["warmup", "0 or more", "-1"]),
        (draw("--chains", 0), ["chains", "0"]),
        (draw("--thin", 0), ["thin", "0"]),
        (draw("--time-limit", 0), ["--time-limit", "0"]),
        (draw("--jobs", 0), ["--jobs", "0"]),
        (draw("--seed", -1), ["--seed", "-1"]),
        (draw("--kind", "odr=binary"), ["'odr'", "Did you mean 'odor'?"]),
        (draw("--out", "plants.csv"), ["plants.csv", "file to read"]),
        (draw("--out", "no/draws.nc"), ["no/draws.nc", "folder no does not exist"]),
        (draw("--checkpoint", "no/run"), ["no/run", "folder no does not exist"]),
        (draw("--test", "absent.csv"), ["absent.csv", "no such file"]),
    ],
)
def test_what_cannot_be_sampled_is_one_sentence(run, plants, arguments, named):
    before = Path("plants.csv").read_bytes()
    ran = run(*arguments)
    ran.assert_one_sentence(named)
    assert os.listdir() == ["plants.csv"]
    assert Path("plants.csv").read_bytes() == before
