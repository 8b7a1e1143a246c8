"""Strata inside scans, search and chains: structure is not taken for a marker."""

import itertools
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import betaln

from bayesdnf import Effect
from bayesdnf.errors import InputError, ParameterError
from bayesdnf.genomics import Genotypes, Study, find_markers, merge, scan
from bayesdnf.genomics.markers.permutations import permuted
from tests.genomics.markers.test_scan import HOLDS
from tests.genomics.planted import QUICK, TRUTH, study, two_populations

CODINGS = ("dominant", "recessive", "heterozygous")


class Strata:
    """Calls, outcomes and strata, with slow obvious scores: a sum of log Beta ratios."""

    def __init__(self, seed, n_variants=6, n=240, missing=0.0, n_strata=3, effect=None):
        rng = np.random.default_rng(seed)
        self.calls = rng.binomial(2, rng.uniform(0.15, 0.6, (n_variants, 1)), (n_variants, n))
        self.calls[rng.random(self.calls.shape) < missing] = -1
        self.strata = rng.integers(0, n_strata, n)
        risk = np.linspace(0.15, 0.7, n_strata)[self.strata]
        risk += 0.25 * ((self.calls[0] >= 1) & (self.calls[1] >= 1))
        self.y = rng.random(n) < risk
        self.strata[:n_strata], self.y[:2] = np.arange(n_strata), (True, False)
        self.effect = effect or Effect()
        self.genotypes = Genotypes.from_copies(self.calls)

    def factor(self, rows):
        e, sum_of_strata = self.effect, 0.0
        for s in np.unique(self.strata):
            y, marked = self.y[self.strata == s], rows[self.strata == s]
            parts = [(y, e.a, e.b), (y[marked], e.a1, e.b1), (y[~marked], e.a0, e.b0)]
            null, *two = [betaln(a + p.sum(), b + (~p).sum()) - betaln(a, b) for p, a, b in parts]
            sum_of_strata += sum(two) - null
        return sum_of_strata

    def held(self, v, code):
        return HOLDS[code](self.calls[v])

    def best_and(self, members, codings):
        held = [[self.held(v, c) for c in codings] for v in members]
        rows = [np.logical_and.reduce(chosen) for chosen in itertools.product(*held)]
        return max((self.factor(r) for r in rows if r.any()), default=-np.inf)

    def best_cells(self, members):
        own = self.calls[list(members)]
        known = (own >= 0).all(axis=0)
        cell = np.where(known, own[0] if len(members) == 1 else 3 * own[0] + own[-1], -1)
        there = np.unique(cell[known])
        sets = itertools.chain.from_iterable(
            itertools.combinations(there, k) for k in range(1, len(there))
        )
        return max((self.factor(np.isin(cell, chosen)) for chosen in sets), default=-np.inf)


@settings(max_examples=12, deadline=None)
@given(
    st.integers(0, 2**32),
    st.sampled_from([CODINGS, ("recessive",), tuple(HOLDS)]),
    st.sampled_from([0.0, 0.1]),
    st.sampled_from([2, 3, 7]),
    st.sampled_from([Effect(), Effect(a1=2, b0=3)]),
)
def test_ands_within_strata_score_as_the_slow_twin(seed, codings, missing, n_strata, effect):
    world = Strata(seed, missing=missing, n_strata=n_strata, effect=effect)
    how = {"codings": codings, "strata": world.strata, "effect": effect}
    ones = scan(world.genotypes, world.y, size=1, **how).findings
    alone = {row.place_1: row.log_bayes_factor for row in ones.itertuples()}
    for v, value in alone.items():
        assert value == pytest.approx(world.best_and([v], codings), abs=1e-9)
    pairs = scan(world.genotypes, world.y, **how)
    twin = {m: world.best_and(m, codings) for m in itertools.combinations(range(6), 2)}
    assert len(pairs.findings) == sum(np.isfinite(list(twin.values())))  # of some no row is marked
    for row, function in zip(pairs.findings.itertuples(), pairs.functions, strict=True):
        members = row.place_1, row.place_2
        assert row.log_bayes_factor == pytest.approx(twin[members], abs=1e-9)
        assert world.factor(function(world.genotypes)) == pytest.approx(row.log_bayes_factor)
        sub = max(0.0, *(alone[v] for v in members))
        assert row.gain == pytest.approx(row.log_bayes_factor - sub)
        held = function(world.genotypes)
        assert (row.cases, row.controls) == ((held & world.y).sum(), (held & ~world.y).sum())
    triples = scan(world.genotypes, world.y, size=3, among=[0, 1, 3, 5], **how).findings
    for row in triples.itertuples():
        members = row.place_1, row.place_2, row.place_3
        assert row.log_bayes_factor == pytest.approx(world.best_and(members, codings), abs=1e-9)
        smaller = [alone[v] for v in members]
        smaller += [twin[two] for two in itertools.combinations(members, 2)]
        assert row.gain == pytest.approx(row.log_bayes_factor - max(0.0, *smaller))


