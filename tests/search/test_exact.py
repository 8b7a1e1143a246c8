"""Proved answers against scoring everything."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesdnf import (
    BitMatrix,
    BooleanFunction,
    Effect,
    Geometric,
    LiteralEncoder,
    Poisson,
    Posterior,
    Prior,
    Tabulated,
    Uniform,
    best_function,
    best_term,
    datasets,
    hunt,
    simulate,
)
from bayesdnf.errors import ParameterError, SizeLimitError

SIZES = [
    Poisson(2),
    Poisson(8),
    Uniform(),
    Geometric(0.3),
    Tabulated([0, 0, 1, 1]),
    Tabulated([0, 1, 0, 5]),
]
EFFECTS = [
    Effect(),
    Effect(ordered=False),
    Effect(a0=1, b0=9, a1=4, b1=2),
    Effect(a0=6, b0=1, a1=0.5, b1=3),
    Effect(a0=6, b0=1, a1=0.5, b1=3, ordered=False),
]


@st.composite
def posteriors(draw, most_literals=10):
    """Small problems of every kind: missing values, related literals, weights, odd priors."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = draw(st.integers(6, 80))
    risk = rng.random(n)
    table = {}
    for j in range(draw(st.integers(1, 4))):
        kind = draw(st.sampled_from(["flag", "text", "few"]))
        signal = risk + rng.normal(size=n) * draw(st.sampled_from([0.1, 0.5, 3]))
        if kind == "flag":
            values = (signal > 0.5).astype(float)
            table[f"flag{j}"] = np.where(rng.random(n) < 0.1, np.nan, values)
        elif kind == "text":
            table[f"text{j}"] = np.array(["a", "b", "c"])[np.clip(signal * 3, 0, 2).astype(int)]
        else:
            table[f"few{j}"] = np.clip(signal * 3, 0, 2).astype(int)
    table["last"] = np.arange(n) % 2
    frame = pd.DataFrame(table)
    encoder = LiteralEncoder(negations=draw(st.booleans()), kinds={"last": "binary"})
    bits = encoder.fit_encode(frame)
    while bits.n_literals > most_literals:  # "last" alone has two at most
        frame = frame.iloc[:, 1:]
        bits = encoder.fit_encode(frame)
    y = risk + rng.normal(size=n) * draw(st.sampled_from([0.05, 0.3, 5])) > 0.6
    y[:2] = [True, False]
    if draw(st.booleans()):
        y = ~y
    if draw(st.integers(0, 4)) == 0:
        prior = draw(st.sampled_from([Prior.paper(3, 0.5), Prior.paper(0, 0)]))
    else:
        size = draw(st.sampled_from(SIZES))
        weights = rng.choice([0.2, 1, 4], bits.n_literals) if draw(st.booleans()) else None
        prior = Prior(
            count=draw(st.sampled_from([Geometric(0.5, start=0), Geometric(0.5)])),
            size=size if bits.n_literals > 2 else Poisson(2),
            min_cover=draw(st.sampled_from([0, 1, 3])),
            related=draw(st.booleans()),
            weights=None if weights is None else weights.tolist(),
            max_literals=draw(st.sampled_from([None, 2])),
            antichain=draw(st.booleans()),
        )
    sample_weight = rng.integers(1, 4, n) if draw(st.booleans()) else None
    effect = draw(st.sampled_from(EFFECTS))
    return Posterior(bits, y, prior, effect, positive=True, sample_weight=sample_weight)


def all_terms(posterior, max_size=None):
    """The null function and every single term."""
    literals = list(posterior.bits.table)
    yield BooleanFunction()
    for k in range(1, (max_size or len(literals)) + 1):
        for term in itertools.combinations(literals, k):
            yield BooleanFunction([term])


def best_score(posterior, functions):
    return posterior.scores(list(functions)).log_score.max()


@pytest.mark.slow
@given(posterior=posteriors(), max_size=st.sampled_from([None, None, 1, 3]))
def test_best_term_equals_brute_force(posterior, max_size):
    found = best_term(posterior, max_size=max_size)
    assert found.proved
    assert found.stopped == "proved"
    expected = best_score(posterior, all_terms(posterior, max_size))
    assert found.log_posterior == pytest.approx(expected, abs=1e-8)
    assert len(found.function) <= 1
    assert found.function.n_literals <= (max_size or math.inf)
    if math.isfinite(expected):
        assert posterior.log_score(found.function) == found.log_posterior


