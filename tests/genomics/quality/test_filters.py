import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesdnf.errors import InputError, ParameterError
from bayesdnf.genomics import Filters, Study
from tests.genomics import twins

OFF = {"sample_call_rate": 0, "call_rate": 0, "maf": 0, "hwe": 0, "differential_p": 0}


@given(st.integers(0, 2**32))
def test_counted_filters_are_those_done_one_call_at_a_time(seed):
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(20, 150)), 25
    calls = rng.binomial(2, rng.uniform(0, 0.5, (p, 1)), (p, n))
    calls[rng.random(p) < 0.2] = rng.choice([0, 2], n)  # far from Hardy-Weinberg
    calls[rng.random(calls.shape) < rng.choice([0, 0.05, 0.2], (p, 1))] = -1
    calls[:, rng.random(n) < 0.1] = -1
    y = rng.random(n) < 0.5
    y[:2] = 0, 1
    filters = Filters(sample_call_rate=0.5, call_rate=0.85, maf=0.1, hwe=1e-3, differential_p=0)
    samples = (calls >= 0).mean(0) >= 0.5
    left, variants = calls[:, samples], []
    for row in left:
        known = row[row >= 0]
        controls = row[~y[samples]]
        counts = [(controls >= k).sum() for k in range(2)] + [(controls == 2).sum()]
        frequency = known.mean() / 2 if len(known) else 0
        variants.append(
            len(known) >= 0.85 * len(row)
            and len(known) > 0
            and min(frequency, 1 - frequency) >= 0.1
            and twins.hardy_weinberg(*(int(c) for c in counts)) >= 1e-3
        )
    packed = twins.make(calls)
    if not samples.any() or not any(variants):
        with pytest.raises(InputError, match="passes the filters"):
            filters.apply(packed, y)
        return
    kept = filters.apply(packed, y)
    np.testing.assert_array_equal(twins.all_copies(kept), left[variants])
    np.testing.assert_array_equal(filters.samples(packed)[0], samples)
    assert list(kept.samples["IID"]) == [f"s{i + 1}" for i in np.flatnonzero(samples)]
    lost = [s.split(" of ")[0] for s in kept.history if " variants left out" in s]
    assert sum(map(int, lost)) == p - sum(variants)


def test_every_step_is_in_the_history():
    rng = np.random.default_rng(0)
    calls = rng.binomial(2, 0.3, (50, 100))
    calls[:5] = 0
    calls[5] = np.where(calls[5] > 0, 2, 0)
    calls[6, :10] = -1
    packed = twins.make(calls)
    kept = Filters(hwe=1e-4).apply(packed, np.arange(100) % 2)
    assert kept.history == (
        "0 of 100 samples left out: call rate below 0.9.",
        "0 of 50 variants left out: differential missingness between cases and controls "
        "(p < 1e-05).",
        "1 of 50 variants left out: call rate below 0.95.",
        "5 of 49 variants left out: minor allele frequency below 0.01.",
        "1 of 44 variants left out: Hardy-Weinberg p below 0.0001 in controls.",
    )


