"""single_term: the paper's chain for one conjunction."""

from __future__ import annotations

from ..model.posterior import Posterior
from .kernel import MoveKernel


def single_term(posterior: Posterior) -> MoveKernel:
    """Sample functions of one term: flip one literal of all, uniformly drawn.

    This is the paper's chain (its section on one implicant). Its state there is the term with
    both rates; here the rates are integrated out of the flip's acceptance and drawn afterwards
    given the term, which is the same distribution with less to wait for. A chain stays among the
    functions of as many terms as it started with, one.

    Examples
    --------
    >>> from bayesdnf import BitMatrix, Posterior, simulate
    >>> from bayesdnf.sampling.single_term import single_term
    >>> X, y, truth = simulate(200, 5, terms=(2,), random_state=0)
    >>> single_term(Posterior(BitMatrix.from_table(X), y)).mix
    {'flip': 1.0}
    """
    return MoveKernel("single_term", posterior, {"flip": 1.0})
