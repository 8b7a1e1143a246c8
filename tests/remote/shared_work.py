"""Work for clusters."""

from bayesdnf import BitMatrix, Posterior, simulate

X, Y, TRUTH = simulate(300, 20, random_state=1)


def posterior(**how):
    return Posterior(BitMatrix.from_table(X), Y, **how)
