"""Tests of variants beside chance."""

import numpy as np
import pytest
from scipy.special import chdtrc

from bayesdnf import plots


def test_points_are_the_p_values_in_their_order(planted_markers):
    ax = plots.qq(planted_markers)
    statistics = planted_markers.adjustment.statistics
    p = np.sort(chdtrc(1, statistics[np.isfinite(statistics)]))
    lines = [line for line in ax.lines if len(line.get_ydata()) == len(p)]
    drawn = np.sort(np.concatenate([line.get_ydata() for line in lines]))
    assert np.allclose(drawn[-len(p) :], np.sort(-np.log10(p)), atol=1e-6)


def test_it_is_drawn_where_it_is_told_and_says_lambda(planted_markers):
    plt = pytest.importorskip("matplotlib.pyplot")
    figure, given = plt.subplots()
    assert plots.qq(planted_markers, ax=given) is given
    texts = [text.get_text() for text in given.get_legend().get_texts()]
    assert any("not adjusted" in text for text in texts)
    assert plt.get_fignums() == [figure.number]