def random_bits(n, p, seed):
    rng = np.random.default_rng(seed)
    return rng.integers(0, 2, (n, p)), rng


def test_the_null_wins_on_noise_and_loses_on_signal():
    X, rng = random_bits(200, 30, 3)
    noise = rng.integers(0, 2, 200)
    bits = BitMatrix.from_table(X)
    assert best_term(Posterior(bits, noise)).function.is_null
    signal = X[:, 4] & X[:, 7]
    assert best_term(Posterior(bits, signal)).function == BooleanFunction("x4 AND x7")
    # Without mass at m = 0 some term must be named.
    no_null = Prior(count=Geometric(0.5))
    assert len(best_term(Posterior(bits, noise, no_null)).function) == 1


def test_reversed_signal_is_found_only_when_the_rates_are_not_ordered():
    X, _ = random_bits(200, 20, 4)
    y = 1 - (X[:, 2] & X[:, 9])
    bits = BitMatrix.from_table(X)
    reverse = BooleanFunction("x2 AND x9")
    assert best_term(Posterior(bits, y, effect=Effect(ordered=False))).function == reverse
    assert best_term(Posterior(bits, y)).function != reverse


def test_a_literal_that_marks_nothing_less_is_worth_its_prior_weight():
    X, rng = random_bits(60, 4, 13)
    X[:, 1] = X[:, 0] | (rng.random(60) < 0.5)
    prior = Prior(weights={"x1": 1000}, size=Tabulated([0, 1, 1]))
    found = best_term(Posterior(BitMatrix.from_table(X), X[:, 0], prior))
    assert found.function == BooleanFunction("x0 AND x1")


def test_nothing_allowed():
    X, rng = random_bits(30, 4, 5)
    prior = Prior(count=Geometric(0.5), min_cover=31)
    found = best_term(Posterior(BitMatrix.from_table(X), rng.integers(0, 2, 30), prior))
    assert found.proved
    assert found.function.is_null
    assert found.log_posterior == -math.inf


def test_no_term_at_all_leaves_the_null():
    X, _ = random_bits(50, 3, 6)
    found = best_term(Posterior(BitMatrix.from_table(X), X[:, 0], Prior(max_terms=0)))
    assert found.proved
    assert found.function.is_null


def test_one_term_of_many_literals_among_sixty_columns():
    X, rng = random_bits(2000, 60, 7)
    X |= rng.random(X.shape) < 0.5
    term = X[:, [3, 11, 25, 40, 59]].all(axis=1)
    y = rng.random(2000) < np.where(term, 0.8, 0.2)
    found = best_term(Posterior(BitMatrix.from_table(X), y))
    assert found.proved
    assert found.function == BooleanFunction("x3 AND x11 AND x25 AND x40 AND x59")


def mushroom(negations=False, **settings):
    X, y = datasets.load_mushroom()
    bits = LiteralEncoder(negations=negations).fit_encode(X)
    return Posterior(bits, y, positive="p", **settings)


def test_mushroom_proved_and_as_good_as_the_search():
    posterior = mushroom(prior=Prior(max_terms=1))
    found = best_term(posterior)
    assert found.proved
    searched = hunt(posterior, random_state=0, restarts=10)
    assert found.log_posterior == pytest.approx(searched.log_posterior, abs=1e-9)


@pytest.mark.slow
def test_mushroom_of_edible_ones_with_negations():
    # Nine literals, far from any greedy start: a perfect rule but for a few rows.
    found = best_term(mushroom(negations=True, effect=Effect(ordered=False)))
    assert found.proved
    assert found.function.n_literals == 9
    assert found.log_posterior == pytest.approx(-179.9767304, abs=1e-6)


def test_same_result_every_time_and_for_shuffled_rows():
    X, rng = random_bits(120, 25, 8)
    y = (X[:, 0] & X[:, 1]) ^ (rng.random(120) < 0.2)
    order = rng.permutation(120)
    results = [
        best_term(Posterior(BitMatrix.from_table(rows), outcome))
        for rows, outcome in [(X, y), (X, y), (X[order], y[order])]
    ]
    assert results[0] == results[1] == results[2]


