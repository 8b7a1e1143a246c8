"""explain: which terms hold, and the smallest change, against trying every change there is."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesdnf import BooleanFunction, DNFClassifier, LiteralEncoder
from bayesdnf.errors import InputError, UnknownColumnError
from bayesdnf.estimators.explaining.changes import nearest_change
from bayesdnf.estimators.explaining.explanation import fired_terms

LEVELS = {"odor": ["a", "f", "n"], "ill": [0, 1], "stage": [1, 2, 3], "age": [10.5, 20.5, 30.5]}
COLUMNS = {
    name: list(values)
    for name, values in zip(
        LEVELS, zip(*itertools.product(*LEVELS.values()), strict=True), strict=True
    )
}


def encoder(negations):
    return LiteralEncoder(negations=negations, kinds={"age": "numeric"}).fit(COLUMNS)


ENCODERS = {negations: encoder(negations) for negations in (False, True)}
ROWS = st.fixed_dictionaries({n: st.sampled_from([*v, None]) for n, v in LEVELS.items()})


@st.composite
def functions(draw):
    negations = draw(st.booleans())
    literal = st.sampled_from(ENCODERS[negations].literals_)
    terms = draw(st.lists(st.lists(literal, min_size=1, max_size=3), min_size=1, max_size=4))
    return ENCODERS[negations], BooleanFunction(terms)


def holds(function, encoder, row):
    table = {name: [value] for name, value in row.items()}
    return bool(function(encoder.as_table(table))[0])


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


@given(functions(), ROWS)
def test_the_terms_that_hold_are_named(given_function, row):
    encoder, function = given_function
    table = encoder.as_table({name: [value] for name, value in row.items()})
    fired = fired_terms(function, table)
    for term in function.terms:
        text = " AND ".join(term)
        assert (text in fired) == holds(BooleanFunction.parse(text), encoder, row)


@pytest.fixture(scope="module")
def model():
    table = pd.DataFrame({"odor": list("fnnaf") * 20, "size": list("bbcbc") * 20})
    y = ["bad" if odor == "f" else "fine" for odor in table["odor"]]
    return DNFClassifier(positive="bad", random_state=0, negations=False).fit(table, y)


def test_a_marked_row_in_words(model):
    told = model.explain({"odor": "f", "size": "b"})
    assert told.marked
    assert told.fired == ("odor = f",)
    assert told.prediction == "bad"
    assert [str(change) for change in told.change] == ["odor, now f, to odor != f"]
    assert str(told).startswith("The rule holds on this row: P(bad) = 0.9762, predicted bad.\n")
    assert "<td" in told._repr_html_()
    assert "odor != f" in told._repr_html_()


@pytest.mark.parametrize(
    "row",
    [
        {"odor": "n", "size": "b"},
        pd.Series({"odor": "n", "size": "b"}),
        pd.DataFrame({"odor": ["n"], "size": ["b"]}),
        ["n", "b"],
        np.array(["n", "b"]),
    ],
)
def test_a_row_may_come_in_many_forms(model, row):
    told = model.explain(row)
    assert not told.marked
    assert told.fired == ()
    assert [str(change) for change in told.change] == ["odor, now n, to odor = f"]


def test_a_missing_value_is_called_missing(model):
    told = model.explain({"odor": None, "size": "b"})
    assert [str(change) for change in told.change] == ["odor, now missing, to odor = f"]


def test_html_is_escaped():
    table = {"a<b": ["<i>", "x"] * 20}
    told = DNFClassifier(random_state=0).fit(table, [1, 0] * 20).explain({"a<b": "x"})
    assert "<i>" not in told._repr_html_()
    assert "&lt;i&gt;" in told._repr_html_()


def test_the_null_function_has_nothing_to_flip():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, size=(60, 3))
    told = DNFClassifier(random_state=0).fit(X, np.arange(60) % 2).explain(X[0])
    assert told.change is None
    assert "none was found" in str(told)


def test_wrong_rows_are_refused(model):
    with pytest.raises(InputError, match="takes one row"):
        model.explain(pd.DataFrame({"odor": ["n", "f"], "size": ["b", "b"]}))
    with pytest.raises(InputError, match="has 1 values; the classifier was fitted on 2 columns"):
        model.explain(["n"])
    with pytest.raises(UnknownColumnError, match="no column 'size'"):
        model.explain({"odor": "n"})


def test_only_the_rules_columns_are_needed_when_allowed(model):
    table = pd.DataFrame({"odor": list("fn") * 20, "size": list("bbcc") * 10})
    lenient = DNFClassifier(allow_missing_columns=True, random_state=0)
    lenient.fit(table, [1, 0] * 20)
    assert lenient.explain({"odor": "f"}).marked
