"""Scores of functions of variants."""

import numpy as np
import pandas as pd

from bayesdnf import BooleanFunction, Effect, Literal, Prior
from bayesdnf.genomics import scan
from bayesdnf.genomics.markers import scoring as module
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


def test_factors_of_literals_are_those_of_the_functions(monkeypatch):
    genotypes, y = many()
    monkeypatch.setattr(module, "_STRETCH", 60)  # variants at a time, of 200
    strata = np.arange(len(y)) % 2
    scoring = Scoring(genotypes, y, Prior(), Effect(), PLAIN, False, strata=strata)
    names = genotypes.names
    others = scoring.words(BooleanFunction([[Literal(names[3], "dominant")]]))
    found = scoring.literal_factors(~others, PLAIN, scoring.count(others))
    assert found.shape == (200, len(PLAIN))
    for v, code in ((0, 0), (59, 1), (60, 2), (199, 1)):
        pair = BooleanFunction([[Literal(names[3], "dominant")], [Literal(names[v], PLAIN[code])]])
        assert found[v, code] == scoring.log_factors(scoring.count(scoring.words(pair)))
