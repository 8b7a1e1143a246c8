"""Probabilities from exact scores: against enumeration, and against the shares of draws."""

import numpy as np
import pandas as pd
import pytest

from bayesdnf import BitMatrix, Geometric, Posterior, Prior, sample, simulate
from bayesdnf.model.flat_functions import as_flat
from bayesdnf.model.rule import as_rule
from bayesdnf.sampling.drawn.probabilities import from_scores
from tests.sampling.scored_draws import noisy

NONE = np.array([])


def slow_estimate(index, mass):
    """Probabilities and weights as SPEC has them, chain by chain and function by function."""
    probability, weights = np.zeros(len(mass)), np.zeros(len(mass))
    for c, chain in enumerate(index):
        others = {f for d, row in enumerate(index) for f in row.tolist() if d != c}
        held = sum(mass[f] for f in others)
        outside = np.mean([f not in others for f in chain])
        for f in range(len(mass)):
            probability[f] += (1 - outside) * mass[f] / held / len(index)
            share = np.mean(chain == f)
            weights[f] += ((1 - outside) * mass[f] / held if f in others else share) / len(index)
    return probability, weights


@pytest.mark.parametrize("seed", range(20))
def test_the_fast_estimate_is_the_slow_one(seed):
    rng = np.random.default_rng(seed)
    mass = rng.dirichlet(np.full(30, 0.3)) * 7
    index = rng.choice(30, size=(rng.integers(2, 5), 40), p=mass / mass.sum())
    drawn, index = np.unique(index, return_inverse=True)
    index, mass = index.reshape(-1, 40), mass[drawn]
    found = from_scores(index, np.log(mass), NONE)
    probability, weights = slow_estimate(index, mass)
    limit = mass / mass.sum()
    np.testing.assert_allclose(found.of(np.log(mass)), np.minimum(probability, limit))
    np.testing.assert_allclose(found.at_most(np.log(mass)), limit)
    np.testing.assert_allclose(found.weights.mean(axis=0), weights)
    assert weights.sum() == pytest.approx(1)


def test_it_is_nearly_unbiased_and_errs_less_than_frequencies():
    """More than half of the mass is never drawn: what was drawn, renormalised, would be double."""
    rng = np.random.default_rng(0)
    share = np.concatenate([[0.08, 0.05, 0.03], np.full(2000, 0.84 / 2000)])
    log_mass = np.log(share)
    exact, often, limits, third = [], [], [], []
    for _ in range(200):
        index = rng.choice(len(share), size=(4, 150), p=share)
        drawn, places = np.unique(index, return_inverse=True)
        found = from_scores(places.reshape(4, 150), log_mass[drawn], NONE)
        exact.append(found.of(log_mass[:3]))
        often.append([(index == f).mean() for f in range(3)])
        limits.append(found.at_most(log_mass[:3]))
        held = drawn >= 3
        third.append(found.weights.mean(axis=0)[held].sum())
    exact, often, limits = map(np.array, (exact, often, limits))
    assert exact.mean(axis=0) == pytest.approx(share[:3], rel=0.06)
    assert (exact.std(axis=0) < 0.75 * often.std(axis=0))[1:].all()
    assert (limits > 1.5 * share[:3]).all()
    assert np.mean(third) == pytest.approx(0.84, abs=0.01)


def test_functions_that_were_never_drawn_have_probabilities_too():
    mass = np.array([5.0, 3.0, 1.0])
    found = from_scores(np.array([[0, 1, 0, 0], [1, 0, 0, 1]]), np.log(mass[:2]), np.log(mass[2:]))
    assert found.of(np.log(mass)) == pytest.approx(mass / 9)
    assert found.at_most(np.log(mass)) == pytest.approx(mass / 9)


def test_chains_with_nothing_in_common_leave_a_limit():
    found = from_scores(np.array([[0, 1, 0], [2, 2, 2]]), np.log([4.0, 1.0, 5.0]), NONE)
    assert np.isnan(found.log_evidence)
    assert found.unseen == 1
    assert found.weights.mean(axis=0) == pytest.approx([1 / 3, 1 / 6, 1 / 2])
    assert found.at_most(np.log(5.0)) == pytest.approx(0.5)


def test_a_single_chain_is_compared_by_its_halves():
    index = np.array([[0, 1, 0, 0, 1, 0]])
    found = from_scores(index, np.log([2.0, 1.0]), NONE)
    assert found.of(np.log([2.0, 1.0])) == pytest.approx([2 / 3, 1 / 3])


def exact_of(posterior):
    table = posterior.enumerate()
    return {str(f): p for f, p in zip(table["function"], table["probability"], strict=True)}


