"""Posterior: the exact log score of a Boolean function on a table."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import _native
from ..boolean import BooleanFunction
from ..checks import is_whole, whole
from ..data.bits import BitMatrix
from ..data.canonical import canonical
from ..data.memory import require_memory
from ..data.outcome import read_outcome, read_weights
from ..errors import InputError, ParameterError, SizeLimitError
from .effect import Effect
from .enumerate import flatten, function_words
from .prior import Prior
from .rates import Counts, Rates
from .support import Support, Verdict

if TYPE_CHECKING:
    import pandas as pd

_LARGEST_WHOLE_LIST = 5  # literals; 6 of them have 7,828,353 antichains

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Scores:
    """Scores of several functions, in their order."""

    verdict: NDArray[np.uint8]
    log_prior: Floats
    log_likelihood: Floats
    marked: NDArray[np.int64]
    """Marked positives and marked negatives."""

    @property
    def log_score(self) -> Floats:
        """Log prior plus log likelihood; -inf outside the support."""
        total = self.log_prior + self.log_likelihood
        return np.where(self.verdict == Verdict.ALLOWED, total, -np.inf)


class Posterior:
    """Scores of Boolean functions on a table, with every normalising constant of the prior.

    Parameters
    ----------
    bits : BitMatrix
        The table: every literal in it is on offer, and counts in p.
    y : array-like
        The outcome, two classes.
    prior : Prior, optional
        Prior on functions; ``Prior()`` by default.
    effect : Effect, optional
        What is known of the rates; ``Effect()`` by default.
    positive : label, optional
        Which class is positive; by default the second in sorted order.
    sample_weight : array-like of whole numbers, optional
        How often each row counts.
    among : int, optional
        How many literals those of ``bits`` were chosen from: the p of the prior, so that what was
        left out beforehand is paid for all the same. By default they are all there were.

    Examples
    --------
    >>> from bayesdnf import LiteralEncoder, Posterior, datasets
    >>> X, y = datasets.load_mushroom()
    >>> posterior = Posterior(LiteralEncoder().fit_encode(X), y, positive="p")
    >>> posterior.counts("odor = f")
    Counts(n=8124, n_pos=3916, n_marked=2160, n_both=2160)
    >>> posterior.log_score("odor = f") > posterior.log_score("odor = n")
    True
    """

    def __init__(
        self,
        bits: BitMatrix,
        y: Any,
        prior: Prior | None = None,
        effect: Effect | None = None,
        *,
        positive: Any = None,
        sample_weight: Any = None,
        among: int | None = None,
    ) -> None:
        self.prior = Prior() if prior is None else prior
        self.effect = Effect() if effect is None else effect
        outcome = read_outcome(y, positive)
        self.classes = outcome.classes
        weights = read_weights(sample_weight, len(outcome.positive))
        self.bits = canonical(bits, outcome.positive, weights)
        view = self.bits.view()
        self.n_pos, n_neg = view.totals
        self.n = self.n_pos + n_neg
        self.support = Support(self.bits, self.prior)
        self.among = self._among(among)
        tables = self.prior.tables(self.bits.table, self.n, self.among)
        self.native = _native.Posterior(
            view, self.support.native, tables.by_count, tables.by_size, tables.by_literal,
            self.effect.native(),
        )  # fmt: skip

    def _among(self, among: int | None) -> int:
        p = self.bits.n_literals
        if among is None:
            return p
        if not is_whole(among, p):
            raise ParameterError.of("among", "Posterior", f"{p:,} or more", among)
        if self.prior.weights is not None:
            raise ParameterError.of("among", "Posterior", "None with weights of literals", among)
        return int(among)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the table, the prior and the effect: equal posteriors have equal ones."""
        bits, table, digest = self.bits, self.bits.table, hashlib.sha256()
        literals = (table.attribute, table.rank, table.operator, table.plane, table.valid)
        priors = self.prior.tables(table, self.n, self.among)
        for array in (bits.planes, bits.counts, *literals, table.complement, *priors):
            digest.update(b"-" if array is None else np.ascontiguousarray(array).tobytes())
        named = (table.attributes, table.levels, bits.segments, self.prior, self.effect)
        digest.update(repr(named).encode())
        return digest.hexdigest()

    @cached_property
    def individuals(self) -> _native.Individuals:
        """The table row by row, for what starts from rows: as large as the table itself."""
        bits = self.bits
        row_words = -(-bits.n_literals // 64)
        require_memory(bits.n_stored * row_words * 8, "The table row by row")
        return _native.Individuals(
            bits.view(),
            list(bits.segments),
            bits.offsets,
            [] if bits.counts is None else bits.counts.tolist(),
        )

    def scores(
        self, functions: Sequence[BooleanFunction | str], n_jobs: int | None = None
    ) -> Scores:
        """Score several functions at once, on ``n_jobs`` threads."""
        if n_jobs is not None and n_jobs < 1:
            raise ParameterError.of("n_jobs", "Posterior.scores", "1 or more", n_jobs)
        term_starts, literal_starts, literals = [0], [0], list[int]()
        for function in functions:
            for term in self.support.ids(as_function(function)):
                literals.extend(term)
                literal_starts.append(len(literals))
            term_starts.append(len(literal_starts) - 1)
        return Scores(
            *self.native.score(
                np.array(term_starts, dtype=np.int64),
                np.array(literal_starts, dtype=np.int64),
                np.array(literals, dtype=np.int32),
                n_jobs or 1,
            )
        )

    def log_score(self, function: BooleanFunction | str) -> float:
        """Log prior plus collapsed log likelihood; -inf outside the prior's support."""
        return float(self.scores([function]).log_score[0])

    def log_prior(self, function: BooleanFunction | str) -> float:
        """Log prior of a function; -inf outside the support."""
        scores = self.scores([function])
        allowed = scores.verdict[0] == Verdict.ALLOWED
        return float(scores.log_prior[0]) if allowed else -math.inf

    def log_likelihood(
        self,
        function: BooleanFunction | str,
        pi0: float | None = None,
        pi1: float | None = None,
    ) -> float:
        """Log P(y | function): both rates integrated out, or explicit when both are given."""
        if pi0 is None and pi1 is None:
            return float(self.scores([function]).log_likelihood[0])
        for name, value in (("pi0", pi0), ("pi1", pi1)):
            if value is None or not 0 <= value <= 1:
                raise ParameterError.of(
                    name, "Posterior.log_likelihood", "between 0 and 1 (give both or none)", value
                )
        assert pi0 is not None
        assert pi1 is not None
        n, n_pos, n_marked, n_both = self.counts(function)
        return (
            _times_log(n_both, pi1)
            + _times_log(n_marked - n_both, 1 - pi1)
            + _times_log(n_pos - n_both, pi0)
            + _times_log(n - n_marked - n_pos + n_both, 1 - pi0)
        )

    def counts(self, function: BooleanFunction | str) -> Counts:
        """Rows, positives, marked rows, and rows that are both."""
        positive, negative = self.scores([function]).marked[0]
        return Counts(self.n, self.n_pos, int(positive + negative), int(positive))

    def max_likelihood_rates(self, function: BooleanFunction | str) -> tuple[float, float]:
        """Maximum-likelihood π0 and π1; NaN where no row (or every row) is marked."""
        n, n_pos, n_marked, n_both = self.counts(function)
        pi0 = (n_pos - n_both) / (n - n_marked) if n_marked < n else math.nan
        return pi0, n_both / n_marked if n_marked else math.nan

    def rates(self, function: BooleanFunction | str) -> Rates:
        """Posterior of π0 and π1 given the function, exactly."""
        read = as_function(function)
        return Rates(self.counts(read), self.effect, null=read.is_null)

    def enumerate(self, limit: int | None = None) -> pd.DataFrame:
        """List every function that the prior allows, with its exact posterior probability.

        Parameters
        ----------
        limit : int, optional
            List only so many, the most probable ones; all are reckoned with. Needed for 6
            literals, which take a minute.

        Returns
        -------
        DataFrame
            Most probable first: ``function``, ``probability`` (among all allowed functions, the
            null function included), ``log_posterior`` (log prior plus log likelihood),
            ``terms`` and ``literals``, how many it has. ``attrs["log_evidence"]`` is the log
            probability of the outcome under the prior renormalised to the allowed functions.

        Raises
        ------
        SizeLimitError
            When there are more than 6 literals, or more than 4 and ``antichain=False``.

        Examples
        --------
        >>> from bayesdnf import BitMatrix, Posterior, simulate
        >>> X, y, truth = simulate(100, 4, random_state=1)
        >>> exact = Posterior(BitMatrix.from_table(X), y).enumerate(limit=3)
        >>> exact[["function", "probability"]].round(3)
                                            function  probability
        0                 (x0 AND x1) OR (x2 AND x3)        0.981
        1  (x0 AND x1) OR (x0 AND x2) OR (x2 AND x3)        0.010
        2                        (x0) OR (x2 AND x3)        0.006
        >>> round(exact.attrs["log_evidence"], 3)
        -42.082
        """
        import pandas as pd

        if limit is not None:
            limit = whole("limit", "Posterior.enumerate", limit, 0, besides="or None")
        p, antichains = self.bits.n_literals, self.prior.antichain
        pieces, scores, priors = [], [], []
        for words in function_words(p, antichains):
            if limit is None and p > _LARGEST_WHOLE_LIST:
                raise SizeLimitError(
                    f"The functions of {p} literals are too many to list; "
                    f"ask for the most probable ones, for example with limit=1000."
                )
            scored = Scores(*self.native.score(*flatten(words, p)))
            allowed = np.isfinite(scored.log_score)
            pieces.append(words[allowed])
            scores.append(scored.log_score[allowed])
            priors.append(scored.log_prior[allowed])
        log_score, log_prior = np.concatenate(scores), np.concatenate(priors)
        if len(log_score) == 0:
            raise InputError("The prior allows no function on this table: there is no posterior.")
        log_total = np.logaddexp.reduce(log_score)
        top = np.argsort(-log_score, kind="stable")[:limit]
        flat = flatten(np.concatenate(pieces)[top], p)
        on_offer = list(self.bits.table)
        exact = pd.DataFrame(
            {
                "function": [flat.spelt(f, on_offer) for f in range(len(top))],
                "probability": np.exp(log_score[top] - log_total),
                "log_posterior": log_score[top],
                "terms": np.diff(flat.term_starts),
                "literals": np.diff(flat.literal_starts[flat.term_starts]),
            }
        )
        exact.attrs["log_evidence"] = float(log_total - np.logaddexp.reduce(log_prior))
        return exact


def as_function(function: BooleanFunction | str) -> BooleanFunction:
    """Read a function that is given in words."""
    return BooleanFunction.parse(function) if isinstance(function, str) else function


def _times_log(count: int, rate: float) -> float:
    if count == 0:
        return 0.0
    return count * math.log(rate) if rate > 0 else -math.inf
