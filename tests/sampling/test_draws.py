"""Draws as tables, one row a draw or a function, and in a notebook."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

from bayesdnf import BooleanFunction, RuleList
from bayesdnf.errors import InputError
from tests.sampling.made_draws import CHAINS, LISTS, chains_of, made


@given(chains=CHAINS)
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


@given(chains=chains_of(LISTS))
@settings(max_examples=20)
def test_tables_of_lists(chains):
    draws = made(chains, layers=3, strata=["f", "m"])
    table = draws.to_dataframe()
    assert list(table.columns) == [
        "chain", "draw", "function", "terms", "literals", "layers", "log_posterior",
    ]  # fmt: skip
    flat = [rule for chain in chains for rule in chain]
    assert not table["function"].str.contains("\n").any()
    assert [RuleList.parse(text) for text in table["function"]] == flat
    assert table["layers"].tolist() == [len(rule) for rule in flat]
    assert table["terms"].tolist() == [rule.n_terms for rule in flat]
    assert table["literals"].tolist() == [rule.n_literals for rule in flat]
    assert list(draws.scalars()) == ["log_posterior", "terms", "literals", "layers"]
    for name, values in draws.scalars().items():
        assert (values.ravel() == table[name].to_numpy()).all()
    for name in ("pi0", "pi1"):
        with pytest.raises(InputError, match="more than two rates"):
            getattr(draws, name)


def test_lists_in_a_notebook():
    rows = np.array([[1, 0], [1, 0], [2, 0]], dtype=np.uint64)
    chain = ["if x1 elif x2 else"] * 3 + ["if x2 elif x1 else"] * 2 + ["else"]
    page = made([chain], layers=2, rows=rows)._repr_html_()
    assert "3 distinct lists" in page
    assert "if (x1) elif (x2) else" in page
    assert "if (x2) elif (x1) else" not in page
    assert ">0.833<" in page
    assert ">list<" in page
    assert ">function<" in made([["x1"]])._repr_html_()
