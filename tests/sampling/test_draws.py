"""Draws: shares of functions, literals, attributes, terms and pairs, against slow counts."""

from collections import Counter, defaultdict
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayesdnf import BitMatrix, BooleanFunction, Posterior, Prior, sample, simulate
from bayesdnf.errors import ParameterError
from sampling.made_draws import made

LITERALS = ["odor = f", "odor != n", "age >= 45", "age < 7", "x1", "NOT x1", '"a b" = "1"']
FUNCTIONS = st.lists(st.lists(st.sampled_from(LITERALS), min_size=1, max_size=4), max_size=3).map(
    BooleanFunction
)
CHAINS = st.integers(1, 3).flatmap(
    lambda n: st.lists(st.lists(FUNCTIONS, min_size=n, max_size=n), min_size=1, max_size=6).map(
        lambda rows: [list(chain) for chain in zip(*rows, strict=True)]
    )
)


def items(function, kind):
    """What a function holds, in the words of Draws.inclusion."""
    terms = [set(map(str, term)) for term in function.literal_terms]
    return {
        "literal": {x for term in terms for x in term},
        "attribute": set(function.attributes),
        "term": {" AND ".join(sorted(term)) for term in terms},
        "pair": {frozenset(pair) for term in terms for pair in combinations(term, 2)},
    }[kind]


def as_item(what, kind):
    return frozenset(what.split(" AND ")) if kind == "pair" else what


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["literal", "attribute", "term", "pair"])
@given(chains=CHAINS)
@settings(max_examples=40, deadline=None)
def test_inclusion_is_the_share_of_draws_that_hold_it(chains, kind):
    draws = made(chains)
    by_chain = [Counter(x for f in chain for x in items(f, kind)) for chain in chains]
    shares = draws.inclusion_by_chain(kind)
    names = [as_item(name, kind) for name in shares.names]
    assert len(set(names)) == len(names)
    assert set(names) == {x for counter in by_chain for x in counter}
    for counter, probability in zip(by_chain, shares.probability, strict=True):
        expected = [counter[name] / draws.n_draws for name in names]
        assert probability == pytest.approx(expected, abs=1e-15)
    table = draws.inclusion(kind)
    overall = {x: sum(c[x] for c in by_chain) / draws.index.size for x in names}
    assert table["probability"].tolist() == pytest.approx(sorted(overall.values(), reverse=True))
    for what, probability in zip(table["what"], table["probability"], strict=True):
        assert probability == pytest.approx(overall[as_item(what, kind)])
    assert (table["kind"] == kind).all()
    assert len(draws.inclusion(kind, least=0.4999)) == sum(p > 0.4999 for p in overall.values())


@given(chains=CHAINS)
@settings(max_examples=40, deadline=None)
def test_the_table_of_draws_and_the_top_functions_say_the_same(chains):
    draws = made(chains)
    table = draws.to_dataframe()
    assert list(table.columns) == [
        "chain", "draw", "function", "terms", "literals", "pi0", "pi1", "log_posterior",
    ]  # fmt: skip
    n_chains, n_draws = len(chains), len(chains[0])
    assert table["chain"].tolist() == [c + 1 for c in range(n_chains) for _ in range(n_draws)]
    assert table["draw"].tolist() == [d + 1 for _ in range(n_chains) for d in range(n_draws)]
    flat = [f for chain in chains for f in chain]
    assert table["function"].tolist() == [str(f) for f in flat]
    assert table["terms"].tolist() == [len(f) for f in flat]
    assert table["literals"].tolist() == [f.n_literals for f in flat]
    assert (table["pi0"].to_numpy() == draws.pi0.ravel()).all()
    assert (table["pi1"].to_numpy() == draws.pi1.ravel()).all()
    assert draws.null_probability == pytest.approx(np.mean([f.is_null for f in flat]))
    for name, values in draws.scalars().items():
        assert values.shape == (n_chains, n_draws)
        assert (values.ravel() == table[name].to_numpy()).all()

    top = draws.top()
    shares = table["function"].value_counts(normalize=True)
    assert top["probability"].is_monotonic_decreasing
    assert len(top) == len(shares) == draws.n_functions
    scores = table.groupby("function")["log_posterior"]
    for row in top.itertuples():
        assert isinstance(row.function, BooleanFunction)
        text = str(row.function)
        assert row.probability == pytest.approx(shares[text])
        assert row.log_posterior == scores.first()[text] == scores.last()[text]
        assert (row.terms, row.literals) == (len(row.function), row.function.n_literals)
    pd.testing.assert_frame_equal(draws.top(2), top[:2])


@given(chains=CHAINS)
@settings(max_examples=20, deadline=None)
def test_which_functions_hold_a_literal(chains):
    draws = made(chains)
    held = draws.holding(np.arange(len(draws.literals))[::-1])
    for literal, row in zip(reversed(draws.literals), held, strict=True):
        functions = [draws.function(i) for i in range(draws.n_functions)]
        assert row.tolist() == [literal in f.literals for f in functions]


def test_functions_that_mark_the_same_rows_are_counted_together():
    X, y, _ = simulate(40, 4, random_state=1)
    X = np.asarray(X)
    X = np.column_stack([X, X[:, 0] & X[:, 1]])  # x4 is x0 AND x1: other functions, same rows
    bits = BitMatrix.from_table(X)
    draws = sample(
        Posterior(bits, y, Prior(antichain=False)), draws=300, warmup=50, chains=2, random_state=0
    )
    top = draws.top()
    together = defaultdict(float)
    marks = [f(X).tobytes() for f in top["function"]]
    for mark, probability in zip(marks, top["probability"], strict=True):
        together[mark] += probability
    assert top["same_rows"].tolist() == pytest.approx([together[mark] for mark in marks])
    assert (top["same_rows"] > top["probability"] + 1e-9).any()
    assert draws.counts.sum(axis=1).tolist() == [300, 300]


def test_of_equal_columns_the_first_stands_for_all():
    X, y, _ = simulate(200, 4, random_state=0)
    X = np.asarray(X)
    draws = sample(
        Posterior(BitMatrix.from_table(np.column_stack([X, X[:, 2]])), y),
        draws=100, warmup=50, chains=2, random_state=0,
    )  # fmt: skip
    table = draws.inclusion("literal").set_index("what")
    assert table.loc["x2", "equal"] == "x4"
    assert table.loc["x0", "equal"] == ""
    assert "x4" not in table.index


def test_an_unknown_kind_is_refused():
    with pytest.raises(ParameterError, match=r"'kind' parameter of Draws\.inclusion must be"):
        made([["x1"]]).inclusion("column")
