"""Draws with exact scores."""

from bayesdnf import BitMatrix, Posterior, simulate


def noisy(seed=0, **options):
    X, y, _ = simulate(60, 4, terms=(2,), pi0=0.35, pi1=0.65, random_state=seed)
    return Posterior(BitMatrix.from_table(X), y, **options)