def test_time_limit_returns_the_best_so_far():
    posterior = mushroom(negations=True, prior=Prior.paper(10, 0.5))
    seen = []
    found = best_term(
        posterior,
        time_limit=0.35,
        progress=lambda done, most, best: seen.append((done, most, best)),
    )
    assert not found.proved
    assert found.stopped == "time limit"
    assert found.log_posterior == posterior.log_score(found.function)
    assert found.log_posterior > posterior.log_score("odor = f")
    assert len(seen) >= 2
    assert all(done <= most for done, most, _ in seen)
    assert seen[-1][2] == found.log_posterior


def test_interruption_returns_the_best_so_far():
    posterior = mushroom(negations=True, prior=Prior.paper(10, 0.5))

    def interrupt(done, most, best):
        raise KeyboardInterrupt

    found = best_term(posterior, progress=interrupt)
    assert found.stopped == "interrupted"
    assert not found.proved
    assert found.log_posterior == posterior.log_score(found.function)


@pytest.mark.parametrize(
    ("name", "value"), [("max_size", 0), ("max_size", 1.5), ("time_limit", 0), ("max_size", True)]
)
def test_bad_parameters(name, value):
    X, _ = random_bits(20, 3, 9)
    posterior = Posterior(BitMatrix.from_table(X), X[:, 0])
    with pytest.raises(ParameterError, match=f"'{name}' parameter of best_term"):
        best_term(posterior, **{name: value})


# All functions of few literals --------------------------------------------------------------------


def all_functions(posterior, max_terms=None):
    """Every set of terms, whatever the prior says of it."""
    literals = list(posterior.bits.table)
    terms = [t for k in range(1, len(literals) + 1) for t in itertools.combinations(literals, k)]
    for m in range((max_terms or len(terms)) + 1):
        for chosen in itertools.combinations(terms, m):
            yield BooleanFunction(chosen)


@given(posterior=posteriors(most_literals=3))
def test_best_function_equals_brute_force(posterior):
    found = best_function(posterior)
    assert found.proved
    assert found.stopped == "proved"
    expected = best_score(posterior, all_functions(posterior))
    assert found.log_posterior == pytest.approx(expected, abs=1e-9)
    if math.isfinite(expected):
        assert posterior.log_score(found.function) == found.log_posterior


@pytest.mark.parametrize("antichain", [True, False])
def test_best_function_of_four_literals(antichain):
    X, rng = random_bits(60, 4, 10)
    y = (X[:, 0] & X[:, 1] | X[:, 2] & X[:, 3]) ^ (rng.random(60) < 0.1)
    posterior = Posterior(BitMatrix.from_table(X), y, Prior(antichain=antichain))
    found = best_function(posterior)
    expected = best_score(posterior, all_functions(posterior, max_terms=4))
    assert found.log_posterior == pytest.approx(expected, abs=1e-9)
    assert best_function(posterior) == found


def test_best_function_agrees_with_the_search_on_five():
    X, y, truth = simulate(300, 5, random_state=2)
    posterior = Posterior(BitMatrix.from_table(X), y)
    found = best_function(posterior)
    assert found.log_posterior == pytest.approx(
        hunt(posterior, random_state=0).log_posterior, abs=1e-9
    )
    assert found.function == truth


def test_best_term_and_best_function_agree_where_one_term_is_all():
    X, rng = random_bits(80, 5, 11)
    y = (X[:, 0] & X[:, 3]) ^ (rng.random(80) < 0.3)
    posterior = Posterior(BitMatrix.from_table(X), y, Prior(max_terms=1))
    assert best_term(posterior).function == best_function(posterior).function


def test_too_many_literals():
    X, rng = random_bits(30, 6, 12)
    y = rng.integers(0, 2, 30)
    with pytest.raises(SizeLimitError, match=r"at most 5 literals with max_columns=5; .* has 6"):
        best_function(Posterior(BitMatrix.from_table(X), y))
    plain = Posterior(BitMatrix.from_table(X[:, :5]), y, Prior(antichain=False))
    with pytest.raises(SizeLimitError, match=r"at most 4 literals .* antichain=False; .* has 5"):
        best_function(plain)
    with pytest.raises(ParameterError, match="'max_columns' parameter of best_function"):
        best_function(plain, max_columns=7)
