"""What a scan's numbers mean: ANDs of codings, and sets of genotype cells, as functions."""

from __future__ import annotations

import itertools
from functools import lru_cache

import numpy as np

from ..boolean import BooleanFunction, Literal
from ..boolean.literal import CODINGS
from ..search.smallest import smallest_function
from .genotypes import Genotypes

CODES = [*CODINGS, *(f"not {coding}" for coding in CODINGS)]
"""Codings, as the native core numbers them."""


def conjunction(genotypes: Genotypes, members: list[int], what: int) -> BooleanFunction:
    """Write an AND of one coding of each variant; ``what`` holds the codings in base 6."""
    codes = [CODES[what // 6**i % 6] for i in range(len(members))]
    names = genotypes.names
    return BooleanFunction([[Literal(names[v], c) for v, c in zip(members, codes, strict=True)]])


def function_of_cells(genotypes: Genotypes, members: list[int], what: int) -> BooleanFunction:
    """Write a set of genotype cells as the function with the fewest literals that is true of it.

    Cells that no sample is in may be marked or not. Bit i of ``what`` is cell i, which is the
    copies of the variants read as digits in base 3.
    """
    copies = genotypes.copies(members)
    known = (copies >= 0).all(axis=0)
    powers = 3 ** np.arange(len(members))[::-1]
    there = tuple(np.unique(powers @ copies[:, known].astype(np.int64)).tolist())
    names = genotypes.names
    return BooleanFunction(
        [
            [Literal(names[members[place]], coding) for place, coding in term]
            for term in _smallest(len(members), there, what)
        ]
    )


@lru_cache(maxsize=4096)
def _smallest(
    n_variants: int, there: tuple[int, ...], what: int
) -> tuple[tuple[tuple[int, str], ...], ...]:
    """Terms, each a tuple of (number of the variant, coding)."""
    grid = np.array(list(itertools.product(range(3), repeat=n_variants)))[list(there)].T
    table = Genotypes.from_copies(grid, ids=[str(i) for i in range(n_variants)])
    marked = [what >> cell & 1 for cell in there]
    found = smallest_function(
        table.bits(negations=True), marked, minimize="literals", positive=1, random_state=0
    )
    place = {name: i for i, name in enumerate(table.names)}
    return tuple(
        tuple((place[x.attribute], x.operator) for x in term)
        for term in found.function.literal_terms
    )
