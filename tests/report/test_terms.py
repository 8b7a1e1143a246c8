"""Which terms hold together, against slow and obvious counting."""

import numpy as np
import pandas as pd

from bayesdnf import BooleanFunction, DNFClassifier, Posterior
from bayesdnf.estimators.rules import rules_table
from bayesdnf.report.terms import counted_terms, overlap_of
from tests.estimators.planted_list import planted


def test_overlaps_are_those_of_counting_row_by_row(fitted):
    model, X, ill = fitted
    counted = np.arange(len(X)) % 3 > 0
    table = model.encoder_.as_table(X)
    overlap = overlap_of(model.function_, table, ill, counted)
    holds = [BooleanFunction([term])(table) for term in model.function_.literal_terms]
    slow = {}
    for i in np.flatnonzero(counted):
        key = tuple(t + 1 for t, flags in enumerate(holds) if flags[i])
        rows, positives = slow.get(key, (0, 0))
        slow[key] = rows + 1, positives + int(ill[i])
    assert (overlap.unmarked, overlap.unmarked_positives) == slow.pop((), (0, 0))
    assert {s.terms: (s.rows, s.positives) for s in overlap.together} == slow
    assert [s.rows for s in overlap.together] == sorted((n for n, _ in slow.values()), reverse=True)
    assert list(overlap.alone) == [slow.get((t + 1,), (0, 0)) for t in range(len(holds))]


def test_of_many_sets_of_terms_the_rest_is_counted():
    X = {f"x{j}": [i >> j & 1 for i in range(1, 64)] for j in range(6)}
    rule = BooleanFunction([[f"x{j}"] for j in range(6)])
    model = DNFClassifier(random_state=0, restarts=1).fit(X, [0, 1] * 31 + [0])
    overlap = overlap_of(rule, model.encoder_.as_table(X), np.ones(63, bool), np.ones(63, bool))
    assert len(overlap.together) == 15
    assert (overlap.left_out, overlap.left_out_rows) == (48, 48)


def test_terms_are_counted_as_the_posterior_counts_them():
    X, y = planted()
    model = DNFClassifier(layers=4, positive="ill", random_state=0).fit(X, y)
    ill, table = np.asarray(y == "ill"), model.encoder_.as_table(X)
    for rule, layers in ((model.function_, 4), (BooleanFunction("odor = f OR flag"), 1)):
        posterior = Posterior(model.encoder_.encode(table), ill, layers=layers)
        every = np.ones(len(X), dtype=bool)
        counted = counted_terms(rule, table, ill, every)
        wanted = rules_table(posterior, rule).drop(columns="log_gain")
        pd.testing.assert_frame_equal(counted.drop(columns="log_gain"), wanted)
