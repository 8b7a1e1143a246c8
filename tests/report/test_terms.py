"""Which terms hold together, against slow and obvious counting."""

import numpy as np

from bayesdnf import BooleanFunction, DNFClassifier, Posterior, RuleList
from bayesdnf.data.tables import read_table
from bayesdnf.estimators.rules import rules_table
from bayesdnf.report.terms import counted_terms, overlap_of, term_facts
from tests.estimators.planted_list import planted


def test_overlaps_are_those_of_counting_row_by_row(fitted):
    model, X, ill = fitted
    counted = np.arange(len(X)) % 3 > 0
    table = model.encoder_.as_table(X)
    overlap = overlap_of(model.function_, table, np.where(ill, 0, 1), 2, counted)
    holds = [BooleanFunction([term])(table) for term in model.function_.literal_terms]
    slow = {}
    for i in np.flatnonzero(counted):
        key = tuple(t + 1 for t, flags in enumerate(holds) if flags[i])
        rows, positives = slow.get(key, (0, 0))
        slow[key] = rows + 1, positives + int(ill[i])
    assert (overlap.unmarked.rows, overlap.unmarked.positives) == slow.pop((), (0, 0))
    assert {s.terms: (s.rows, s.positives) for s in overlap.together} == slow
    assert [s.rows for s in overlap.together] == sorted((n for n, _ in slow.values()), reverse=True)
    alone = [(s.rows, s.positives) for s in overlap.alone]
    assert alone == [slow.get((t + 1,), (0, 0)) for t in range(len(holds))]


def test_of_many_sets_of_terms_the_rest_is_counted():
    X = {f"x{j}": [i >> j & 1 for i in range(1, 64)] for j in range(6)}
    rule = BooleanFunction([[f"x{j}"] for j in range(6)])
    model = DNFClassifier(random_state=0, restarts=1).fit(X, [0, 1] * 31 + [0])
    every = np.ones(63, dtype=bool)
    overlap = overlap_of(rule, model.encoder_.as_table(X), np.arange(63) % 3, 3, every)
    assert sum(s.rows for s in overlap.together) + overlap.left_out_rows == 63
    [both] = [s for s in overlap.together if s.terms == (1, 2)]  # row 3, the third
    assert both.of_class == (0, 0, 1)
    assert len(overlap.together) == 15
    assert (overlap.left_out, overlap.left_out_rows) == (48, 48)


def test_terms_are_counted_as_the_posterior_counts_them():
    X, y = planted()
    model = DNFClassifier(layers=4, positive="ill", random_state=0).fit(X, y)
    ill, table = np.asarray(y == "ill"), model.encoder_.as_table(X)
    for rule, layers in ((model.function_, 4), (BooleanFunction("odor = f OR flag"), 1)):
        posterior = Posterior(model.encoder_.encode(table), ill, layers=layers)
        every = np.ones(len(X), dtype=bool)
        counted = counted_terms(rule, table, np.where(ill, 0, 1), 2, every)
        for own, wanted in zip(
            counted, term_facts(rule, rules_table(posterior, rule)), strict=True
        ):
            assert own._replace(log_gain=0) == wanted._replace(log_gain=0)


def test_terms_of_classes_are_counted_by_class():
    X = {"x": [1, 1, 1, 0, 0, 1], "z": [0, 0, 1, 1, 0, 0]}
    rule, table = RuleList(["x AND z", "x"]), read_table(X)
    first, second = counted_terms(
        rule, table, np.array([0, 1, 2, 2, 0, 1]), 3, np.ones(6, dtype=bool)
    )
    assert (first.of_class, first.top, first.layer) == ((0, 0, 1), 2, 2)
    assert (second.of_class, second.top, second.rows) == ((1, 2, 0), 1, 3)
    assert second.rate == 2 / 3
