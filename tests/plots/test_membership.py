"""Which literals, terms and pairs rules hold."""

import itertools

import numpy as np
import pytest

from bayesdnf import (
    BitMatrix,
    Posterior,
    plots,
    sample,
    simulate,
)
from bayesdnf.errors import ParameterError
from tests.plots.problems import all_text, bars, x_labels, y_labels


def whiskers(ax):
    (lines,) = [c for c in ax.collections if hasattr(c, "get_segments")]
    return np.array([segment[:, 0] for segment in lines.get_segments()])


def test_where_no_term_has_two_literals_there_are_no_pairs(draws_of):
    ax = plots.inclusion(draws_of("one literal"), "pair")
    assert all_text(ax) == "No term holds two literals."


@pytest.mark.parametrize("kind", ["literal", "attribute", "term", "pair"])
def test_inclusion_bars_are_the_probabilities_with_their_range_over_chains(kind, two):
    ax = plots.inclusion(two, kind, most=6)
    table = two.inclusion(kind)
    assert np.allclose(bars(ax), table["probability"][:6])
    assert [name.replace("\n", " ") for name in y_labels(ax)] == table["what"][:6].tolist()
    shares = two.inclusion_by_chain(kind)
    by_name = dict(zip(shares.names, shares.frequency.T, strict=True))
    for what, (low, high) in zip(table["what"], whiskers(ax), strict=False):
        assert low == pytest.approx(by_name[what].min())
        assert high == pytest.approx(by_name[what].max())
    assert f"{(table['probability'] > 0).sum() - 6:,} more" in ax.get_xlabel()


def test_equal_columns_are_named_where_they_fit():
    X, y, _ = simulate(150, 4, random_state=1)
    X["twin"] = X["x0"]
    X["a twin with a name that fits nowhere, as it goes on and on"] = X["x1"]
    posterior = Posterior(BitMatrix.from_table(X), y)
    draws = sample(posterior, draws=20, warmup=20, thin=20, random_state=0)
    names = y_labels(plots.inclusion(draws))
    assert "x0 (or twin)" in names
    assert "x1" in names


def test_coinclusion_agrees_with_counting_functions_one_by_one(two):
    ax = plots.coinclusion(two, most=5)
    names = y_labels(ax)
    assert names == x_labels(ax)
    assert names == two.inclusion("literal")["what"][:5].tolist()
    shown = ax.images[0].get_array()
    for i, j in itertools.product(range(5), repeat=2):
        if j > i:
            assert shown.mask[i, j]
            continue
        share = sum(
            two.weights[number]
            for number in range(two.n_functions)
            if any({names[i], names[j]} <= set(term) for term in two.function(number).terms)
        )
        assert shown[i, j] == pytest.approx(share)
        written = [t.get_text() for t in ax.texts if t.get_position() == (j, i)]
        if share == 0:
            assert written == []
        elif 0.005 < share < 0.995:
            assert float(written[0]) == pytest.approx(share, abs=0.005001)


def test_an_unknown_kind_is_refused(two):
    with pytest.raises(ParameterError, match="The 'kind' parameter"):
        plots.inclusion(two, "colour")