@pytest.mark.parametrize("n", [7, 20, 35, 70, 140, 700])
def test_a_share_at_its_limit_passes(n):
    # As shares, not as products: 0.07 * 700 is a little more than 49.
    calls = np.zeros((2, n), dtype=int)
    calls[0, : n // 7] = 1
    calls[1] = 1
    calls[1, : n // 7] = -1
    limits = OFF | {"maf": (n // 7) / n / 2, "call_rate": (n - n // 7) / n}
    assert Filters(**limits).apply(twins.make(calls)).n_variants == 2


def test_hardy_weinberg_on_x_is_asked_of_females():
    rng = np.random.default_rng(0)
    n = 400
    sex = np.repeat([1, 2], n // 2)
    calls = rng.binomial(2, 0.4, (3, n))
    calls[:, sex == 1] = 2 * (calls[:, sex == 1] > 0)  # males: one copy, stored as two
    kept = Filters(hwe=1e-4).apply(twins.make(calls, ["1", "X", "MT"], sex=sex), np.zeros(n))
    assert list(kept.variants["CHR"]) == ["X", "MT"]


def test_call_rate_on_y_is_that_of_males_and_autosomes_judge_samples():
    sex = np.repeat([1, 2], 20)
    calls = np.tile([0, 1, 2, 1], 10) * np.ones((4, 1), dtype=int)
    calls[1:, sex == 2] = -1
    packed = twins.make(calls, ["1", "Y", "Y", "Y"], sex=sex)
    kept = Filters(hwe=0, differential_p=0).apply(packed, sex == 1)
    assert (kept.n_variants, kept.n_samples) == (4, 40)
    dropped = Filters(hwe=0, differential_p=0, missing="drop").apply(packed, sex == 1)
    assert dropped.n_variants == 4


def test_missing_calls_dropped_or_filled():
    packed = twins.make([[0, 1, -1], [0, 1, 2], [2, 2, -1]])
    assert Filters(**OFF, missing="drop").apply(packed).names == ["v2_B"]
    filled = Filters(**OFF, missing="mode").apply(packed)
    assert twins.all_copies(filled).tolist() == [[0, 1, 0], [0, 1, 2], [2, 2, 2]]
    assert twins.all_copies(Filters(**OFF).apply(packed)).tolist()[0] == [0, 1, -1]


def test_lists_and_files_name_samples_and_variants(tmp_path):
    packed = twins.make(np.tile([0, 1, 2, 1], (5, 1)))
    keep = tmp_path / "keep.txt"
    keep.write_text("f1 s1\nf2 s3\nf4 s4\nfx nobody\n")
    extract = tmp_path / "extract.txt"
    extract.write_text("v1\nv2\n\nv4\nrs0\n")
    kept = Filters(**OFF, keep=keep, remove=["s4"], extract=str(extract), exclude=["v2"]).apply(
        packed
    )
    assert list(kept.samples["IID"]) == ["s1", "s3"]
    assert list(kept.variants["ID"]) == ["v1", "v4"]
    assert kept.history == (
        "1 of 4 samples left out: not among those to keep "
        "(1 of 4 names are not in the data: nobody).",
        "1 of 3 samples left out: among those to remove.",
        "2 of 5 variants left out: not among those to extract "
        "(1 of 4 names are not in the data: rs0).",
        "1 of 3 variants left out: among those to exclude.",
    )


def test_regions_choose_variants(tmp_path):
    path = tmp_path / "genes.bed"
    path.write_text("chr1\t9\t20\tGENE\n")
    packed = twins.make(np.tile([0, 1], (4, 1)), "1", [9, 10, 20, 21])
    assert Filters(**OFF, regions=path).apply(packed).variants["POS"].tolist() == [10, 20]
    somewhere = Filters(**OFF, regions=["chr1:1-9", "9"]).apply(packed)
    assert somewhere.history == (
        "3 of 4 variants left out: outside the regions (the data have no chromosome 9).",
    )


def test_nothing_left_says_why():
    with pytest.raises(InputError, match=r"No variant passes.*2 of 2 variants left out: minor"):
        Filters().apply(twins.make([[0, 0, 0], [2, 2, 2]]), [0, 1, 0])
    with pytest.raises(InputError, match=r"No sample passes.*not among those to keep"):
        Filters(keep=["x"]).apply(twins.make([[0, 1]]))


@pytest.mark.parametrize(
    ("name", "value"),
    [("maf", 0.6), ("maf", -1), ("call_rate", 95), ("hwe", 2), ("missing", "zero"),
     ("differential", "no"), ("ld_r2", 1.5), ("ld_window", -1)],
)  # fmt: skip
def test_bad_settings_are_named(name, value):
    with pytest.raises(ParameterError, match=f"'{name}' parameter of Filters"):
        Filters(**{name: value})


def test_an_associated_variant_that_a_filter_drops_is_named_with_advice():
    rng = np.random.default_rng(0)
    calls = rng.binomial(2, 0.4, (20, 800))
    y = np.arange(800) < 400
    calls[3] = np.where(y, rng.binomial(2, 0.5, 800), rng.choice([0, 1], 800))  # no control has two
    study = Study(twins.make(calls), y)
    kept = study.filtered(Filters())
    assert "v4_B" not in kept.genotypes.names
    [warning] = kept.warnings
    assert warning.startswith("Left out though associated with the outcome")
    assert "v4_B (p = " in warning
    assert "Hardy-Weinberg p below 1e-06 in controls: a recessive effect can cause this" in warning
    assert warning in kept.history
    assert study.filtered(Filters(hwe=0)).warnings == ()
    named = study.filtered(Filters(exclude=["v4"]))  # by name is by will
    assert named.warnings == ()
