"""The meaning of a scan's numbers: ANDs of codings, and sets of genotype cells, as functions."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...boolean import BooleanFunction, Literal
from ...data.planes.plane_layout import Words
from ...model.rule import renamed_function
from ..genotypes import CARRIER, KNOWN, TWO, Genotypes
from ..scanning.scan_parts import CODES


def with_negations(codings: Sequence[str], negations: bool) -> list[str]:
    """Return codings, followed by their negations if ``negations`` is true."""
    return [*codings, *(f"not {coding}" for coding in codings if negations)]


_LEVELS: dict[str, tuple[int, int, int]] = {
    "dominant": (0, 1, 0),
    "recessive": (0, 0, 1),
    "heterozygous": (0, 1, -1),
    "not dominant": (1, -1, 0),
    "not recessive": (1, 0, -1),
    "not heterozygous": (1, -1, 1),
}
"""What to take of the samples with a call, with a copy and with two for those of a literal."""


def literal_counts(counts: NDArray[Any], codes: Sequence[str]) -> NDArray[np.int64]:
    """Convert counts of known calls, carriers and two copies to counts of literals."""
    return np.asarray(counts @ np.array([_LEVELS[code] for code in codes], dtype=np.int64).T)


def literal_words(planes: Words, code: str) -> Words:
    """Pack the samples that a literal holds for, from the three planes of its variant."""
    known, carrier, two = planes[KNOWN], planes[CARRIER], planes[TWO]
    plain = {"dominant": carrier, "recessive": two, "heterozygous": carrier & ~two}
    held = plain[code.removeprefix("not ")]
    return np.asarray(held if code in plain else known & ~held, dtype=np.uint64)


_PLAIN = {"not dominant": "recessive", "not recessive": "dominant"}
"""Negations that have a plain name when the other allele is counted."""


def plain(function: BooleanFunction, other_names: Mapping[str, str]) -> BooleanFunction:
    """Replace negations by literals of the other allele if that has a plain name.

    No copy of T at a variant of T and G is two of G, and not two of T is one of G at least.

    Parameters
    ----------
    function : BooleanFunction
        Any function of genotypes.
    other_names : mapping of str to str
        Names of variants by their other allele, as ``Genotypes.other_names`` has them.

    Examples
    --------
    >>> from bayesdnf.boolean import BooleanFunction
    >>> from bayesdnf.genomics.markers.spelling import plain
    >>> function = BooleanFunction.parse("NOT rs11_T dominant AND rs3_A dominant")
    >>> print(plain(function, {"rs11_T": "rs11_G"}))
    (rs3_A dominant AND rs11_G recessive)
    """
    return renamed_function(function, lambda literal: plain_literal(literal, other_names))


def plain_literal(literal: Literal, other_names: Mapping[str, str]) -> Literal:
    """Replace a negated literal by one of the other allele if that has a plain name."""
    other, coding = other_names.get(literal.attribute), _PLAIN.get(literal.operator)
    return literal if other is None or coding is None else Literal(other, coding)


def conjunction(genotypes: Genotypes, members: list[int], what: int) -> BooleanFunction:
    """Return an AND of one coding of each variant; ``what`` encodes the codings in base 6."""
    codes = [CODES[what // 6**i % 6] for i in range(len(members))]
    names = genotypes.names
    return BooleanFunction([[Literal(names[v], c) for v, c in zip(members, codes, strict=True)]])


def function_of_cells(genotypes: Genotypes, members: list[int], what: int) -> BooleanFunction:
    """Return the function with the fewest literals that marks a set of genotype cells.

    Cells without samples are don't-cares. Bit i of ``what`` is cell i; the digits of i in base 3
    are the copies of the variants.
    """
    there = _inhabited(genotypes.planes[members])
    names = genotypes.names
    return BooleanFunction(
        [
            [Literal(names[members[place]], coding) for place, coding in term]
            for term in _smallest(len(members), there, what)
        ]
    )


def _inhabited(planes: Words) -> tuple[int, ...]:
    """Return the cells of some variants that have samples."""
    known, carrier, two = (planes[:, level] for level in (KNOWN, CARRIER, TWO))
    genotype = np.stack([known & ~carrier, carrier & ~two, two], axis=1)
    # Cells of variant after variant by AND: cell numbers are the copies read in base 3, the last
    # variant's digit running fastest.
    cells = genotype[0]
    for other in genotype[1:]:
        cells = (cells[:, None] & other).reshape(-1, cells.shape[1])
    return tuple(np.flatnonzero(cells.any(axis=1)).tolist())


@cache
def _boxes(n_variants: int) -> dict[tuple[tuple[int, ...], ...], int]:
    """Return boxes, which are subsets of the genotypes of each variant, and their cells as bits."""
    cells = list(itertools.product(range(3), repeat=n_variants))
    return {
        box: sum(1 << i for i, cell in enumerate(cells) if all(map(_holds, box, cell)))
        for box in itertools.product(_GENOTYPES, repeat=n_variants)
    }


@lru_cache(maxsize=4096)
def _smallest(
    n_variants: int, there: tuple[int, ...], what: int
) -> tuple[tuple[tuple[int, str], ...], ...]:
    """Return terms, as tuples of (variant, coding): fewest literals, then fewest terms.

    This is two-level logic minimisation as in Quine and McCluskey: a term is a box, maximal boxes
    (prime implicants) suffice, and the best cover of the marked cells is found by branching on the
    first cell that is not covered yet.
    """
    forbidden = sum(1 << cell for cell in there if not what >> cell & 1)
    wanted = sum(1 << cell for cell in there if what >> cell & 1)
    boxes = {
        box: inside
        for box, inside in _boxes(n_variants).items()
        if not inside & forbidden and inside & wanted
    }
    # A box within another can always be replaced by the larger one, which has no more literals.
    largest = {
        box: inside & wanted
        for box, inside in boxes.items()
        if not any(inside != other and inside & other == inside for other in boxes.values())
    }

    @cache
    def cover(left: int) -> tuple[int, int, tuple[tuple[tuple[int, ...], ...], ...]]:
        if left == 0:
            return 0, 0, ()
        # x & -x is the lowest set bit.
        first = left & -left
        best = None
        for box, inside in largest.items():
            if inside & first:
                literals, terms, rest = cover(left & ~inside)
                own = sum(len(genotypes) < 3 for genotypes in box)
                found = (literals + own, terms + 1, (box, *rest))
                if best is None or found < best:
                    best = found
        assert best is not None  # a cell is a box of its own
        return best

    return tuple(
        tuple((place, _LITERAL[g]) for place, g in enumerate(box) if len(g) < 3)
        for box in cover(wanted)[2]
    )


_LITERAL = {
    (1, 2): "dominant",
    (2,): "recessive",
    (1,): "heterozygous",
    (0,): "not dominant",
    (0, 1): "not recessive",
    (0, 2): "not heterozygous",
}
_GENOTYPES = [*_LITERAL, (0, 1, 2)]


def _holds(genotypes: tuple[int, ...], copies: int) -> bool:
    return copies in genotypes
