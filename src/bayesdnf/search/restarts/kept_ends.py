"""Results of the restarts of a search, saved in a file so that the same search can resume.

The result of a restart follows from its number and from the results of earlier rounds, so a search
that gets the saved results continues as if it had not stopped.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from typing import Any

import numpy as np

from ... import _native
from ...checks import is_whole
from ...files.states import StateFile
from ...model.flat_functions import as_flat
from ...model.posterior import Posterior, Scores
from ...model.streams import NumberedRuns
from ...remote.numbered import RemoteRuns
from .tally import End
from .ways import Term, Terms

_SAME = 1e-6  # nats


class KeptEnds:
    """Results of starts and of restarts by number, optionally saved to a file.

    Parameters
    ----------
    path : path or None
        The file.
    posterior : Posterior
        The posterior that is searched.
    starts : list of Terms
        Functions that are improved before the restarts.
    stop : StopFlag
        Once it is set, restarts end early, and their results are not saved.
    **settings
        Other settings on which the results depend.
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | None,
        posterior: Posterior,
        starts: list[Terms],
        stop: _native.StopFlag,
        **settings: Any,
    ) -> None:
        self.file: StateFile | None = None
        self._ends: dict[str, list[End]] = {"starts": [], "restarts": []}
        self._stop = stop
        if path is None:
            return
        what = {"data": posterior.fingerprint, "starts": starts, **settings}
        self.file = StateFile(path, "search", what)
        state = self.file.load()
        if state is None:
            return
        try:
            self._ends = {
                name: [_end(end, posterior) for end in state.head[name]] for name in self._ends
            }
            _check_scores([end for ends in self._ends.values() for end in ends], posterior)
        except Exception as error:  # any error that a forged state causes
            why = error if isinstance(error, ValueError) else "its contents are not as expected"
            raise self.file.damaged(why) from error

    def in_order(
        self, which: str, runs: NumberedRuns[End] | RemoteRuns[End], numbers: range, n_jobs: int
    ) -> Iterator[End]:
        """Yield the results of ``starts`` or ``restarts`` by number; run those not saved."""
        ends = self._ends[which]
        yield from ends[numbers.start : numbers.stop]
        left = range(max(numbers.start, len(ends)), numbers.stop)
        if not left:
            return
        for end in runs.in_order(left, n_jobs):
            # A restart that was stopped early has another result than a complete one.
            if self.file is not None and not self._stop():
                ends.append(end)
                if self.file.due:
                    self.save()
            yield end

    def save(self) -> None:
        """Write the results, if there is a file."""
        if self.file is not None:
            self.file.save(self._ends)


def _end(value: Any, posterior: Posterior) -> End:
    """Convert JSON to an end; raise ValueError or TypeError if it is none."""
    terms, score, kind, begun, met, (pi0, pi1) = value
    numbers = all(isinstance(number, float) for number in (score, begun, pi0, pi1))
    if not (numbers and isinstance(kind, str)):
        raise TypeError
    if not (math.isnan(pi0) and math.isnan(pi1)) and not (0 < pi0 < 1 and 0 < pi1 < 1):
        raise ValueError("it has rates that are not probabilities")
    if not all(is_whole(layer, 1, posterior.layers) for layer, _ in terms):
        raise ValueError("it has a term of no layer")
    placed = tuple((layer, _term(term, posterior)) for layer, term in terms)
    return End(placed, score, kind, begun, tuple(_term(t, posterior) for t in met), (pi0, pi1))


def _term(term: Any, posterior: Posterior) -> Term:
    if not all(is_whole(literal, 0, posterior.bits.n_literals - 1) for literal in term):
        raise ValueError("it has a literal that is not on offer")
    return tuple(term)


def _check_scores(ends: list[End], posterior: Posterior) -> None:
    """Refuse results whose scores are not those of their functions."""
    scores = Scores(*posterior.native.score(*as_flat([end.terms for end in ends]))).log_score
    if not np.allclose(scores, [end.score for end in ends], rtol=0, atol=_SAME):
        raise ValueError("it has functions with another score")
