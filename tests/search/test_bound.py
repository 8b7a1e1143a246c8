"""Bounds against scoring every function."""

import itertools
import math
import os
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayesdnf import (
    BitMatrix,
    DNFClassifier,
    Effect,
    Geometric,
    LiteralEncoder,
    Poisson,
    Posterior,
    Prior,
    Tabulated,
    Uniform,
    _native,
    bound,
    hunt,
    simulate,
)
from bayesdnf.errors import InputError, ParameterError
from bayesdnf.model.enumerate import flatten, function_words
from bayesdnf.model.posterior import Scores
from bayesdnf.search import boxes
from bayesdnf.search.bound import bound_by_boxes
from bayesdnf.search.priced import Box, Range, RowPrices, TermSpace

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


@given(
    posterior=posteriors(),
    limit=st.sampled_from([1e-9, 0.05, 0.3]),
    most_begun=st.sampled_from([1, 5, 5000]),
)
@settings(deadline=None, max_examples=EXAMPLES)
def test_no_function_scores_above_the_bound(posterior, limit, most_begun):
    best = all_functions(posterior)[1].log_score.max()
    # Tables as small as these have too few terms for the way that large ones go.
    with patch.object(boxes, "_MOST_BEGUN", most_begun):
        found = bound_by_boxes(posterior, None, limit)
    assert found.gap >= 0
    assert found.proved == (found.gap == 0) == (found.stopped == "proved")
    assert math.isfinite(found.gap) or found.log_posterior == -math.inf
    assert found.log_posterior == posterior.log_score(found.function)
    assert math.isinf(found.gap) or best <= found.log_posterior + found.gap + 1e-6


def random_prices(rng, space, box):
    signs = (1, -1) if space.monotone else rng.choice([-1, 1], 2)
    slopes = tuple((signs * rng.exponential(2, 2)).tolist())
    rows = np.where(space.is_positive, *slopes) * rng.random(len(space.is_positive))
    rows = np.where(space.is_positive, rows, rows / box.rest.high)
    prices = RowPrices.rounded(slopes, rows, rng.choice([0.0, abs(slopes[1]) / box.rest.high]))
    found = space.find(box, prices, -(2**50), 3, False, 10**9, _native.StopFlag())
    assert found.complete
    cut_short = space.find(box, prices, -(2**50), 3, False, 1, _native.StopFlag())
    assert cut_short.ceiling >= found.ceiling
    return prices._replace(ceiling=found.ceiling)


@given(posterior=posteriors(), seed=st.integers(0, 2**32))
@settings(deadline=None, max_examples=EXAMPLES)
def test_any_prices_bound_every_box(posterior, seed):
    rng = np.random.default_rng(seed)
    space = TermSpace(posterior)
    if space.most_terms == 0:
        return
    # Leaving terms out moves functions to other boxes; the bound over all boxes is tested above.
    space.shorter, space.literals = False, list(range(posterior.bits.n_literals))
    flat, scored = all_functions(posterior)
    scores, terms = scored.log_score, np.diff(flat.term_starts)
    n_neg = posterior.n - posterior.n_pos
    spans = [sorted(rng.integers(0, n + 1, 2).tolist()) for n in (posterior.n_pos, n_neg)]
    lowest, highest = sorted(rng.integers(1, space.most_terms + 1, 2).tolist())
    box = Box(Range(lowest, highest), *(Range(*span) for span in spans))
    inside = (terms >= lowest) & (terms <= highest)
    for i, (low, high) in enumerate(spans):
        inside &= (scored.marked[:, i] >= low) & (scored.marked[:, i] <= high)
    best = scores[inside].max(initial=-math.inf)
    assert best <= space.without_prices(box)
    assert best <= space.value(box, random_prices(rng, space, box))
    several = np.flatnonzero(inside & (terms > 1) & np.isfinite(scores))
    if len(several) == 0:
        return
    one = rng.choice(several)
    ids = flat.literals.tolist()
    at = flat.literal_starts[flat.term_starts[one] : flat.term_starts[one + 1] + 1].tolist()
    own = [tuple(ids[i:j]) for i, j in itertools.pairwise(at)]
    row = int(rng.integers(space.n_rows))
    marking, missing = space.by_row(box, row)
    part = marking if space.marked(own)[:, row].any() else missing
    assert scores[one] <= space.without_prices(part)
    assert scores[one] <= space.value(part, random_prices(rng, space, part))
    box = part.part(terms=Range(len(own), len(own)))
    begun = space.begin(box, own[0])
    assert scores[one] <= space.without_prices(begun)
    assert scores[one] <= space.value(begun, random_prices(rng, space, begun))


