"""The search for the short rule that is nearest to an average.

Candidates are the drawn rules, drawn rules without some terms and literals, and repeated single
changes of better rules: a literal added or exchanged, a new term of one literal, a term moved to
another layer, a term that was often drawn.
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

_STARTS = 16  # rules to go on from
_CUT = 16  # drawn rules to cut short
_KICKS = 4500  # times that terms are torn out of the best rule, by its most literals, ...
_WORK = 10**8  # ... and fewer on tables of more literals times rows than its share of this, ...
_FEWEST_KICKS = 10  # ... but so many
_POOL = 256  # drawn terms to put in where others were torn out, ...
_EXCHANGED = 64  # ... every other time one of the first, which are tried in other places too
_WORTH = 0.002  # share of the loss without any rule that a literal must save, ...
_LEAST = 0.02  # nats that it must save over the rows of the fit: averages over noise differ by less
_LAYER = 0.1  # ... and the part of that for a layer, which else would split for nothing
_JUDGED = 16  # candidates that the support is asked about at a time


def nearest_rule(
    draws: Draws, posterior: Posterior, rows: AveragedRows, max_literals: int
) -> Terms:
    """Find the rule of so many literals at most with the least loss, and a price for its size.

    Parameters
    ----------
    draws : Draws
        What is averaged.
    posterior : Posterior
        What was sampled; it says which rules are allowed.
    rows : AveragedRows
        The rows with their averaged probabilities.
    max_literals : int
        Literals at most.

    Returns
    -------
    tuple
        Layer and literals of each term, by their numbers in the draws.

    Raises
    ------
    InputError
        When the prior allows no rule that short.

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
    """Where literals may be put: one by one into a term, at a height beside the rest of a rule.

    Heights are those of the core: 2g - 1 is layer g, 2g a new layer above it.
    """

    rest: int
    """Number of the rule without the term."""
    base: tuple[int, ...]
    height: int

    @property
    def layer(self) -> int:
        """Layer in which the term will be; its rows come from the parts below."""
        return self.height // 2 + 1

    @property
    def opens_layer(self) -> bool:
        return self.height % 2 == 0


