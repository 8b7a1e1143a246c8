"""Alleles: complements, and the names of a variant by each allele."""

from __future__ import annotations

UNNAMED = ("0", ".", "")
"""How files write an allele that nobody has."""

COMPLEMENT = {"A": "T", "C": "G", "G": "C", "T": "A"}


def ambiguous(first: str, second: str) -> bool:
    """Return whether two alleles are complementary (A/T, C/G), so that the strand is ambiguous."""
    return COMPLEMENT.get(first.upper()) == second.upper()


def other_name(name: str, counted: str, other: str) -> str | None:
    """Name a variant by its other allele; None where that has no name.

    Examples
    --------
    >>> from bayesdnf.genomics.alleles import other_name
    >>> other_name("rs11_T", "T", "G"), other_name("1:500:G_T", "T", "G")
    ('rs11_G', '1:500:T_G')
    """
    stem = name.removesuffix(f"_{counted}")
    if stem == name or other in UNNAMED:
        return None
    if stem.endswith(f":{other}"):  # named by its place and this allele
        stem = f"{stem.removesuffix(other)}{counted}"
    return f"{stem}_{other}"
