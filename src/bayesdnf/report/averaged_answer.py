"""The answer of a posterior: risks averaged over the drawn rules, and the rule shown for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .performance import performance_of

if TYPE_CHECKING:
    from ..estimators.averaging.representative import Representative

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]

_BINS = 20
_CLIP = 1e-6  # a risk of 0 or 1 that turns out wrong costs what one in a million does


class RiskBin(NamedTuple):
    """Rows whose averaged risk lies between two bounds."""

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
    risk: Floats, shown_risk: Floats, is_positive: Bools, stands: Representative
) -> AveragedFacts:
    """Compare the average with the rule shown for it.

    Parameters
    ----------
    risk : ndarray
        Averaged probability of a positive, by row.
    shown_risk : ndarray
        The same by the shown rule.
    is_positive : ndarray of bool
        What the rows are.
    stands : Representative
        The shown rule.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf import PosteriorDNFClassifier, simulate
    >>> from bayesdnf.report.averaged_answer import averaged_facts
    >>> X, y, truth = simulate(300, 10, random_state=1)
    >>> clf = PosteriorDNFClassifier(draws=200, warmup=100, random_state=0).fit(X, y)
    >>> averaged, shown = clf.predict_proba(X)[:, 1], clf.representative_proba(X)[:, 1]
    >>> facts = averaged_facts(averaged, shown, np.asarray(y) == 1, clf.representative())
    >>> sum(b.positives + b.negatives for b in facts.bins), facts.kept > 0.9
    (300, True)
    """
    place = np.minimum((risk * _BINS).astype(np.intp), _BINS - 1)
    positives = np.bincount(place[is_positive], minlength=_BINS)
    negatives = np.bincount(place[~is_positive], minlength=_BINS)
    bins = tuple(
        RiskBin(i / _BINS, (i + 1) / _BINS, int(k), int(n))
        for i, (k, n) in enumerate(zip(positives, negatives, strict=True))
    )
    both = [_measures(r, is_positive) for r in (risk, shown_risk)]
    beside = tuple(Beside(name, both[0][name], both[1][name]) for name in both[0])
    kept = 1 - stands.loss / stands.base_loss if stands.base_loss > 0 else None
    return AveragedFacts(bins, beside, kept)


def _measures(risk: Floats, is_positive: Bools) -> dict[str, str]:
    seen = performance_of(risk > 0.5, risk, is_positive, by_rule=False)
    likely = np.clip(np.where(is_positive, risk, 1 - risk), _CLIP, 1)
    auc = "–" if seen.auc is None else f"{seen.auc:.4f}"
    return {
        "Right": f"{seen.accuracy:.1%}".replace("%", "\N{NO-BREAK SPACE}%"),
        "Area under the ROC curve": auc,
        "Log loss": f"{-float(np.mean(np.log(likely))):.4f}",
    }