@settings(max_examples=3, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from([0.0, 0.1]), st.sampled_from([2, 4]))
def test_cells_within_strata_score_as_the_slow_twin(seed, missing, n_strata):
    world = Strata(seed, n_variants=2, n=150, missing=missing, n_strata=n_strata)
    found = scan(world.genotypes, world.y, measure="cells", strata=world.strata)
    [row] = found.findings.itertuples()
    assert row.log_bayes_factor == pytest.approx(world.best_cells([0, 1]))
    assert row.gain == pytest.approx(
        row.log_bayes_factor - max(0.0, *(world.best_cells([v]) for v in (0, 1)))
    )
    [function] = found.functions
    rows = function(world.genotypes) & (world.calls >= 0).all(axis=0)
    assert world.factor(rows) == pytest.approx(row.log_bayes_factor)


@settings(max_examples=4, deadline=None)
@given(
    st.integers(0, 2**32),
    st.sampled_from([("and", CODINGS), ("and", tuple(HOLDS)), ("cells", CODINGS)]),
    st.sampled_from([0.0, 0.03]),
    st.sampled_from([2, 5]),
    st.sampled_from(["gain", "bayes factor"]),
)
def test_what_is_screened_out_within_strata_is_not_among_the_best(
    seed, how, missing, n_strata, rank
):
    """The few best are the head of all, whatever the threads and parts."""
    world = Strata(seed, n_variants=140, n=400, missing=missing, n_strata=n_strata)
    measure, codings = how
    given = {"measure": measure, "codings": codings, "strata": world.strata, "rank": rank}
    every = scan(world.genotypes, world.y, top=500, **given).findings  # which screens out little
    for n_jobs in (1, 2):
        best = scan(world.genotypes, world.y, top=12, n_jobs=n_jobs, **given).findings
        pd.testing.assert_frame_equal(best, every.head(12))
    parts = [scan(world.genotypes, world.y, top=12, part=(k, 3), **given) for k in (1, 2, 3)]
    whole = scan(world.genotypes, world.y, top=12, **given)
    pd.testing.assert_frame_equal(merge(parts).findings, whole.findings)
    assert merge(parts).settings == whole.settings


def best_cells_of_all(world):
    """Return the best Bayes factor of any set of cells of each pair, -inf where there is none."""
    chosen = (np.arange(512)[:, None] >> np.arange(9)) & 1
    scores = {}
    for members in itertools.combinations(range(len(world.calls)), 2):
        one, other = world.calls[list(members)]
        cell = np.where((one >= 0) & (other >= 0), 3 * one + other, 9)
        marked = chosen @ np.bincount(cell, minlength=10)[:9]
        total = np.where((marked > 0) & (marked < marked[-1]), 0.0, -np.inf)
        for s in np.unique(world.strata):
            own = world.strata == s
            positive, negative = (
                np.bincount(cell[own & (world.y == case)], minlength=10) for case in (True, False)
            )
            a, b = chosen @ positive[:9], chosen @ negative[:9]
            e, p, n = world.effect, positive.sum(), negative.sum()
            total += betaln(e.a1 + a, e.b1 + b) - betaln(e.a1, e.b1)
            total += betaln(e.a0 + p - a, e.b0 + n - b) - betaln(e.a0, e.b0)
            total -= betaln(e.a + p, e.b + n) - betaln(e.a, e.b)
        scores[members] = total.max()
    return scores


@settings(deadline=None)
@given(
    st.integers(0, 2**32),
    st.lists(st.sampled_from([0, 1, 2, 63, 64, 65, 127, 128]), min_size=2, max_size=5).filter(
        lambda sizes: sum(sizes) >= 4 and sizes[-1] > 0
    ),
    st.sampled_from([0.0, 0.08]),
    st.sampled_from([1, 4, 30]),
    st.sampled_from([Effect(), Effect(a1=2, b0=3)]),
)
def test_the_best_cells_within_strata_are_those_of_the_slow_twin(seed, sizes, missing, top, effect):
    """What the screen drops is not among the best of all sets of cells of all pairs."""
    world = Strata(seed, n_variants=16, n=sum(sizes), missing=missing, n_strata=2, effect=effect)
    world.strata = np.repeat(np.arange(len(sizes)), sizes)
    found = scan(
        world.genotypes, world.y, measure="cells", strata=world.strata, rank="bayes factor",
        top=top, effect=effect,
    ).findings  # fmt: skip
    twin = best_cells_of_all(world)
    best = sorted((value for value in twin.values() if value > -np.inf), reverse=True)[:top]
    assert found["log_bayes_factor"].tolist() == pytest.approx(best, abs=1e-9)
    for row in found.itertuples():
        assert row.log_bayes_factor == pytest.approx(twin[row.place_1, row.place_2], abs=1e-9)


