"""Codings and cells in words."""

import itertools

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bayesdnf.boolean import BooleanFunction
from bayesdnf.genomics import Genotypes
from bayesdnf.genomics.markers.spelling import (
    _LEVELS,
    conjunction,
    function_of_cells,
    literal_counts,
    literal_words,
    plain,
    with_negations,
)

CODES = list(_LEVELS)


def made(seed, variants, n=130):
    return np.random.default_rng(seed).integers(-1, 3, (variants, n))


@pytest.mark.parametrize("code", CODES)
def test_counts_and_bits_are_those_of_the_function(code):
    copies = made(0, 1)
    genotypes = Genotypes.from_copies(copies)
    holds = conjunction(genotypes, [0], list_of(code))(genotypes)
    levels = [(copies[0] >= least).sum() for least in (0, 1, 2)]
    assert literal_counts(np.array([levels]), [code])[0, 0] == holds.sum()
    words = literal_words(genotypes.planes[0], code)
    assert np.bitwise_count(words).sum() == holds.sum()


def list_of(code):
    from bayesdnf.genomics.scanning.scan_parts import CODES as NUMBERED

    return NUMBERED.index(code)


def test_conjunctions_are_numbered_in_base_six():
    genotypes = Genotypes.from_copies(made(1, 3))
    for first, second in itertools.product(range(6), repeat=2):
        both = conjunction(genotypes, [0, 2], first + 6 * second)(genotypes)
        one = conjunction(genotypes, [0], first)(genotypes)
        other = conjunction(genotypes, [2], second)(genotypes)
        assert (both == (one & other)).all()


@given(st.integers(0, 2**32), st.sampled_from([1, 2, 3]), st.data())
def test_a_set_of_cells_is_marked_and_nothing_else(seed, variants, data):
    copies = made(seed, variants, n=40)
    genotypes = Genotypes.from_copies(copies)
    known = (copies >= 0).all(axis=0)
    cell = np.where(known, (3 ** np.arange(variants)[::-1]) @ copies, -1)
    what = data.draw(st.integers(0, 2 ** (3**variants) - 1))
    there = {int(c) for c in cell if c >= 0}
    assume(any(not what >> c & 1 for c in there))  # all cells need no literal
    function = function_of_cells(genotypes, list(range(variants)), what)
    wanted = np.array([c >= 0 and bool(what >> int(c) & 1) for c in cell])
    marked = function(genotypes)
    assert (marked[known] == wanted[known]).all()


def test_of_equal_functions_the_shortest_is_written():
    copies = np.array(list(itertools.product(range(3), repeat=2))).T
    genotypes = Genotypes.from_copies(copies)
    carriers = sum(1 << 3 * a + b for a in (1, 2) for b in (0, 1, 2))
    assert str(function_of_cells(genotypes, [0, 1], carriers)) == "(v1_B dominant)"


def test_negations_by_the_other_allele():
    function = BooleanFunction("NOT a_T dominant AND NOT b_T recessive AND NOT c_T heterozygous")
    names = {"a_T": "a_G", "b_T": "b_C", "c_T": "c_A"}
    assert plain(function, names) == BooleanFunction(
        "a_G recessive AND b_C dominant AND NOT c_T heterozygous"
    )
    assert plain(function, {}) == function
    assert with_negations(["dominant"], True) == ["dominant", "not dominant"]
    assert with_negations(["dominant"], False) == ["dominant"]
