"""Which variants could stand in a slot."""

from dataclasses import replace

import pytest

from bayesdnf.genomics import (
    find_markers,
)
from tests.genomics.planted import QUICK, study

pytestmark = pytest.mark.slow


def test_linked_variants_share_a_slot_and_its_probability():
    found = find_markers(study(proxies=3), **QUICK)
    [row] = found.terms.to_dict("records")
    [slots] = found.slots
    slot = next(s for s in slots if s.literal.attribute in ("rs4_A", "rs10_A", "rs11_T", "rs12_A"))
    near = {study(proxies=3).genotypes.names[v] for v in slot.variants}
    assert near >= {"rs4_A"}
    assert len(near) > 1
    assert sum(p.probability for p in slot.proxies) > 0.9
    assert row["PROB_EXACT"] < 0.9 < row["PROB"]
    assert all(float(share) > 0.9 for share in row["SLOT_PIP"].split(","))
    assert found.variants["PIP"].max() <= 1
    assert "could also be" in str(found)
    assert "do not distinguish this function" in str(found)


def test_equal_variants_are_told_as_equally_good():
    given = study()
    planes = given.genotypes.planes.copy()
    planes[15] = planes[3]
    twin = replace(given, genotypes=replace(given.genotypes, planes=planes))
    found = find_markers(twin, **QUICK)
    assert (found.rivals.apart == 0).sum() >= 1
    assert "just as probable" in found.rivals.sentence
    assert "marking exactly the same samples" in found.rivals.sentence
