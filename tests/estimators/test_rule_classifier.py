"""What both classifiers do with labels and weights."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from bayesdnf import DNFClassifier
from bayesdnf.data import encoder
from bayesdnf.data.outcome import CheckedWeights, read_weights
from bayesdnf.errors import InputError, ParameterError
from bayesdnf.estimators import rule_classifier
from bayesdnf.model import posterior
from tests.estimators.mixed_table import LABELS


def test_positive_turns_the_rule_round(table):
    fine = DNFClassifier(random_state=0, negations=True).fit(table, LABELS)
    assert fine.positive_ == "fine"
    assert fine.negative_ == "bad"
    assert (fine.marked(table) <= (np.array(LABELS) == "fine")).all()
    with pytest.raises(ParameterError, match=r"'positive'.*one of the classes of y, 'bad', 'fine'"):
        DNFClassifier(positive="worse").fit(table, LABELS)
    with pytest.raises(ParameterError, match="'positive'"):
        DNFClassifier(positive="1").fit(table, np.arange(120) % 2)


@given(seed=st.integers(0, 10_000))
@settings(max_examples=10)
def test_weights_are_repetition_and_order_does_not_matter(seed):
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.normal(size=40), rng.integers(0, 4, 40), rng.integers(0, 2, 40)])
    y = (X[:, 0] + rng.normal(size=40) > 0).astype(int)
    weights = rng.integers(0, 4, 40)
    weights[[y.argmin(), y.argmax()]] = 1
    repeated = np.repeat(np.arange(40), weights)
    shuffled = rng.permutation(repeated)
    clf = DNFClassifier(random_state=0, restarts=3)
    one = clone(clf).fit(X, y, sample_weight=weights.astype(float))
    two = clone(clf).fit(X[shuffled], y[shuffled])
    assert one.function_ == two.function_
    assert one.log_posterior_ == two.log_posterior_
    assert one.counts_ == two.counts_
    assert one.rules_.equals(two.rules_)


def test_weights_are_checked_once(table, monkeypatch):
    given = []

    def noted(weights, n_rows):
        given.append(weights)
        return read_weights(weights, n_rows)

    for module in (rule_classifier, encoder, posterior):
        monkeypatch.setattr(module, "read_weights", noted)
    DNFClassifier(restarts=1, random_state=0).fit(table, LABELS, [1.0] * len(LABELS))
    assert [isinstance(weights, CheckedWeights) for weights in given] == [False, True, True]


def test_weights_must_be_whole(table):
    weights = np.ones(120)
    weights[7] = 0.5
    with pytest.raises(InputError, match=r"whole numbers.*Got 0.5 in row 7"):
        DNFClassifier().fit(table, LABELS, sample_weight=weights)


def test_a_class_of_weight_zero_is_no_class(table):
    three = ["odd", *LABELS[1:]]
    weights = np.ones(120)
    assert len(DNFClassifier(restarts=8).fit(table, three, sample_weight=weights).classes_) == 3
    weights[0] = 0
    clf = DNFClassifier(random_state=0).fit(table, three, sample_weight=weights)
    assert clf.classes_.tolist() == ["bad", "fine"]
    only = (np.array(LABELS) == "bad").astype(int)
    with pytest.raises(InputError, match="one class only on the rows whose sample_weight is not"):
        DNFClassifier().fit(table, LABELS, sample_weight=only)
