"""A small posterior, and whether two runs on it drew the same."""

import numpy as np

from bayesdnf import BitMatrix, Posterior, simulate


def posterior_of(seed=0, n=120, p=8, **options):
    X, y, _ = simulate(n, p, random_state=seed)
    return Posterior(BitMatrix.from_table(X), y, **options)


def posterior_of_lists(layers=3, labels=("f", "m"), **options):
    """A posterior of lists on the same rows, put into strata by turns."""
    strata = np.array(labels)[np.arange(120) % len(labels)]
    return posterior_of(layers=layers, strata=strata, **options)


def same_draws(one, other):
    """Whether two runs drew the same bytes."""
    arrays = ("index", "rates", "log_prior", "log_likelihood", "cells", "rows", "likelihoods")
    return (
        all(getattr(one, name).tobytes() == getattr(other, name).tobytes() for name in arrays)
        and all(map(np.array_equal, one.functions, other.functions))
        and one.literals == other.literals
        and one.strata == other.strata
        and np.array_equal(one.tried, other.tried)
    )
