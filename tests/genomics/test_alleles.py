"""Alleles and the names that variants have by them."""

import pytest

from bayesdnf.genomics.alleles import COMPLEMENT, ambiguous, other_name


def test_complements_are_their_own_inverse():
    assert {COMPLEMENT[COMPLEMENT[base]] for base in "ACGT"} == set("ACGT")
    assert all(COMPLEMENT[base] != base for base in "ACGT")


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [("A", "T", True), ("g", "C", True), ("A", "C", False), ("AT", "TA", False), ("0", "A", False)],
)
def test_strands_that_names_do_not_tell(first, second, expected):
    assert ambiguous(first, second) == ambiguous(second, first) == expected


@pytest.mark.parametrize(
    ("name", "counted", "other", "expected"),
    [
        ("rs11_T", "T", "G", "rs11_G"),
        ("1:500:G_T", "T", "G", "1:500:T_G"),
        ("1:500:GG_T", "T", "G", "1:500:GG_G"),  # named by another allele than these
        ("rs11_T", "T", "0", None),
        ("rs11_T", "T", ".", None),
        ("rs11_T", "A", "G", None),  # the name does not end in the counted allele
    ],
)
def test_the_name_by_the_other_allele(name, counted, other, expected):
    assert other_name(name, counted, other) == expected


def test_the_other_name_of_the_other_name_is_the_name():
    for name in ("rs11_T", "1:500:G_T"):
        assert other_name(other_name(name, "T", "G"), "G", "T") == name
