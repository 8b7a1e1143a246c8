"""Rates of the parts of a rule."""

import numpy as np
import pytest

from bayesdnf import (
    plots,
)
from bayesdnf.errors import ParameterError
from tests.plots.problems import y_labels


def test_rates_of_parts_are_those_drawn(draws_of):
    draws = draws_of("lists in strata")
    number = int(np.flatnonzero(draws.n_layers == 2)[0])
    ax = plots.part_rates(draws, number)
    rule = draws.function(number)
    assert [name.replace("\n    ", "") for name in y_labels(ax)] == [
        f"if {rule.layers[0]}",
        f"elif {rule.layers[1]}",
        "else",
    ]
    rates = draws.rates[draws.index == number][:, :, [2, 1, 0]]
    medians = np.array([line.get_xdata() for line in ax.lines])
    assert medians == pytest.approx(np.median(rates, axis=0))
    ends = [[segment[:, 0] for segment in c.get_segments()] for c in ax.collections]
    expected = np.moveaxis(np.quantile(rates, [0.025, 0.975], axis=0), 0, -1)
    assert np.array(ends) == pytest.approx(expected)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == list(draws.strata)
    assert not any(text.get_parse_math() for text in ax.get_legend().get_texts())
    assert f"{(draws.index == number).sum():,} draw" in ax.get_xlabel()


def test_rates_of_parts_of_what_is_most_probable(two, draws_of):
    draws = draws_of("lists")
    likely = draws.function(int(draws.answers.number[0]))
    assert len(y_labels(plots.part_rates(draws))) == len(likely) + 1
    ax = plots.part_rates(two)
    assert ax.get_legend() is None
    drawn = two.index == 0
    medians = [np.median(two.pi1[drawn]), np.median(two.pi0[drawn])]
    assert ax.lines[0].get_xdata().tolist() == pytest.approx(medians)
    assert y_labels(plots.part_rates(draws_of("only the null list"))) == ["every row"]
    for number in (-1, two.n_functions, 0.5):
        with pytest.raises(ParameterError, match=r"'number' parameter of plots\.part_rates must"):
            plots.part_rates(two, number)
