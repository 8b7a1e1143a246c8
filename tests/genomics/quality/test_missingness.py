import csv

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from bayesdnf.errors import InputError
from bayesdnf.genomics import Filters, impute_mode, missingness_by_outcome
from bayesdnf.genomics.quality.missingness import calls_per_sample, unequal_shares
from tests.beside import DATA, adds
from tests.genomics import twins

SNPASSOC = DATA / "genomics/real/snpassoc_SNPs.csv"


@given(st.integers(0, 2**32), st.sampled_from([2, 64, 150]))
def test_every_variant_has_fishers_p(seed, n):
    rng = np.random.default_rng(seed)
    calls = rng.choice([-1, 0, 1, 2], (6, n), p=[0.3, 0.3, 0.2, 0.2])
    y = rng.random(n) < 0.4
    table = missingness_by_outcome(twins.make(calls), y)
    for row, v in zip(table.itertuples(), calls, strict=True):
        cells = [[(v[y == c] < 0).sum(), (v[y == c] >= 0).sum()] for c in (1, 0)]
        assert [row.missing_cases, row.missing_controls] == [cells[0][0], cells[1][0]]
        assert [row.cases, row.controls] == [y.sum(), n - y.sum()]
        assert row.p == pytest.approx(scipy.stats.fisher_exact(cells).pvalue, rel=1e-6)


def test_chi_square_takes_over_where_it_is_as_good():
    table = np.array([[300, 4000, 200, 4000], [210, 4000, 190, 4000]])
    expected = [
        scipy.stats.chi2_contingency([[a, n - a], [b, m - b]], correction=False).pvalue
        for a, n, b, m in table
    ]
    np.testing.assert_allclose(unequal_shares(table), expected, rtol=1e-9)
    exact = [scipy.stats.fisher_exact([[a, n - a], [b, m - b]]).pvalue for a, n, b, m in table]
    np.testing.assert_allclose(unequal_shares(table), exact, rtol=0.2)


def test_females_are_not_missing_on_y():
    # All cases are male, all controls female: Y says so, but nothing is wrong with its calls.
    n = 40
    sex = np.repeat([1, 2], n)
    calls = np.zeros((2, 2 * n), dtype=int)
    calls[:, n:] = -1
    table = missingness_by_outcome(twins.make(calls, ["Y", "1"], sex=sex), sex == 1)
    assert table["controls"].tolist() == [0, n]
    assert table["p"][0] == 1
    assert table["p"][1] < 1e-20


def synthetic(seed=0, n=400, p=30):
    rng = np.random.default_rng(seed)
    calls = rng.binomial(2, 0.3, (p, n))
    calls[rng.random(calls.shape) < 0.01] = -1
    y = rng.random(n) < 0.5
    calls[7, y] = np.where(rng.random(y.sum()) < 0.2, -1, calls[7, y])
    return twins.make(calls), y


def test_a_variant_missing_more_often_in_cases_is_named_and_left_out():
    packed, y = synthetic()
    kept = Filters(sample_call_rate=0, call_rate=0, hwe=0).apply(packed, y)
    assert kept.n_variants == 29
    assert "v8_B" not in kept.names
    [said] = [s for s in kept.history if "differential missingness" in s]
    row = missingness_by_outcome(packed, y).iloc[7]
    assert said.startswith("1 of 30 variants left out")
    assert f"v8_B ({row.missing_cases} of {row.cases} cases, {row.missing_controls}" in said
    flagged = Filters(call_rate=0, hwe=0, differential="flag").apply(packed, y)
    assert "v8_B" in flagged.names
    assert any("1 of 30 variants flagged but kept" in s and "v8_B" in s for s in flagged.history)


@pytest.mark.parametrize("seed", range(5))
def test_calls_missing_at_random_are_no_reason(seed):
    rng = np.random.default_rng(seed)
    calls = rng.binomial(2, 0.3, (200, 300))
    calls[rng.random(calls.shape) < 0.04] = -1
    y = rng.random(300) < 0.3
    kept = Filters(call_rate=0, hwe=0).apply(twins.make(calls), y)
    assert kept.n_variants == 200


@adds("real study whose missing calls follow the outcome")
def test_the_real_trap_is_caught():
    with SNPASSOC.open() as file:
        rows = list(csv.DictReader(file))
    ids = [name for name in rows[0] if name != "y"]
    y = np.array([int(row["y"]) for row in rows])
    counted = {name: min(set("".join(r[name] for r in rows)) - {"?"}) for name in ids}
    calls = [
        [-1 if "?" in row[name] else row[name].count(counted[name]) for row in rows] for name in ids
    ]
    packed = twins.make(calls, ids=ids)
    # By default, and without the filters that would leave it, or samples, out for few calls.
    for filters in Filters(maf=0), Filters(maf=0, sample_call_rate=0, call_rate=0):
        kept = filters.apply(packed, y)
        assert "snp100031" not in set(kept.variants["ID"])
        [said] = [s for s in kept.history if "differential missingness" in s]
        assert ": snp100031_B (" in said
    assert "snp100031_B (8 of 110 cases, 47 of 47 controls, p = " in said


@given(st.integers(0, 2**32), st.sampled_from([1, 64, 65, 130]))
def test_gaps_are_filled_with_the_commonest_call_of_the_sex(seed, n):
    rng = np.random.default_rng(seed)
    chromosome = rng.choice(["1", "X", "Y"], 8)
    calls = rng.choice([-1, 0, 1, 2], (8, n), p=[0.4, 0.2, 0.2, 0.2])
    sex = rng.integers(0, 3, n)
    expected = calls.copy()
    for v, name in enumerate(chromosome):
        parts = [np.ones(n, dtype=bool)]
        if sex.any() and name != "1":
            parts = [sex == 1, sex == 2] if name == "X" else [sex == 1]
        for part in parts:
            there = [(calls[v, part] == c).sum() for c in range(3)]
            if sum(there):
                expected[v, part & (calls[v] < 0)] = int(np.argmax(there))
    filled = impute_mode(twins.make(calls, chromosome, sex=sex))
    np.testing.assert_array_equal(twins.all_copies(filled), expected)
    np.testing.assert_array_equal(filled.counts()[:, 0], (expected >= 0).sum(1))
    assert filled.history[-1].startswith(f"{(expected != calls).sum():,} of {calls.size:,} calls")


def test_calls_per_sample_past_what_a_byte_counts():
    rng = np.random.default_rng(3)
    calls = rng.integers(-1, 3, (700, 70))
    some = np.flatnonzero(rng.random(700) < 0.9)
    found = calls_per_sample(twins.make(calls), some)
    np.testing.assert_array_equal(found, (calls[some] >= 0).sum(0))


@pytest.mark.parametrize(("y", "said"), [([1, 0], "one value per sample, 3"), ([1, 0, 2], "Got")])
def test_outcomes_that_do_not_fit_are_refused(y, said):
    with pytest.raises(InputError, match=said):
        missingness_by_outcome(twins.make([[0, 1, 2]]), y)
