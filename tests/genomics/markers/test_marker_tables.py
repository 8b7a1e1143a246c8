"""Tables of what was found, beside slow obvious counts over the drawn functions."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from bayesdnf import Geometric, Prior
from bayesdnf.genomics import find_markers
from bayesdnf.genomics.markers.marker_tables import pair_table, region_table
from tests.genomics.planted import QUICK, study


@pytest.fixture(scope="module", params=[True, False], ids=["marker", "none"])
def found(request):
    return find_markers(study(3, n=300, variants=12, marker=request.param), **QUICK)


def test_pairs_are_counted_once_a_function(found):
    draws, slow = found.draws, {}
    for number, share in enumerate(draws.weights):
        names = [sorted({x.attribute for x in t}) for t in draws.function(number).literal_terms]
        for pair in {p for some in names for p in itertools.combinations(some, 2)}:
            slow[pair] = slow.get(pair, 0) + share
    table = pair_table(draws, least=0)
    assert slow == pytest.approx(
        {(a, b): share for a, b, share in table.itertuples(index=False)}, abs=1e-12
    )
    assert (np.diff(table["PIP"]) <= 0).all()
    assert (pair_table(draws, least=0.05)["PIP"] >= 0.05).all()


def test_regions_hold_their_variants_whatever_the_file_calls_chromosomes(found):
    genotypes, draws = found.study.genotypes, found.draws
    names = genotypes.variants["CHR"]
    mixed = [f"chr{name}" if i % 2 else name for i, name in enumerate(names)]
    spelt = replace(genotypes, variants=genotypes.variants.assign(CHR=mixed))
    plain = region_table(draws, genotypes, least=0)
    assert region_table(draws, spelt, least=0).equals(plain)
    for chromosome, start, end, share in plain.itertuples(index=False):
        inside = names.eq(chromosome) & genotypes.variants["POS"].between(start, end)
        there = {genotypes.names[v] for v in np.flatnonzero(inside)}
        uses = [there & set(draws.function(i).attributes) for i in range(draws.n_functions)]
        assert share == pytest.approx(draws.weights[[bool(u) for u in uses]].sum())


def test_nothing_drawn_but_the_null_function_gives_empty_tables():
    sure = Prior(count=Geometric(1 - 1e-9, start=0))
    found = find_markers(study(3, n=200, variants=8, marker=False), prior=sure, **QUICK)
    assert found.null_probability == 1
    assert len(pair_table(found.draws)) == len(found.pairs) == len(found.regions) == 0
