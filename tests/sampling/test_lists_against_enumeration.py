"""Native chains of lists against the whole posterior, on three and four literals."""

from functools import cache
from itertools import combinations, product
from typing import NamedTuple

import numpy as np
import pytest

from bayesdnf import BitMatrix, BooleanFunction, Geometric, Posterior, Prior, _native
from bayesdnf.model.flat_functions import as_flat
from bayesdnf.model.posterior import Scores
from bayesdnf.sampling.samplers import informed, reversible_jump
from bayesdnf.sampling.tempered import log_evidence, tempered
from tests.fewer import first
from tests.sampling.agreement import spelled
from tests.sampling.test_against_enumeration import N_CHAINS, assert_as_good_as_independent

pytestmark = pytest.mark.slow

MANY = Geometric(0.3, start=0)
CASES = {
    "3 literals, 3 layers": (3, {"layers": 3}, Prior(MANY)),
    "3 literals, 2 layers, 2 strata": (3, {"layers": 2, "strata": True}, Prior(MANY)),
    "3 literals, 2 layers, sets": (
        3,
        {"layers": 2},
        Prior(MANY, antichain=False, related=True, max_terms=3, min_cover=0),
    ),
    "4 literals, 2 layers": (4, {"layers": 2}, Prior(MANY, max_terms=3)),
    "4 literals, 2 strata": (4, {"layers": 1, "strata": True}, Prior(MANY, max_terms=3)),
}
KERNELS = {
    "informed": (informed, 20_000),
    "reversible_jump": (reversible_jump, 40_000),
    "tempered": (lambda posterior: tempered(posterior, [1, 0.5, 0.2, 0]), 12_000),
}


class Whole(NamedTuple):
    """The whole posterior: the place of each list, their probabilities, the evidence."""

    places: dict
    probabilities: np.ndarray
    log_evidence: float


@cache
def posterior_of(name):
    p, settings, prior = CASES[name]
    rng = np.random.default_rng(p)
    X = rng.random((60, p)) < 0.5
    stratum = np.arange(60) % 2
    risk = np.where(X[:, 0] & X[:, 1], 0.9, np.where(X[:, 2], 0.5, 0.15))
    strata = stratum if settings.get("strata") else None
    y = rng.random(60) < risk * (1 - 0.4 * stratum)
    return Posterior(BitMatrix.from_table(X), y, prior, layers=settings["layers"], strata=strata)


@cache
def exact(posterior):
    """Score every set of terms in every way to spread them over layers."""
    p, most = posterior.bits.n_literals, posterior.layers
    terms = [t for k in range(1, p + 1) for t in combinations(range(p), k)]
    largest = len(terms) if posterior.prior.max_terms is None else posterior.prior.max_terms
    lists = [
        list(zip(which, chosen, strict=True))
        for m in range(largest + 1)
        for chosen in combinations(terms, m)
        for which in product(range(1, most + 1), repeat=m)
        if set(which) == set(range(1, max(which, default=0) + 1))
    ]
    flat = as_flat(lists)
    scores = Scores(*posterior.native.score(*flat))
    inside = np.flatnonzero(np.isfinite(scores.log_score))
    logs, log_prior = scores.log_score[inside], scores.log_prior[inside]
    total = np.logaddexp.reduce(logs)
    places = {rule: i for i, rule in enumerate(spelled(flat.take(inside)))}
    evidence = float(total - np.logaddexp.reduce(log_prior))
    return Whole(places, np.exp(logs - total), evidence)


def chains_of(kernel, steps, warmup=1000):
    places = exact(kernel.posterior).places
    stop = _native.StopFlag()
    found, likelihoods = [], []
    for chain in range(N_CHAINS):
        snapshot = kernel.init(BooleanFunction("x0"), _native.Philox([0, chain]))
        snapshot, _ = kernel.advance(snapshot, warmup, 1, stop)
        _, info = kernel.advance(snapshot, steps, 1, stop)
        found.append(np.array([places[rule] for rule in spelled(info.functions)])[info.draws])
        likelihoods.append(info.likelihoods)
    return np.array(found), np.array(likelihoods)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize(
    "kernel",
    [
        kernel if kernel == "informed" else pytest.param(kernel, marks=pytest.mark.long)
        for kernel in KERNELS
    ],
)
def test_draws(name, kernel):
    posterior = posterior_of(name)
    make, steps = KERNELS[kernel]
    places, _ = chains_of(make(posterior), steps)
    assert_as_good_as_independent(places, exact(posterior).probabilities)


@pytest.mark.parametrize("name", [name for name in CASES if name.startswith("3")])
def test_the_whole_posterior_is_what_enumerate_lists(name):
    posterior = posterior_of(name)
    listed = posterior.enumerate()
    whole = exact(posterior)
    assert len(listed) == len(whole.places)
    assert listed["probability"].tolist() == pytest.approx(sorted(whole.probabilities)[::-1])
    assert listed.attrs["log_evidence"] == pytest.approx(whole.log_evidence)


@pytest.mark.parametrize("name", first(CASES, 2))
def test_evidence(name):
    posterior = posterior_of(name)
    kernel = tempered(posterior)
    _, likelihoods = chains_of(kernel, 3000)
    found = np.array([log_evidence(of_chain, kernel.betas) for of_chain in likelihoods])
    error = found.std(ddof=1) / np.sqrt(N_CHAINS)
    assert error < 0.05
    assert found.mean() == pytest.approx(exact(posterior).log_evidence, abs=4 * error + 0.01)
