"""Slots of a term: the variants that could replace each of its variants, with probabilities.

Variants in linkage disequilibrium have nearly the same information, so the posterior probability is
divided among them. A slot is the credible set of variants for one literal, each with its posterior
probability given the rest of the function. The probability of a term is the sum over all ways to
fill its slots.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...boolean import BooleanFunction, Literal
from ...sampling.draws import Draws
from ..genotypes import Genotypes
from ..quality.linkage import find_proxies
from .scoring import Scoring

_COVERED = 0.95  # total probability of the literals listed for a slot
_MOST = 200  # maximum number of proxies of one variant


@dataclass(frozen=True)
class Proxy:
    """One way to fill a slot."""

    literal: Literal
    variant: int
    r_squared: float
    probability: float
    """Given the rest of the function."""


@dataclass(frozen=True)
class Slot:
    """A literal of a term and the literals that could replace it, most probable first."""

    literal: Literal
    proxies: tuple[Proxy, ...]

    @property
    def variants(self) -> frozenset[int]:
        """Numbers of the variants in the slot."""
        return frozenset(proxy.variant for proxy in self.proxies)

    def inclusion(self, draws: Draws, genotypes: Genotypes) -> float:
        """Return the share of draws whose function uses a variant of the slot."""
        names = {genotypes.names[v] for v in self.variants}
        members = [
            i
            for i, literal in enumerate(draws.literals)
            if names & {literal.attribute, *(x.attribute for x in draws.equal[i])}
        ]
        return float(draws.weights[draws.holding(members).any(axis=0)].sum())


def slots_of(
    scoring: Scoring,
    function: BooleanFunction,
    r_squared: float = 0.5,
    window: int | None = 5_000_000,
) -> list[list[Slot]]:
    """Find the slots of every term of a function.

    Parameters
    ----------
    scoring : Scoring
        Scores of functions on all variants of the study.
    function : BooleanFunction
        The function.
    r_squared, window
        Thresholds for linked variants, as in :func:`find_proxies`.
    """
    genotypes = scoring.genotypes
    leads = sorted({genotypes.place[x.attribute] for x in function.literals})
    linked = find_proxies(genotypes, leads, r_squared, window)
    # Proxies are sorted by decreasing r², so that the closest ones are kept if there are too many.
    near: dict[int, list[tuple[int, float]]] = {v: [(v, 1.0)] for v in leads}
    for lead, proxy, r2 in zip(*(linked[c].tolist() for c in linked), strict=True):
        if len(near[lead]) <= _MOST:
            near[lead].append((proxy, r2))
    variants = sorted({v for members in near.values() for v, _ in members})
    posterior = scoring.on(variants)
    by_variant: dict[str, list[Literal]] = {}
    for literal in posterior.bits.table:
        by_variant.setdefault(literal.attribute, []).append(literal)
    names = genotypes.names
    out = []
    for t, term in enumerate(function.literal_terms):
        rest = [x for i, x in enumerate(function.literal_terms) if i != t]
        slots = []
        for literal in term:
            others = [x for x in term if x != literal]
            options = [
                (candidate, v, r2)
                for v, r2 in near[genotypes.place[literal.attribute]]
                for candidate in by_variant[names[v]]
            ]
            # The options differ in one literal, so their scores on one posterior are its log
            # conditional probabilities given the rest of the function, up to a constant.
            functions = [BooleanFunction([*rest, [*others, c]]) for c, _, _ in options]
            logs = posterior.scores(functions).log_score
            slots.append(Slot(literal, _credible(options, logs, literal)))
        out.append(slots)
    return out


def _credible(
    options: list[tuple[Literal, int, float]], logs: NDArray[np.float64], own: Literal
) -> tuple[Proxy, ...]:
    """Return the smallest set of literals that covers 95 %, and the function's own literal."""
    weights = np.exp(logs - logs.max())
    weights /= weights.sum()
    order = np.argsort(-weights, kind="stable")
    # The credible set of fine mapping (Maller et al. 2012), given the rest of the function.
    enough = int(np.searchsorted(np.cumsum(weights[order]), _COVERED)) + 1
    kept = list(order[:enough])
    [mine] = [i for i, (literal, _, _) in enumerate(options) if literal == own]
    if mine not in kept:
        kept.append(mine)
    return tuple(
        Proxy(options[i][0], options[i][1], options[i][2], float(weights[i])) for i in kept
    )


def term_probabilities(
    draws: Draws, genotypes: Genotypes, slots: list[list[Slot]]
) -> list[tuple[float, float]]:
    """Return the share of draws with each term: with its slots filled in any way, and exactly.

    Literals with equal columns have equal shares of the draws, as in ``PIP``.
    """
    variant = np.array([genotypes.place[x.attribute] for x in draws.literals], dtype=np.int64)
    starts, held = draws.functions.literal_starts, draws.functions.literals
    terms = [tuple(held[starts[i] : starts[i + 1]]) for i in range(len(starts) - 1)]
    function_of = np.repeat(np.arange(draws.n_functions), draws.n_terms)
    # A variant may be drawn under the name of a variant with equal calls.
    alike = [
        {int(variant[i]), *(genotypes.place[x.attribute] for x in draws.equal[i])}
        for i in range(len(draws.literals))
    ]
    texts = [str(x) for x in draws.literals]
    out = []
    for of_term in slots:
        exact = frozenset(str(slot.literal) for slot in of_term)
        any_way: set[int] = set()
        as_it_is: dict[int, float] = {}
        for number, term in enumerate(terms):
            if len(term) != len(of_term):
                continue
            names = [{texts[i], *(str(x) for x in draws.equal[i])} for i in term]
            if all(any(text in some for text in exact) for some in names):
                # Variants with equal calls are drawn under one name; each gets an equal part of
                # the probability.
                as_it_is[int(function_of[number])] = 1 / math.prod(map(len, names))
            # Literals of a term have no order, so try every assignment to slots.
            if any(
                all(alike[i] & slot.variants for i, slot in zip(order, of_term, strict=True))
                for order in itertools.permutations(term)
            ):
                any_way.add(int(function_of[number]))
        shares = (
            # A function counts once, however many of its terms fill the slots.
            draws.weights[sorted(any_way.union(as_it_is))].sum(),
            sum(share * draws.weights[f] for f, share in as_it_is.items()),
        )
        out.append((min(1.0, float(shares[0])), min(1.0, float(shares[1]))))  # rounding
    return out
