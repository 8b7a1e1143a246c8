"""Correlated neighbours: pruned, and found one by one."""

import numpy as np
import pytest

from bayesdnf.errors import InputError
from bayesdnf.genomics import Filters, find_proxies, prune
from tests.genomics import twins


def linked(seed, p=40, n=200):
    rng = np.random.default_rng(seed)
    base = rng.binomial(2, rng.uniform(0.1, 0.5, (p // 4, 1)), (p // 4, n))
    calls = np.repeat(base, 4, axis=0)
    noise = rng.random(calls.shape) < rng.choice([0.02, 0.1, 0.4], (p, 1))
    calls = np.where(noise, rng.integers(-1, 3, calls.shape), calls)
    chromosome = rng.choice(["chr1", "1", "2", "10"], p)
    position = rng.integers(1, 1000, p)
    return twins.make(calls, chromosome, position), calls


@pytest.mark.parametrize("seed", range(5))
def test_pruning_works_in_any_order_of_variants(seed):
    packed, calls = linked(seed)
    chromosome = [c.removeprefix("chr") for c in packed.variants["CHR"]]
    position = packed.variants["POS"].to_numpy()
    among = np.random.default_rng(seed).random(len(calls)) < 0.8
    kept = prune(packed, 0.3, 400, among)

    def alike(i, j):
        near = chromosome[i] == chromosome[j] and abs(position[i] - position[j]) <= 400
        return i != j and near and twins.squared_correlation(calls[i], calls[j]) > 0.3

    assert not kept[~among].any()
    for i in np.flatnonzero(among):
        neighbours = [j for j in np.flatnonzero(among) if alike(i, j)]
        if kept[i]:
            assert not any(kept[j] for j in neighbours)
        else:
            assert neighbours


def test_filters_prune_as_prune_does():
    packed, _ = linked(0)
    off = dict.fromkeys(("sample_call_rate", "call_rate", "maf", "hwe", "differential_p"), 0)
    through = Filters(**off, ld_r2=0.3, ld_window=400).apply(packed)
    assert through.n_variants == prune(packed, 0.3, 400).sum()
    assert "r² above 0.3 with another at most 400 base pairs away" in through.history[-1]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("window", [0, 100, None])
def test_proxies_are_found_one_by_one(seed, window):
    packed, calls = linked(seed)
    chromosome = [c.removeprefix("chr") for c in packed.variants["CHR"]]
    position = packed.variants["POS"].to_numpy()
    leads = np.random.default_rng(seed).choice(len(calls), 6, replace=False)
    expected = []
    for lead in leads:
        near = [
            (-twins.squared_correlation(calls[lead], calls[j]), j)
            for j in range(len(calls))
            if j != lead
            and (window is None or (
                chromosome[j] == chromosome[lead] and abs(position[j] - position[lead]) <= window
            ))
        ]  # fmt: skip
        expected += [(lead, j, -r) for r, j in sorted(near) if -r >= 0.4]
    found = find_proxies(packed, leads, 0.4, window)
    assert list(zip(found["lead"], found["proxy"], strict=True)) == [e[:2] for e in expected]
    np.testing.assert_allclose(found["r_squared"], [e[2] for e in expected], atol=1e-9)


def test_blocks_of_leads_do_not_matter(monkeypatch):
    packed, _ = linked(0)
    whole = find_proxies(packed, range(40), 0.1, None)
    monkeypatch.setattr("bayesdnf.genomics.quality.linkage._PAIRS", 100)
    assert find_proxies(packed, range(40), 0.1, None).equals(whole)
    assert len(whole) > 40
    assert find_proxies(packed, []).empty


def test_leads_outside_are_refused():
    with pytest.raises(InputError, match="leads must be indices of the 40 variants"):
        find_proxies(linked(0)[0], [40])
