"""Calibration in full, for ``make calibrate``: 1000 replications at p = 8, N = 60, minutes long.

A quantity of a sampler that is right leaves its 99 % band once in a hundred times. Seeds are fixed:
what passes goes on passing until a change gives the chains other numbers. A quantity that then
leaves its band is looked into with more replications, not with another seed.
"""

import sys

import pytest

from bayesdnf import Effect, Geometric, Poisson, Prior
from tests.calibration.sbc import Design, p_values, ranks

REPLICATIONS = 1000
DESIGNS = {
    "defaults": Design(60, 8, Prior(), Effect()),
    "plain sets, unordered, no null": Design(
        60,
        8,
        Prior(Geometric(0.4), Poisson(1), antichain=False, min_cover=0),
        Effect(a0=1, b0=2, a1=2.5, b1=1, ordered=False),
    ),
    "disjoint, weights, cover, ordered": Design(
        60,
        8,
        Prior(
            Geometric(0.3, start=0),
            Poisson(1),
            disjoint=True,
            min_cover=3,
            weights=[4, 2, 1, 1, 1, 1, 0.5, 0.25],
        ),
        Effect(a0=2, b0=3.5, a1=2, b1=2, a=2, b=3),
    ),
    "three layers": Design(60, 8, Prior(Geometric(0.3, start=0)), Effect(), thin=600, layers=3),
    "two layers, two strata": Design(
        60,
        8,
        Prior(Geometric(0.3, start=0), Poisson(1), min_cover=2),
        Effect(a0=1, b0=2, a1=2.5, b1=1, a=2, b=3),
        thin=600,
        layers=2,
        n_strata=2,
    ),
}


@pytest.fixture(scope="module", params=DESIGNS)
def found(request):
    design = DESIGNS[request.param]
    return p_values(ranks(design, REPLICATIONS, seed=1), design)


def test_ranks_stay_in_the_band(found, capsys):
    with capsys.disabled():
        sys.stdout.write("".join(f"\n  {name}: p = {found[name]:.3f}" for name in found))
    assert {name: p for name, p in found.items() if p < 0.01} == {}
