"""Strata inside scans, search and chains: structure is not taken for a marker."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from bayesdnf import BooleanFunction, Effect, Prior
from bayesdnf.errors import InputError
from bayesdnf.genomics import Genotypes, Study, find_markers, merge, scan
from bayesdnf.genomics.markers.permutations import permuted
from bayesdnf.genomics.markers.scoring import Scoring
from bayesdnf.genomics.markers.spelling import CODES
from bayesdnf.genomics.markers.stratified import scan_pairs, stratified_scan, stratified_singles
from tests.genomics.planted import QUICK, TRUTH, study, two_populations

CODINGS = ("dominant", "recessive", "heterozygous")
NULL = BooleanFunction()


@pytest.fixture(scope="module")
def scoring():
    given = study(n=700, variants=12)
    number = np.random.default_rng(0).integers(0, 3, 700)
    effect = Effect(ordered=False)
    return Scoring(given.genotypes, given.y, Prior(), effect, CODINGS, True, 0, number)


def factor(posterior, text):
    return posterior.log_likelihood(text) - posterior.log_likelihood(NULL)


def test_singles_are_the_best_literals_within_strata(scoring):
    found = stratified_singles(scoring, CODES).sort_values("place_1")
    exact = scoring.on(range(12))
    for name, text, value in zip(
        scoring.genotypes.names, found["marker"], found["log_bayes_factor"], strict=True
    ):
        options = [factor(exact, str(x)) for x in exact.bits.table if x.attribute == name]
        assert value == pytest.approx(max(options))
        assert factor(exact, text) == pytest.approx(value)
    assert "NOT" not in found["marker"].iloc[3]  # of two that score alike the one that raises risk


@pytest.mark.parametrize("measure", ["and", "cells"])
def test_pairs_are_scored_again_within_strata(scoring, measure):
    singles = stratified_singles(scoring, CODES)
    found = stratified_scan(scoring, singles, measure=measure, codings=CODINGS, top=50).findings
    exact = scoring.on(range(12))
    alone = singles.set_index("place_1")["log_bayes_factor"]
    assert found["gain"].is_monotonic_decreasing
    for _, row in found.head(10).iterrows():
        assert row["log_bayes_factor"] == pytest.approx(factor(exact, row["marker"]))
        best = max(alone[row["place_1"]], alone[row["place_2"]], 0)
        assert row["gain"] == pytest.approx(row["log_bayes_factor"] - best)
        held = BooleanFunction.parse(row["marker"])(scoring.genotypes)
        assert row["cases"] == (held & scoring.y).sum()
    if measure == "and":
        assert found["marker"][0] == TRUTH


def test_the_gain_of_a_triple_is_over_its_best_pair(scoring):
    singles = stratified_singles(scoring, CODES)
    found = stratified_scan(scoring, singles, size=3, among=[1, 3, 7], codings=CODINGS).findings
    exact = scoring.on(range(12))
    [row] = found.to_dict("records")
    names = [row[f"variant_{i}"] for i in (1, 2, 3)]
    pairs = [
        factor(exact, f"{a} {c} AND {b} {d}")
        for i, a in enumerate(names)
        for b in names[i + 1 :]
        for c in CODINGS
        for d in CODINGS
    ]
    alone = singles.set_index("variant_1")["log_bayes_factor"][names].max()
    assert row["gain"] == pytest.approx(row["log_bayes_factor"] - max(alone, *pairs))


def test_parts_of_a_scan_within_strata_make_up_a_whole(scoring):
    how = {"strata": scoring.strata, "top": 20}
    parts = [scan_pairs(scoring.genotypes, scoring.y, part=(k, 2), **how) for k in (1, 2)]
    whole = scan_pairs(scoring.genotypes, scoring.y, **how)
    assert merge(parts).findings["marker"][0] == whole.findings["marker"][0] == TRUTH
    assert merge(parts).settings == whole.settings
    plain = scan_pairs(scoring.genotypes, scoring.y, strata=None, top=20)
    assert plain.findings.equals(scan(scoring.genotypes, scoring.y, top=20).findings)


@pytest.mark.parametrize("seed", [0, 1])
def test_outcomes_are_permuted_within_groups(seed):
    rng = np.random.default_rng(seed)
    y, group = rng.random(200) < 0.4, rng.integers(0, 5, 200)
    shuffled = permuted(y, group, rng)
    assert (shuffled != y).any()
    for g in range(5):
        assert shuffled[group == g].sum() == y[group == g].sum()


@pytest.mark.slow
def test_two_populations_without_a_marker_give_no_term():
    given = two_populations(0, n=600, variants=150)
    found = find_markers(given, components=4, keep=30, **QUICK)
    assert found.terms.empty or found.terms["PROB"].max() < 0.5
    assert found.null_probability > 0.5
    assert found.adjustment.inflation.low > 2
    assert found.adjustment.stratified_inflation.low < 1.05
    assert not found.adjustment.inflated
    assert "no sign of structure is left" in str(found)
    # Without strata the best single variant alone would pay for itself many times over.
    plain = scan(given.genotypes, given.y, size=1).findings["log_bayes_factor"]
    assert plain[0] > 2 * np.log(6 * 150)


@pytest.mark.slow
def test_a_marker_is_found_within_strata_with_its_risks():
    given = study(n=900, variants=14)
    rng = np.random.default_rng(5)
    site = rng.choice(["north", "south"], 900)
    y = np.where(site == "north", given.y, given.y | (rng.random(900) < 0.3))
    covariates = pd.DataFrame({"site": site, "age": rng.normal(size=900)})
    strata = replace(given, y=y, covariates=covariates)
    found = find_markers(strata, strata=["site"], permutations=9, **QUICK)
    assert str(found.function) == TRUTH
    assert found.adjustment.strata.labels == ("site = north", "site = south")
    assert found.terms["P_FWE"].tolist() == [0.1]
    assert found.risk.mean > found.other_risk.mean
    assert found.risk.low < found.risk.mean < found.risk.high
    assert found.terms["ADJ_METHOD"].tolist() == ["maximum likelihood"]
    before = found.terms["LOG_BF"][0] + found.strata_cost
    assert f" nats over no marker, and {before:.1f} without strata" in str(found)
    # No chain stays at the complement, which marks the same samples with the risks exchanged.
    assert found.terms["PROB"][0] > 0.9
    made = scan_pairs(strata.genotypes, y, strata=found.adjustment.numbers)
    again = find_markers(strata, strata=["site"], pairs=made, **QUICK)
    assert again.function == found.function
    with pytest.raises(InputError, match="its strata is"):
        find_markers(strata, pairs=made, adjust=False, **QUICK)


@pytest.mark.slow
def test_of_a_literal_and_its_negation_the_one_that_raises_the_risk_is_named():
    rng = np.random.default_rng(0)
    calls = rng.binomial(2, 0.4, (8, 600))
    group = rng.choice(["a", "b"], 600)
    y = rng.random(600) < np.where(calls[2] >= 1, 0.2, 0.6) + 0.2 * (group == "b")
    given = Study(Genotypes.from_copies(calls), y, pd.DataFrame({"group": group}))
    found = find_markers(given, strata=["group"], **{**QUICK, "triples": 0})
    assert str(found.plain) == "(v3_A recessive)"
    assert found.risk.mean > found.other_risk.mean
    assert found.variants["BEST"][2] == "v3_A recessive"


@pytest.mark.slow
def test_terms_are_tested_on_samples_held_out():
    found = find_markers(study(n=900, variants=12), holdout=0.3, **QUICK)
    [row] = found.terms.to_dict("records")
    assert row["HELD_N"] == 270
    assert len(found.study.y) == 630
    assert row["HELD_P"] < 1e-6
    assert "in 270 samples held out: odds ratio" in str(found)
