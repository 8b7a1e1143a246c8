"""How well a rule tells cases apart, against scikit-learn and slow counting."""

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score, confusion_matrix, roc_auc_score, roc_curve

from bayesdnf.report.performance import class_performance_of, performance_of


@pytest.mark.parametrize("levels", [2, 7, 5000])
def test_the_curve_and_its_area_are_scikit_learns(levels):
    rng = np.random.default_rng(levels)
    risk = rng.integers(0, levels, 2000) / levels
    positive = rng.random(2000) < 0.2 + 0.6 * risk
    seen = performance_of(risk > 0.5, risk, positive)
    assert seen.auc == pytest.approx(roc_auc_score(positive, risk), abs=1e-12)
    x, y, _ = roc_curve(positive, risk)
    assert seen.roc[0] == (0, 0)
    assert seen.roc[-1] == (1, 1)
    assert len(seen.roc) <= 200
    if levels == 2:
        assert seen.roc == tuple((round(a, 5), round(b, 5)) for a, b in zip(x, y, strict=True))
    hits, alarms = (risk > 0.5) & positive, (risk > 0.5) & ~positive
    assert seen.marked == (alarms.sum(), hits.sum())
    assert sum(b.rows for b in seen.bins) == 2000
    assert performance_of(risk > 0.5, risk, positive, same_scale=False).bins == ()


def test_one_class_has_no_curve():
    ones = np.ones(4, dtype=bool)
    seen = performance_of(ones, np.full(4, 0.9), ones)
    assert (seen.auc, seen.roc, seen.accuracy) == (None, (), 1.0)


def test_classes_are_measured_as_scikit_learn_does():
    rng = np.random.default_rng(0)
    predicted = rng.dirichlet([1, 2, 3, 1], 300)
    numbers = np.array([rng.choice(4, p=row) for row in predicted])
    seen = class_performance_of(predicted, numbers, 4)
    answered = predicted.argmax(axis=1)
    assert np.array_equal(np.array(seen.table).T, confusion_matrix(numbers, answered))
    assert seen.balanced == pytest.approx(balanced_accuracy_score(numbers, answered))
    assert seen.accuracy == np.mean(numbers == answered)
    expected = roc_auc_score(numbers, predicted, multi_class="ovr")
    assert seen.auc == pytest.approx(expected)
    for c, own in enumerate(seen.classes):
        assert (own.found.rows, own.right.rows) == (np.sum(numbers == c), np.sum(answered == c))
        assert own.found.part == own.right.part == np.sum((numbers == c) & (answered == c))
    assert sum(b.rows for b in seen.bins) == 300
    near = [b for b in seen.bins if b.rows >= 40]
    assert all(b.low <= b.predicted <= b.high for b in near)
