"""The screen: which scans are made, and which variants they choose."""

import numpy as np
import pandas as pd
import pytest

from bayesdnf import Effect, Prior
from bayesdnf.genomics import Genotypes, Scan, clump_leads, scan
from bayesdnf.genomics.markers.scoring import Scoring
from bayesdnf.genomics.markers.screening import StudyScans, scan_study, screen, stage_progress
from bayesdnf.genomics.markers.spelling import with_negations
from bayesdnf.genomics.markers.step_files import StepFiles
from tests.genomics.planted import study

CODINGS = ("dominant", "recessive", "heterozygous")
HOW = {
    "effect": Effect(),
    "n_jobs": 1,
    "device": "cpu",
    "progress": None,
    "note": lambda step: None,
    "files": StepFiles(None),
}


def scoring(given, negations):
    return Scoring(given.genotypes, given.y, Prior(), Effect(), CODINGS, negations)


def findings(*members):
    """A table of findings on these variants, best first."""
    columns = {f"place_{i + 1}": column for i, column in enumerate(zip(*members, strict=True))}
    return pd.DataFrame({"marker": "", **columns})


@pytest.fixture(scope="module")
def given():
    return study()


def test_lists_take_turns_until_there_are_enough():
    found = StudyScans(
        findings([5], [2], [0], [1]),
        (Scan(findings([2, 9], [7, 8]), {}), Scan(findings([3, 4, 6]), {})),
    )
    assert found.ranked_variants()[:1] == [5]
    assert found.ranked_variants()[:3] == [5, 2, 9]
    assert found.ranked_variants()[:6] == [5, 2, 9, 3, 4, 6]
    assert sorted(found.ranked_variants()) == list(range(10))


def test_the_screen_keeps_what_it_is_told_to_in_the_order_of_the_file():
    found = StudyScans(findings([2], [0], [1]), (Scan(findings([1, 2]), {}),))
    apart = Genotypes.from_copies([[0, 0, 1, 2], [2, 0, 0, 1], [0, 2, 0, 1]])
    chosen = screen(found, 2, apart)
    assert chosen.chosen.tolist() == [1, 2]
    assert chosen.singles["place_1"].tolist() == [0, 1, 2]
    assert chosen.scans is found.scans


@pytest.mark.parametrize("negations", [True, False])
@pytest.mark.parametrize("triples", [0, 2, 8])
def test_scans_follow_the_settings(given, negations, triples):
    found = scan_study(scoring(given, negations), triples=triples, **HOW)
    made = [(s.settings["size"], s.settings["measure"]) for s in found.scans]
    expected = [(2, "and"), (2, "cells")] if negations else [(2, "and")]
    assert made == expected + [(3, "and")] * (triples >= 3)
    assert len(found.singles) == given.genotypes.n_variants
    assert found.singles["log_bayes_factor"].is_monotonic_decreasing


def test_triples_are_of_the_most_promising_variants(given):
    found = scan_study(scoring(given, False), triples=5, **HOW)
    ranked = StudyScans(found.singles, found.scans[:-1]).ranked_variants()
    promising = clump_leads(given.genotypes, ranked, 5)
    expected = scan(given.genotypes, given.y, size=3, among=promising)
    pd.testing.assert_frame_equal(found.scans[-1].findings, expected.findings)


def test_a_block_of_linked_variants_has_one_place_in_the_screen():
    rng = np.random.default_rng(0)
    block = rng.binomial(2, 0.4, 500)
    calls = [*(block for _ in range(6)), *rng.binomial(2, 0.4, (6, 500))]
    packed = Genotypes.from_copies(calls)
    found = StudyScans(findings(*([v] for v in range(12))), ())
    assert screen(found, 3, packed).chosen.tolist() == [0, 6, 7]
    assert screen(found, 12, packed).chosen.tolist() == list(range(12))  # there is room for all
    # A block may be larger than what is looked at together.
    assert screen(found, 1, packed).chosen.tolist() == [0]


def test_negations_come_after_the_codings():
    assert with_negations(["dominant"], True) == ["dominant", "not dominant"]
    assert with_negations(["dominant"], False) == ["dominant"]


def test_progress_names_its_stage():
    heard = []
    report = stage_progress(lambda *what: heard.append(what), "pairs")
    report(3, 10, "more")
    assert heard == [("pairs", 3, 10)]
    assert stage_progress(None, "pairs") is None
