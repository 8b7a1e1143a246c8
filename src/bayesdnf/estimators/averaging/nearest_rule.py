"""The search for the short rule that is nearest to an average: an iterated local search.

The search starts from drawn rules, shortened if they are too long, and repeats the best single
change: a literal added, exchanged or dropped, a new term of one literal, a term dropped or moved to
another layer, a frequently drawn term. It then removes random terms and descends again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ... import _native
from ...errors import InputError
from ...model.flat_functions import FlatFunctions, as_flat
from ...model.posterior import Posterior, Scores
from ...sampling.draws import Draws
from .nearness import AveragedRows, Floats

Terms = tuple[tuple[int, tuple[int, ...]], ...]
"""A rule: layer and literals of each term, sorted; layers are numbered from 1 without gaps."""

_STARTS = 16  # rules from which the search descends
_CUT = 16  # drawn rules that are too long, to shorten
_KICKS = 4500  # perturbations of the best rule, divided by the maximum number of literals, ...
_WORK = 10**8  # ... limited to this divided by literals times rows of the table, ...
_FEWEST_KICKS = 10  # ... but at least this many
_POOL = 256  # frequent terms to insert after terms were removed, ...
_EXCHANGED = 64  # ... every other time one of the first 64, which are also tried as exchanges
_WORTH = 0.002  # share of the loss without a rule that a literal must save, ...
_LEAST = 0.02  # ... but at least this many nats over all rows, above differences due to noise
_LAYER = 0.1  # price of a layer in literals, so that layers do not split without gain
_JUDGED = 16  # candidates per batch of support checks


def nearest_rule(
    draws: Draws, posterior: Posterior, rows: AveragedRows, max_literals: int
) -> Terms:
    """Find the rule of at most ``max_literals`` literals that minimises loss plus a size penalty.

    Parameters
    ----------
    draws : Draws
        Draws to average.
    posterior : Posterior
        The posterior that was sampled; it decides which rules are allowed.
    rows : AveragedRows
        The rows with their averaged probabilities.
    max_literals : int
        Maximum number of literals.

    Returns
    -------
    tuple
        Layer and literals of each term, by their numbers in the draws.

    Raises
    ------
    InputError
        If the prior allows no rule of this length.

    Examples
    --------
    >>> from bayesdnf import BitMatrix, Posterior, sample, simulate
    >>> from bayesdnf.estimators.averaging.nearest_rule import nearest_rule
    >>> from bayesdnf.estimators.averaging.nearness import AveragedRows
    >>> X, y, truth = simulate(500, 10, terms=(2, 2), random_state=0)
    >>> posterior = Posterior(BitMatrix.from_table(X), y)
    >>> drawn = sample(posterior, draws=200, warmup=100, random_state=0)
    >>> found = nearest_rule(drawn, posterior, AveragedRows(drawn, posterior), 2)
    >>> [(layer, [str(drawn.literals[x]) for x in term]) for layer, term in found]
    [(1, ['x2', 'x3'])]
    """
    return _Search(draws, posterior, rows, max_literals).best()


class _Slot(NamedTuple):
    """A term with one literal to be added, and its height in the rest of a rule.

    Heights are those of the core: 2g - 1 is layer g, 2g a new layer above it.
    """

    rest: int
    """Number of the rule without the term."""
    base: tuple[int, ...]
    height: int

    @property
    def layer(self) -> int:
        """Layer of the term; it takes its rows from the parts below."""
        return self.height // 2 + 1

    @property
    def opens_layer(self) -> bool:
        return self.height % 2 == 0


class _Search:
    """Iterated local search over rules (Lourenço, Martin and Stützle 2003)."""

    def __init__(
        self, draws: Draws, posterior: Posterior, rows: AveragedRows, max_literals: int
    ) -> None:
        self.draws, self.posterior, self.rows = draws, posterior, rows
        self.limit, self.layers = max_literals, posterior.layers
        self.seen: set[Terms] = set()
        self.pool = _frequent_terms(draws)
        # Per literal, in nats summed over all rows like the losses here; see docs/layers.md, "The
        # representative rule".
        least = _LEAST / posterior.n
        self.price = max(least, _WORTH * rows.exact_loss(as_flat([()]))) * rows.total

    def best(self) -> Terms:
        """Descend from all starts, perturb the best end, and return the best rule."""
        ends = [self._descend(start) for start in self._starts()]
        ends = [end for end, may in zip(ends, self._allowed(ends), strict=True) if may]
        if not ends:
            raise InputError(
                f"The prior allows no rule of at most {self.limit} literals that the draws lead to."
            )
        ends += self._kicked(ends[int(np.argmin(self._costs(ends)))])
        # Exact losses for the final choice: rounding errors of many equal rows would add up.
        losses = [self.rows.total * self.rows.exact_loss(as_flat([end])) for end in ends]
        costs = [loss + self.price * _size(end) for loss, end in zip(losses, ends, strict=True)]
        return min(zip(costs, ends, strict=True))[1]

    def _kicked(self, best: Terms) -> list[Terms]:
        """Repeatedly remove random terms, insert a frequent one and descend; return improvements.

        The best rule so far is the one that is perturbed.
        """
        # A fixed seed: the same draws give the same rule.
        rng, cost = np.random.default_rng(0), float(self._costs([best])[0])
        found = []
        most = _KICKS // max(5, self.limit)  # a descent of a longer rule takes longer
        for kick in range(min(most, max(_FEWEST_KICKS, _WORK // self.rows.size))):
            torn = best
            for _ in range(int(rng.integers(1, 4))):
                torn = _without(torn, int(rng.integers(len(torn)))) if torn else torn
            room = self.limit - _n_literals(torn)
            pool = self.pool if kick % 2 else self.pool[:_EXCHANGED]
            added = [term for term in pool if len(term) <= room]
            if added:
                heights = _heights(torn, self.layers)
                height = heights[int(rng.integers(len(heights)))]
                torn = _put(torn, added[int(rng.integers(len(added)))], height)
            end = self._descend(torn)
            now = float(self._costs([end])[0])
            if now < cost and self._allowed([end])[0]:
                best, cost = end, now
                found.append(end)
        return found

    def _starts(self) -> list[Terms]:
        """Return the nearest drawn rules, shortened if they are too long, and the empty rule."""
        draws = self.draws
        losses = self.rows.losses(draws.functions)
        _, first = np.unique(draws.rows, axis=0, return_index=True)  # one of each partition
        order = first[np.argsort(losses[first], kind="stable")]
        short = draws.n_literals[order] <= self.limit
        chosen = [*order[short][:_STARTS], *order[~short][:_CUT]]
        starts = list(dict.fromkeys(self._cut(_terms(draws.functions, int(i))) for i in chosen))
        nearest = np.argsort(self._costs(starts), kind="stable")[:_STARTS]
        return [*(starts[i] for i in nearest), ()]

    def _cut(self, terms: Terms) -> Terms:
        """Drop terms and literals, the least loss per literal first, down to the limit."""
        while (n := _n_literals(terms)) > self.limit:
            shorter = list(_shorter(terms))
            losses = self.rows.losses(as_flat([terms, *shorter]))
            # Greedy by loss per literal saved: dropping a whole term competes fairly with dropping
            # one literal.
            saved = np.array([n - _n_literals(candidate) for candidate in shorter])
            order = np.argsort((losses[1:] - losses[0]) / saved, kind="stable").tolist()
            may = self._allowed(shorter)
            terms = shorter[next((i for i in order if may[i]), order[0])]
        return terms

    def _descend(self, terms: Terms) -> Terms:
        """Improve the rule until no change does, or until it was visited before."""
        # Descents merge: a rule visited before has been followed to its local optimum.
        while terms not in self.seen:
            self.seen.add(terms)
            terms = self._better(terms) or terms
        return terms

    def _better(self, terms: Terms) -> Terms | None:
        """Return the best allowed change that reduces the cost, or None.

        Exchanges of whole terms are tried only if no other change reduces it.
        """
        whole = [*_shorter(terms), *_moved(terms, self.layers)]
        rests, slots = self._slots(terms)
        now, *costs = self._costs([terms, *whole]).tolist()
        # Costs of thousands of changes are computed from counts; only those that are better are
        # built as tuples.
        filled = self._filled(rests, slots)

        def spelt(i: int) -> Terms:
            if i < len(whole):
                return whole[i]
            number, place = divmod(i - len(whole), filled.shape[1])
            slot = slots[number]
            term = (*slot.base, int(self.rows.offered[place]))
            return _put(rests[slot.rest], term, slot.height)

        better = self._first_allowed(now, np.concatenate([costs, filled.ravel()]), spelt)
        if better is not None:
            return better
        exchanged = list(self._exchanged(terms))
        return self._first_allowed(now, self._costs(exchanged), exchanged.__getitem__)

    def _first_allowed(
        self, now: float, costs: Floats, spelt: Callable[[int], Terms]
    ) -> Terms | None:
        """Return the cheapest candidate below the cost ``now`` that the support allows, or None."""
        # The tolerance ignores rounding differences of equal costs summed in another order.
        chosen = np.flatnonzero(costs < now - 1e-6 * self.price)
        chosen = chosen[np.argsort(costs[chosen], kind="stable")]
        for first in range(0, len(chosen), _JUDGED):
            candidates = [spelt(i) for i in chosen[first : first + _JUDGED].tolist()]
            may = self._allowed(candidates)
            if may.any():
                return candidates[int(np.argmax(may))]
        return None

    def _exchanged(self, terms: Terms) -> Iterator[Terms]:
        """Yield the rule with a frequently drawn term added or in place of another term."""
        n = _n_literals(terms)
        for added in self.pool[:_EXCHANGED]:
            if n + len(added) <= self.limit:
                for height in _heights(terms, self.layers):
                    yield _put(terms, added, height)
            for i, (layer, literals) in enumerate(terms):
                if n + len(added) - len(literals) <= self.limit:
                    yield tuple(sorted([*terms[:i], (layer, added), *terms[i + 1 :]]))

    def _slots(self, terms: Terms) -> tuple[list[Terms], list[_Slot]]:
        """List the slots for one more or exchanged literal, and the rules without their terms."""
        room = _n_literals(terms) < self.limit
        rests, slots = [], []
        for i, (layer, literals) in enumerate(terms):
            # Without its only term a layer closes up, and the slot is the gap where it was (an
            # even height); otherwise it is the layer itself (an odd one).
            alone = sum(other == layer for other, _ in terms) == 1
            height = 2 * (layer - 1) if alone else 2 * layer - 1
            rests.append(_without(terms, i))
            bases = [tuple(x for x in literals if x != gone) for gone in literals]
            slots += [_Slot(i, base, height) for base in ([literals] if room else []) + bases]
        if room:
            rests.append(terms)
            heights = _heights(terms, self.layers)
            slots += [_Slot(len(terms), (), height) for height in heights]
        return rests, slots

    def _filled(self, rests: list[Terms], slots: list[_Slot]) -> Floats:
        """Return the cost with each candidate literal in each slot: shape (n_slots, n_offered)."""
        rows, n_parts = self.rows, self.layers + 1
        if not slots:
            return np.empty((0, len(rows.offered)))
        parts = rows.part_masks(as_flat(rests))
        bases = rows.term_masks([slot.base for slot in slots])
        below = [
            parts[slot.rest][: slot.layer] & base for slot, base in zip(slots, bases, strict=True)
        ]
        taken = np.split(
            rows.extensions(np.concatenate(below)), np.cumsum([len(x) for x in below])[:-1], axis=1
        )  # of each slot: stratum, part, literal, which
        sums = rows.sums(as_flat(rests), n_parts)
        filled = np.empty((len(slots), len(rows.offered), *sums.shape[1:]))
        for slot, gone, out in zip(slots, taken, filled, strict=True):
            around = sums[slot.rest]
            if slot.opens_layer:  # the layers above it move up
                around = np.insert(around[:, :-1], slot.layer, 0, axis=1)
            out[:] = around
            # A term in layer g takes rows from the parts below g only. So each candidate's sums are
            # those of the rule without the term, with the rows that the term takes moved to part g.
            out[:, :, : slot.layer] -= gone.transpose(2, 0, 1, 3)
            out[:, :, slot.layer] += gone.sum(axis=1).transpose(1, 0, 2)
        losses = rows.loss(filled.reshape(-1, *sums.shape[1:]))
        costs = losses.reshape(len(slots), -1)
        for row, slot in zip(costs, slots, strict=True):
            more = len(slot.base) + 1 + _LAYER * slot.opens_layer
            row += self.price * (_size(rests[slot.rest]) + more)
            row[rows.places(slot.base)] = np.inf  # literals that the term already has
        return costs

    def _costs(self, rules: Sequence[Terms]) -> Floats:
        """Return the loss of rules plus a price for each literal and layer."""
        sizes = np.array([_size(rule) for rule in rules])
        return self.rows.losses(as_flat(rules)) + self.price * sizes

    def _allowed(self, rules: Sequence[Terms]) -> NDArray[np.bool_]:
        flat = self.rows.as_offered(as_flat(rules))
        return np.isfinite(Scores(*self.posterior.native.score(*flat)).log_score)


# Rules as tuples ----------------------------------------------------------------------------------


def _terms(flat: FlatFunctions, number: int) -> Terms:
    """Return one rule of flat arrays as a tuple."""
    first, last = flat.term_starts[number], flat.term_starts[number + 1]
    bounds = flat.literal_starts[first : last + 1].tolist()
    literals = flat.literals[bounds[0] : bounds[-1]].tolist()
    return tuple(
        sorted(
            (layer, tuple(literals[start - bounds[0] : end - bounds[0]]))
            for layer, start, end in zip(
                flat.layers[first:last].tolist(), bounds[:-1], bounds[1:], strict=True
            )
        )
    )


def _frequent_terms(draws: Draws) -> list[tuple[int, ...]]:
    """Return the terms that were drawn most often, in any layer."""
    flat = draws.functions
    catalogue = _native.Catalogue()
    alone = np.arange(len(flat.literal_starts), dtype=np.int64)
    ones = np.ones_like(flat.layers)
    number = catalogue.number(alone, flat.literal_starts, flat.literals, ones)
    often = np.bincount(number, np.repeat(draws.frequency, draws.n_terms), len(catalogue))
    distinct = FlatFunctions(*catalogue.flat)
    most = np.argsort(-often, kind="stable")[:_POOL]
    return [literals for i in most.tolist() for _, literals in _terms(distinct, i)]


def _n_literals(terms: Terms) -> int:
    return sum(len(literals) for _, literals in terms)


def _size(terms: Terms) -> float:
    """Return the number of literals plus 0.1 per layer: how much there is to read."""
    return _n_literals(terms) + _LAYER * len({layer for layer, _ in terms})


def _without(terms: Terms, i: int) -> Terms:
    """Remove a term and renumber the layers without gaps."""
    rest = terms[:i] + terms[i + 1 :]
    layers = sorted({layer for layer, _ in rest})
    return tuple((layers.index(layer) + 1, literals) for layer, literals in rest)


def _put(rest: Terms, literals: tuple[int, ...], height: int) -> Terms:
    """Add a term to a rule: to layer g at height 2g - 1, to a new layer above it at 2g."""
    layer, opens = height // 2 + 1, height % 2 == 0
    moved = [(g + (opens and g >= layer), others) for g, others in rest]
    return tuple(sorted([*moved, (layer, tuple(sorted(literals)))]))


def _heights(terms: Terms, layers: int) -> list[int]:
    """Return the heights for a term: every layer and, while more layers are allowed, every gap."""
    n_layers = max((layer for layer, _ in terms), default=0)
    return [h for h in range(2 * n_layers + 1) if h % 2 == 1 or n_layers < layers]


def _shorter(terms: Terms) -> Iterator[Terms]:
    """Yield the rule without one of its terms, or without one literal of a term."""
    for i, (layer, literals) in enumerate(terms):
        yield _without(terms, i)
        if len(literals) > 1:
            for gone in literals:
                kept = tuple(x for x in literals if x != gone)
                yield tuple(sorted([*terms[:i], (layer, kept), *terms[i + 1 :]]))


def _moved(terms: Terms, layers: int) -> Iterator[Terms]:
    """Yield the rule with one term at another height."""
    for i, (_, literals) in enumerate(terms):
        rest = _without(terms, i)
        for height in _heights(rest, layers):
            if (moved := _put(rest, literals, height)) != terms:
                yield moved
