"""Temperatures, and the evidence they give."""

import numpy as np
import pytest
from scipy.special import logsumexp

from bayesdnf.errors import ParameterError
from bayesdnf.sampling.tempered import ladder_for, log_evidence, tempered
from tests.sampling.runs import posterior_of


def test_ladders_fall_from_one_to_zero():
    ladder = ladder_for(posterior_of())
    assert ladder[0] == 1
    assert ladder[-1] == 0
    assert (np.diff(ladder) < 0).all()
    ratios = np.array(ladder[1:-1]) / np.array(ladder[:-2])
    assert ratios == pytest.approx(ratios[0])  # steps in proportion to the temperature
    assert tempered(posterior_of()).betas == ladder


@pytest.mark.parametrize("betas", [[], [1], [1, 0.5], [0.5, 0], [1, 0.5, 0.5, 0], [1, 0, 0.5]])
def test_other_ladders_are_refused(betas):
    with pytest.raises(ParameterError, match=r"'betas' parameter of tempered.*falling from 1 to 0"):
        tempered(posterior_of(), betas)


def test_the_evidence_of_draws_from_a_small_world_is_its_sum():
    """Draws at each temperature as a world of three states has them."""
    rng = np.random.default_rng(0)
    prior, likelihood = np.log([0.5, 0.3, 0.2]), np.array([-3.0, -1.0, -6.0])
    betas = [1.0, 0.6, 0.3, 0.1, 0.0]
    drawn = []
    for beta in betas:
        logs = prior + beta * likelihood
        drawn.append(likelihood[rng.choice(3, 200_000, p=np.exp(logs - logsumexp(logs)))])
    exact = logsumexp(prior + likelihood)
    assert log_evidence(np.column_stack(drawn), betas) == pytest.approx(exact, abs=0.01)


def test_the_coldest_draws_do_not_count():
    rng = np.random.default_rng(1)
    logs = rng.normal(size=(50, 3))
    other = logs.copy()
    other[:, 0] = 99
    assert log_evidence(logs, [1, 0.5, 0]) == log_evidence(other, [1, 0.5, 0])
