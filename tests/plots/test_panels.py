"""Axes, given or new, and what is said without matplotlib."""

import sys

import matplotlib.pyplot as plt
import numpy as np
import pytest

from bayesdnf import (
    plots,
)
from bayesdnf.errors import MissingExtraError, ParameterError
from bayesdnf.plots.labels import NULL
from tests.plots.problems import OF_DRAWS, all_text, bars, y_labels


@pytest.mark.parametrize("plot", OF_DRAWS)
def test_a_plot_draws_where_it_is_told(plot, two):
    make, shape = OF_DRAWS[plot]
    if shape is None:
        figure, given_ax = plt.subplots()
        assert make(two, ax=given_ax) is given_ax
    else:
        figure, given_axes = plt.subplots(1, int(np.prod(shape)))
        assert list(np.ravel(make(two, axes=given_axes))) == list(given_axes)
        with pytest.raises(
            ParameterError, match=r"The 'axes' parameter of plots\..* must be . Axes"
        ):
            make(two, axes=given_axes[:1])
    assert plt.get_fignums() == [figure.number]


def test_where_only_the_null_was_drawn_the_axes_say_so(draws_of):
    draws = draws_of("only the null")
    assert not draws.literals
    for make in (plots.inclusion, plots.coinclusion):
        assert "Every draw is the null function" in all_text(make(draws))
    assert y_labels(plots.function_posterior(draws)) == [NULL]
    terms, shares = plots.functions(draws)
    assert all_text(terms) == NULL
    assert bars(shares).tolist() == [1]


@pytest.mark.parametrize("most", [0, -1, 2.5, True, "all"])
@pytest.mark.parametrize(
    "make", [plots.function_posterior, plots.coinclusion, plots.functions, plots.inclusion]
)
def test_a_bad_number_to_show_is_refused(make, most, two):
    with pytest.raises(ParameterError, match=r"The 'most' parameter of plots\..* must be a whole"):
        make(two, most=most)
    assert plt.get_fignums() == []


def test_without_matplotlib_one_sentence_says_how_to_get_it(two, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    for make, _ in OF_DRAWS.values():
        with pytest.raises(MissingExtraError) as raised:
            make(two)
        assert str(raised.value) == "Plots need matplotlib: pip install 'bayesdnf[plot]'."
