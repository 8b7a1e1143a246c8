"""Pictures of draws: what stands in their axes, on ordinary draws and on odd ones."""

import itertools

import matplotlib.pyplot as plt
import numpy as np
import pytest

from bayesdnf import (
    plots,
)
from tests.fewer import first
from tests.plots.problems import OF_DRAWS, PROBLEMS, PROBLEMS_OF_LISTS, all_text, y_labels

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
@pytest.mark.parametrize("problem", first(PROBLEMS_OF_LISTS, 3))
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


def test_plots_of_lists_speak_of_lists(draws_of):
    draws = draws_of("lists")
    assert "the list contains the literal" in plots.inclusion(draws).get_xlabel()
    assert "the list uses" in plots.inclusion(draws, "attribute").get_xlabel()
    assert "the list contains the literal" in plots.coinclusion(draws).get_title()
    null = draws_of("only the null list")
    assert null.null_probability == 1
    assert y_labels(plots.function_posterior(null)) == ["no marker (the null list)"]
    for make in (plots.inclusion, plots.coinclusion):
        assert "Every draw is the null list" in all_text(make(null))
    assert all_text(plots.functions(null)[0]) == "no marker (the null list)"


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
