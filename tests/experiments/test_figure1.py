"""Figure 1: traces and histograms of the two rates."""

import pytest

from bayesdnf.experiments import figure1
from bayesdnf.experiments.reproduction import FAITHFUL, OURS
from tests.experiments.made import OneSet

pytestmark = pytest.mark.long  # tests/experiments/test_reproductions.py has all results on one set


@pytest.mark.usefixtures("no_trace_left")
def test_rates_are_near_the_truth_and_drawn_above_each_other():
    made = figure1.run(OneSet(quick=True))
    converged, near = made.claims
    assert near.holds
    his, ours = (made.row(source).values for source in (FAITHFUL, OURS))
    assert f"π0 {his['pi0']:.3f} and {ours['pi0']:.3f} for 0.1" in near.found
    assert "(1 sets)" in converged.found
    figure = made.draw(made)
    assert [part.get_suptitle() for part in figure.subfigs] == [
        "Figure 1, paper's settings",
        "Figure 1, our defaults",
    ]
    assert [len(part.axes) for part in figure.subfigs] == [4, 4]  # traces and histograms of two
