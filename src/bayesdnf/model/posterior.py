"""Posterior: the exact log score of a Boolean function or a list of layers on a table."""

from __future__ import annotations

import copy
import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import _native
from ..boolean import Literal
from ..checks import whole
from ..data.bits import BitMatrix
from ..data.canonical import canonical
from ..data.memory import require_memory
from ..data.outcome import read_classes, read_strata, read_weights
from ..errors import InputError, ParameterError
from .effect import Effect
from .enumerate import exact_posterior
from .flat_functions import FlatFunctions, as_flat
from .prior import Prior
from .rates import Counts, Rates
from .rule import MOST_LAYERS as MOST_LAYERS  # where callers look for it
from .rule import Rule, as_rule, layers_of
from .support import Support, Verdict

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Scores:
    """Scores of several functions or lists, in their order."""

    verdict: NDArray[np.uint8]
    log_prior: Floats
    log_likelihood: Floats
    cells: NDArray[np.int64]
    """By stratum, part and class: rows, of two classes positives first. A function marks part 1."""

    @property
    def marked(self) -> NDArray[np.int64]:
        """Rows of each class that any layer marks, of two classes positives first."""
        return marked_rows(self.cells)

    @property
    def log_score(self) -> Floats:
        """Log prior plus log likelihood; -inf outside the support."""
        total = self.log_prior + self.log_likelihood
        return np.where(self.verdict == Verdict.ALLOWED, total, -np.inf)


def marked_rows(cells: NDArray[np.int64]) -> NDArray[np.int64]:
    """Sum over strata the rows of each class outside part 0."""
    marked: NDArray[np.int64] = cells[:, :, 1:].sum(axis=(1, 2))
    return marked


