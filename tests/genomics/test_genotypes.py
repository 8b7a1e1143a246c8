from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesdnf import BooleanFunction, Posterior, _native
from bayesdnf.errors import ParameterError, UnknownColumnError
from bayesdnf.genomics import Genotypes

WIDTHS = [0, 1, 63, 64, 65, 127, 128, 1000]


@st.composite
def copies(draw, max_variants=6, widths=WIDTHS):
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    shape = draw(st.integers(0, max_variants)), draw(st.sampled_from(widths))
    return rng.choice(np.arange(-1, 3), shape, p=[0.1, 0.4, 0.3, 0.2]).astype(np.int8)


def to_bed(calls):
    """The bytes of a .bed file without its magic, by its definition."""
    code = np.array([0b11, 0b10, 0b00, 0b01])[calls]  # -1 reads the last
    padded = np.zeros((len(calls), -(-calls.shape[1] // 4) * 4), dtype=np.uint8)
    padded[:, : calls.shape[1]] = code
    quads = padded.reshape(len(calls), padded.shape[1] // 4, 4)
    return (quads << np.array([0, 2, 4, 6], dtype=np.uint8)).sum(axis=2).astype(np.uint8)


@given(copies())
def test_calls_survive_packing(calls):
    packed = Genotypes.from_copies(calls)
    np.testing.assert_array_equal(packed.copies(range(len(calls))), calls)


@given(copies(), st.sampled_from([1, 2]))
def test_a_bed_file_and_copies_give_the_same_planes(calls, n_threads):
    packed = Genotypes.from_copies(calls)
    planes = np.zeros_like(packed.planes)
    _native.read_bed(to_bed(calls), calls.shape[1], planes, n_threads)
    np.testing.assert_array_equal(planes, packed.planes)


@given(copies(), st.data())
def test_picked_samples_are_the_columns(calls, data):
    n = calls.shape[1]
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    chosen = rng.random(n) < data.draw(st.sampled_from([0, 0.1, 0.5, 0.97, 1]))
    picked = Genotypes.from_copies(calls).take(samples=chosen)
    np.testing.assert_array_equal(picked.copies(range(len(calls))), calls[:, chosen])
    assert list(picked.samples["IID"]) == [f"s{i + 1}" for i in np.flatnonzero(chosen)]


@given(copies(widths=[1, 64, 65, 200]), st.booleans())
def test_literals_hold_where_the_copies_say(calls, negations):
    packed = Genotypes.from_copies(calls)
    bits = packed.bits(negations=negations)
    meaning = {
        "dominant": lambda c: c >= 1,
        "recessive": lambda c: c == 2,
        "heterozygous": lambda c: c == 1,
    }
    assert len(bits.table) == len(calls) * (6 if negations else 3)
    for literal in bits.table:
        row = calls[int(literal.attribute[1:].split("_")[0]) - 1]
        holds = meaning[literal.operator.split()[-1]](row)
        if literal.operator.startswith("not "):
            holds = ~holds
        expected = holds & (row >= 0)
        np.testing.assert_array_equal(bits.truth(literal), expected)
        np.testing.assert_array_equal(packed.truth(literal), expected)


@given(copies(widths=[1, 64, 200]))
def test_the_other_allele_has_the_other_copies(calls):
    packed = Genotypes.from_copies(calls)
    other = packed.counting("second")
    np.testing.assert_array_equal(
        other.copies(range(len(calls))), np.where(calls < 0, -1, 2 - calls)
    )
    assert set(other.variants["A1"]) <= {"A"}
    minor = packed.counting("minor").frequency
    assert (minor[~np.isnan(minor)] <= 0.5).all()


@given(copies(widths=[5, 64, 200]))
def test_counts_and_frequencies(calls):
    packed = Genotypes.from_copies(calls)
    expected = np.stack([(calls >= 0).sum(1), (calls >= 1).sum(1), (calls == 2).sum(1)], axis=1)
    np.testing.assert_array_equal(packed.counts(), expected)
    some = np.arange(calls.shape[1]) % 3 == 0
    np.testing.assert_array_equal(packed.counts(some)[:, 0], (calls[:, some] >= 0).sum(1))
    groups = packed.counts_in([packed.mask(some), packed.mask(~some)])
    np.testing.assert_array_equal(groups.sum(axis=0), expected)
    np.testing.assert_array_equal(groups[0], packed.counts(some))
    np.testing.assert_array_equal(packed.between(1, 3).counts(), expected[1:3])
    with np.errstate(invalid="ignore"):
        np.testing.assert_allclose(
            packed.frequency, np.where(calls > 0, calls, 0).sum(1) / (2 * (calls >= 0).sum(1))
        )


@given(copies(widths=[10, 64, 200]))
def test_r_squared_is_the_squared_correlation_of_known_calls(calls):
    packed = Genotypes.from_copies(calls)
    pairs = np.array([(i, j) for i in range(len(calls)) for j in range(len(calls))]).reshape(-1, 2)
    found = _native.r_squared(packed.planes, pairs[:, 0].copy(), pairs[:, 1].copy())
    for (i, j), value in zip(pairs, found, strict=True):
        both = (calls[i] >= 0) & (calls[j] >= 0)
        x, y = calls[i, both].astype(float), calls[j, both].astype(float)
        varies = len(x) > 0 and np.ptp(x) > 0 and np.ptp(y) > 0
        assert value == pytest.approx(np.corrcoef(x, y)[0, 1] ** 2 if varies else 0, abs=1e-9)


def test_pruning_leaves_no_close_pair_and_keeps_every_lone_variant():
    rng = np.random.default_rng(1)
    base = rng.integers(0, 3, (20, 300))
    noisy = np.where(rng.random(base.shape) < 0.05, rng.integers(0, 3, base.shape), base)
    calls = np.stack([base, noisy], axis=1).reshape(40, 300)
    packed = Genotypes.from_copies(calls)
    chromosome = np.repeat(np.arange(2, dtype=np.int32), 20)
    position = np.arange(40, dtype=np.int64) * 1000
    keep = _native.prune(packed.planes, chromosome, position, 5000, 0.5).view(bool)
    assert keep.reshape(20, 2).any(axis=1).all()
    for i in np.flatnonzero(keep):
        for j in np.flatnonzero(keep):
            if i < j and chromosome[i] == chromosome[j] and position[j] - position[i] <= 5000:
                assert np.corrcoef(calls[i], calls[j])[0, 1] ** 2 <= 0.5


def test_relatives_are_found_and_strangers_are_not():
    rng = np.random.default_rng(2)
    p = rng.uniform(0.1, 0.5, 3000)[:, None]
    parents = rng.random((2, 3000, 40)) < p  # haplotypes of forty strangers
    strangers = parents.sum(axis=0)
    pick = rng.random(3000) < 0.5
    child = np.where(pick, parents[0, :, 0], parents[1, :, 0]).astype(int)
    other = rng.random(3000) < 0.5
    child += np.where(other, parents[0, :, 1], parents[1, :, 1])
    calls = np.column_stack([strangers, child, strangers[:, 2]])
    calls[rng.random(calls.shape) < 0.02] = -1
    pairs, kinship = _native.relatives(Genotypes.from_copies(calls).planes, 42, 0.177)
    found = {tuple(pair): k for pair, k in zip(pairs.tolist(), kinship, strict=True)}
    assert set(found) == {(0, 40), (1, 40), (2, 41)}
    assert found[2, 41] == pytest.approx(0.5, abs=0.02)
    assert found[0, 40] == pytest.approx(0.25, abs=0.03)


def test_a_rule_is_read_and_asked_of_the_calls():
    packed = Genotypes.from_copies([[0, 1, 2, -1], [1, 1, 2, 0]], ids=["rs1", "rs2"])
    rule = BooleanFunction("rs1_B dominant AND NOT rs2_B recessive")
    assert rule(packed).tolist() == [False, True, False, False]
    with pytest.raises(UnknownColumnError, match="variant 'rs9_B'"):
        BooleanFunction("rs9_B dominant")(packed)
    posterior = Posterior(packed.bits(negations=True), [0, 1, 1, 0])
    assert posterior.counts(rule).n_marked == 1


def test_names_are_distinct_whatever_the_file_calls_its_variants():
    packed = Genotypes.from_copies(np.zeros((4, 3)), ids=[".", ".", "rs1", "rs1"])
    assert len(set(packed.names)) == 4
    assert packed.names[0] == "1:1:A_B"


@pytest.mark.parametrize("codings", [["additive"], [], ["dominant", "dominant"]])
def test_codings_that_do_not_exist_are_refused(codings):
    with pytest.raises(ParameterError, match="codings"):
        Genotypes.from_copies([[0, 1]]).bits(codings)


def test_variants_are_moved_together_in_place():
    rng = np.random.default_rng(0)
    calls = Genotypes.from_copies(rng.integers(-1, 3, (40, 70)))
    some, samples = rng.random(40) < 0.6, rng.random(70) < 0.5
    for who in (None, samples):
        copied = calls.take(samples=who, variants=some)
        own = replace(calls, planes=calls.planes.copy())
        moved = own.take(samples=who, variants=some, in_place=True)
        np.testing.assert_array_equal(moved.planes, copied.planes)
        assert moved.names == copied.names
