"""Rivals: functions with a posterior probability near that of the best one."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...boolean import BooleanFunction
from .spelling import plain

if TYPE_CHECKING:
    from .finding import Markers

_NEAR = 0.02  # maximum share of samples marked differently by nearly equal functions
_SHARE = 0.1  # minimum posterior probability of a rival relative to the best function
_LISTED = 500  # functions of the draws, and findings of each scan, that are candidates

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Rivals:
    """Functions that are nearly as probable as the best one.

    Parameters
    ----------
    functions : tuple of BooleanFunction
        Those at least a tenth as probable, most probable first, the best one left out.
    ratio : ndarray of float
        Posterior probability of each, relative to the best one.
    apart : ndarray of float
        Share of samples that each marks differently from the best one.
    other_names : dict of str
        Names of variants by their other allele.
    """

    functions: tuple[BooleanFunction, ...]
    ratio: Floats
    apart: Floats
    other_names: dict[str, str]

    @property
    def sentence(self) -> str:
        """Number of rivals, and how many of them mark nearly the same samples."""
        n = len(self.functions)
        if n == 0:
            return "No other function looked at is a tenth as probable as this one."
        others = "one other function is" if n == 1 else f"{n:,} other functions are"
        equal = int((self.ratio > 0.999).sum())
        same = int((self.apart == 0).sum())
        near = int(((self.apart > 0) & (self.apart <= _NEAR)).sum())
        parts = [
            f"{count:,} {what}"
            for count, what in (
                (equal, "just as probable"),
                (same, "marking exactly the same samples"),
                (near, f"marking nearly the same ({_NEAR:.0%} of samples differ, or fewer)"),
            )
            if count
        ]
        detail = f", {_listed(parts)}" if parts else ""
        examples = " and ".join(str(plain(f, self.other_names)) for f in self.functions[:2])
        return (
            f"The data do not distinguish this function from others: {others} at least a tenth as "
            f"probable{detail}, {'namely' if n == 1 else 'such as'} {examples}."
        )


def _listed(parts: list[str]) -> str:
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def find_rivals(found: Markers) -> Rivals:
    """Find rivals among the draws, the findings of the scans, and functions one literal away.

    Parameters
    ----------
    found : Markers
        Markers found in a study, with their posterior probabilities.
    """
    posterior, best, around = found.posterior, found.function, found.searched.sweep
    drawn = (found.draws.function(i) for i in range(min(_LISTED, found.draws.n_functions)))
    listed = found.screen.functions(_LISTED)
    scores = dict(zip(around.others, around.scores.tolist(), strict=True))
    # A dict, not a set, keeps the order the same in every run.
    either = dict.fromkeys(itertools.chain(drawn, listed))
    fresh = [f for f in either if isinstance(f, BooleanFunction) and f not in scores]
    scores.update(zip(fresh, posterior.scores(fresh).log_score.tolist(), strict=True))
    # Sweeps score on other posteriors, but all priors count the literals of the whole study
    # (``Scoring.on``), so exp(score difference) is an exact posterior odds ratio.
    scores.pop(best, None)
    functions = list(scores)
    ratio = np.exp(np.array(list(scores.values())) - posterior.log_score(best))
    order = np.argsort(-ratio, kind="stable")
    order = order[ratio[order] >= _SHARE]
    own = best(found.study.genotypes)
    chosen = tuple(functions[i] for i in order)
    apart = [float((other(found.study.genotypes) != own).mean()) for other in chosen]
    names = found.study.genotypes.other_names
    return Rivals(chosen, ratio[order], np.array(apart, dtype=np.float64), names)
