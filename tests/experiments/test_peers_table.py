"""The table of the benchmarks: what is measured again, and what its means are of."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

from benchmarks import peers
from benchmarks.folds import Set
from benchmarks.measured import Measured
from benchmarks.methods import Answer, Method, coded, size_of_tree
from benchmarks.writing import append_lines, read_lines

ANSWERS = {"tree": Answer(size_of_tree), "tree again": Answer()}


def line(name, fold, method, status="done", **figures):
    return {"set": name, "fold": fold, "method": method, "status": status, "of": {}, **figures}


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.setattr(peers, "FILE", tmp_path / "peers.jsonl")
    return tmp_path / "peers.jsonl"


def test_a_run_goes_on_after_a_line_that_was_cut_off(file):
    append_lines(file, [line("votes", 0, "tree")])
    with file.open("a") as cut:
        cut.write(json.dumps(line("votes", 1, "tree"))[:20])
    assert peers.is_measured("votes", 0, "tree")
    assert not peers.is_measured("votes", 1, "tree")
    append_lines(file, [line("votes", 1, "tree")])
    assert peers.is_measured("votes", 1, "tree")
    assert len(read_lines(file)) == 2


def test_an_unfinished_method_is_not_tried_on_other_folds(file):
    append_lines(file, [line("votes", 0, "tree", "unfinished after 1 CPU s")])
    assert peers.is_measured("votes", 3, "tree")
    assert not peers.is_measured("votes", 3, "FIGS")


def test_means_are_of_folds_that_all_methods_have():
    found = Measured(
        [
            line("a", 0, "list", auc=0.9),
            line("a", 1, "list", auc=0.5),
            line("a", 0, "tree", auc=0.7),
            line("b", 0, "list", auc=0.8),
            line("b", 0, "tree", auc=0.8),
            line("c", 0, "list", auc=0.8),
            line("c", 0, "tree", "unfinished after 1 CPU s"),
            line("d", 0, "list", auc=0.1),
            line("e", 0, "tree", auc=0.1),  # ours are still to be measured
        ]
    )
    assert list(found.sets) == ["a", "b", "c", "d"]
    assert found.get("a", "list") == {"auc": 0.9}
    assert found.get("c", "tree") is found.get("d", "tree") is None
    assert found.everywhere(["tree", "list"]) == ["list"]
    gap = found.difference("list", "tree", "auc")
    assert gap.n_sets == 2
    assert (gap.mean, gap.error) == pytest.approx((0.1, 0.1))


def test_every_answer_of_one_fit_is_judged():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 2, (80, 3)).astype(str), columns=list("abc"))
    y = ((X["a"] == "1") ^ (rng.random(80) < 0.1)).to_numpy().astype(np.int64)
    rows = np.arange(80)
    method = Method("", lambda: coded(DecisionTreeClassifier(max_depth=1)), ANSWERS)
    found = peers.measure(method, Set("made", X, y, []), rows[:60], rows[60:])
    assert list(found) == list(ANSWERS)
    assert found["tree"]["auc"] == found["tree again"]["auc"]
    assert found["tree"]["literals"] == 1
    assert "literals" not in found["tree again"]
    assert found["tree"]["accuracy"] > 0.7
    counts, positives, risks = np.array(found["tree"]["bins"])
    assert counts.sum() == 20
    assert positives.sum() == y[60:].sum()
    assert 0 <= risks.sum() <= 20


def test_two_methods_are_compared_on_all_folds_that_both_have():
    found = Measured(
        [
            line("a", 0, "list", auc=0.9),
            line("a", 1, "list", auc=0.5),
            line("a", 0, "tree", auc=0.7),
            line("a", 1, "tree", auc=0.6),
            line("a", 0, "FIGS", auc=0.7),
            line("b", 0, "list", auc=0.8),
            line("b", 0, "tree", auc=0.7),
            line("b", 0, "FIGS", auc=0.7),
        ]
    )
    assert found.gaps("list", "tree", "auc") == pytest.approx([0.2, 0.1])
    both = found.only(["list", "tree"])
    assert both.gaps("list", "tree", "auc") == pytest.approx([0.05, 0.1])
    assert found.between("list", "tree", "auc").mean == pytest.approx(0.075)
