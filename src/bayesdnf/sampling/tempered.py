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

    At high temperatures the likelihood is flattened, so chains move between separated modes; the
    exchanges bring these states to lower temperatures. The draws are those at inverse temperature
    1. At 0 the chain samples the prior, from which the evidence is estimated.

    Parameters
    ----------
    posterior : Posterior
        The posterior to sample.
    betas : sequence of float, optional
        Inverse temperatures from 1 down to 0; by default their number grows with the log
        likelihood of the null function.

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
    """Return a geometric ladder of inverse temperatures from 1 to 1 / nats, and 0.

    Between neighbours the tempered log likelihood of typical functions should change by a few
    nats, which steps in proportion to the inverse temperature achieve.
    """
    # log P(y | function) is at most 0, so no function gains more than this over the null function.
    nats = max(4.0, -posterior.log_likelihood(BooleanFunction()))
    # Exchange rates depend on ratios of temperatures, hence geometric; at 1 / nats the likelihood
    # is worth about one nat and mixes nearly as the prior does.
    # About three steps for two halvings of the inverse temperature.
    n = max(6, int(np.ceil(1.5 * np.log2(nats))) + 2)
    rising = np.geomspace(1.0, 1.0 / nats, n)
    return (*(float(b) for b in rising), 0.0)


def log_evidence(likelihoods: NDArray[np.float64], betas: Sequence[float]) -> float:
    """Estimate the log evidence by stepping stones, for the prior renormalised to its support.

    The ratio of the normalising constants at neighbouring temperatures is estimated by a mean over
    the draws of the hotter chain. Their product, from inverse temperature 0 to 1, is the evidence.

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
