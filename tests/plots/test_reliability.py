"""plots.calibration: bins, intervals, names and what it refuses."""

import itertools

import matplotlib.pyplot as plt
import numpy as np
import pytest
from scipy.stats import binomtest

from bayesdnf import plots
from bayesdnf.errors import InputError, ParameterError


def calibrated(n=400):
    rng = np.random.default_rng(3)
    predicted = rng.beta(0.5, 0.7, n)
    return predicted, rng.random(n) < predicted


def test_calibration_agrees_with_a_count_bin_by_bin():
    predicted, happened = calibrated()
    upper, lower = plots.calibration(predicted, happened, bins=7)
    curve, _, (intervals,) = upper.containers[0].lines
    expected = []
    for low, high in itertools.pairwise(np.linspace(0, 1, 8)):
        inside = (predicted >= low) & (predicted < high)
        hits, rows = int(happened[inside].sum()), int(inside.sum())
        interval = binomtest(hits, rows).proportion_ci(method="wilson")
        expected.append((predicted[inside].mean(), hits / rows, interval.low, interval.high, rows))
    expected = np.array(expected).T
    assert np.allclose(curve.get_xdata(), expected[0])
    assert np.allclose(curve.get_ydata(), expected[1])
    bounds = np.array([segment[:, 1] for segment in intervals.get_segments()]).T
    assert np.allclose(bounds, expected[2:4])
    assert np.array_equal(lower.patches[0].get_data().values, expected[4])
    assert upper.get_legend() is None


def test_calibration_on_an_edge_and_of_empty_bins():
    upper, lower = plots.calibration([0.3, 0.3, 0.7, 1.0, 0.0], [0, 1, 1, 1, 0])
    rows = lower.patches[0].get_data().values
    assert {int(i): int(n) for i, n in enumerate(rows) if n} == {0: 1, 3: 2, 7: 1, 9: 1}
    curve = upper.containers[0].lines[0]
    assert curve.get_xdata().tolist() == [0, 0.3, 0.7, 1]
    assert curve.get_ydata().tolist() == [0, 0.5, 1, 1]


def test_calibration_of_several_models_names_them():
    predicted, happened = calibrated()
    upper, lower = plots.calibration({"ours": predicted, "_$theirs$": predicted**2}, happened)
    legend = upper.get_legend().get_texts()
    assert [text.get_text() for text in legend] == ["ours", "_$theirs$"]
    assert len(lower.patches) == 2
    marks = [container.lines[0].get_marker() for container in upper.containers]
    lines = [container.lines[0].get_linestyle() for container in upper.containers]
    assert len(set(marks)) == len(set(lines)) == 2


@pytest.mark.parametrize(
    ("probability", "outcome", "message"),
    [
        ([0.1, 1.2], [0, 1], "probability in .* between 0 and 1 .* Got 1.2 at row 1"),
        ([0.1, np.nan], [0, 1], "between 0 and 1 .* Got nan at row 1"),
        ({"m": [0.1, -1]}, [0, 1], "probability of 'm' .* Got -1 at row 1"),
        ([0.1, 0.2, 0.3], [0, 1], "has 3 rows and the outcome 2"),
        ([[0.1, 0.2]], [0, 1], "Got an array of shape"),
        ([0.1, 0.2], [0, 2], "outcome .* 0 or 1 .* Got 2 at row 1"),
        ([0.1, 0.2], ["e", "p"], "outcome .* Got .*'e', 'p'"),
        ([], [], "Got an array of shape"),
        ({}, [0, 1], "at least"),
    ],
)
def test_calibration_refuses_what_it_cannot_draw(probability, outcome, message):
    with pytest.raises(InputError, match=message):
        plots.calibration(probability, outcome)
    assert plt.get_fignums() == []


def test_calibration_refuses_no_bins():
    with pytest.raises(ParameterError, match="The 'bins' parameter of plots\\.calibration"):
        plots.calibration([0.5], [1], bins=0)
