"""Sweeps: every change of one literal of a function, over all variants of a study.

The search works on the variants that a screen chose. A sweep also tries the other variants: adding
a literal to a term or as a new term, dropping one, exchanging one for another.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...boolean import BooleanFunction, Literal
from ...data.planes.plane_layout import Words
from .scoring import Scoring
from .spelling import with_negations

Floats = NDArray[np.float64]
Terms = list[tuple[Literal, ...]]

_EXACT = 100  # changes at each place in a function that are scored exactly
_BETTER = 1e-6  # nats; smaller differences are rounding


@dataclass(frozen=True, eq=False)
class Sweep:
    """Scores of the functions that differ from a function in one literal.

    Parameters
    ----------
    function : BooleanFunction
        The function.
    score : float
        Its log posterior.
    others : tuple of BooleanFunction
        The best functions one literal away, best first.
    scores : ndarray of float
        Their log posteriors.
    n_variants : int
        Number of variants tried.
    """

    function: BooleanFunction
    score: float
    others: tuple[BooleanFunction, ...]
    scores: Floats
    n_variants: int

    @property
    def better(self) -> BooleanFunction | None:
        """The best of them, if it scores higher."""
        return self.others[0] if len(self.others) and self.gain > _BETTER else None

    @property
    def gain(self) -> float:
        """Score of the best of them minus that of the function, in nats."""
        return float(self.scores[0] - self.score) if len(self.scores) else -np.inf

    def within(self, nats: float) -> list[BooleanFunction]:
        """Return those that score at most ``nats`` less than the function."""
        return [f for f, s in zip(self.others, self.scores, strict=True) if s >= self.score - nats]


def sweep(scoring: Scoring, function: BooleanFunction) -> Sweep:
    """Score every function one literal away from a function, over all variants of the study.

    Likelihoods of all changes are computed from counts of all variants; at each place in the
    function the best hundred are then scored exactly, with prior, order of rates and support.

    Parameters
    ----------
    scoring : Scoring
        The study.
    function : BooleanFunction
        The function to change.
    """
    codes = with_negations(scoring.codings, scoring.negations)
    terms = list(function.literal_terms)
    found: dict[BooleanFunction, None] = dict.fromkeys(_smaller(terms))
    for before, base, rest in _places(terms):
        # A literal added to `base` marks rows where both hold, in addition to those of the rest.
        others = scoring.words(BooleanFunction(rest))
        within = _held(scoring, base) & ~others
        factors = scoring.literal_factors(within, codes, scoring.count(others))
        for v, c in _best(factors):
            literal = Literal(scoring.genotypes.names[v], codes[c])
            if literal not in before and literal.attribute not in {x.attribute for x in base}:
                found[BooleanFunction([*rest, (*base, literal)])] = None
    found.pop(function, None)
    place = scoring.genotypes.place
    variants = sorted({place[a] for f in (function, *found) for a in f.attributes})
    posterior = scoring.on(variants)
    functions = list(found)
    scores = posterior.scores(functions).log_score if functions else np.empty(0)
    order = np.argsort(-scores, kind="stable")
    order = order[np.isfinite(scores[order])]
    return Sweep(
        function=function,
        score=posterior.log_score(function),
        others=tuple(functions[i] for i in order),
        scores=scores[order],
        n_variants=scoring.genotypes.n_variants,
    )


def _smaller(terms: Terms) -> list[BooleanFunction]:
    """Return functions without one of the terms, or without one literal of a term."""
    out = []
    for t, term in enumerate(terms):
        rest = terms[:t] + terms[t + 1 :]
        out.append(BooleanFunction(rest))
        if len(term) > 1:
            out += [BooleanFunction([*rest, [x for x in term if x != gone]]) for gone in term]
    return out


def _places(terms: Terms) -> list[tuple[tuple[Literal, ...], tuple[Literal, ...], Terms]]:
    """List places for a literal: literals there now, the rest of the term, the other terms."""
    out: list[tuple[tuple[Literal, ...], tuple[Literal, ...], Terms]] = [((), (), terms)]
    for t, term in enumerate(terms):
        rest = terms[:t] + terms[t + 1 :]
        out.append(((), term, rest))
        out += [((gone,), tuple(x for x in term if x != gone), rest) for gone in term]
    return out


def _held(scoring: Scoring, literals: tuple[Literal, ...]) -> Words:
    if not literals:
        return np.full_like(scoring.classes[0], ~np.uint64(0))
    return scoring.words(BooleanFunction([literals]))


def _best(factors: Floats) -> list[tuple[int, int]]:
    """Return variant and coding of the highest factors."""
    flat = factors.ravel()
    most = min(_EXACT, len(flat))
    # The factors lack the prior and the order of rates, which exact scores add later; a hundred
    # candidates allow for the difference.
    top = np.argpartition(-flat, most - 1)[:most]
    top = top[np.isfinite(flat[top])]
    # Sorted by place, not score, so that ties keep the order of the variants.
    return [(int(i) // factors.shape[1], int(i) % factors.shape[1]) for i in np.sort(top)]
