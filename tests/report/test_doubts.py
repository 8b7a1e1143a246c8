"""Checks below a report's headline."""

import pytest

from bayesdnf import DNFClassifier
from bayesdnf.report.doubts import checks_of
from bayesdnf.report.draw_facts import DrawFacts
from bayesdnf.report.facts import gather
from bayesdnf.report.genome_facts import GenomeFacts
from tests.report.reported import mixed


@pytest.fixture(scope="module")
def facts():
    X, y = mixed(300)
    return gather(DNFClassifier(positive="ill", random_state=0).fit(X, y), X, y)


WELL = DrawFacts(
    chains=4, draws=400, distinct=12, kernel="informed", rivals=(), left=0, left_probability=0.0,
    rule_probability=0.9, null_probability=0.0, settled=True, best_probability=0.9,
    term_probability=(), sure=(), attributes=(), literals=(), terms=(), ok=True,
    verdict="They agree.", quantities=(), warning="", settings=(),
)  # fmt: skip


def titles(facts, **changes):
    return {check.title: check.good for check in checks_of(facts._replace(**changes))}


def test_doubts_come_first(facts):
    checks = checks_of(facts._replace(sure=True, trust="Sure."))
    assert [check.good for check in checks] == sorted(check.good for check in checks)
    assert {"Not tested on held-out rows", "The restarts agree"} <= {c.title for c in checks}


def test_the_search(facts):
    assert titles(facts, sure=False, trust="No.")["The restarts do not agree"] is False
    one_sided = titles(facts, sure=False, trust="No.", is_null=True, one_sided=True)
    assert one_sided["Some literals were not offered"] is False
    assert not any("restarts" in title for title in titles(facts, trust=""))


@pytest.mark.parametrize(
    ("changes", "title", "good"),
    [
        ({}, "The chains agree", True),
        ({"ok": False}, "The chains are short", False),
        ({"ok": False, "settled": False}, "The chains do not agree", False),
        ({"ok": None}, "The chains were not diagnosed", False),
        ({"warning": "Others."}, "Draws of another posterior", False),
        ({"null_probability": 0.06}, "There may be no rule", False),
        ({"rule_probability": 0.49}, "Other rules are possible", False),
    ],
)
def test_the_draws(facts, changes, title, good):
    assert titles(facts, draws=WELL._replace(**changes))[title] is good


def test_draws_that_are_well_raise_no_doubt(facts):
    with_draws = set(titles(facts, draws=WELL)) - set(titles(facts))
    assert with_draws == {"The chains agree"}


def test_chains_that_have_not_settled_give_bounds(facts):
    doubtful = WELL._replace(settled=False, ok=False, null_probability=0.2, rule_probability=0.1)
    texts = {check.title: check.text for check in checks_of(facts._replace(draws=doubtful))}
    assert "at most 20" in texts["There may be no rule"]
    assert "at most 10" in texts["Other rules are possible"]
    assert "12 rules" in texts["Other rules are possible"]


def test_rows_it_never_saw(facts):
    assert titles(facts, is_held_out=True)["Tested on held-out rows"]
    flattered = {c.title: c.text for c in checks_of(facts)}["Not tested on held-out rows"]
    assert "optimistic" in flattered
    null = {c.title: c.text for c in checks_of(facts._replace(is_null=True))}
    assert "optimistic" not in null["Not tested on held-out rows"]


def test_texts_that_differ_in_case_only(facts):
    assert "Similar texts" not in titles(facts)
    X, y = mixed(300)
    X = X.assign(site=["A", " a", "B"] * 100)
    found = gather(DNFClassifier(random_state=0, restarts=2).fit(X, y), X, y)
    [text] = [check.text for check in checks_of(found) if check.title == "Similar texts"]
    assert "'site' has ' a' and 'A'." in text


def test_one_class_for_all(facts):
    assert titles(facts, constant="All are ill.")["One predicted class"] is False
    assert "One predicted class" not in titles(facts)


def test_what_is_wrong_with_a_study_comes_first(facts):
    genome = GenomeFacts((), ("Tests are inflated.",), (), (), ())
    first = checks_of(facts._replace(genome=genome, sure=False, trust="No."))[0]
    assert (first.good, first.text) == (False, "Tests are inflated.")


def test_texts_that_may_mean_missing(facts):
    assert titles(facts, number_texts="'d' holds …")["Texts that may mean missing"] is False
    assert "Texts that may mean missing" not in titles(facts)


def test_a_search_that_was_cut_short(facts):
    changes = {"sure": False, "trust": "No.", "is_null": True, "cut_short": "it was stopped"}
    assert titles(facts, **changes)["The search was cut short"] is False
