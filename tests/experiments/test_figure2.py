"""Figure 2: the posterior of the function."""

import pytest

from bayesdnf.experiments import figure2
from bayesdnf.experiments.reproduction import FAITHFUL, OURS
from tests.experiments.made import OneSet, made

pytestmark = pytest.mark.slow


@pytest.mark.usefixtures("no_trace_left")
def test_the_true_term_leads():
    result = figure2.run(OneSet(quick=True))
    assert [claim.holds for claim in result.claims] == [True, True]
    assert f"{result.value('chains', FAITHFUL):.3f} of the chains draw" in result.words[0]
    assert f"{result.value('chains', 'constant prior'):.3f} of the chains" in result.words[1]
    figure = result.draw(result)
    assert [len(part.axes) for part in figure.subfigs] == [1, 1]


@pytest.mark.long
def test_a_constant_prior_loses_the_chains():
    result = made("figure2")
    assert result.value("chains", FAITHFUL) > 0.9
    assert result.value("chains", OURS) > 0.9
    assert result.value("chains", "constant prior") < 0.3