class _Search:
    """Candidates, and the descent from one to the next."""

    def __init__(
        self, draws: Draws, posterior: Posterior, rows: AveragedRows, max_literals: int
    ) -> None:
        self.draws, self.posterior, self.rows = draws, posterior, rows
        self.limit, self.layers = max_literals, posterior.layers
        self.seen: set[Terms] = set()
        self.pool = _frequent_terms(draws)
        # In nats of all rows, as losses are here.
        # Of the loss of no rule, the share that docs/layers.md, "The representative rule", names.
        least = _LEAST / posterior.n
        self.price = max(least, _WORTH * rows.exact_loss(as_flat([()]))) * rows.total

    def best(self) -> Terms:
        """Descend from all starts, and take the best end."""
        ends = [self._descend(start) for start in self._starts()]
        ends = [end for end, may in zip(ends, self._allowed(ends), strict=True) if may]
        if not ends:
            raise InputError(
                f"The prior allows no rule of at most {self.limit} literals that the draws lead to."
            )
        ends += self._kicked(ends[int(np.argmin(self._costs(ends)))])
        # From risks that are not rounded: of many rows alike the same error would add up.
        losses = [self.rows.total * self.rows.exact_loss(as_flat([end])) for end in ends]
        costs = [loss + self.price * _size(end) for loss, end in zip(losses, ends, strict=True)]
        return min(zip(costs, ends, strict=True))[1]

    def _kicked(self, best: Terms) -> list[Terms]:
        """Tear terms out of the best rule, put a drawn one in, and descend again, many times."""
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
        """Return the nearest of the drawn rules, long ones cut short, and no rule."""
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
        """Drop terms and literals, always the cheapest for each literal, until few are left."""
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
        """Change the rule for the better until nothing does, or it was met before."""
        # Descents run into each other: what was met before has been followed to its end.
        while terms not in self.seen:
            self.seen.add(terms)
            terms = self._better(terms) or terms
        return terms

    def _better(self, terms: Terms) -> Terms | None:
        """Return the best allowed change, if it is worth its literals.

        Exchanges of whole terms are tried where no other change helps.
        """
        whole = [*_shorter(terms), *_moved(terms, self.layers)]
        rests, slots = self._slots(terms)
        now, *costs = self._costs([terms, *whole]).tolist()
        # Costs of thousands of changes are counted without spelling one out; the few that are
        # better are spelt as they are judged.
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
        """Return the cheapest of some candidates that the support allows, if it is better."""
        # The tolerance keeps equal costs, summed in another order, from passing for a gain.
        chosen = np.flatnonzero(costs < now - 1e-6 * self.price)
        chosen = chosen[np.argsort(costs[chosen], kind="stable")]
        for first in range(0, len(chosen), _JUDGED):
            candidates = [spelt(i) for i in chosen[first : first + _JUDGED].tolist()]
            may = self._allowed(candidates)
            if may.any():
                return candidates[int(np.argmax(may))]
        return None

    def _exchanged(self, terms: Terms) -> Iterator[Terms]:
        """Yield the rule with a term that was often drawn, beside the others or in place of one."""
        n = _n_literals(terms)
        for added in self.pool[:_EXCHANGED]:
            if n + len(added) <= self.limit:
                for height in _heights(terms, self.layers):
                    yield _put(terms, added, height)
            for i, (layer, literals) in enumerate(terms):
                if n + len(added) - len(literals) <= self.limit:
                    yield tuple(sorted([*terms[:i], (layer, added), *terms[i + 1 :]]))

    def _slots(self, terms: Terms) -> tuple[list[Terms], list[_Slot]]:
        """List where one literal may be put, with the rules that lie around these places."""
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
        """Cost with each literal on offer in each slot: shape (n_slots, n_offered)."""
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
            # A term in layer g takes rows from the parts below g only. So every candidate's sums
            # follow from those of the rule around it by moving the rows that the term takes,
            # without evaluating the rule.
            out[:, :, : slot.layer] -= gone.transpose(2, 0, 1, 3)
            out[:, :, slot.layer] += gone.sum(axis=1).transpose(1, 0, 2)
        losses = rows.loss(filled.reshape(-1, *sums.shape[1:]))
        costs = losses.reshape(len(slots), -1)
        for row, slot in zip(costs, slots, strict=True):
            more = len(slot.base) + 1 + _LAYER * slot.opens_layer
            row += self.price * (_size(rests[slot.rest]) + more)
            row[rows.places(slot.base)] = np.inf  # what the term holds already
        return costs

    def _costs(self, rules: Sequence[Terms]) -> Floats:
        """Loss of rules, and a price for each of their literals and layers."""
        sizes = np.array([_size(rule) for rule in rules])
        return self.rows.losses(as_flat(rules)) + self.price * sizes

    def _allowed(self, rules: Sequence[Terms]) -> NDArray[np.bool_]:
        flat = self.rows.as_offered(as_flat(rules))
        return np.isfinite(Scores(*self.posterior.native.score(*flat)).log_score)


# Rules as tuples ----------------------------------------------------------------------------------


def _terms(flat: FlatFunctions, number: int) -> Terms:
    """Take one rule out of flat arrays."""
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
    """Return the terms that were drawn most often, in whatever layer."""
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
    """Literals, and a part of one for each layer: what has to be read."""
    return _n_literals(terms) + _LAYER * len({layer for layer, _ in terms})


def _without(terms: Terms, i: int) -> Terms:
    """Take a term out; layers are numbered without gaps again."""
    rest = terms[:i] + terms[i + 1 :]
    layers = sorted({layer for layer, _ in rest})
    return tuple((layers.index(layer) + 1, literals) for layer, literals in rest)


def _put(rest: Terms, literals: tuple[int, ...], height: int) -> Terms:
    """Put a term beside others: into layer g at height 2g - 1, into a new one above it at 2g."""
    layer, opens = height // 2 + 1, height % 2 == 0
    moved = [(g + (opens and g >= layer), others) for g, others in rest]
    return tuple(sorted([*moved, (layer, tuple(sorted(literals)))]))


def _heights(terms: Terms, layers: int) -> list[int]:
    """Return where a term may be put: every layer and, while more are allowed, every gap."""
    n_layers = max((layer for layer, _ in terms), default=0)
    return [h for h in range(2 * n_layers + 1) if h % 2 == 1 or n_layers < layers]


def _shorter(terms: Terms) -> Iterator[Terms]:
    """Yield the rule with a term dropped, or a literal of a term."""
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
