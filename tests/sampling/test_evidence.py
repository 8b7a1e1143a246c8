"""Priors compared by their evidence."""

import numpy as np
import pytest

from bayesdnf import (
    BitMatrix,
    Geometric,
    Posterior,
    Prior,
    compare_priors,
    simulate,
)

pytestmark = pytest.mark.slow


def test_priors_of_lists_are_compared_by_their_evidence():
    X, y, _ = simulate(60, 3, terms=(2,), pi0=0.3, pi1=0.7, random_state=4)
    bits, strata = BitMatrix.from_table(X), np.where(np.arange(60) % 5, y, 1 - y)
    priors = {"few terms": Prior(), "many terms": Prior(Geometric(0.2, start=0))}
    told = compare_priors(
        bits, y, priors, layers=2, strata=strata, draws=1000, warmup=100, thin=10, random_state=0
    )
    for name, prior in priors.items():
        posterior = Posterior(bits, y, prior, layers=2, strata=strata)
        exact = posterior.enumerate().attrs["log_evidence"]
        assert told.loc[name, "log_evidence"] == pytest.approx(exact, abs=0.1)
        plain = Posterior(bits, y, prior).enumerate().attrs["log_evidence"]
        assert abs(exact - plain) > 1  # another model
