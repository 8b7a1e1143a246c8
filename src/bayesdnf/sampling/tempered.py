"""tempered: replica exchange (parallel tempering) over inverse temperatures, and the evidence."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..boolean import BooleanFunction
from ..errors import ParameterError
from ..model.posterior import Posterior
from .kernel import MoveKernel
from .samplers import informed_mix


def tempered(posterior: Posterior, betas: Sequence[float] | None = None) -> MoveKernel:
    """Sample with the informed moves at several temperatures that exchange their states.

    Hot chains see a flattened likelihood, cross between separated modes and hand what they find
    down; the draws are those at inverse temperature 1. At 0 the chain samples the prior, which is
    where the evidence is reckoned from.

    Parameters
    ----------
    posterior : Posterior
        What to sample.
    betas : sequence of float, optional
        Inverse temperatures from 1 down to 0; by default more of them the more the rows say.

    Examples
    --------
    >>> from bayesdnf import BitMatrix, Posterior, simulate
    >>> from bayesdnf.sampling.tempered import tempered
    >>> X, y, truth = simulate(200, 5, terms=(2,), random_state=0)
    >>> tempered(Posterior(BitMatrix.from_table(X), y), betas=[1, 0.3, 0.1, 0]).betas
    (1.0, 0.3, 0.1, 0.0)
    """
    ladder = ladder_for(posterior) if betas is None else tuple(float(b) for b in betas)
    falls = all(a > b for a, b in pairwise(ladder))
    if not ladder or ladder[0] != 1 or ladder[-1] != 0 or not falls:
        raise ParameterError.of("betas", "tempered", "falling from 1 to 0", betas)
    return MoveKernel("tempered", posterior, informed_mix(posterior), betas=ladder)


def ladder_for(posterior: Posterior) -> tuple[float, ...]:
    """Inverse temperatures from 1 to 0, closer together where the likelihood changes fast.

    Between neighbours the log likelihood of typical functions should change by a few nats: steps
    in proportion to the inverse temperature, until it is as small as the whole likelihood is large.
    """
    # log P(y) is at most 0, so no function gains more than this over the null function.
    nats = max(4.0, -posterior.log_likelihood(BooleanFunction()))
    # Exchange rates depend on ratios of temperatures, hence geometric; at 1 / nats the likelihood
    # is worth about one nat and mixes nearly as the prior does.
    # About three steps for two halvings of the inverse temperature.
    n = max(6, int(np.ceil(1.5 * np.log2(nats))) + 2)
    rising = np.geomspace(1.0, 1.0 / nats, n)
    return (*(float(b) for b in rising), 0.0)


def log_evidence(likelihoods: NDArray[np.float64], betas: Sequence[float]) -> float:
    """Log evidence by stepping stones, for the prior renormalised to its support.

    Each ratio of neighbouring constants is a mean over the hotter chain's draws; their product
    leads from the prior's mass on the support, at inverse temperature 0, to the posterior's.

    Parameters
    ----------
    likelihoods : ndarray of shape (n_draws, n_temperatures)
        Log likelihood of each draw at each temperature.
    betas : sequence of float
        The inverse temperatures, from 1 down to 0.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf.sampling.tempered import log_evidence
    >>> round(log_evidence(np.full((10, 3), -7.0), [1, 0.5, 0]), 6)
    -7.0
    """
    total = 0.0
    for cold in range(len(betas) - 1):
        # Z(β_cold) / Z(β_hot) = E_hot[L^(β_cold - β_hot)] (Xie et al. 2011). The hotter chain's
        # draws are used because its tails cover those of the colder one.
        logs = (betas[cold] - betas[cold + 1]) * likelihoods[:, cold + 1]
        total += float(np.logaddexp.reduce(logs) - np.log(len(logs)))
    return total
