"""Performance on held-out rows: stratified splits, AUC, accuracy, precision, recall."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold, train_test_split

from ..errors import InputError, ParameterError
from .inputs import read_features
from .saving.record import RowContent

if TYPE_CHECKING:
    from .rule_classifier import RuleClassifier


NOT_HELD_OUT = "The test rows are those of the fit, so nothing is held out."


class Measures(NamedTuple):
    """Accuracy, precision and recall of predictions; NaN if a denominator is 0."""

    accuracy: float
    balanced_accuracy: float
    """Mean of sensitivity and specificity."""
    precision: float
    recall: float


def measures_of(hits: int, alarms: int, misses: int, passes: int) -> Measures:
    """Compute measures from counts of true and false positives, false and true negatives.

    Examples
    --------
    >>> from bayesdnf.estimators.held_out import measures_of
    >>> measures_of(hits=3, alarms=1, misses=1, passes=5)
    Measures(accuracy=0.8, balanced_accuracy=0.791..., precision=0.75, recall=0.75)
    """

    def share(part: int, other: int) -> float:
        return part / (part + other) if part + other else math.nan

    recall = share(hits, misses)
    balanced = (recall + share(passes, alarms)) / 2
    accuracy = share(hits + passes, alarms + misses)
    return Measures(accuracy, balanced, share(hits, alarms), recall)


def class_measures(table: NDArray[np.integer]) -> Measures:
    """Compute measures of more than two classes from a confusion table, predicted by true class.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf.estimators.held_out import class_measures
    >>> class_measures(np.array([[3, 0, 0], [1, 2, 0], [0, 0, 4]]))
    Measures(accuracy=0.9, balanced_accuracy=0.916..., precision=nan, recall=nan)
    """
    right, rows = np.diag(table), table.sum(axis=0)
    recalls = right[rows > 0] / rows[rows > 0]
    accuracy = right.sum() / rows.sum() if rows.sum() else math.nan
    balanced = recalls.mean() if len(recalls) else math.nan
    return Measures(float(accuracy), float(balanced), math.nan, math.nan)


def compared(yes: NDArray[np.bool_], is_positive: NDArray[np.bool_]) -> Measures:
    """Compute measures from predictions and true outcomes of rows.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf.estimators.held_out import compared
    >>> compared(np.array([True, True, False]), np.array([True, False, False])).precision
    0.5
    """
    # Encode (yes, positive) as 0..3: true negative, false negative, false positive, true positive.
    counts = np.bincount(2 * yes + is_positive, minlength=4).tolist()
    passes, misses, alarms, hits = counts
    return measures_of(hits, alarms, misses, passes)


class HeldOut(NamedTuple):
    """Performance on held-out rows."""

    how: str
    rows: int
    errors: int
    accuracy: float
    auc: float | None
    """None if all rows are of one class. With more than two classes, the macro average of
    one-versus-rest AUCs over the classes present."""
    predict: Measures
    """Measures of ``predict``, or of probabilities compared with the threshold."""
    marked: Measures | None
    """Measures of predicting positive where the rule holds; None for lists and averages."""
    threshold: float | None = None
    """Probability from which on a row is predicted positive; None: as ``predict`` does."""


Outcome = NDArray[np.bool_ | np.intp]
"""Whether each row is positive; of more than two classes the number of its class."""


def outcome_of(y: NDArray[Any], labels: NDArray[Any], positive: Any) -> Outcome:
    """Convert labels to outcomes.

    Parameters
    ----------
    y : ndarray
        A label for each row.
    labels : ndarray
        The distinct labels, sorted.
    positive : label or None
        The positive label; None with more than two classes.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf.estimators.held_out import outcome_of
    >>> y, labels = np.array(["b", "c", "a"]), np.array(["a", "b", "c"])
    >>> outcome_of(y, labels, None), outcome_of(y, labels, "b")
    (array([1, 2, 0]), array([ True, False, False]))
    """
    if positive is not None:
        return np.asarray(y == positive, dtype=np.bool_)
    return np.searchsorted(labels, y)


def are_of_fit(model: RuleClassifier, X: Any, outcome: Outcome) -> bool:
    """Return whether rows are those of a classifier's fit, in any order.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf import DNFClassifier, simulate
    >>> from bayesdnf.estimators.held_out import are_of_fit
    >>> X, y, truth = simulate(200, 10, random_state=1)
    >>> clf = DNFClassifier(random_state=0).fit(X[:100], y[:100])
    >>> are_of_fit(clf, X[:100], y[:100] == 1), are_of_fit(clf, X[100:], y[100:] == 1)
    (True, False)
    """
    bits = model.encoder_.encode(read_features(model, X, fitting=False))
    return RowContent.of(bits, outcome).digest() == model.record_.content


def measure(
    model: RuleClassifier,
    X: Any,
    outcome: Outcome,
    how: str,
    strata: Any = None,
    threshold: float | None = None,
) -> HeldOut:
    """Predict held-out rows and compare with their labels.

    Parameters
    ----------
    model : RuleClassifier
        A fitted classifier.
    X : DataFrame
        The rows.
    outcome : ndarray
        Which of them are positive, or the numbers of their classes.
    how : str
        Description of the origin of the rows.
    strata : array-like, optional
        Their strata, if the fit had strata.
    threshold : float, optional
        Probability from which on a row is predicted positive; by default as ``predict`` does.
    """
    given: dict[str, Any] = {} if strata is None else {"strata": strata}
    probabilities = model.predict_proba(X, **given)
    n = len(outcome)
    if model.positive_ is None:
        n_classes = len(model.classes_)
        answered = np.argmax(probabilities, axis=1)
        wrong = int(np.sum(answered != outcome))
        areas = [
            area_under_roc(outcome == c, probabilities[:, c])
            for c in range(n_classes)
            if 0 < np.sum(outcome == c) < n
        ]
        area = float(np.mean(areas)) if areas else None
        # One number for each pair (predicted, true) gives the confusion table in one pass.
        pairs = np.bincount(n_classes * answered + outcome, minlength=n_classes**2)
        by_predict = class_measures(pairs.reshape(n_classes, n_classes))
        return HeldOut(how, n, wrong, 1 - wrong / n, area, by_predict, None)
    is_positive = np.asarray(outcome, dtype=np.bool_)
    positive = model._positive_index
    yes = says_yes(probabilities, positive, threshold)
    wrong = int(np.sum(yes != is_positive))
    both = is_positive.any() and not is_positive.all()
    area = area_under_roc(is_positive, probabilities[:, positive]) if both else None
    holds = model._holds_on(X)
    marked = None if holds is None else compared(holds, is_positive)
    by_predict = compared(yes, is_positive)
    return HeldOut(how, n, wrong, 1 - wrong / n, area, by_predict, marked, threshold)


def says_yes(
    probabilities: NDArray[np.float64], positive: int, threshold: float | None
) -> NDArray[np.bool_]:
    """Return whether rows are predicted positive: by threshold, or as the more probable class.

    Parameters
    ----------
    probabilities : ndarray
        Of both classes, as columns.
    positive : int
        The column of the positive class.
    threshold : float, optional
        Probability from which on the prediction is positive.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf.estimators.held_out import says_yes
    >>> says_yes(np.array([[0.9, 0.1], [0.4, 0.6]]), 1, 0.05)
    array([ True,  True])
    """
    if threshold is not None:
        return np.asarray(probabilities[:, positive] >= threshold)
    return np.asarray(np.argmax(probabilities, axis=1) == positive)


def area_under_roc(is_positive: NDArray[np.bool_], score: NDArray[Any]) -> float:
    """Return the area under the ROC curve of a score or of marks; both classes must be present.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf.estimators.held_out import area_under_roc
    >>> area_under_roc(np.array([True, True, False]), np.array([0.9, 0.4, 0.4]))
    0.75
    """
    return float(roc_auc_score(is_positive, score))


def mean_of(folds: list[HeldOut]) -> HeldOut:
    """Combine folds: total rows and errors, mean accuracy and mean AUC."""
    areas = [fold.auc for fold in folds if fold.auc is not None]
    marked = [fold.marked for fold in folds if fold.marked is not None]
    return HeldOut(
        f"{len(folds)}-fold cross-validation",
        sum(fold.rows for fold in folds),
        sum(fold.errors for fold in folds),
        float(np.mean([fold.accuracy for fold in folds])),
        float(np.mean(areas)) if areas else None,
        _mean([fold.predict for fold in folds]),
        _mean(marked) if marked else None,
        folds[0].threshold,
    )


def _mean(measured: list[Measures]) -> Measures:
    """Return means over folds, leaving out undefined measures."""
    # For example, a fold without positives has no recall; the mean is over the other folds.
    table = np.ma.masked_invalid(np.array(measured))
    return Measures(*np.ma.filled(table.mean(axis=0), np.nan).tolist())


def stratified_folds(outcome: Outcome, folds: int, seed: int) -> NDArray[np.intp]:
    """Return the fold of each row, stratified by class.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf.estimators.held_out import stratified_folds
    >>> fold = stratified_folds(np.array([True, False] * 4), 2, seed=0)
    >>> [int(np.sum(fold[::2] == k)) for k in (0, 1)]
    [2, 2]
    """
    rarest = int(np.unique(outcome, return_counts=True)[1].min())
    if not 2 <= folds <= rarest:
        must = f"a number from 2 to {rarest:,}, the rows of the rarest class"
        raise ParameterError.of("folds", "stratified_folds", must, folds)
    fold = np.empty(len(outcome), dtype=np.intp)
    splits = StratifiedKFold(folds, shuffle=True, random_state=seed).split(fold, outcome)
    for number, (_, members) in enumerate(splits):
        fold[members] = number
    return fold


def stratified_part(outcome: Outcome, share: float, seed: int) -> NDArray[np.bool_]:
    """Choose a share of the rows, stratified by class; at least one row of each, and never all.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf.estimators.held_out import stratified_part
    >>> int(stratified_part(np.array([True, False] * 10), 0.3, seed=0).sum())
    6
    """
    if not 0 < share < 1:
        raise ParameterError.of("share", "stratified_part", "above 0 and below 1", share)
    rows_of_class = np.unique(outcome, return_counts=True)[1]
    if rows_of_class.min() < 2:
        raise InputError("To hold rows out each class needs two rows or more.")
    n, n_classes = len(outcome), len(rows_of_class)
    # scikit-learn requires at least one row per class on both sides.
    size = min(max(round(share * n), n_classes), n - n_classes)
    _, members = train_test_split(np.arange(n), test_size=size, random_state=seed, stratify=outcome)
    chosen = np.zeros(n, dtype=np.bool_)
    chosen[members] = True
    return chosen
