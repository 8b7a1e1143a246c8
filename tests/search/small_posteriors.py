"""Posteriors small enough to score every function."""

import itertools
import math
import os

import numpy as np
from hypothesis import strategies as st

from bayesdnf import (
    BitMatrix,
    Effect,
    Geometric,
    Poisson,
    Posterior,
    Prior,
    Tabulated,
    Uniform,
)
from bayesdnf.model.enumerate import flatten, function_words
from bayesdnf.model.posterior import Scores

EXAMPLES = int(os.environ.get("BAYESDNF_BOUNDS", "25"))  # make calibrate tries thousands


COUNTS = [Geometric(0.5, start=0), Geometric(0.1), Uniform(3), Tabulated([0.2, 0, 0.5, 0.3])]


SIZES = [Poisson(2), Poisson(0.5), Poisson(8), Uniform(), Tabulated([0, 0, 1, 1])]


EFFECTS = [
    Effect(),
    Effect(ordered=False),
    Effect(a0=1, b0=9, a1=4, b1=2),
    Effect(a0=6, b0=1, a1=0.5, b1=3, ordered=False),
    Effect(pi0=0.2, pi1=0.7),
    Effect(pi0=0.7, pi1=0.2, ordered=False),
]


@st.composite
def priors(draw, p):
    names = [f"x{j}" for j in range(p)]
    if draw(st.integers(0, 5)) == 0:
        return draw(st.sampled_from([Prior.paper(3, 0.5), Prior.paper(0, 0)])).set_params(
            antichain=draw(st.booleans()) or p > 3
        )

    def some(value):
        return value if draw(st.integers(0, 3)) == 0 else None

    weights = [draw(st.sampled_from([0.2, 1.0, 4.0])) for _ in names]
    literals = draw(st.sampled_from(["uniform", "size-only"]))
    size = draw(st.sampled_from(SIZES))
    return Prior(
        count=draw(st.sampled_from(COUNTS)),
        size=size if p > 2 else Poisson(2),
        literals=literals,
        orderings=draw(st.booleans()),
        min_cover=draw(st.sampled_from([0, 1, 1, 3])),
        antichain=p > 3 or draw(st.booleans()),
        disjoint=draw(st.integers(0, 4)) == 0,
        weights=some(weights) if literals == "uniform" else None,
        max_terms=some(draw(st.integers(1, 3))),
        max_literals=some(draw(st.integers(1, 4))),
        related=draw(st.booleans()),
        apart=some([names[:2]]) if p > 1 else None,
        at_most_one=some([names[-2:]]) if p > 1 else None,
        required=some(names[:1]),
    )


@st.composite
def posteriors(draw):
    """Small problems: all kinds of priors and effects, equal columns, noise, weighted rows."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    p = draw(st.integers(1, 5))
    n = draw(st.integers(4, 60))
    X = rng.random((n, p)) < draw(st.sampled_from([0.3, 0.5, 0.8]))
    if p > 2 and draw(st.booleans()):
        X[:, 1] = X[:, 0]
    marked = X[:, 0] & X[:, p // 2] | X[:, -1] & ~X[:, 0]
    y = rng.random(n) < np.where(marked, *draw(st.sampled_from([(1, 0), (0.9, 0.2), (0.5, 0.5)])))
    y[:2] = [True, False]
    sample_weight = rng.integers(1, 4, n) if draw(st.booleans()) else None
    return Posterior(
        BitMatrix.from_table(X), y, draw(priors(p)), draw(st.sampled_from(EFFECTS)),
        positive=True, sample_weight=sample_weight,
    )  # fmt: skip


def all_functions(posterior):
    """All functions, flat, and their scores: so few that they come in one piece."""
    p = posterior.bits.n_literals
    [words] = function_words(p, posterior.prior.antichain)
    flat = flatten(words, p)
    return flat, Scores(*posterior.native.score(*flat))


def scores_by_terms(posterior):
    """Scores of all allowed functions, by their terms."""
    flat, scored = all_functions(posterior)
    ids, starts = flat.literals.tolist(), flat.literal_starts.tolist()
    terms = [frozenset(ids[i:j]) for i, j in itertools.pairwise(starts)]
    functions = [frozenset(terms[i:j]) for i, j in itertools.pairwise(flat.term_starts.tolist())]
    scores = dict(zip(functions, scored.log_score.tolist(), strict=True))
    return {terms: score for terms, score in scores.items() if score > -math.inf}