@pytest.mark.parametrize("layers", [1, 2])
def test_of_short_chains_they_are_nearer_to_the_truth_than_frequencies(layers):
    X, y, _ = simulate(60, 3, terms=(2,), pi0=0.35, pi1=0.65, random_state=0)
    posterior = Posterior(BitMatrix.from_table(X), y, layers=layers)
    exact = exact_of(posterior)
    drawn = sample(posterior, draws=300, warmup=100, thin=10, random_state=0)
    truth = np.array([exact[str(drawn.function(i))] for i in range(drawn.n_functions)])
    assert np.abs(drawn.probability - truth).max() < 0.02
    off, by_draws = (np.abs(p - truth).sum() for p in (drawn.probability, drawn.frequency))
    assert off < by_draws / 2
    assert (drawn.at_most >= truth - 1e-12).all()
    null = exact["FALSE" if layers == 1 else str(as_rule("else"))]
    assert drawn.null_probability == pytest.approx(null, abs=0.01)
    assert drawn.null_at_most >= null
    assert drawn.probability.sum() + drawn.never_drawn == pytest.approx(1)


def test_inclusion_is_that_of_enumeration():
    posterior = noisy()
    table = posterior.enumerate()
    drawn = sample(posterior, draws=500, warmup=100, thin=10, random_state=0)
    found = drawn.inclusion("attribute").set_index("what")["probability"]
    for name in ("x0", "x1", "x2", "x3"):
        holds = [any(x.attribute == name for x in f.literals) for f in table["function"]]
        assert found[name] == pytest.approx(table["probability"][holds].sum(), abs=0.02)


WEIGHTS = [None, {"x0": 3.0, "twin": 0.5}]


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("layers", [1, 2])
def test_copies_on_equal_columns_add_up(layers, weights):
    rng = np.random.default_rng(1)
    X = (rng.random((40, 2)) < 0.5).astype(int)
    table = pd.DataFrame({"x0": X[:, 0], "twin": X[:, 0], "x1": X[:, 1]})
    y = (rng.random(40) < 0.3 + 0.4 * X[:, 0]).astype(int)
    prior = Prior(Geometric(0.3, start=0), weights=weights)
    posterior = Posterior(BitMatrix.from_table(table), y, prior, layers=layers)
    together = {}
    for text, share in exact_of(posterior).items():
        shown = str(as_rule(text.replace("twin", "x0")))
        together[shown] = together.get(shown, 0) + share
    drawn = sample(posterior, draws=400, warmup=100, thin=10, random_state=0)
    for number in range(drawn.n_functions):
        truth = together[str(drawn.function(number))]
        assert drawn.probability[number] == pytest.approx(truth, abs=0.01)
        assert drawn.at_most[number] >= truth - 1e-9
    assert drawn.weights.sum() == pytest.approx(1)


@pytest.mark.parametrize(
    "options", [{"antichain": False}, {"required": ["twin"]}, {"apart": [["twin", "x1"]]}]
)
def test_where_copies_cannot_be_counted_frequencies_stand_in(options):
    rng = np.random.default_rng(1)
    X = (rng.random((40, 2)) < 0.5).astype(int)
    table = pd.DataFrame({"x0": X[:, 0], "twin": X[:, 0], "x1": X[:, 1]})
    prior = Prior(Geometric(0.3), **options)
    posterior = Posterior(BitMatrix.from_table(table), X[:, 0] ^ (rng.random(40) < 0.2), prior)
    assert np.isnan(posterior.log_copies(as_flat([[(1, [1])]])))[0]
    assert posterior.log_copies(as_flat([[(1, [2])]]))[0] == 0
    drawn = sample(posterior, draws=100, warmup=50, thin=10, random_state=0)
    assert (drawn.probability == drawn.frequency).all()
    assert drawn.weights == pytest.approx(drawn.frequency)
    assert (drawn.at_most == 1).all()


def test_jumps_lead_between_no_rule_and_a_good_one():
    """Without them chains stay on either side for long: the marker is worth as much as none."""
    rng = np.random.default_rng(3)
    X = (rng.random((400, 60)) < 0.5).astype(int)
    both = (X[:, 0] & X[:, 1] & X[:, 2]).astype(bool)
    risk, posterior = 0.5, None
    for risk in np.linspace(0.5, 0.95, 46):
        y = rng.permutation(400) < 200
        y[both] = np.arange(both.sum()) < risk * both.sum()
        posterior = Posterior(BitMatrix.from_table(X), y)
        gain = posterior.log_score("x0 AND x1 AND x2") - posterior.log_score("FALSE")
        if gain > 0:
            break
    drawn = sample(posterior, draws=300, warmup=50, thin=20, random_state=0)
    moved = dict(zip(_moves(), drawn.changed.sum(axis=0).tolist(), strict=True))
    assert moved["jump"] > 20
    assert 0.005 < drawn.null_frequency < 0.9


def _moves():
    from bayesdnf.sampling.kernel import MOVES

    return MOVES