@pytest.mark.parametrize("share", [0.0, 0.02, 0.3, 0.5, 0.9])
@pytest.mark.parametrize("n", [1, 7, 60, 900])
def test_one_stratum_beside_a_small_one_hides_no_pair(share, n):
    """Bounds hold for strata of any size and share of cases: all pairs are the head of all."""
    world = Strata(n, n_variants=40, n=n + 200, n_strata=2)
    world.strata = (np.arange(n + 200) < n).astype(np.intp)
    world.y = np.random.default_rng(n).random(n + 200) < np.where(world.strata == 1, share, 0.4)
    world.y |= (world.calls[3] >= 1) & (world.calls[4] >= 1) & (share > 0.2)
    given = {"strata": world.strata, "rank": "bayes factor"}
    every = scan(world.genotypes, world.y, top=1000, **given).findings
    for top in (1, 20, 200):
        best = scan(world.genotypes, world.y, top=top, **given).findings
        pd.testing.assert_frame_equal(best, every.head(top))


def test_a_pair_best_only_within_all_strata_together_is_found():
    """The effect goes up in one stratum and down in the other: no plain scan ranks it high."""
    rng = np.random.default_rng(1)
    calls = rng.binomial(2, 0.4, (60, 1200))
    strata = np.repeat([0, 1], 600)
    held = (calls[7] >= 1) & (calls[9] >= 1)
    y = rng.random(1200) < 0.5 + 0.09 * np.where(held, 1, -1) * np.where(strata == 0, 1, -1)
    genotypes = Genotypes.from_copies(calls)

    def best(rows, **how):
        calls = genotypes.take(samples=rows)
        found = scan(calls, y[rows], rank="bayes factor", top=5, **how).findings
        return list(zip(found["place_1"], found["place_2"], strict=True))

    for rows in (strata >= 0, strata == 0, strata == 1):
        assert (7, 9) not in best(rows)
    assert best(strata >= 0, strata=strata)[0] == (7, 9)


@pytest.mark.parametrize(
    ("strata", "change", "sentence"),
    [
        ([0, 1], {}, "'strata' parameter of scan must be whole numbers from 0 on"),
        ([0.5] * 240, {}, "'strata' parameter of scan must be whole numbers from 0 on"),
        ([0, 1] * 120, {"measure": "cells", "size": 3, "among": [0, 1, 2]}, "'measure' parameter"),
    ],
)
def test_strata_without_a_meaning_are_refused(strata, change, sentence):
    world = Strata(0)
    with pytest.raises(ParameterError, match=sentence):
        scan(world.genotypes, world.y, strata=np.array(strata), **change)


def test_one_stratum_is_none():
    world = Strata(1)
    plain, one = (scan(world.genotypes, world.y, strata=s) for s in (None, world.strata * 0))
    pd.testing.assert_frame_equal(plain.findings, one.findings)
    assert plain.settings == one.settings


@pytest.mark.parametrize("measure", ["and", "cells"])
def test_a_stratum_without_samples_changes_nothing(measure):
    case = Strata(2, n_variants=150, n_strata=2)
    given = {"measure": measure, "top": 20}
    dense, sparse = (
        scan(case.genotypes, case.y, strata=k * case.strata, **given).findings for k in (1, 2)
    )
    pd.testing.assert_frame_equal(dense, sparse)


def test_of_literals_that_score_alike_the_one_that_raises_the_risk_is_named():
    given = study(n=700, variants=12)
    strata = np.random.default_rng(0).integers(0, 3, 700)
    found = scan(given.genotypes, given.y, size=1, codings=tuple(HOLDS), strata=strata)
    for row, function in zip(found.findings.itertuples(), found.functions, strict=True):
        held = function(given.genotypes)
        raised = 0.0
        for s in range(3):
            y, own = given.y[strata == s], held[strata == s]
            raised += (own & y).sum() - own.sum() * y.mean()
        assert raised > 0, row.marker


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
    made = scan(strata.genotypes, y, strata=found.adjustment.numbers)
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


def test_a_scan_within_strata_takes_a_prevalence():
    """Scores do not depend on it, nor on how cases and controls were sampled."""
    made = Strata(0)
    prevalence = Effect(prevalence=0.01, sampling="case-control")
    scans = [
        scan(made.genotypes, made.y, strata=made.strata, effect=effect)
        for effect in (Effect(), prevalence)
    ]
    pd.testing.assert_frame_equal(scans[0].findings, scans[1].findings)


@pytest.mark.slow
def test_a_prevalence_goes_with_strata():
    """Cases and controls were sampled by outcome: it makes no difference to scores."""
    given = study()
    site = pd.DataFrame({"site": np.where(np.arange(len(given.y)) % 2, "north", "south")})
    given = replace(given, covariates=site)
    ways = {"strata": ["site"], "permutations": 2, **QUICK}
    plain = find_markers(given, **ways)
    prevalence = Effect(prevalence=0.01, sampling="case-control")
    found = find_markers(given, effect=prevalence, **ways)
    assert str(found.function) == TRUTH
    assert found.terms["LOG_BF"].tolist() == plain.terms["LOG_BF"].tolist()
    assert found.risk.mean < plain.risk.mean
