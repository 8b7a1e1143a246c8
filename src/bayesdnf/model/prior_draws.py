"""Draws from a prior: rejection sampling of whole functions under its constraints."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .. import _native
from ..boolean import BooleanFunction
from ..data.bits import BitMatrix
from ..data.canonical import canonical
from ..data.literal_table import LiteralTable
from ..errors import InputError, ParameterError
from .effect import Effect
from .flat_functions import FlatFunctions
from .rule import Rule
from .support import Support, Verdict

if TYPE_CHECKING:
    from .posterior import Posterior
    from .prior import Prior, PriorTables

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

# Proposals in a row of which none is kept, and terms in them, before giving up.
_PATIENCE, _PATIENCE_TERMS = 10**6, 10**7
_FIRST_BATCH, _LARGEST_BATCH = 64, 1 << 14  # functions proposed at a time ...
_ROOM = 1 << 24  # ... so few that terms times literals stay below this
_ENOUGH = 50  # allowed proposals needed to estimate a share
_PLENTY, _MOST_TRIES = 500, 20  # of each kind to compare two, and how many times more are drawn


def draw_functions(
    prior: Prior,
    bits: BitMatrix,
    size: int,
    rng: np.random.Generator,
    layers: int = 1,
    among: int | None = None,
) -> list[Rule]:
    """Draw functions, or lists of layers, from a prior restricted to its support on a table.

    A function {S_1 … S_m} has the weight w(m) Π v(S_i), and stands for m! sequences of terms. So m
    is drawn with weight w(m) / m! · V^m, V the sum of v over all terms, and then m terms one by
    one with weight v; the set they form has the right probability among all sets of distinct
    terms. Rejecting whole sets keeps the ratios of the allowed ones. For a list, the number of
    layers and the layer of each term are drawn next.
    """
    proposals = Proposals(prior, bits, layers, among)
    kept: list[Rule] = []
    since_last = terms_since_last = 0
    for flat, allowed in proposals.batches(rng):
        chosen = np.flatnonzero(allowed)[: size - len(kept)]
        spelt = flat.spelt if layers == 1 else flat.spelt_list
        kept.extend(spelt(int(f), bits.table) for f in chosen)
        if len(kept) == size:
            break
        if allowed.any():
            since_last = terms_since_last = 0
            continue
        since_last += len(allowed)
        terms_since_last += len(flat.literal_starts) - 1
        if since_last >= _PATIENCE or terms_since_last >= _PATIENCE_TERMS:
            raise InputError(
                f"None of the last {since_last:,} functions drawn from the prior is allowed on "
                f"this table; use fewer or shorter terms, or weaker constraints."
            )
    return kept


def log_null_odds(posterior: Posterior) -> float | None:
    """Estimate the log prior odds of the null function against all other allowed functions.

    The mass of the others is estimated by the share of some thousands of unconstrained draws that
    the support allows; the seed is fixed. -inf if the null function has no mass; None if the prior
    cannot be sampled, or nearly all draws are rejected.

    Examples
    --------
    >>> from bayesdnf import BitMatrix, Posterior, Prior, Tabulated
    >>> from bayesdnf.model.prior_draws import log_null_odds
    >>> bits = BitMatrix.from_table([[0], [1], [1]])
    >>> prior = Prior(count=Tabulated([3, 1]))  # the null function and x0
    >>> round(log_null_odds(Posterior(bits, [0, 1, 1], prior)), 4)  # log 3
    1.0986
    """
    if not math.isfinite(posterior.log_prior(BooleanFunction())):
        return -math.inf
    try:
        proposals = Proposals.of(posterior)
    # The prior cannot be drawn from, so that its odds cannot be estimated.
    except ParameterError:
        return None
    null = proposals.null_share
    if null == 1:
        return math.inf
    # 8,192 tries give the share with a standard error below .006; a try takes time in proportion to
    # the literals, so of many literals there are fewer.
    size = min(8192, max(1024, 2 * 10**7 // proposals.p))
    rng, tried, kept = np.random.default_rng(0), 0, 0
    for _, allowed in proposals.batches(rng, rules_only=True):
        tried += len(allowed)
        kept += int(allowed.sum())
        if tried >= size:
            break
    if null == 0 or kept < _ENOUGH:
        return None
    # Odds before restriction, divided by the share of the rules that the support keeps; the null
    # function itself is always kept.
    return math.log(null) - math.log1p(-null) - math.log(kept / tried)


def log_one_layer_odds(posterior: Posterior) -> float | None:
    """Estimate the log prior odds of allowed lists of one layer against those of several.

    Constraints change these odds, so they are estimated from some thousands of lists drawn from
    the prior; the seed is fixed. None if the prior cannot be sampled, or nearly all draws are
    rejected or of the other kind.

    Examples
    --------
    >>> from bayesdnf import BitMatrix, Posterior, Prior, Tabulated, simulate
    >>> from bayesdnf.model.prior_draws import log_one_layer_odds
    >>> X, y, truth = simulate(100, 2, terms=(1,), random_state=0)
    >>> prior = Prior(count=Tabulated([0, 0, 1]), size=Tabulated([0, 1]), antichain=False)
    >>> posterior = Posterior(BitMatrix.from_table(X), y, prior, layers=2)
    >>> round(log_one_layer_odds(posterior), 1)  # x0 OR x1: 2 to 1, and x0 above x1 or below it
    0.7
    """
    if posterior.layers == 1:
        return None
    try:
        proposals = Proposals.of(posterior)
    except ParameterError:
        return None
    if proposals.null_share == 1:
        return None
    size = min(8192, max(1024, 2 * 10**7 // proposals.p))
    rng, tried, one, more = np.random.default_rng(0), 0, 0, 0
    for flat, allowed in proposals.batches(rng, rules_only=True):
        tried += len(allowed)
        n_layers = flat.n_layers[allowed]
        one += int((n_layers == 1).sum())
        more += int((n_layers > 1).sum())
        # The rarer side decides the error: the log of a count of 500 has a standard error of about
        # 1 / √500 = .045.
        if tried >= size and (min(one, more) >= _PLENTY or tried >= _MOST_TRIES * size):
            break
    if min(one, more) < _ENOUGH:
        return None
    return math.log(one) - math.log(more)


class Proposals:
    """Functions drawn without constraints, and whether the support allows each of them.

    Parameters
    ----------
    prior : Prior
        The prior.
    bits : BitMatrix
        The table; as read, or a posterior's own.
    layers : int, default=1
        The most layers of a list.
    among : int, optional
        How many literals those of ``bits`` were chosen from; by default they are all there were.
    """

    def __init__(
        self, prior: Prior, bits: BitMatrix, layers: int = 1, among: int | None = None
    ) -> None:
        if len(bits.segments) == 1:  # the core scores rows in two segments or more
            bits = canonical(bits, np.ones(bits.n_rows, dtype=np.bool_))
        view = bits.view()
        tables = prior.tables(bits.table, sum(view.totals), among)
        self.p = bits.n_literals
        self._scores = _native.Posterior(
            view, Support(bits, prior, layers).native, tables.by_count, tables.by_size,
            # Only verdicts and priors are read here, and an effect without an order is one that any
            # number of layers and segments allows.
            tables.by_literal, Effect(ordered=False).native(), layers,
            len(bits.segments),  # what the segments stand for does not matter to the prior
        )  # fmt: skip
        self.layers = layers
        self._count_weights, self._size_weights = count_and_size(prior, bits.table, tables, layers)
        self._choose: UniformLiterals | WeightedLiterals = UniformLiterals(self.p)
        if len(tables.by_literal):
            longest = int(np.flatnonzero(self._size_weights)[-1])
            self._choose = WeightedLiterals(tables.by_literal / 2.0**32, longest)

    @classmethod
    def of(cls, posterior: Posterior) -> Proposals:
        """Propose from the prior of a posterior."""
        return cls(posterior.prior, posterior.bits, posterior.layers, posterior.among)

    @property
    def null_share(self) -> float:
        """Probability with which the null function is proposed."""
        return float(self._count_weights[0])

    def batches(
        self, rng: np.random.Generator, rules_only: bool = False
    ) -> Iterator[tuple[FlatFunctions, Flags]]:
        """Yield batches of functions without end, and whether each is in the support.

        The sizes of batches do not depend on what is accepted, so that a longer run begins with
        the draws of a shorter one. With ``rules_only`` the null function is never proposed.
        """
        weights = self._count_weights.copy()
        if rules_only:
            weights[0] = 0
            weights /= weights.sum()
        terms_each = max(1.0, float(weights @ np.arange(len(weights))))
        most = int(max(1, min(_LARGEST_BATCH, _ROOM / (terms_each * self.p))))
        n = min(_FIRST_BATCH, most)
        while True:
            flat = self._propose(n, weights, rng)
            verdict, log_prior, _, _ = self._scores.score(*flat)
            yield flat, (verdict == Verdict.ALLOWED) & np.isfinite(log_prior)
            n = min(2 * n, most)

    def _propose(self, n: int, weights: Floats, rng: np.random.Generator) -> FlatFunctions:
        counts = rng.choice(len(weights), size=n, p=weights)
        sizes = rng.choice(len(self._size_weights), size=counts.sum(), p=self._size_weights)
        _, literals = np.nonzero(self._choose(sizes, rng))  # term by term, each in rising order
        return FlatFunctions(
            np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
            np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            literals.astype(np.int32),
            draw_layers(counts, self.layers, rng),
        )


def draw_layers(
    counts: NDArray[np.int64], layers: int, rng: np.random.Generator
) -> NDArray[np.int32]:
    """Draw the layer of each term of lists with given numbers of terms.

    The number of layers is g with weight 2^-g, from 1 to ``layers`` or the number of terms. Then
    the terms are assigned to layers, uniformly over all assignments without an empty layer.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf.model.prior_draws import draw_layers
    >>> draw_layers(np.array([1, 0, 3]), 2, np.random.default_rng(3))
    array([1, 2, 2, 1], dtype=int32)
    """
    if layers == 1:
        return np.ones(int(counts.sum()), dtype=np.int32)
    most = np.minimum(counts, layers)
    share = np.exp2(-np.arange(1.0, layers + 1)).cumsum()
    # The geometric weights 2^-g are truncated at the list's own most layers by scaling the uniform
    # to their sum, not by drawing again.
    reach = np.where(most > 0, share[most - 1], 1.0)
    n_layers = 1 + np.searchsorted(share, rng.random(len(counts)) * reach, side="right")
    owner = np.repeat(np.arange(len(counts)), counts)
    drawn = np.zeros(len(owner), dtype=np.int32)
    waiting = np.ones(len(owner), dtype=np.bool_)
    # Independent uniform layers, drawn again until none is empty, are uniform over the Surj(m, G)
    # ways to fill G layers with m terms.
    while waiting.any():  # whole lists again, until no layer is empty
        again = owner[waiting]
        drawn[waiting] = rng.integers(1, n_layers[again] + 1)
        filled = np.zeros((len(counts), layers + 1), dtype=np.bool_)
        filled[again, drawn[waiting]] = True
        waiting[waiting] = (filled.sum(axis=1) < n_layers)[again]
    return drawn


class UniformLiterals:
    """Draw uniform sets of k of p literals (Floyd's algorithm)."""

    def __init__(self, p: int) -> None:
        self.p = p

    def __call__(self, sizes: NDArray[np.int64], rng: np.random.Generator) -> Flags:
        """Which literals each term holds."""
        held = np.zeros((len(sizes), self.p), dtype=np.bool_)
        for step in range(int(sizes.max(initial=0))):
            terms = np.flatnonzero(sizes > step)
            last = self.p - sizes[terms] + step
            # Floyd: draw from 0..last; if that literal is taken, take ``last``, which cannot be.
            # Every set of the size is equally probable, in as many steps as literals.
            drawn = rng.integers(0, last, endpoint=True)
            held[terms, np.where(held[terms, drawn], last, drawn)] = True
        return held


class WeightedLiterals:
    """Draw sets of k literals with probability proportional to the product of their weights.

    Literals are visited once. With r still to be drawn from the literals from j on, j is
    skipped with probability e_r(w_j+1, …) / e_r(w_j, w_j+1, …).
    """

    def __init__(self, log_weights: Floats, longest: int) -> None:
        p = len(log_weights)
        sums = np.full((p + 1, longest + 1), -np.inf)  # log e_r of the weights from j on
        sums[p, 0] = 0
        # e_r(w_j, …) = e_r(w_j+1, …) + w_j e_r-1(w_j+1, …)
        for j in reversed(range(p)):
            sums[j] = sums[j + 1]
            sums[j, 1:] = np.logaddexp(sums[j, 1:], log_weights[j] + sums[j + 1, :-1])
        # Exactly 0 where every literal left is needed, exactly 1 where none is.
        possible = np.isfinite(sums[:-1])
        self.passed_over = np.zeros((p, longest + 1))
        self.passed_over[possible] = np.exp(sums[1:][possible] - sums[:-1][possible])

    def __call__(self, sizes: NDArray[np.int64], rng: np.random.Generator) -> Flags:
        """Which literals each term holds."""
        held = np.zeros((len(sizes), len(self.passed_over)), dtype=np.bool_)
        wanted = sizes.copy()
        for j, passed_over in enumerate(self.passed_over):
            # random() is below 1 and may be 0: with a probability of exactly 1 a literal is never
            # taken, with 0 always.
            held[:, j] = rng.random(len(sizes)) >= passed_over[wanted]
            wanted -= held[:, j]
        return held


def _log_sums(tables: PriorTables, p: int) -> Floats:
    """Return the log of the sum over all terms of a size of the products of literal weights."""
    largest = len(tables.by_size) - 1
    if len(tables.by_literal):
        return _native.log_elementary_symmetric(tables.by_literal / 2.0**32, largest)
    k = np.arange(1, p + 1)
    return np.concatenate([[0.0], np.cumsum(np.log((p + 1 - k) / k))])


def count_and_size(
    prior: Prior, literals: LiteralTable, tables: PriorTables, layers: int = 1
) -> tuple[Floats, Floats]:
    """Return the probabilities of each number of terms and of each size of a term.

    Numbers of terms that would always be rejected are left out.
    """
    # Sizes end at the literals on offer, or at those that they were chosen from.
    log_sums = _log_sums(tables, len(literals))
    longest = min(len(log_sums), len(tables.by_size))
    by_size = tables.by_size[:longest] + log_sums[:longest]
    log_total = float(np.logaddexp.reduce(by_size))
    return _count_weights(prior, literals, tables, layers, log_total), _probabilities(by_size)


def _count_weights(
    prior: Prior, literals: LiteralTable, tables: PriorTables, layers: int, log_total: float
) -> Floats:
    most = _most_terms(prior, literals, tables, layers)
    m = np.arange(min(most + 1, len(tables.by_count)))
    logs = tables.by_count[m] + m * log_total
    # w(m) V^m / m!: V^m counts sequences of terms, of which m! are one set. Where the prior counts
    # orders, ``by_count`` holds the m! that cancels this one.
    logs[1:] -= np.cumsum(np.log(m[1:]))
    if not np.isfinite(logs).any():
        raise ParameterError.of(
            "count",
            "Prior",
            f"a distribution that allows some number of terms up to {most:,} to draw from it",
            prior.count,
        )
    # The table of m is finite. If its last weights do not fall, the mass beyond it matters and the
    # table cannot stand for the distribution.
    if len(m) <= most and np.isfinite(logs[-1]) and logs[-1] - logs[-2] > -1e-9:
        raise ParameterError(
            f"The 'max_terms' parameter of Prior must be {len(m) - 1:,} or less to draw from it: "
            f"with count={prior.count!r} the mass of m terms does not fall as m grows. Got "
            f"{prior.max_terms!r} instead."
        )
    return _probabilities(logs)


def _most_terms(prior: Prior, literals: LiteralTable, tables: PriorTables, layers: int) -> int:
    """Bound the number of terms: functions with more terms would always be rejected."""
    p, enough = len(literals), len(tables.by_count)
    terms = 0
    for k in np.flatnonzero(np.isfinite(tables.by_size)):
        terms += math.comb(p, int(k))
        if terms > enough:
            break
    bounds = [terms]
    if prior.antichain and p < 64:
        bounds.append(layers * math.comb(p, p // 2))  # Sperner, for each layer
    if prior.disjoint:
        bounds.append(len(literals.attributes))
    # Each term has a literal at least, so that max_literals bounds the terms, too.
    return min(bounds + [n for n in (prior.max_terms, prior.max_literals) if n is not None])


def _probabilities(logs: Floats) -> Floats:
    weights = np.exp(logs - logs.max())
    return np.asarray(weights / weights.sum(), dtype=np.float64)
