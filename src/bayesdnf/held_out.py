"""How a rule does on rows it was not fitted on: stratified splits, AUC, accuracy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .errors import InputError

if TYPE_CHECKING:
    from .estimators.classifier import DNFClassifier


class HeldOut(NamedTuple):
    """What was measured on the rows that were held out."""

    how: str
    rows: int
    errors: int
    accuracy: float
    auc: float | None
    """None where all rows are of one class."""


def measure(model: DNFClassifier, X: Any, is_positive: NDArray[np.bool_], how: str) -> HeldOut:
    """Predict rows and compare.

    Parameters
    ----------
    model : DNFClassifier
        A fitted classifier.
    X : DataFrame
        The rows.
    is_positive : ndarray of bool
        Which of them are positive.
    how : str
        Where the rows came from, for people.
    """
    positive = int(np.flatnonzero(model.classes_ == model.positive_)[0])
    probabilities = model.predict_proba(X)
    wrong = int(np.sum((np.argmax(probabilities, axis=1) == positive) != is_positive))
    n = len(is_positive)
    return HeldOut(how, n, wrong, 1 - wrong / n, auc(probabilities[:, positive], is_positive))


def mean_of(folds: list[HeldOut]) -> HeldOut:
    """Put folds together: total rows and errors, mean accuracy and mean AUC."""
    areas = [fold.auc for fold in folds if fold.auc is not None]
    return HeldOut(
        f"{len(folds)}-fold cross-validation",
        sum(fold.rows for fold in folds),
        sum(fold.errors for fold in folds),
        float(np.mean([fold.accuracy for fold in folds])),
        float(np.mean(areas)) if areas else None,
    )


def auc(probability: NDArray[np.float64], is_positive: NDArray[np.bool_]) -> float | None:
    """Chance that a positive row is given more than a negative one, ties counted half.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf.held_out import auc
    >>> auc(np.array([0.9, 0.9, 0.1, 0.1]), np.array([True, False, True, False]))
    0.5
    """
    from scipy.stats import rankdata

    positives = int(is_positive.sum())
    negatives = len(is_positive) - positives
    if positives == 0 or negatives == 0:
        return None
    above = float(rankdata(probability)[is_positive].sum()) - positives * (positives + 1) / 2
    return above / (positives * negatives)


def stratified_folds(is_positive: NDArray[np.bool_], folds: int, seed: int) -> NDArray[np.intp]:
    """Give each row the number of its fold, the two classes spread evenly.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf.held_out import stratified_folds
    >>> fold = stratified_folds(np.array([True, False] * 4), 2, seed=0)
    >>> [int(np.sum(fold[::2] == k)) for k in (0, 1)]
    [2, 2]
    """
    rarest = min(int(is_positive.sum()), int((~is_positive).sum()))
    if not 2 <= folds <= rarest:
        raise InputError(
            f"The number of folds must be from 2 to {rarest:,}, the rows of the rarer class. "
            f"Got {folds} instead."
        )
    rng = np.random.default_rng(seed)
    fold = np.empty(len(is_positive), dtype=np.intp)
    for members in (np.flatnonzero(is_positive), np.flatnonzero(~is_positive)):
        fold[rng.permutation(members)] = np.arange(len(members)) % folds
    return fold


def stratified_part(is_positive: NDArray[np.bool_], share: float, seed: int) -> NDArray[np.bool_]:
    """Choose a share of the rows of each class, at least one and never all.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf.held_out import stratified_part
    >>> int(stratified_part(np.array([True, False] * 10), 0.3, seed=0).sum())
    6
    """
    if not 0 < share < 1:
        raise InputError(f"The share of test rows must be above 0 and below 1. Got {share:g}.")
    rng = np.random.default_rng(seed)
    chosen = np.zeros(len(is_positive), dtype=np.bool_)
    for members in (np.flatnonzero(is_positive), np.flatnonzero(~is_positive)):
        if len(members) < 2:
            raise InputError("To hold rows out each class needs two rows or more.")
        count = min(max(round(share * len(members)), 1), len(members) - 1)
        chosen[rng.permutation(members)[:count]] = True
    return chosen