class Posterior:
    """Log posterior scores of Boolean functions on a table, with every normalising constant.

    Parameters
    ----------
    bits : BitMatrix
        The table. All its literals are on offer, and their number is p of the prior.
    y : array-like
        The outcome: two classes, or up to 20, each with a share in every part.
    prior : Prior, optional
        Prior on functions; ``Prior()`` by default.
    effect : Effect, optional
        Priors of the rates; ``Effect()`` by default.
    positive : label, optional
        Which class is positive, against all others; by default the second of two in sorted
        order, and none of more.
    sample_weight : array-like of whole numbers, optional
        Integer weight of each row.
    among : int, optional
        The number of literals from which those of ``bits`` were chosen: the p of the prior, so
        that literals left out by a screen still count in the prior. By default all are in ``bits``.
    layers : int, default=1
        Maximum number of layers of a list. With 1, functions are scored; with more, rule lists,
        each part of which has its own rate.
    strata : array-like, optional
        A label for each row, with few different values. Every part has its own rate in every
        stratum, so that differences in the base rate are not mistaken for a rule.

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
        layers: int = 1,
        strata: Any = None,
    ) -> None:
        if not isinstance(bits, BitMatrix):
            raise InputError(
                f"bits must be a BitMatrix, such as LiteralEncoder().fit_encode(X) makes of a "
                f"table. Got {type(bits).__name__} instead."
            )
        self.prior = Prior() if prior is None else prior
        self.layers = whole("layers", "Posterior", layers, 1, MOST_LAYERS)
        number, self.classes = read_classes(y, positive)
        self.n_classes = len(self.classes)
        self.strata = None if strata is None else read_strata(strata, number)
        self.n_strata = 1 if self.strata is None else len(self.strata.labels)
        self.effect = (Effect() if effect is None else effect).resolved(
            self.layers, self.n_strata, self.n_classes
        )
        weights = read_weights(sample_weight, len(number))
        strata_numbers = None if self.strata is None else self.strata.number
        self._settle(canonical(bits, number, weights, strata_numbers))
        self.among = self.prior.among(self.bits.n_literals, among, "Posterior")
        # What of_classes needs once more: strata and classes lie in segments of their own.
        parted = self.n_strata > 1 or self.n_classes > 2
        self._pooled = (bits, number, weights) if parted else None
        self._connect()

    @classmethod
    def of_canonical(
        cls,
        bits: BitMatrix,
        prior: Prior,
        effect: Effect,
        among: int,
        layers: int = 1,
        n_strata: int = 1,
        n_classes: int = 2,
    ) -> Posterior:
        """Return a posterior on rows from :func:`canonical`; it has scores but no rows as read.

        Parameters
        ----------
        bits, prior, effect, among, layers, n_strata, n_classes
            As those of another posterior.
        """
        posterior = cls.__new__(cls)
        posterior.prior, posterior.effect, posterior.among = prior, effect, among
        posterior.layers, posterior.n_strata = layers, n_strata
        posterior.n_classes = n_classes
        posterior.strata = posterior._pooled = None
        posterior._settle(bits)
        posterior._connect()
        return posterior

    def _settle(self, bits: BitMatrix) -> None:
        self.bits = bits
        # Segments lie class after class, the strata of each side by side (native/README.md).
        totals = np.reshape(bits.view().totals, (self.n_classes, -1)).sum(axis=1)
        self.class_rows = tuple(int(n) for n in totals)
        self.n = sum(self.class_rows)
        self.support = Support(bits, self.prior, self.layers)

    @property
    def n_pos(self) -> int:
        """Positive rows, of two classes."""
        self._require_two_classes("The number of positives")
        return self.class_rows[0]

    def _require_two_classes(self, what: str) -> None:
        if self.n_classes > 2:
            raise InputError(
                f"{what} is asked for and there are {self.n_classes} classes; part_counts has the "
                f"rows of each."
            )

    def _connect(self) -> None:
        tables = self.prior.tables(self.bits.table, self.n, self.among)
        self.native = _native.Posterior(
            self.bits.view(), self.support.native, tables.by_count, tables.by_size,
            tables.by_literal, self.effect.native(), self.layers, self.n_classes,
        )  # fmt: skip

    @cached_property
    def fingerprint(self) -> str:
        """Hash of everything that scores depend on; equal posteriors have equal hashes."""
        bits, table, digest = self.bits, self.bits.table, hashlib.sha256()
        literals = (table.attribute, table.rank, table.operator, table.plane, table.valid)
        priors = self.prior.tables(table, self.n, self.among)
        for array in (bits.planes, bits.counts, *literals, table.complement, *priors):
            # No array must not hash as an empty one does.
            digest.update(b"-" if array is None else np.ascontiguousarray(array).tobytes())
        # Rates in order are the default, whether said or not.
        ordered = None if self.effect.ordered else self.effect.ordered
        effect = Effect(**{**self.effect.get_params(), "ordered": ordered})
        named = (table.attributes, table.levels, bits.segments, self.prior, effect)
        digest.update(repr(named).encode())
        if self.layers > 1 or self.strata is not None:  # else as before there were any
            labels = None if self.strata is None else self.strata.labels
            digest.update(repr((self.layers, labels)).encode())
        if self.n_classes > 2:
            digest.update(repr(self.n_classes).encode())
        return digest.hexdigest()

    @cached_property
    def individuals(self) -> _native.Individuals:
        """The table row by row, for moves that start from rows; as large as the table."""
        bits = self.bits
        row_words = -(-bits.n_literals // 64)
        require_memory(bits.n_stored * row_words * 8, "The table row by row")
        return _native.Individuals(
            bits.view(),
            list(bits.segments),
            bits.offsets,
            [] if bits.counts is None else bits.counts.tolist(),
            # Births start from positive rows. Any of more than two classes may be the one that a
            # term raises, so then all rows are such.
            self.n_strata if self.n_classes == 2 else len(bits.segments),
        )

    def scores(self, functions: Sequence[Rule | str], n_jobs: int | None = None) -> Scores:
        """Score several functions or lists at once, on ``n_jobs`` threads."""
        if n_jobs is not None and n_jobs < 1:
            raise ParameterError.of("n_jobs", "Posterior.scores", "1 or more", n_jobs)
        return self.scores_of(
            as_flat([self.support.layered_ids(as_rule(f)) for f in functions]), n_jobs
        )

    def scores_of(self, flat: FlatFunctions, n_jobs: int | None = None) -> Scores:
        """Score functions or lists given by literal numbers."""
        return Scores(*self.native.score(*flat, n_jobs or 1))

    @property
    def simple(self) -> bool:
        """Whether there are two rates: one layer, no strata and two classes."""
        return self.layers == 1 and self.n_strata == 1 and self.n_classes == 2

    @cached_property
    def of_classes(self) -> tuple[Posterior, ...]:
        """Posteriors of functions that mark one class: two unordered rates, no strata.

        One for each class, or for the positive one of two. Searches for lists start with these.
        """
        marked = range(self.n_classes) if self.n_classes > 2 else range(1)
        return tuple(map(self._of_class, marked))

    def _of_class(self, number: int) -> Posterior:
        plain = copy.copy(self)
        # copy.copy copies the values stored by cached_property too, which are those of ``self``.
        for cached in ("of_classes", "individuals", "fingerprint"):
            plain.__dict__.pop(cached, None)
        plain.layers, plain.n_strata, plain.n_classes, plain.strata = 1, 1, 2, None
        bits = self.bits
        if self._pooled is not None:
            # Rows were merged within strata and classes; with two classes and no strata, more rows
            # are equal.
            rows, numbers, weights = self._pooled
            bits = canonical(rows, numbers == number, weights)
        plain._settle(bits)
        plain._connect()
        return plain

    def spell(self, flat: FlatFunctions, number: int) -> Rule:
        """Convert a function, or a list if several layers are allowed, to an object."""
        on_offer = self._on_offer
        if self.layers == 1:
            return flat.spelt(number, on_offer)
        return flat.spelt_list(number, on_offer)

    @cached_property
    def _on_offer(self) -> list[Literal]:
        return list(self.bits.table)

    def log_score(self, function: Rule | str) -> float:
        """Return log prior plus collapsed log likelihood; -inf outside the prior's support."""
        return float(self.scores([function]).log_score[0])

    def log_prior(self, function: Rule | str) -> float:
        """Return the log prior of a function; -inf outside the support."""
        scores = self.scores([function])
        allowed = scores.verdict[0] == Verdict.ALLOWED
        return float(scores.log_prior[0]) if allowed else -math.inf

    def log_likelihood(
        self,
        function: Rule | str,
        pi0: float | None = None,
        pi1: float | None = None,
    ) -> float:
        """Return log P(y | function), with both rates integrated out or both given."""
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
        # log of the likelihood in docs/model.md, before the rates are integrated out.
        return (
            _times_log(n_both, pi1)
            + _times_log(n_marked - n_both, 1 - pi1)
            + _times_log(n_pos - n_both, pi0)
            + _times_log(n - n_marked - n_pos + n_both, 1 - pi0)
        )

    def log_copies(self, flat: FlatFunctions) -> Floats:
        """Return the log factor by which copies on equal columns increase the prior mass.

        Parameters
        ----------
        flat : FlatFunctions
            Functions or lists that are allowed.

        Returns
        -------
        ndarray
            By function: the logarithm of the prior mass of all its copies over its own. NaN where
            that is no product over literals: knowledge of groups names one of several equal
            columns, or terms need not be an antichain.

        Examples
        --------
        >>> import numpy as np
        >>> from bayesdnf import BitMatrix, Posterior
        >>> from bayesdnf.model.flat_functions import as_flat
        >>> table = np.array([[1, 1, 1], [0, 0, 1], [1, 1, 0], [0, 0, 0]])  # two are equal
        >>> posterior = Posterior(BitMatrix.from_table(table), [1, 0, 1, 0])
        >>> np.exp(posterior.log_copies(as_flat([[(1, [0])], [(1, [2])], [(1, [0, 2])]])))
        array([2., 1., 2.])
        """
        first = self.bits.first_equal()
        p = len(first)
        # The copies of a function: each literal may be replaced by one of an equal column. Their
        # prior mass over its own is a product over literals, Π Σ_j w_j / w, a sum in logs.
        # Log weights are in fixed point, with 32 binary digits after the point. ``together`` is
        # log Σ_j w_j over the columns equal to the first one of a class.
        weights = self.prior.tables(self.bits.table, self.n, self.among).by_literal / 2.0**32
        own = weights if len(weights) else np.zeros(p)
        together = np.full(p, -np.inf)
        np.logaddexp.at(together, first, own)
        growth = together[first] - own
        several = np.bincount(first, minlength=p)[first] > 1
        growth[~several] = 0
        known = self.prior.knowledge(self.bits.table)
        # Copies multiply literal by literal only if each may be chosen alone: no group names one
        # of several equal columns, and no set of terms may hold two copies of one term.
        groups = [*known["apart"], *known["at_most_one"], known["required"]]
        named = first[np.array([i for g in groups for entry in g for i in entry], dtype=np.intp)]
        growth[several & (np.isin(first, named) | (not self.prior.antichain))] = np.nan
        n_literals = flat.n_literals
        holder = np.repeat(np.arange(len(n_literals)), n_literals)
        total = np.bincount(holder, weights=growth[flat.literals], minlength=len(n_literals))
        return np.asarray(total, dtype=np.float64)

    def counts(self, function: Rule | str) -> Counts:
        """Count rows, positives, marked rows, and marked positives."""
        self._require_two_classes("The number of marked positives")
        positive, negative = self.scores([function]).marked[0]
        return Counts(self.n, self.n_pos, int(positive + negative), int(positive))

    def part_counts(self, function: Rule | str) -> NDArray[np.int64]:
        """Count the rows by stratum, part and class.

        Of two classes the positives come first, of more they have the order of ``classes``.

        Examples
        --------
        >>> from bayesdnf import LiteralEncoder, Posterior, datasets
        >>> X, y = datasets.load_mushroom()
        >>> bits = LiteralEncoder().fit_encode(X)
        >>> posterior = Posterior(bits, y, positive="p", layers=2)
        >>> posterior.part_counts("if odor = f elif gill-size = n else")[0].tolist()
        [[108, 3920], [1648, 288], [2160, 0]]
        """
        return self.scores([function]).cells[0, :, : len(layers_of(as_rule(function))) + 1]

    def max_likelihood_rates(self, function: Rule | str) -> tuple[float, float]:
        """Return the maximum-likelihood π0 and π1; NaN where no row (or every row) is marked."""
        n, n_pos, n_marked, n_both = self.counts(function)
        pi0 = (n_pos - n_both) / (n - n_marked) if n_marked < n else math.nan
        return pi0, n_both / n_marked if n_marked else math.nan

    def rates(self, function: Rule | str) -> Rates:
        """Return the exact posterior of π0 and π1 given the function."""
        read = as_rule(function)
        return Rates(self.counts(read), self.effect, null=read.is_null)

    def enumerate(self, limit: int | None = None) -> pd.DataFrame:
        """List every function that the prior allows, with its exact posterior probability.

        Parameters
        ----------
        limit : int, optional
            List only so many, the most probable ones; all are counted. Needed for 6
            literals, which take a minute.

        Returns
        -------
        DataFrame
            Most probable first: ``function``, ``probability`` (among all allowed functions, the
            null function included), ``log_posterior`` (log prior plus log likelihood),
            ``terms`` and ``literals``, how many it has, and ``layers`` where there may be
            several. ``attrs["log_evidence"]`` is the log
            probability of the outcome under the prior renormalised to the allowed functions.

        Raises
        ------
        SizeLimitError
            When there are more than 6 literals, or more than 4 and ``antichain=False``; for lists,
            more than 3.

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
        if limit is not None:
            limit = whole("limit", "Posterior.enumerate", limit, 0, besides="or None")
        return exact_posterior(self, limit)


def _times_log(count: int, rate: float) -> float:
    if count == 0:  # 0 log 0 = 0: no row contradicts a rate of 0
        return 0.0
    return count * math.log(rate) if rate > 0 else -math.inf
