"""Scans of pairs and triples beside slow twins, and with wrong parameters."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayesdnf import Effect, _native
from bayesdnf.errors import InputError, ParameterError
from bayesdnf.genomics import Genotypes, family_wise, scan
from tests.genomics.markers.scanned import PLAIN, many

HOLDS = {
    "dominant": lambda c: c >= 1,
    "recessive": lambda c: c == 2,
    "heterozygous": lambda c: c == 1,
    "not dominant": lambda c: c == 0,
    "not recessive": lambda c: (c == 0) | (c == 1),
    "not heterozygous": lambda c: (c == 0) | (c == 2),
}


class World:
    """Calls, an outcome with a marker in it, and slow obvious scores."""

    def __init__(self, seed, n_variants, n_samples, ordered, missing):
        rng = np.random.default_rng(seed)
        known = 1 - missing
        shares = [missing, 0.45 * known, 0.35 * known, 0.2 * known]
        self.calls = rng.choice(np.arange(-1, 3), (n_variants, n_samples), p=shares)
        self.y = rng.random(n_samples) < 0.35
        self.y |= (self.calls[0] >= 1) & (self.calls[1] == 2) & (rng.random(n_samples) < 0.7)
        self.y[:2] = True, False
        self.genotypes = Genotypes.from_copies(self.calls)
        self.effect = Effect(ordered=ordered)
        self._likelihood = _native.Likelihood(
            self.effect.native(), int(self.y.sum()), int((~self.y).sum())
        )

    def factor(self, rows):
        positive, negative = int(rows[self.y].sum()), int(rows[~self.y].sum())
        return self._likelihood(positive, negative) - self._likelihood.null

    def best(self, members, codings):
        factors = [-np.inf]
        for chosen in itertools.product(codings, repeat=len(members)):
            rows = np.logical_and.reduce(
                [HOLDS[c](self.calls[v]) for v, c in zip(members, chosen, strict=True)]
            )
            if rows.any():
                factors.append(self.factor(rows))
        return max(factors)

    def best_cells(self, members):
        known = (self.calls[list(members)] >= 0).all(axis=0)
        cell = np.where(known, 3 * self.calls[members[0]] + self.calls[members[1]], -1)
        there = np.unique(cell[known])
        sets = itertools.chain.from_iterable(
            itertools.combinations(there, k) for k in range(1, len(there))
        )
        return max((self.factor(np.isin(cell, chosen)) for chosen in sets), default=-np.inf)


def worlds(most_samples=300):
    return st.builds(
        World,
        seed=st.integers(0, 2**32),
        n_variants=st.integers(3, 6),
        n_samples=st.sampled_from([2, 63, 64, 65, 127, 128, most_samples]),
        ordered=st.booleans(),
        missing=st.sampled_from([0, 0, 0.15]),
    )


@given(worlds(), st.sampled_from([PLAIN, ("recessive",), tuple(HOLDS)]), st.sampled_from([1, 2]))
def test_pairs_and_triples_score_as_the_slow_twin(world, codings, n_jobs):
    p = len(world.calls)
    alone = [max(0.0, world.best([v], codings)) for v in range(p)]
    pairs = {m: world.best(m, codings) for m in itertools.combinations(range(p), 2)}
    given = {"codings": codings, "effect": world.effect, "n_jobs": n_jobs}
    found = scan(world.genotypes, world.y, **given).findings
    assert len(found) == sum(np.isfinite(v) for v in pairs.values())
    for row in found.itertuples():
        members = row.place_1, row.place_2
        assert row.log_bayes_factor == pytest.approx(pairs[members])
        sub = max(alone[v] for v in members)
        assert row.gain == pytest.approx(pairs[members] - sub)
    assert (np.diff(found["gain"]) <= 0).all()

    triples = scan(world.genotypes, world.y, size=3, among=range(p), **given)
    for row in triples.findings.itertuples():
        members = row.place_1, row.place_2, row.place_3
        sub = max(
            [alone[v] for v in members] + [pairs[q] for q in itertools.combinations(members, 2)]
        )
        best = world.best(members, codings)
        assert row.log_bayes_factor == pytest.approx(best)
        assert row.gain == pytest.approx(best - sub)


@given(worlds(), st.sampled_from(["and", "cells"]), st.sampled_from([2, 3]))
def test_a_marker_in_words_marks_what_was_counted(world, measure, size):
    among = range(len(world.calls)) if size == 3 else None
    found = scan(
        world.genotypes, world.y, size=size, among=among, measure=measure, top=5,
        effect=world.effect,
    )  # fmt: skip
    for function, row in zip(found.functions, found.findings.itertuples(), strict=True):
        rows = function(world.genotypes)
        if measure == "cells":  # counted where all of the variants are known
            rows = rows & (world.calls[[row.place_1, row.place_2]] >= 0).all(axis=0)
            rows = rows & ((size == 2) | (world.calls[getattr(row, "place_3", 0)] >= 0))
        assert (rows[world.y].sum(), rows[~world.y].sum()) == (row.cases, row.controls)
        assert world.factor(rows) == pytest.approx(row.log_bayes_factor)


@pytest.mark.slow
@given(worlds(most_samples=150))
def test_no_set_of_cells_beats_the_one_found(world):
    found = scan(
        world.genotypes, world.y, measure="cells", rank="bayes factor", effect=world.effect
    )
    for row in found.findings.itertuples():
        members = row.place_1, row.place_2
        best = world.best_cells(members)
        known = (world.calls[list(members)] >= 0).all(axis=0)
        if max(world.factor(known), world.factor(known & ~known)) < best:
            assert row.log_bayes_factor == pytest.approx(best)
        else:  # all cells, or none, say more: there is no marker
            assert row.log_bayes_factor <= best + 1e-9


def test_the_planted_pair_is_first_whatever_the_threads():
    genotypes, y = many()
    one, two = (scan(genotypes, y, n_jobs=n, top=50).findings for n in (1, 2))
    assert one["marker"][0] == "(v12_B dominant AND v151_B dominant)"
    pd.testing.assert_frame_equal(one, two)


@settings(max_examples=6)
@given(
    st.integers(0, 2**32),
    st.sampled_from([63, 64, 65, 127, 128, 200]),
    st.sampled_from([("and", PLAIN), ("and", tuple(HOLDS)), ("cells", PLAIN)]),
    st.booleans(),
    st.sampled_from([0, 0.03]),
    st.sampled_from([2, 3]),
)
def test_what_is_screened_out_is_not_among_the_best(seed, n, how, ordered, missing, size):
    """The few best are the head of all, ties included, whatever the threads."""
    world = World(seed, 140 if size == 2 else 14, n, ordered, missing)
    measure, codings = how
    given = {"measure": measure, "codings": codings, "effect": world.effect, "size": size}
    if size == 3:
        given["among"] = range(14)
    every = scan(world.genotypes, world.y, top=10_000, **given).findings
    for n_jobs in (1, 2):
        best = scan(world.genotypes, world.y, top=12, n_jobs=n_jobs, **given).findings
        pd.testing.assert_frame_equal(best, every.head(12))


def test_pairs_closer_than_the_gap_are_left_out():
    genotypes, y = many()
    near = scan(genotypes, y, top=20000).findings
    far = scan(genotypes, y, top=20000, gap=100).findings  # one chromosome, positions 1, 2, …
    assert len(near) == 200 * 199 // 2
    assert (far["place_2"] - far["place_1"] >= 100).all()
    assert len(far) == sum(max(0, 200 - 100 - i) for i in range(200))


def test_progress_counts_every_pair_and_triple():
    genotypes, y = many()
    told = []
    scan(genotypes, y, progress=lambda *now: told.append(now))
    assert told[-1] == (19900, 19900)
    told.clear()
    scan(genotypes, y, size=3, among=range(20), progress=lambda *now: told.append(now))
    assert told[-1] == (1140, 1140)


def test_permutations_do_not_depend_on_threads_and_hide_the_marker():
    genotypes, y = many(n_variants=40)
    given = {"permutations": 30, "random_state": 1}
    one = family_wise(genotypes, y, n_jobs=1, **given)
    np.testing.assert_array_equal(one, family_wise(genotypes, y, n_jobs=2, **given))
    rng = np.random.default_rng(5)
    marked = (genotypes.copies([3])[0] >= 1) & (genotypes.copies([8])[0] >= 1)
    found = scan(genotypes, rng.random(len(y)) < np.where(marked, 0.8, 0.1))
    assert found.findings["gain"][0] > one[:, 1].max()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"size": 4}, "'size' parameter of scan must be a whole number, from 1 to 3"),
        ({"size": 3}, "'among' parameter of scan must be some variants"),
        ({"among": [1, 2]}, "'among' parameter of scan must be None"),
        ({"codings": ["additive"]}, "'codings' parameter of scan"),
        ({"measure": "xor"}, "'measure' parameter of scan"),
        ({"rank": "p"}, "'rank' parameter of scan"),
        ({"part": (5, 4)}, "'part' parameter of scan"),
        ({"top": 0}, "'top' parameter of scan"),
    ],
)
def test_settings_without_a_meaning_are_refused(change, sentence):
    genotypes, y = many(n_variants=152)
    with pytest.raises(ParameterError, match=sentence):
        scan(genotypes, y, **change)


def test_outcomes_that_do_not_fit_are_refused():
    genotypes, y = many(n_variants=152)
    with pytest.raises(InputError, match="y has 10 entries for 300 samples"):
        scan(genotypes, y[:10])
    with pytest.raises(InputError, match="cases and controls"):
        scan(genotypes, np.ones(300, bool))
