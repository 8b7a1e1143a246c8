"""Pictures of draws: what stands in their axes, on ordinary draws and on odd ones."""

import itertools
import sys

import matplotlib.pyplot as plt
import numpy as np
import pytest

from bayesdnf import (
    plots,
)
from bayesdnf.errors import MissingExtraError, ParameterError
from bayesdnf.plots.labels import NULL
from tests.plots.problems import PROBLEMS, PROBLEMS_OF_LISTS, all_text, bars, y_labels

OF_DRAWS = {
    "rates": (plots.rates, (2, 2)),
    "trace": (plots.trace, (3, 2)),
    "function_posterior": (plots.function_posterior, None),
    "inclusion": (plots.inclusion, None),
    "inclusion of terms": (lambda draws, **k: plots.inclusion(draws, "term", **k), None),
    "coinclusion": (plots.coinclusion, None),
    "functions": (plots.functions, (2,)),
    "part_rates": (plots.part_rates, None),
}


LAID_OUT = ("trace", "function_posterior", "functions", "part_rates")  # by layers or strata


@pytest.mark.slow
@pytest.mark.parametrize(
    "problem",
    [
        name if name in ("two terms", "long names") else pytest.param(name, marks=pytest.mark.long)
        for name in PROBLEMS
    ],
)
@pytest.mark.parametrize("plot", OF_DRAWS)
def test_every_plot_is_legible_on_all_draws(plot, problem, draws_of):
    make, shape = OF_DRAWS[plot]
    axes = make(draws_of(problem))
    if shape is None:
        assert isinstance(axes, plt.Axes)
    else:
        assert axes.shape == shape
    check_legible(axes)


@pytest.mark.slow
@pytest.mark.parametrize("problem", PROBLEMS_OF_LISTS)
@pytest.mark.parametrize("plot", LAID_OUT)
def test_plots_of_lists_are_legible(plot, problem, draws_of):
    draws = draws_of(problem)
    axes = OF_DRAWS[plot][0](draws)
    if plot == "trace":
        assert axes.shape == (3 if draws.layers == 1 else 4, 2)
    check_legible(axes)


@pytest.mark.parametrize("plot", OF_DRAWS)
def test_every_plot_is_legible_in_large_letters(plot, draws_of):
    with plt.rc_context({"font.size": 16}):
        check_legible(OF_DRAWS[plot][0](draws_of("long names")))


def test_labels_fit_into_a_small_axes_of_a_figure(draws_of):
    axes = plt.subplots(2, 2, figsize=(10, 8), layout="constrained")[1]
    draws = draws_of("long names")
    plots.function_posterior(draws, 6, ax=axes[0, 0])
    plots.inclusion(draws_of("long names"), "term", 6, ax=axes[1, 1])
    check_legible(axes[[0, 1], [0, 1]])
    assert f"… (function {draws.answers.number[5]})" in y_labels(axes[0, 0])[5]


def check_legible(axes):
    """Labels do not touch each other and nothing reaches out of the figure."""
    figure = np.ravel(axes)[0].figure
    figure.draw_without_rendering()
    for ax in np.ravel(axes):
        for labels in (ax.get_yticklabels(), ax.get_xticklabels()):
            boxes = [label.get_window_extent() for label in labels if label.get_text()]
            upright = all(label.get_rotation() in (0, 90) for label in labels)
            if upright:
                touching = [pair for pair in itertools.pairwise(boxes) if pair[0].overlaps(pair[1])]
                assert touching == []
        box = ax.get_tightbbox()
        assert box.x0 >= -1
        assert box.y0 >= -1
        assert box.x1 <= figure.bbox.width + 1
        assert box.y1 <= figure.bbox.height + 1


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


def test_plots_of_lists_speak_of_lists(draws_of):
    draws = draws_of("lists")
    assert "the list holds the literal" in plots.inclusion(draws).get_xlabel()
    assert "the list uses" in plots.inclusion(draws, "attribute").get_xlabel()
    assert "the list holds the literal" in plots.coinclusion(draws).get_title()
    null = draws_of("only the null list")
    assert null.null_probability == 1
    assert y_labels(plots.function_posterior(null)) == ["no marker (the null list)"]
    for make in (plots.inclusion, plots.coinclusion):
        assert "Every draw is the null list" in all_text(make(null))
    assert all_text(plots.functions(null)[0]) == "no marker (the null list)"


def test_where_only_the_null_was_drawn_the_axes_say_so(draws_of):
    draws = draws_of("only the null")
    assert not draws.literals
    for make in (plots.inclusion, plots.coinclusion):
        assert "Every draw is the null function" in all_text(make(draws))
    assert y_labels(plots.function_posterior(draws)) == [NULL]
    terms, shares = plots.functions(draws)
    assert all_text(terms) == NULL
    assert bars(shares).tolist() == [1]


def test_names_with_dollar_signs_are_no_formulas(draws_of):
    draws = draws_of("dollars")
    texts = [
        *plots.inclusion(draws).get_yticklabels(),
        *plots.function_posterior(draws).get_yticklabels(),
        *plots.coinclusion(draws).get_xticklabels(),
        *plots.functions(draws)[0].get_xticklabels(),
    ]
    assert any("$a$" in text.get_text() for text in texts)
    assert not any(text.get_parse_math() for text in texts)


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
