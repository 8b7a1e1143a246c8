"""Sweeps over all variants, and the search that goes on until they find nothing better."""

import numpy as np
import pytest

from bayesdnf import BooleanFunction, Effect, Prior
from bayesdnf.boolean import Literal
from bayesdnf.genomics import Study, find_markers
from bayesdnf.genomics.markers.scoring import Scoring
from bayesdnf.genomics.markers.spelling import CODES, literal_words
from bayesdnf.genomics.markers.sweep import sweep
from tests.genomics.planted import QUICK, study
from tests.genomics.twins import make

CODINGS = ("dominant", "recessive", "heterozygous")
TEXTS = [
    "",
    "v1_B dominant",
    "(v1_B dominant AND NOT v4_B recessive)",
    "(v1_B dominant AND v2_B dominant) OR (v3_B recessive)",
]


def with_gaps(seed=0, n=300, variants=7):
    rng = np.random.default_rng(seed)
    calls = rng.binomial(2, 0.4, (variants, n))
    y = rng.random(n) < 0.2 + 0.4 * ((calls[0] >= 1) & (calls[1] >= 1)) + 0.2 * (calls[2] == 2)
    calls[rng.random(calls.shape) < 0.05] = -1
    return Study(make(calls, position=1_000_000 * np.arange(1, variants + 1)), y)


def all_changes(terms, names):
    """Every function one literal away, in the plainest loops."""
    literals = [Literal(name, code) for name in names for code in CODES]
    out = {BooleanFunction([*terms, [x]]) for x in literals}
    for t, term in enumerate(terms):
        rest = terms[:t] + terms[t + 1 :]
        out.add(BooleanFunction(rest))
        out |= {BooleanFunction([*rest, [*term, x]]) for x in literals}
        for gone in term:
            left = [x for x in term if x != gone]
            out |= {BooleanFunction([*rest, [*left, x]]) for x in literals}
            out |= {BooleanFunction([*rest, left])} if left else set()
    return out - {BooleanFunction(terms)}


@pytest.mark.parametrize("strata", [None, 3])
@pytest.mark.parametrize("text", TEXTS)
def test_a_sweep_sees_every_change_that_scores_well(text, strata):
    given = with_gaps()
    number = None if strata is None else np.arange(len(given.y)) % strata
    scoring = Scoring(
        given.genotypes, given.y, Prior(), Effect(ordered=None if strata is None else False),
        CODINGS, True, 0, number,
    )  # fmt: skip
    function = BooleanFunction.parse(text) if text else BooleanFunction()
    found = sweep(scoring, function)
    names = given.genotypes.names
    exact = scoring.on(range(given.genotypes.n_variants))
    assert found.score == pytest.approx(exact.log_score(function))
    changes = list(all_changes(list(function.literal_terms), names))
    scores = dict(zip(changes, exact.scores(changes).log_score, strict=True))
    known = dict(zip(found.others, found.scores, strict=True))
    best = max(scores.values())
    for other, score in known.items():
        assert score == pytest.approx(exact.log_score(other))
    for other, score in scores.items():
        if score > best - 5 and np.isfinite(score):
            assert other in known
    assert found.gain == pytest.approx(best - found.score)


def test_literals_mark_the_samples_that_they_hold_for():
    given = with_gaps()
    for code in CODES:
        words = literal_words(given.genotypes.planes[3], code)
        held = given.genotypes.truth(Literal("v4_B", code))
        assert (words == given.genotypes.mask(held)).all()


def four_genes(seed=0, n=500):
    """Three genes of strong effect whose linked neighbours fill a screen, and a weaker fourth."""
    rng = np.random.default_rng(seed)
    genes = rng.binomial(2, [[0.4], [0.4], [0.5], [0.25]], (4, n))
    copy = rng.random((3, 12, n)) < 0.9
    blocks = np.where(copy, genes[:3, None], rng.binomial(2, 0.4, (3, 12, n))).reshape(36, n)
    noise = rng.binomial(2, 0.4, (8, n))
    ill = ((genes[0] >= 1) & (genes[1] >= 1)) | (genes[2] == 2) | (genes[3] == 2)
    calls = np.vstack([genes, blocks, noise])
    place = np.concatenate([[10, 20, 30, 40], np.repeat([10, 20, 30], 12), np.arange(50, 58)])
    position = 1_000_000 * place + np.arange(len(place)) * 1000
    return Study(make(calls, position=position), rng.random(n) < np.where(ill, 0.9, 0.05))


@pytest.mark.slow
def test_a_gene_outside_the_screen_is_found_by_the_sweep():
    given = four_genes()
    found = find_markers(given, keep=3, **{**QUICK, "triples": 0})
    exact = found.scoring.on(range(given.genotypes.n_variants))
    best = exact.log_score(found.function)
    names = given.genotypes.names
    changes = list(all_changes(list(found.function.literal_terms), names))
    assert exact.scores(changes).log_score.max() <= best + 1e-6
    n = given.genotypes.n_variants
    assert f"No change of one literal among all {n} variants scores higher." in str(found)
    assert "v4_B" in found.function.attributes
    assert len(found.screen.chosen) > 3
    assert 1 < found.searched.rounds < 6
    assert found.searched.gained > 1
    assert 0 <= found.searched.outside < 0.5
    assert "found by sweeps and scans" in found.history[-3] + found.history[-2]


@pytest.mark.slow
def test_what_was_left_out_is_reported_as_a_share():
    given = study(proxies=6, kept=0.97)
    found = find_markers(given, keep=2, **{**QUICK, "triples": 0})
    assert found.searched.outside < 0.05  # the proxies that matter were brought in by the sweep
    assert {"rs4_A", "rs8_A"} <= {found.study.genotypes.names[v] for v in found.screen.chosen}
