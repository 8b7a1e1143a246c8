"""The picture of a table."""

import pytest

from bayesdnf.experiments.output.picture import draw_rows
from bayesdnf.experiments.reproduction import OURS, Measure, Row
from tests.experiments.made import by_hand

pytestmark = pytest.mark.usefixtures("no_trace_left")


def test_a_panel_for_each_measure_and_a_line_for_each_cell():
    figure = draw_rows(by_hand())
    first, second = figure.axes
    assert [ax.get_title(loc="left") for ax in figure.axes] == ["m", "AUC"]
    lines = [label.get_text() for label in first.get_yticklabels()]
    assert lines == ["θ = 5, N = 100", "θ = 30, N = 250", "ours"]
    assert first.get_ylim() == second.get_ylim() == (2.5, -0.5)
    assert figure.get_suptitle() == "Table 9: two cells"


def test_each_figure_is_marked_where_it_is():
    figure = draw_rows(by_hand())
    marked = [container[0].get_xdata()[0] for container in figure.axes[0].containers]
    assert marked == [6.9, 7.25, 12.25, 5.8, 2.0]
    marked = [container[0].get_xdata()[0] for container in figure.axes[1].containers]
    assert marked == [0.5, 0.875, 1.0]  # the paper prints none


def test_errors_are_drawn_for_the_most_sets_alone():
    containers = draw_rows(by_hand()).axes[0].containers
    assert [container.has_xerr for container in containers] == [False, False, True, False, True]
    pale = [container[0].get_alpha() for container in containers]
    assert pale == [1, 0.45, 1, 1, 1]


def test_the_legend_names_each_source_with_its_sets():
    [legend] = draw_rows(by_hand()).legends
    assert [text.get_text() for text in legend.get_texts()] == [
        "paper, 10 sets",
        "paper's settings, 10 sets",
        "paper's settings, 200 sets",
        "our defaults, 10 sets",
    ]


@pytest.mark.parametrize(
    ("values", "digits", "scale", "limits"),
    [
        ((2.0, 800.0), 1, "log", None),  # a factor of more than 30
        ((0.0, 0.9), 2, "linear", (-0.06, 1.06)),  # shares
        ((0.9985, 0.9999), 4, "linear", None),
    ],
)
def test_the_scale_fits_the_figures(values, digits, scale, limits):
    rows = [Row((), OURS, 10, {"m": value}, {}) for value in values]
    made = by_hand(keys=(), measures=(Measure("m", "m", digits),), rows=rows)
    [ax] = draw_rows(made).axes
    assert ax.get_xscale() == scale
    assert limits is None or ax.get_xlim() == limits
