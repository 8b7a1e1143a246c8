"""Tests of variants beside chance."""

import numpy as np
import pytest
from scipy.special import chdtrc

from bayesdnf import plots


def test_points_are_the_p_values_in_their_order(planted_markers):
    ax = plots.qq(planted_markers)
    statistics = planted_markers.adjustment.statistics
    p = np.sort(chdtrc(1, statistics[np.isfinite(statistics)]))
    points = [x.get_offsets() for x in ax.collections if len(x.get_offsets()) == len(p)]
    assert len(points) == 1  # there are no strata
    assert np.allclose(np.sort(points[0][:, 1]), np.sort(-np.log10(p)))


def test_it_is_drawn_where_it_is_told_and_says_lambda(planted_markers):
    plt = pytest.importorskip("matplotlib.pyplot")
    figure, given = plt.subplots()
    assert plots.qq(planted_markers, ax=given) is given
    texts = [text.get_text() for text in given.get_legend().get_texts()]
    assert any("not adjusted" in text for text in texts)
    assert plt.get_fignums() == [figure.number]
