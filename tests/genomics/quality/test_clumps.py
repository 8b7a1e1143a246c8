"""One variant for each block of linkage."""

import numpy as np
import pytest

from bayesdnf.errors import ParameterError
from bayesdnf.genomics import Genotypes, clump_leads


@pytest.mark.parametrize("seed", range(5))
def test_leads_are_those_of_the_slow_twin(seed):
    rng = np.random.default_rng(seed)
    base = rng.binomial(2, 0.4, (6, 80))
    calls = np.repeat(base, 4, axis=0)
    calls = np.where(rng.random(calls.shape) < 0.15, rng.binomial(2, 0.4, calls.shape), calls)
    ranked = rng.permutation(24)
    leads = []
    for v in ranked:
        if all(np.corrcoef(calls[v], calls[u])[0, 1] ** 2 < 0.5 for u in leads):
            leads.append(int(v))
    genotypes = Genotypes.from_copies(calls)
    assert clump_leads(genotypes, ranked, 24) == leads
    assert clump_leads(genotypes, ranked, 3) == leads[:3]
    assert clump_leads(genotypes, ranked, 24, window=0) == list(ranked)


def test_a_correlation_above_one_is_refused():
    with pytest.raises(ParameterError, match="'r_squared' parameter of clump_leads"):
        clump_leads(Genotypes.from_copies([[0, 1]]), [0], 1, r_squared=2)
