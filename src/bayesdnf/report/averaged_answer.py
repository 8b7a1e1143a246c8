"""The averaged predictions of a posterior, compared with the representative rule."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .performance import ClassPerformance, Performance, class_performance_of, performance_of

if TYPE_CHECKING:
    from ..estimators.averaging.representative import Representative

Floats = NDArray[np.float64]

_BINS = 20
_CLIP = 1e-6  # a risk of 0 or 1 that turns out wrong costs what one in a million does


class RiskBin(NamedTuple):
    """Rows whose averaged risk lies between two bounds.

    Of more than two classes it is the probability of the class that is answered, and positives are
    rows that are of that class.
    """

    low: float
    high: float
    positives: int
    negatives: int


class Beside(NamedTuple):
    """A measure of the averaged risks, and of those of the rule that is shown."""

    name: str
    averaged: str
    shown: str


class AveragedFacts(NamedTuple):
    """How averaged risks spread over rows, and what is lost by showing one rule."""

    bins: tuple[RiskBin, ...]
    beside: tuple[Beside, ...]
    kept: float | None
    """Share of what the average tells beyond one risk for all that the shown rule keeps."""

    @property
    def tallest(self) -> int:
        """Rows of the fullest bin."""
        return max(b.positives + b.negatives for b in self.bins)


def averaged_facts(
    averaged: Floats, shown: Floats, numbers: NDArray[np.intp], stands: Representative
) -> AveragedFacts:
    """Compare the average with the rule shown for it.

    Parameters
    ----------
    averaged : ndarray of shape (n_rows, n_classes)
        Averaged probability of each class, by row; of two classes the positive one first.
    shown : ndarray of shape (n_rows, n_classes)
        The same by the shown rule.
    numbers : ndarray of int
        Number of the class of each row, in that order.
    stands : Representative
        The shown rule.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf import PosteriorDNFClassifier, simulate
    >>> from bayesdnf.report.averaged_answer import averaged_facts
    >>> X, y, truth = simulate(300, 10, random_state=1)
    >>> clf = PosteriorDNFClassifier(draws=200, warmup=100, random_state=0).fit(X, y)
    >>> both = clf.predict_proba(X)[:, ::-1], clf.representative_proba(X)[:, ::-1]
    >>> facts = averaged_facts(*both, 1 - np.asarray(y), clf.representative())
    >>> sum(b.positives + b.negatives for b in facts.bins), facts.kept > 0.9
    (300, True)
    """
    risk, happened = averaged[:, 0], numbers == 0
    if averaged.shape[1] > 2:
        risk, happened = averaged.max(axis=1), np.argmax(averaged, axis=1) == numbers
    # A risk of 1 belongs to the last bin.
    place = np.minimum((risk * _BINS).astype(np.intp), _BINS - 1)
    positives = np.bincount(place[happened], minlength=_BINS)
    negatives = np.bincount(place[~happened], minlength=_BINS)
    bins = tuple(
        RiskBin(i / _BINS, (i + 1) / _BINS, int(k), int(n))
        for i, (k, n) in enumerate(zip(positives, negatives, strict=True))
    )
    both = [_measures(own, numbers) for own in (averaged, shown)]
    beside = tuple(Beside(name, both[0][name], both[1][name]) for name in both[0])
    # Both are losses beyond the average's own (docs/layers.md, "The representative rule").
    kept = 1 - stands.loss / stands.base_loss if stands.base_loss > 0 else None
    return AveragedFacts(bins, beside, kept)


def _measures(probabilities: Floats, numbers: NDArray[np.intp]) -> dict[str, str]:
    n_classes = probabilities.shape[1]
    several = n_classes > 2
    seen: ClassPerformance | Performance
    if several:
        seen = class_performance_of(probabilities, numbers, n_classes)
    else:
        risk = probabilities[:, 0]
        seen = performance_of(risk > 0.5, risk, numbers == 0, by_rule=False)
    likely = np.clip(probabilities[np.arange(len(numbers)), numbers], _CLIP, 1)
    auc = "–" if seen.auc is None else f"{seen.auc:.4f}"
    return {
        "Right": f"{seen.accuracy:.1%}".replace("%", "\N{NO-BREAK SPACE}%"),
        "Mean area under the ROC curves" if several else "Area under the ROC curve": auc,
        "Log loss": f"{-float(np.mean(np.log(likely))):.4f}",
    }
