"""A small posterior, and whether two runs on it drew the same."""

import numpy as np

from bayesdnf import BitMatrix, Posterior, simulate


def posterior_of(seed=0, n=120, p=8, **options):
    X, y, _ = simulate(n, p, random_state=seed)
    return Posterior(BitMatrix.from_table(X), y, **options)


def same_draws(one, other):
    """Whether two runs drew the same bytes."""
    arrays = ("index", "pi0", "pi1", "log_prior", "log_likelihood", "marked", "rows", "likelihoods")
    return (
        all(np.array_equal(getattr(one, name), getattr(other, name)) for name in arrays)
        and all(map(np.array_equal, one.functions, other.functions))
        and one.literals == other.literals
        and np.array_equal(one.tried, other.tried)
    )
