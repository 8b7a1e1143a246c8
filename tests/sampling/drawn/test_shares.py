"""Shares of functions, literals, attributes, terms and pairs, against slow counts."""

from collections import Counter, defaultdict
from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesdnf import BitMatrix, Posterior, Prior, sample, simulate
from bayesdnf.boolean import same_partition
from bayesdnf.errors import ParameterError
from bayesdnf.genomics.markers.marker_tables import pair_table
from tests.sampling.made_draws import CHAINS, LISTS, chains_of, made


def items(function, kind):
    """What a function holds, in the words of Draws.inclusion."""
    terms = [set(map(str, term)) for term in function.literal_terms]
    return {
        "literal": {x for term in terms for x in term},
        "attribute": set(function.attributes),
        "term": {" AND ".join(term) for term in function.terms},
        "pair": {frozenset(pair) for term in terms for pair in combinations(term, 2)},
    }[kind]


def as_item(what, kind):
    return frozenset(what.split(" AND ")) if kind == "pair" else what


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["literal", "attribute", "term", "pair"])
@given(chains=CHAINS)
def test_inclusion_is_the_share_of_draws_that_hold_it(chains, kind):
    draws = made(chains)
    by_chain = [Counter(x for f in chain for x in items(f, kind)) for chain in chains]
    shares = draws.inclusion_by_chain(kind)
    names = [as_item(name, kind) for name in shares.names]
    assert len(set(names)) == len(names)
    assert set(names) == {x for counter in by_chain for x in counter}
    for counter, probability in zip(by_chain, shares.frequency, strict=True):
        expected = [counter[name] / draws.n_draws for name in names]
        assert probability == pytest.approx(expected, abs=1e-15)
    table = draws.inclusion(kind)
    overall = {x: sum(c[x] for c in by_chain) / draws.index.size for x in names}
    assert table["probability"].tolist() == pytest.approx(sorted(overall.values(), reverse=True))
    for what, probability in zip(table["what"], table["probability"], strict=True):
        assert probability == pytest.approx(overall[as_item(what, kind)])
    assert (table["kind"] == kind).all()
    assert len(draws.inclusion(kind, least=0.4999)) == sum(p > 0.4999 for p in overall.values())


@given(chains=chains_of(LISTS), group=st.lists(st.integers(0, 2), min_size=18, max_size=18))
def test_lists_that_part_the_rows_alike_are_one_row(chains, group):
    draws = made(chains, layers=3)
    alike = np.array(group)[: draws.n_functions]
    draws = replace(draws, rows=np.stack([alike, 0 * alike], axis=1).astype(np.uint64))
    times = draws.counts.sum(axis=0)
    together = np.bincount(alike, weights=times) / draws.index.size

    apart = draws.top(merged=False)
    assert [*apart.columns[-2:]] == ["layers", "same_rows"]
    assert apart["function"].tolist() == [draws.function(i) for i in range(draws.n_functions)]
    assert apart["probability"].tolist() == pytest.approx(draws.probability.tolist())
    assert apart["layers"].tolist() == [len(rule) for rule in apart["function"]]
    assert apart["same_rows"].tolist() == pytest.approx(together[alike].tolist())

    top = draws.top()
    assert [*top.columns[:3]] == ["function", "same_rows", "probability"]
    assert len(top) == len(draws.answers) == len(set(alike.tolist()))
    assert top["same_rows"].sum() == pytest.approx(1)
    assert top["same_rows"].is_monotonic_decreasing
    pd.testing.assert_frame_equal(draws.top(2), top[:2])
    pd.testing.assert_frame_equal(draws.top(merged=True), top)
    number = {rule: i for i, rule in enumerate(apart["function"])}
    for place, row in enumerate(top.itertuples()):
        shown = number[row.function]
        assert shown == draws.answers.number[place]
        others = np.flatnonzero(alike == alike[shown])
        assert (draws.answers.of[others] == place).all()
        best = max(others, key=lambda i: (times[i], draws.log_score[i]))
        assert (times[shown], draws.log_score[shown]) == (times[best], draws.log_score[best])
        assert row.same_rows == pytest.approx(together[alike[shown]])
        assert row.probability == draws.probability[shown]
        by_chain = draws.counts[:, others].sum(axis=1)
        assert draws.answers.counts[:, place].tolist() == by_chain.tolist()


def test_functions_can_be_merged_too():
    rows = np.array([[1, 0], [2, 0], [1, 0]], dtype=np.uint64)
    draws = made([["x1"] * 3 + ["x2"] * 2 + ["x1 OR x1 AND x2"]], rows=rows)
    assert draws.top()["probability"].tolist() == pytest.approx([3 / 6, 2 / 6, 1 / 6])
    merged = draws.top(merged=True)
    assert list(map(str, merged["function"])) == ["(x1)", "(x2)"]
    assert merged["same_rows"].tolist() == pytest.approx([4 / 6, 2 / 6])
    assert "layers" not in merged


def test_what_lists_make_of_the_rows_is_what_their_hashes_say():
    """Lists of a real run are grouped as the parts of their rows are."""
    X, y, _ = simulate(30, 4, random_state=1)
    posterior = Posterior(BitMatrix.from_table(X), y, Prior(min_cover=0), layers=3)
    draws = sample(posterior, draws=150, warmup=50, chains=2, thin=20, random_state=1)
    rules = [draws.function(i) for i in range(draws.n_functions)]
    parts = [rule(X) for rule in rules]
    of = draws.answers.of
    kinds = [int(np.flatnonzero(of == k)[0]) for k in range(len(draws.answers))]
    for i in range(draws.n_functions):
        alike = [k for k, first in enumerate(kinds) if same_partition(parts[i], parts[first])]
        assert alike == [of[i]]
    groups = [[rules[i] for i in np.flatnonzero(of == k)] for k in range(len(kinds))]
    assert any(len({len(rule) for rule in group}) > 1 for group in groups)
    assert len(draws.answers) < draws.n_functions


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
    for mark, weight in zip(marks, draws.weights[draws.answers.number], strict=True):
        together[mark] += weight
    wanted = np.maximum([together[mark] for mark in marks], top["probability"])
    assert top["same_rows"].tolist() == pytest.approx(wanted)
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


def test_a_term_is_the_same_in_any_layer():
    draws = made([["if x1 elif x2 else", "if x2 AND x1 elif x2 else", "else"]], layers=2)
    shares = draws.inclusion("term").set_index("what")["probability"]
    assert shares["x2"] == pytest.approx(2 / 3)
    assert shares["x1"] == pytest.approx(1 / 3)
    assert draws.null_probability == pytest.approx(1 / 3)


def test_an_unknown_kind_is_refused():
    with pytest.raises(ParameterError, match=r"'kind' parameter of Draws\.inclusion must be"):
        made([["x1"]]).inclusion("column")


@pytest.mark.parametrize("n_functions", [5, 20, 39])
def test_rounding_makes_nothing_more_than_certain(n_functions):
    """Marker models with a probability of 1.0000000000000002 were refused when they were read."""
    draws = made([[f"x0 AND x{k + 1}" for k in range(n_functions)]] * 3)
    assert sum(draws.weights) > 1
    rows = np.zeros((n_functions, 2), dtype=np.uint64)
    assert draws.inclusion("literal")["probability"].max() == 1
    assert replace(draws, rows=rows).top()["same_rows"].max() == 1
    pairs = made([[f"x0 AND x1 AND x{k + 2}" for k in range(n_functions)]] * 3)
    assert pair_table(pairs)["PIP"].max() == 1
