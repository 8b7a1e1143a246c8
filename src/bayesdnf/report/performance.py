"""Performance of a rule on rows: counts, rates with intervals, ROC curve and calibration."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..estimators.classifier import DNFClassifier
from ..estimators.held_out import Measures, class_measures, compared
from ..estimators.posterior_classifier import PosteriorDNFClassifier
from ..estimators.rule_classifier import RuleClassifier
from ..model.rates import jeffreys
from ..plots.reliability import binned
from .words import Nouns

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]

_NOUNS = Nouns()
_BINS = 10
_MOST_POINTS = 200
# What sensitivity, specificity, precision and the share that is missed are shares of; those of
# where a rule holds are in :func:`_of_rule`.
_OF_PREDICTION = (
    "positives that are predicted positive",
    "negatives that are predicted negative",
    "rows predicted positive that are positive",
    "rows predicted negative that are positive",
)


class Share(NamedTuple):
    """A share of some rows, with its 95 % Jeffreys interval."""

    name: str
    meaning: str
    part: int
    rows: int
    rate: float
    low: float
    high: float


class Bin(NamedTuple):
    """Rows of similar predicted risk: the mean of it, and the share of positives."""

    predicted: float
    observed: float
    low: float
    high: float
    rows: int


class PartMeasured(NamedTuple):
    """Rows of one part: how many are positive, and what was predicted."""

    number: int
    """Of the layer that decides; 0 where none holds."""
    positives: int
    negatives: int
    seen: Bin | None
    """None where the part has no rows."""


class Performance(NamedTuple):
    """What was measured on some rows."""

    rows: int
    positives: int
    marked: tuple[int, int]
    """Negatives and positives on which the rule holds, or which are predicted positive."""
    unmarked: tuple[int, int]
    shares: tuple[Share, ...]
    accuracy: float
    auc: float | None
    roc: tuple[tuple[float, float], ...]
    """False and true positive rates, from 0, 0 to 1, 1; empty when all rows are of one class."""
    bins: tuple[Bin, ...]
    """Empty where predictions are on the scale of another population than the rows."""
    parts: tuple[PartMeasured, ...] = ()
    """The highest layer first; ``bins`` are then theirs."""
    by_rule: bool = True
    """Whether the answers are where the rule holds, and not predicted classes."""


class ClassMeasured(NamedTuple):
    """One of more than two classes: how many of its rows are found, and of those answered so."""

    found: Share
    right: Share


class ClassPerformance(NamedTuple):
    """What was measured on some rows, of more than two classes."""

    rows: int
    table: tuple[tuple[int, ...], ...]
    """Rows by the class that was answered, and by their own."""
    classes: tuple[ClassMeasured, ...]
    accuracy: float
    balanced: float
    """Mean over the classes that are there of the share that is found."""
    auc: float | None
    """Mean area under the ROC curve, each class against the others."""
    bins: tuple[Bin, ...]
    """Rows by the probability of the class that was answered, and how often it was right."""
    by_rule: bool = False


def class_performance_of(
    probabilities: Floats, numbers: NDArray[np.intp], n_classes: int
) -> ClassPerformance:
    """Measure answers of more than two classes.

    Parameters
    ----------
    probabilities : ndarray of shape (n_rows, n_classes)
        Predicted probabilities.
    numbers : ndarray of int
        Number of the class of each row.
    n_classes : int
        Number of classes.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf.report.performance import class_performance_of
    >>> predicted = np.array([[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.8, 0.1]])
    >>> seen = class_performance_of(predicted, np.array([0, 1, 2]), 3)
    >>> seen.table, round(seen.accuracy, 3)
    (((1, 0, 0), (0, 1, 1), (0, 0, 0)), 0.667)
    """
    answered = np.argmax(probabilities, axis=1)
    pairs = np.bincount(n_classes * answered + numbers, minlength=n_classes**2)
    table = pairs.reshape(n_classes, n_classes)
    of_class, said, right = table.sum(axis=0), table.sum(axis=1), np.diag(table)
    measured = tuple(
        ClassMeasured(
            _share("Recall", "rows of the class predicted as it", int(hits), int(n)),
            _share("Precision", "rows predicted as it that are", int(hits), int(k)),
        )
        for hits, n, k in zip(right, of_class, said, strict=True)
    )
    areas = [_roc(probabilities[:, c], numbers == c)[0] for c in range(n_classes)]
    known = [area for area in areas if area is not None]
    there = of_class > 0
    return ClassPerformance(
        len(numbers),
        tuple(tuple(map(int, row)) for row in table),
        measured,
        float(right.sum() / max(1, len(numbers))),
        float(np.mean(right[there] / of_class[there])) if there.any() else np.nan,
        float(np.mean(known)) if known else None,
        _bins(probabilities.max(axis=1), answered == numbers),
    )


def performance_of(
    marked: Bools,
    risk: Floats,
    is_positive: Bools,
    *,
    same_scale: bool = True,
    parts: NDArray[np.intp] | None = None,
    n_parts: int = 0,
    by_rule: bool = True,
    nouns: Nouns = _NOUNS,
) -> Performance:
    """Measure a rule and predicted risks on rows.

    Parameters
    ----------
    marked : ndarray of bool
        Where the rule holds, or where a positive is predicted.
    risk : ndarray
        Predicted probability of a positive.
    is_positive : ndarray of bool
        What the rows are.
    same_scale : bool, default=True
        Whether risks are meant for rows like these, and not for another population.
    parts : ndarray of int, optional
        Of a list or with strata, the part of each row.
    n_parts : int
        Number of parts of the rule.
    by_rule : bool, default=True
        Whether ``marked`` says where the rule holds.
    nouns : Nouns
        What to call rows and the rule.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf.report.performance import performance_of
    >>> marked = np.array([True, True, False, False])
    >>> seen = performance_of(marked, np.where(marked, 0.9, 0.2), np.array([1, 0, 0, 0]) == 1)
    >>> seen.marked, seen.unmarked, seen.accuracy, round(seen.auc, 3)
    ((1, 1), (2, 0), 0.75, 0.833)
    """
    hits, misses = int((marked & is_positive).sum()), int((~marked & is_positive).sum())
    alarms, passes = int((marked & ~is_positive).sum()), int((~marked & ~is_positive).sum())
    meanings = _of_rule(nouns) if by_rule else _OF_PREDICTION
    shares = (
        _share("Sensitivity", meanings[0], hits, hits + misses),
        _share("Specificity", meanings[1], passes, passes + alarms),
        _share("Precision", meanings[2], hits, hits + alarms),
        _share("Missed", meanings[3], misses, misses + passes),
    )
    area, roc = _roc(risk, is_positive)
    measured: tuple[PartMeasured, ...] = ()
    bins = _bins(risk, is_positive) if same_scale and parts is None else ()
    if parts is not None:
        measured = _parts(parts, n_parts, risk, is_positive)
        bins = tuple(part.seen for part in measured if part.seen is not None) if same_scale else ()
    return Performance(
        len(marked),
        hits + misses,
        (alarms, hits),
        (passes, misses),
        shares,
        (hits + passes) / max(1, len(marked)),
        area,
        roc,
        bins,
        measured,
        by_rule,
    )


def _of_rule(nouns: Nouns) -> tuple[str, str, str, str]:
    return (
        f"{nouns.positives} that the {nouns.rule} marks",
        f"{nouns.negatives} that the {nouns.rule} does not mark",
        f"marked {nouns.rows} that {nouns.are_positive}",
        f"unmarked {nouns.rows} that {nouns.are_positive}",
    )


class Seen(NamedTuple):
    """The rows that are measured."""

    numbers: NDArray[np.intp]
    """Of the class of each."""
    probabilities: NDArray[np.float64]
    """Of all classes, in the order of these numbers."""
    parts: NDArray[Any]


def performance_on(
    model: RuleClassifier, seen: Seen, n_parts: int
) -> Performance | ClassPerformance:
    """Measure a classifier whose rule has ``n_parts`` parts."""
    if model.positive_ is None:
        return class_performance_of(seen.probabilities, seen.numbers, len(model.classes_))
    averages = isinstance(model, PosteriorDNFClassifier)
    # Where rates have no order the rule need not mark those at higher risk.
    by_part = isinstance(model, DNFClassifier) and (model._is_list or model.strata_ is not None)
    by_rule = not (averages or by_part)
    parts = seen.parts.astype(np.intp)
    return performance_of(
        parts == 1 if by_rule else _says_yes(model, seen),
        seen.probabilities[:, 0],
        seen.numbers == 0,
        same_scale=model.effect_.prevalence is None,
        parts=parts if by_part else None,
        n_parts=n_parts,
        by_rule=by_rule,
    )


def _says_yes(model: RuleClassifier, seen: Seen) -> Bools:
    """Return whether ``predict`` answers positive: of equal probabilities it takes the first."""
    yes, no = seen.probabilities.T
    return np.asarray(yes > no if model._positive_index else yes >= no)


def compared_on(model: RuleClassifier, seen: Seen) -> tuple[Measures, Measures | None]:
    """Compare the answers of ``predict``, and the rows where the rule holds, with the classes."""
    n_classes = len(model.classes_)
    if model.positive_ is None:
        answered = np.argmax(seen.probabilities, axis=1)
        pairs = np.bincount(n_classes * answered + seen.numbers, minlength=n_classes**2)
        return class_measures(pairs.reshape(n_classes, n_classes)), None
    predict = compared(_says_yes(model, seen), seen.numbers == 0)
    if isinstance(model, DNFClassifier) and not model._is_list:
        return predict, compared(seen.parts > 0, seen.numbers == 0)
    return predict, None


def _parts(
    parts: NDArray[np.intp], n_parts: int, risk: Floats, is_positive: Bools
) -> tuple[PartMeasured, ...]:
    measured = []
    for number in range(n_parts - 1, -1, -1):
        own = parts == number
        rows, positives = int(own.sum()), int((own & is_positive).sum())
        seen = Bin(float(risk[own].mean()), *jeffreys(positives, rows), rows) if rows else None
        measured.append(PartMeasured(number, positives, rows - positives, seen))
    return tuple(measured)


def _share(name: str, meaning: str, part: int, rows: int) -> Share:
    return Share(name, meaning, part, rows, *jeffreys(part, rows))


def _roc(risk: Floats, is_positive: Bools) -> tuple[float | None, tuple[tuple[float, float], ...]]:
    """Area under the curve, and its corners; of many some."""
    if is_positive.all() or not is_positive.any():
        return None, ()
    order = np.argsort(-risk, kind="stable")
    # Rows of equal risk are one step, a slanted line: no order among them is better than chance.
    ends = np.append(np.flatnonzero(np.diff(risk[order])), len(risk) - 1)
    x = np.append(0, np.cumsum(~is_positive[order])[ends] / (~is_positive).sum())
    y = np.append(0, np.cumsum(is_positive[order])[ends] / is_positive.sum())
    area = float(np.trapezoid(y, x))
    kept = np.arange(len(x))
    if len(x) > _MOST_POINTS:
        kept = np.linspace(0, len(x) - 1, _MOST_POINTS).astype(np.intp)
    return area, tuple((round(float(x[i]), 5), round(float(y[i]), 5)) for i in kept)


def _bins(risk: Floats, is_positive: Bools) -> tuple[Bin, ...]:
    put = binned(risk, is_positive.astype(np.float64), _BINS)
    full = put.rows[put.rows > 0]
    columns = (put.mean, put.share, put.low, put.high, full)
    return tuple(
        Bin(float(mean), float(share), float(low), float(high), int(rows))
        for mean, share, low, high, rows in zip(*columns, strict=True)
    )
