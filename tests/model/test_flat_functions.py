"""Functions and lists in flat arrays."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bayesdnf import BooleanFunction, Literal, RuleList
from bayesdnf.model.flat_functions import as_flat, starts_of

NAMES = [Literal(name, "true") for name in "abcdef"]
TERMS = st.lists(st.integers(0, 5), min_size=1, max_size=3, unique=True).map(sorted)
LISTS = st.lists(st.lists(TERMS, min_size=1, max_size=3), max_size=3)  # layers of terms


def flat_of(lists):
    return as_flat([[(g, t) for g, layer in enumerate(x, 1) for t in layer] for x in lists])


@given(st.lists(LISTS, max_size=5))
def test_lists_are_spelled_as_they_were_laid_out(lists):
    flat = flat_of(lists)
    assert flat.n_layers.tolist() == [len(layers) for layers in lists]
    sizes = [[len(term) for layer in layers for term in layer] for layers in lists]
    assert flat.n_terms.tolist() == [len(own) for own in sizes]
    assert flat.n_literals.tolist() == [sum(own) for own in sizes]
    for number, layers in enumerate(lists):
        spelled = [BooleanFunction([[NAMES[i] for i in t] for t in x]) for x in reversed(layers)]
        assert flat.spelt_list(number, NAMES) == RuleList(spelled)
        terms = [[NAMES[i] for i in term] for layer in layers for term in layer]
        assert flat.spelt(number, NAMES) == BooleanFunction(terms)


@given(st.lists(LISTS, min_size=1, max_size=5), st.data())
def test_some_are_taken_in_any_order_and_more_than_once(lists, data):
    order = data.draw(st.lists(st.integers(0, len(lists) - 1), max_size=6))
    taken = flat_of(lists).take(np.array(order, dtype=np.int64))
    again = flat_of([lists[i] for i in order])
    for one, other in zip(taken, again, strict=True):
        assert (one.dtype, one.tolist()) == (other.dtype, other.tolist())


def test_no_functions_at_all():
    empty = as_flat([])
    assert empty.term_starts.tolist() == empty.literal_starts.tolist() == [0]
    assert empty.n_layers.tolist() == []
    assert starts_of(np.array([2, 0, 3])).tolist() == [0, 2, 2, 5]
