"""Scores of functions of variants."""

import pandas as pd

from bayesdnf import Effect, Prior
from bayesdnf.genomics import scan
from bayesdnf.genomics.markers.scoring import Scoring
from tests.genomics.markers.scanned import PLAIN, many


def test_the_gap_is_kept_however_chromosomes_are_spelled():
    genotypes, y = many()
    far = scan(genotypes, y, top=20000, gap=100)
    apart = Scoring(genotypes, y, Prior(), Effect(), PLAIN, False, 100).on(range(5)).prior.apart
    assert len(apart) == 10
    genotypes.variants["CHR"] = ["1", "chr1"] * 100
    pd.testing.assert_frame_equal(scan(genotypes, y, top=20000, gap=100).findings, far.findings)
    again = Scoring(genotypes, y, Prior(), Effect(), PLAIN, False, 100).on(range(5))
    assert again.prior.apart == apart