def test_terms_at_prices_are_those_of_all_terms():
    X, y, _ = simulate(60, 6, random_state=3)
    posterior = Posterior(BitMatrix.from_table(X), y, Prior(size=Uniform()))
    space = TermSpace(posterior)
    rng = np.random.default_rng(0)
    prices = RowPrices.rounded((1.0, -1.0), rng.normal(size=posterior.bits.n_stored))
    box = Box(Range(1, 3), Range(0, posterior.n_pos), Range(0, 12))
    every = [t for k in range(1, 7) for t in itertools.combinations(range(6), k)]
    marked = space.marked(every)
    sizes = np.ceil(space.size / prices.unit)
    worth = np.array([sizes[len(t)] for t in every]) + marked @ prices.rows
    negatives = marked[:, ~space.is_positive] @ space.row_weights[~space.is_positive]
    fits = marked.any(axis=1) & (negatives <= 12)
    best = np.sort(worth[fits])[::-1][:5]
    found = space.find(box, prices, -(2**50), 5, False, 10**9, _native.StopFlag())
    assert sorted(found.worth, reverse=True) == best.tolist()


def multiplexer():
    """Two address bits choose one of four: 64 rows, three each, without noise."""
    X = np.repeat(np.array(list(itertools.product([0, 1], repeat=6))), 3, axis=0)
    y = X[np.arange(len(X)), 2 + 2 * X[:, 0] + X[:, 1]]
    table = {f"x{j}": column for j, column in enumerate(X.T)}
    return Posterior(LiteralEncoder().fit_encode(table), y)


def test_the_multiplexer_is_proved():
    posterior, heard = multiplexer(), []
    known = hunt(posterior, random_state=0)
    found = bound(posterior, known.function, progress=lambda *told: heard.append(told))
    assert heard[-1][1:] == (0, 0.0)
    assert found.proved
    assert found.log_posterior == known.log_posterior


def test_a_time_limit_leaves_a_gap_that_holds():
    posterior = multiplexer()
    found = bound(posterior, "x0", time_limit=1e-9)
    assert found.stopped == "time limit"
    assert found.log_posterior + found.gap >= hunt(posterior, random_state=0).log_posterior
    later = bound(posterior, "x0", time_limit=0.5)
    assert later.gap < found.gap


def test_few_literals_are_proved_by_scoring_all():
    X, y, truth = simulate(300, 5, random_state=1)
    posterior = Posterior(BitMatrix.from_table(X), y)
    found = bound(posterior, "x0")
    assert found.proved
    assert found.gap == 0
    assert found.log_posterior >= posterior.log_score(truth)


def test_the_classifier_tells_the_gap(tmp_path):
    X, y, _ = simulate(200, 4, random_state=1)
    model = DNFClassifier(prove=True, random_state=0).fit(X, y)
    assert (model.gap_, model.proved_, model.stopped_) == (0.0, True, "proved")
    model.save(tmp_path / "model.json")
    again = DNFClassifier.load(tmp_path / "model.json")
    assert (again.gap_, again.prove, again.summary()) == (0.0, True, model.summary())
    assert DNFClassifier(random_state=0).fit(X, y).gap_ is None
    X, y, _ = simulate(200, 12, random_state=1)
    short = DNFClassifier(prove=True, time_limit=0.3, random_state=0).fit(X, y)
    assert short.gap_ > 0
    assert f"No function scores more than {short.gap_:,.4g} nats higher." in short.summary()
    with pytest.raises(ParameterError, match="'prove' parameter of DNFClassifier must be False"):
        DNFClassifier(prove=True, layers=2).fit(X, y)
    with pytest.raises(ParameterError, match="must be True or False"):
        DNFClassifier(prove="yes").fit(X, y)


def test_wrong_input_is_refused():
    X, y, _ = simulate(60, 4, random_state=1)
    bits = BitMatrix.from_table(X)
    with pytest.raises(InputError, match="one layer without strata; the posterior has 2 layers"):
        bound(Posterior(bits, y, layers=2))
    with pytest.raises(ParameterError, match="time_limit"):
        bound(Posterior(bits, y), time_limit=-1)
