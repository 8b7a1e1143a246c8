"""The smallest change that flips an answer."""

import itertools

import numpy as np
import pytest
from hypothesis import given

from bayesdnf import BooleanFunction, DNFClassifier
from bayesdnf.estimators.explaining.changes import nearest_change
from tests.estimators.explaining.explained import LEVELS, ROWS, functions, holds


def fewest_changes(function, encoder, row):
    """Every other value of every set of attributes, the small sets first."""
    before = holds(function, encoder, row)
    for size in range(1, len(LEVELS) + 1):
        for names in itertools.combinations(LEVELS, size):
            for values in itertools.product(*(LEVELS[name] for name in names)):
                if (
                    holds(function, encoder, {**row, **dict(zip(names, values, strict=True))})
                    != before
                ):
                    return size
    return None


@pytest.mark.slow
@given(functions(), ROWS)
def test_the_change_is_the_smallest_and_it_flips(given_function, row):
    encoder, function = given_function
    table = encoder.as_table({name: [value] for name, value in row.items()})
    changes = nearest_change(function, encoder, table)
    fewest = fewest_changes(function, encoder, row)
    assert (changes is None) == (fewest is None)
    if changes is None:
        return
    assert len(changes) == fewest
    # Every way to satisfy the conditions flips the answer, and there is one.
    before, ways = holds(function, encoder, row), 0
    names = [change.attribute for change in changes]
    conditions = BooleanFunction([[c for x in changes for c in x.condition.split(" AND ")]])
    for values in itertools.product(*(LEVELS[name] for name in names)):
        changed = {**row, **dict(zip(names, values, strict=True))}
        if holds(conditions, encoder, changed):
            ways += 1
            assert holds(function, encoder, changed) != before
    assert ways > 0
    for change in changes:
        assert change.value == row[change.attribute]


def test_the_null_function_has_nothing_to_flip():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, size=(60, 3))
    told = DNFClassifier(random_state=0).fit(X, np.arange(60) % 2).explain(X[0])
    assert told.change is None
    assert "none was found" in str(told)
