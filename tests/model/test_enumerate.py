"""Enumerated functions against Dedekind's numbers and plain counting."""

import itertools

import numpy as np
import pytest

from bayesdnf.errors import ParameterError, SizeLimitError
from bayesdnf.model.enumerate import enumerate_functions, flatten, function_words

DEDEKIND = [2, 3, 6, 20, 168, 7581, 7828354]


def all_sets(p):
    """Every set of non-empty terms, spelled out."""
    terms = [t for k in range(1, p + 1) for t in itertools.combinations(range(p), k)]
    for m in range(len(terms) + 1):
        for chosen in itertools.combinations(terms, m):
            yield frozenset(chosen)


def is_antichain(terms):
    return not any(set(a) < set(b) for a in terms for b in terms)


@pytest.mark.parametrize("p", range(7))
def test_antichains_are_as_many_as_dedekind_says(p):
    assert sum(len(words) for words in function_words(p)) == DEDEKIND[p] - 1


def test_six_literals_come_in_small_pieces_and_none_twice():
    pieces = list(function_words(6, chunk=100_000))
    assert max(map(len, pieces)) < 110_000
    words = np.sort(np.concatenate(pieces))
    assert len(words) == DEDEKIND[6] - 1
    assert (words[1:] > words[:-1]).all()


@pytest.mark.parametrize("p", range(4))
def test_antichains_equal_the_filtered_sets(p):
    found = list(enumerate_functions(p))
    assert found[0] == ()
    assert len(set(found)) == len(found)
    assert {frozenset(f) for f in found} == {s for s in all_sets(p) if is_antichain(s)}


@pytest.mark.parametrize("p", range(4))
def test_plain_sets(p):
    found = list(enumerate_functions(p, antichains=False))
    assert found[0] == ()
    assert len(found) == 2 ** (2**p - 1)
    assert {frozenset(f) for f in found} == set(all_sets(p))


def test_antichains_of_five_literals_are_antichains():
    found = list(enumerate_functions(5))
    assert len(set(found)) == DEDEKIND[5] - 1
    assert all(is_antichain(function) for function in found)


@pytest.mark.parametrize(("p", "antichains"), [(0, True), (3, True), (5, True), (3, False)])
def test_flat_arrays_spell_the_same_functions(p, antichains):
    expected = list(enumerate_functions(p, antichains))
    found = []
    for words in function_words(p, antichains, chunk=50):
        flat = flatten(words, p)
        terms = [
            tuple(flat.literals[a:b].tolist()) for a, b in itertools.pairwise(flat.literal_starts)
        ]
        found += [tuple(terms[a:b]) for a, b in itertools.pairwise(flat.term_starts)]
    assert found == expected


@pytest.mark.parametrize(("p", "antichains", "most"), [(7, True, 6), (5, False, 4)])
def test_too_many_literals(p, antichains, most):
    with pytest.raises(SizeLimitError, match=f"{p} literals .* at most {most} literals"):
        next(enumerate_functions(p, antichains))


def test_negative_p():
    with pytest.raises(ParameterError, match="'p' parameter"):
        next(function_words(-1))
