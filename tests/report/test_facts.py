"""Everything a report says, before it is a page."""

import numpy as np
import pytest

from bayesdnf import DNFClassifier
from bayesdnf.errors import InputError
from bayesdnf.report.facts import File, gather
from tests.report.reported import mixed, noise


@pytest.fixture(scope="module")
def ill():
    X, y = mixed(300)
    return DNFClassifier(positive="ill", negations=True, random_state=0).fit(X, y), X, y


def test_counts_are_those_of_the_rows(ill):
    model, X, y = ill
    facts = gather(model, X, y)
    assert (facts.positive, facts.negative) == ("ill", "well")
    assert (facts.data.rows, facts.data.positives) == (300, (y == "ill").sum())
    assert facts.data.missing_cells == X.isna().sum().sum()
    assert facts.data.missing_rows == X.isna().any(axis=1).sum()
    assert dict(facts.data.missing.lines) == {"age": str(X["age"].isna().sum())}
    assert sum(part.rows for part in facts.parts) == 300
    assert len(facts.terms) == len(model.function_)


def test_columns_that_are_equal_or_dropped_are_listed(ill):
    facts = gather(*ill)
    assert any("same" in name for name, _ in facts.data.dropped.lines)
    assert any("copy" in " ".join(line) for line in facts.data.equal.lines)


def test_what_it_was_made_with(ill):
    model, X, y = ill
    facts = gather(model, X, y, files=[File("data", "t.csv", "f" * 64)], command="bayesdnf <fit>")
    assert facts.files[0].name == "t.csv"
    assert facts.command == "bayesdnf <fit>"
    assert dict(facts.settings)["positive"] == "'ill'"
    assert facts.record == model.record_


def test_held_out_rows_are_measured_alone(ill):
    model, X, y = ill
    other, answers = mixed(200, seed=9)
    facts = gather(model, other, answers)
    assert facts.is_held_out
    right = (model.predict(other) == answers).mean()
    assert facts.performance.accuracy == pytest.approx(right)
    assert not gather(model, X, y).is_held_out


def test_no_rule_has_one_risk_and_no_form():
    X, y = noise()
    facts = gather(DNFClassifier(random_state=0).fit(X, y), X, y)
    assert facts.is_null
    assert facts.case is None
    assert facts.terms == ()
    assert len(facts.parts) == 1


def test_rows_and_labels_go_together(ill):
    model, X, y = ill
    with pytest.raises(InputError, match="299 entries for 300 rows"):
        gather(model, X, y[:-1])
    with pytest.raises(InputError, match="'dead' in row 0"):
        gather(model, X, np.where(np.arange(300) == 0, "dead", y))
