"""What follows from the arrays of draws alone: sizes, counts, functions by number."""

import numpy as np
import pytest
from hypothesis import given, settings

from bayesdnf import BooleanFunction
from bayesdnf.errors import InputError
from tests.sampling.made_draws import CHAINS, LISTS, chains_of, made


@given(chains=CHAINS)
@settings(max_examples=20)
def test_which_functions_hold_a_literal(chains):
    draws = made(chains)
    held = draws.holding(np.arange(len(draws.literals))[::-1])
    for literal, row in zip(reversed(draws.literals), held, strict=True):
        functions = [draws.function(i) for i in range(draws.n_functions)]
        assert row.tolist() == [literal in f.literals for f in functions]


def check_sizes(draws, chains):
    """Counts and sizes, by function and by draw, against the functions themselves."""
    assert (draws.n_chains, draws.n_draws) == (len(chains), len(chains[0]))
    rules = [draws.function(i) for i in range(draws.n_functions)]
    assert len(set(rules)) == len(rules)
    assert draws.counts.tolist() == [[chain.count(rule) for rule in rules] for chain in chains]
    flat = [rule for chain in chains for rule in chain]
    assert draws.frequency.tolist() == pytest.approx([flat.count(r) / len(flat) for r in rules])
    assert draws.n_literals.tolist() == [rule.n_literals for rule in rules]
    for number, rule in enumerate(rules):
        assert draws.numbers_of(rule) == [number]
    for name, values in draws.scalars().items():
        assert values.shape == draws.index.shape, name


@given(chains=CHAINS)
@settings(max_examples=20)
def test_sizes_and_counts_of_functions(chains):
    draws = made(chains)
    check_sizes(draws, chains)
    functions = [draws.function(i) for i in range(draws.n_functions)]
    assert draws.n_terms.tolist() == list(map(len, functions))
    assert draws.n_layers.tolist() == [int(not f.is_null) for f in functions]
    assert (draws.layers, draws.noun, draws.simple, draws.n_classes) == (1, "function", True, 2)


@given(chains=chains_of(LISTS))
@settings(max_examples=20)
def test_sizes_and_counts_of_lists(chains):
    draws = made(chains, layers=3)
    check_sizes(draws, chains)
    lists = [draws.function(i) for i in range(draws.n_functions)]
    assert draws.n_terms.tolist() == [rule.n_terms for rule in lists]
    assert draws.n_layers.tolist() == list(map(len, lists))
    assert (draws.layers, draws.noun, draws.simple) == (3, "list", False)


def test_functions_that_were_not_drawn_have_no_number():
    draws = made([["x1", "x2", "x1 AND x2"]])
    assert draws.numbers_of(BooleanFunction("x1 OR x2")) == []
    assert draws.numbers_of(BooleanFunction("x3")) == []  # as large as two of those drawn


def test_two_strata_have_more_than_two_rates():
    draws = made([["x1"]], strata=["f", "m"])
    assert not draws.simple
    for name in ("pi0", "pi1"):
        with pytest.raises(InputError, match="more than two rates"):
            getattr(draws, name)
