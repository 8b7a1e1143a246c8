"""Posteriors of more than two classes, against the twin and by enumeration."""

import math

import numpy as np
import pytest

from bayesdnf import BitMatrix, Posterior, RuleList, hunt
from bayesdnf.errors import InputError
from tests import reference
from tests.sampling.agreement import score_error
from tests.sampling.problems import Problem


def lists_of(p, n=80, n_classes=3, seed=0):
    """A table of p columns whose three classes follow a list."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, p)) < 0.5
    y = np.where(X[:, 0], 0, np.where(X[:, 1], 1, 2))
    y = np.where(rng.random(n) < 0.3, rng.integers(0, n_classes, n), y)
    y[:n_classes] = np.arange(n_classes)
    return X, y


@pytest.mark.parametrize(
    ("p", "layers", "n_lists"), [(2, 1, 5), (2, 3, 11), (3, 1, 19), (3, 2, 130)]
)
def test_enumeration_and_the_best_of_it(p, layers, n_lists):
    problem = Problem(seed=p, n_rows=40, n_literals=p, layers=layers, classes=3, min_cover=0)
    posterior, slow = problem.posterior(), problem.slow()
    assert score_error(posterior, slow) < 1e-8
    exact = posterior.enumerate()
    logs = np.array([sum(score) for score in slow.scores.values()])
    assert len(exact) == len(slow.scores)
    expected = np.sort(np.exp(logs - np.logaddexp.reduce(logs)))[::-1]
    np.testing.assert_allclose(exact["probability"], expected, rtol=1e-8)
    found = hunt(posterior, random_state=0, restarts=16)
    assert found.log_posterior == pytest.approx(exact["log_posterior"][0], abs=1e-9)


def test_the_likelihood_by_hand():
    X, y = lists_of(2)
    posterior = Posterior(BitMatrix.from_table(X), y, layers=2)
    parts = RuleList(["x0", "x1"])({"x0": X[:, 0], "x1": X[:, 1]})
    cells = [[int(np.sum((parts == h) & (y == c))) for c in range(3)] for h in range(3)]
    value = sum(
        sum(math.lgamma(n + 1) for n in part) + math.log(2) - math.lgamma(sum(part) + 3)
        for part in cells
    )
    assert posterior.log_likelihood("if x0 elif x1 else") == pytest.approx(value)
    assert posterior.part_counts("if x0 elif x1 else")[0].tolist() == cells
    assert posterior.log_likelihood("else") == pytest.approx(
        reference.log_dirichlet(np.bincount(y).tolist())
    )


def test_one_class_against_the_others_and_what_needs_two():
    X, y = lists_of(3)
    bits = BitMatrix.from_table(X)
    one = Posterior(bits, y, positive=1)
    two = Posterior(bits, y == 1)
    assert one.classes == ("other", 1)
    assert one.log_score("x1") == two.log_score("x1")
    three = Posterior(bits, y)
    assert three.classes == (0, 1, 2)
    assert three.of_classes[1].log_likelihood("x1") != two.log_likelihood("x1")  # without an order
    assert three.fingerprint != two.fingerprint
    with pytest.raises(InputError, match="there are 3 classes; part_counts has the rows of each"):
        three.counts("x1")
    with pytest.raises(InputError, match="at most 20 classes are possible; cut the numbers"):
        Posterior(bits, np.arange(80))


@pytest.mark.parametrize("seed", range(2))
def test_planted_classes_come_out(seed):
    """No list that the search misses: it ends at the truth, or at what scores higher."""
    rng = np.random.default_rng(seed)
    X = rng.random((1200, 20)) < 0.5
    truth = RuleList(["x0 AND x1 OR x2 AND x3", "x4 AND x5"])
    part = truth({f"x{j}": X[:, j] for j in range(20)})
    shares = np.array([[0.1, 0.1, 0.8], [0.1, 0.8, 0.1], [0.8, 0.1, 0.1]])
    y = (rng.random(1200)[:, None] > np.cumsum(shares[part], axis=1)).sum(axis=1)
    posterior = Posterior(BitMatrix.from_table(X), y, layers=4)
    found = hunt(posterior, random_state=seed, n_jobs=2)
    assert found.stopped == "agreement"
    assert found.log_posterior >= posterior.log_score(truth) - 1e-9
    assert found.function.equivalent_to(truth, up_to_order=True) or found.near > 1
