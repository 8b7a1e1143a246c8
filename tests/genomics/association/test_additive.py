"""Acting together or adding up: evidence by quadrature, and the answer on known truths."""

import numpy as np
import pytest

from bayesdnf import BooleanFunction, Effect, Posterior
from bayesdnf.genomics import Genotypes
from bayesdnf.genomics.association.additive import acting, log_evidence

[TERM] = BooleanFunction.parse("v1_B dominant AND v2_B dominant").literal_terms


def by_quadrature(X, cases, total, spread):
    """Sum over a grid of all coefficients, wide enough for each."""
    axes = [np.linspace(-4, 4, 61)] * X.shape[1]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, X.shape[1])
    eta = grid @ X.T
    logs = eta @ cases - np.logaddexp(0, eta) @ total - 0.5 * ((grid / spread) ** 2).sum(axis=1)
    logs -= np.log(spread * np.sqrt(2 * np.pi)).sum()
    return np.logaddexp.reduce(logs) + X.shape[1] * np.log(8 / 60)


@pytest.mark.parametrize("scale", [0.5, 1.0, 2.0])
def test_laplace_agrees_with_quadrature(scale):
    rng = np.random.default_rng(0)
    copies = np.array([[a, b] for a in range(3) for b in range(3)], dtype=float)
    X = np.column_stack([np.ones(9), copies])
    total = rng.integers(5, 60, 9).astype(float)
    cases = rng.binomial(total.astype(int), 1 / (1 + np.exp(1 - copies.sum(axis=1) / 2)))
    spread = np.array([10.0, scale, scale])
    found = log_evidence(X, cases.astype(float), total, spread)
    assert found == pytest.approx(by_quadrature(X, cases, total, spread), abs=0.05)


def calls_of(seed, n=1500):
    rng = np.random.default_rng(seed)
    return rng, rng.binomial(2, 0.35, (2, n))


@pytest.mark.parametrize("seed", range(3))
def test_two_additive_loci_are_told_as_additive(seed):
    rng, calls = calls_of(seed)
    y = rng.random(calls.shape[1]) < 1 / (1 + np.exp(1.5 - 0.6 * calls.sum(axis=0)))
    found = acting(Genotypes.from_copies(calls), y, TERM)
    assert found.additive < 0
    assert found.words.startswith("additive explains it")


@pytest.mark.parametrize("strata", [False, True])
def test_an_and_is_told_as_acting_together(strata):
    rng, calls = calls_of(1)
    number = rng.integers(0, 3, calls.shape[1])
    risk = 0.1 + 0.5 * (calls >= 1).all(axis=0) + 0.1 * number * strata
    y = rng.random(calls.shape[1]) < risk
    found = acting(Genotypes.from_copies(calls), y, TERM, number if strata else None)
    assert found.words.startswith("acts together")
    assert min(found.alone, found.separate, found.additive, found.half, found.twice) > 3


def test_evidence_of_the_and_is_the_posteriors():
    rng, calls = calls_of(2)
    y = rng.random(calls.shape[1]) < 0.1 + 0.4 * (calls >= 1).all(axis=0)
    packed = Genotypes.from_copies(calls)
    number = rng.integers(0, 2, len(y))
    exact = Posterior(packed.bits(), y, effect=Effect(ordered=False), strata=number)
    both, first, second, apart = (
        exact.log_likelihood(BooleanFunction(terms))
        for terms in ([TERM], [TERM[:1]], [TERM[1:]], [TERM[:1], TERM[1:]])
    )
    found = acting(packed, y, TERM, number)
    assert found.alone == pytest.approx(both - max(first, second))
    assert found.separate == pytest.approx(both - apart)


def test_a_single_variant_acts_alone():
    rng, calls = calls_of(3)
    [term] = BooleanFunction.parse("v1_B dominant").literal_terms
    assert acting(Genotypes.from_copies(calls), rng.random(calls.shape[1]) < 0.5, term) is None
