"""Long-range linkage: left out of components by the table of a build, or by what stands out."""

import numpy as np
import pytest

from bayesdnf.errors import ParameterError
from bayesdnf.genomics import principal_components
from bayesdnf.genomics.quality.long_range import LONG_RANGE, outside_known
from tests.genomics import twins


def inversion(seed=0, n=250, p=600, inside=40):
    """Two populations, and a stretch of chromosome 2 in which everyone has one of two types."""
    rng = np.random.default_rng(seed)
    group = np.repeat([0, 1], n // 2)
    base = rng.uniform(0.3, 0.7, (p, 1))
    frequency = np.clip(base + np.where(group, 0.06, -0.06) * rng.choice([-1, 1], (p, 1)), 0, 1)
    calls = rng.binomial(2, frequency)
    kind = rng.binomial(2, 0.5, n)
    start = p // 2 + 60
    kinds = rng.binomial(2, np.array([0.15, 0.5, 0.85])[kind], (inside, n))
    calls[start : start + inside] = kinds
    chromosome = np.repeat(["1", "2"], p // 2)
    packed = twins.make(calls, chromosome, np.tile(np.arange(p // 2) * 400_000, 2))
    return packed, group, kind


def likeness(score, what):
    return abs(np.corrcoef(score, what)[0, 1])


def test_a_stretch_that_stands_out_is_left_out():
    packed, group, kind = inversion()
    every = np.arange(packed.n_variants)
    before = principal_components(packed, 2, variants=every).scores
    assert likeness(before["PC2"], kind) > 0.8
    found = principal_components(packed, 2, among=every)
    assert likeness(found.scores["PC1"], group) > 0.9
    assert likeness(found.scores["PC2"], kind) < 0.3
    assert "in stretches of long-range linkage where their loadings stand out left out" in (
        found.sentence
    )


def test_nothing_is_left_out_where_nothing_stands_out():
    packed, group, *_ = inversion(inside=0)
    every = np.arange(packed.n_variants)
    found = principal_components(packed, 2, among=every)
    assert found.sentence.startswith("2 principal components from 600 variants")
    assert likeness(found.scores["PC1"], group) > 0.9


@pytest.mark.parametrize("build", list(LONG_RANGE))
def test_known_regions_of_a_build_are_left_out(build):
    chromosome, first, last = LONG_RANGE[build][7]  # around the HLA genes
    places = [first - 1, first, last, last + 1]
    packed = twins.make(np.zeros((5, 4)), [chromosome] * 4 + ["4"], [*places, first])
    assert outside_known(packed, np.arange(5), build).tolist() == [0, 3, 4]
    with pytest.raises(ParameterError, match="'build' parameter of principal_components"):
        outside_known(packed, np.arange(5), "hg17")


def test_regions_are_the_same_ones_in_both_builds():
    for own, other in zip(*LONG_RANGE.values(), strict=True):
        assert own[0] == other[0]
        assert own[1] < own[2]
        assert abs(own[1] - other[1]) < 2_000_000
