import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesdnf.errors import ParameterError
from bayesdnf.genomics import haploid_calls
from bayesdnf.genomics.quality.ploidy import expected_counts
from tests.genomics import twins

CHROMOSOMES = ["1", "X", "Y", "MT", "XY"]


def settled(calls, chromosome, sex):
    """The rules, call by call."""
    out = calls.copy()
    for v, name in enumerate(chromosome):
        for s, which in enumerate(sex):
            het = calls[v, s] == 1
            if (
                (name in "XY" and len(name) == 1 and which == 0)
                or (name == "X" and which == 1 and het)
                or (name == "Y" and (which == 2 or het))
                or (name == "MT" and het)
            ):
                out[v, s] = -1
    return out


@given(st.integers(0, 2**32), st.sampled_from([1, 63, 64, 65, 200]))
def test_haploid_calls_follow_the_rules(seed, n):
    rng = np.random.default_rng(seed)
    chromosome = rng.choice(CHROMOSOMES, 8)
    calls = rng.integers(-1, 3, (8, n)).astype(np.int8)
    sex = rng.integers(0, 3, n)
    sex[0] = 1 + sex[0] % 2
    packed = twins.make(calls, chromosome, sex=sex)
    result = haploid_calls(packed)
    expected = settled(calls, chromosome, sex)
    np.testing.assert_array_equal(twins.all_copies(result), expected)
    np.testing.assert_array_equal(twins.all_copies(packed), calls)  # the argument is left alone
    again = haploid_calls(packed, in_place=True)
    np.testing.assert_array_equal(twins.all_copies(again), expected)
    assert again.planes is packed.planes
    lost = int(((calls >= 0) & (expected < 0)).sum())
    assert sum(int(s.split(" of ")[0]) for s in result.history) == lost


@pytest.mark.parametrize("sex", [[1, 2, 0], [0, 0, 0]])
def test_without_any_sex_x_and_y_are_left_out(sex):
    packed = twins.make([[0, 1, 2]] * 5, CHROMOSOMES, sex=sex)
    result = haploid_calls(packed)
    if any(sex):
        assert result.n_variants == 5
    else:
        assert list(result.variants["CHR"]) == ["1", "MT", "XY"]
        assert "2 variants on X and Y left out: no sample has a known sex." in result.history


def test_the_history_counts_by_cause():
    packed = twins.make([[1, 2, 1, 0], [1, 2, 1, 0]], ["X", "24"], sex=[1, 1, 2, 0])
    assert haploid_calls(packed).history == (
        "2 of 4 calls at 1 variant on X became missing: 1 of unknown sex, "
        "1 heterozygous in a male.",
        "3 of 4 calls at 1 variant on Y became missing: 1 of unknown sex, 1 of females, "
        "1 heterozygous.",
    )


@pytest.mark.parametrize(
    ("build", "position", "inside"),
    [
        ("GRCh37", 60_000, False), ("GRCh37", 60_001, True), ("GRCh37", 2_699_520, True),
        ("GRCh37", 2_699_521, False), ("GRCh37", 154_931_044, True),
        ("GRCh38", 2_781_479, True), ("GRCh38", 2_781_480, False), ("GRCh38", 156_030_895, True),
        (None, 100_000, False),
    ],
)  # fmt: skip
def test_pseudo_autosomal_variants_keep_their_calls(build, position, inside):
    packed = twins.make([[1, 1]], ["X"], [position], sex=[1, 2])
    result = haploid_calls(packed, build)
    assert twins.all_copies(result).tolist() == [[1 if inside else -1, 1]]
    assert result.variants["CHR"][0] == ("XY" if inside else "X")
    assert list(packed.variants["CHR"]) == ["X"]


def test_an_unknown_build_is_refused():
    with pytest.raises(ParameterError, match=r"'GRCh37' or 'GRCh38'\. Got 'hg18'"):
        haploid_calls(twins.make([[1, 1]]), "hg18")


def test_only_those_who_can_have_a_call_are_expected_to():
    packed = twins.make([[0, 1, 2, -1]] * 4, ["1", "X", "Y", "MT"], sex=[1, 1, 2, 0])
    everyone = np.ones(4, dtype=bool)
    counts, expected = expected_counts(packed, everyone)
    assert expected.tolist() == [4, 3, 2, 4]
    assert counts[:, 0].tolist() == [3, 3, 2, 3]
    packed.samples["SEX"] = 0
    assert expected_counts(packed, everyone)[1].tolist() == [4, 4, 4, 4]
