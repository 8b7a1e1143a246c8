"""plots.prior: the bars are what the description says."""

import numpy as np

from bayesdnf import Geometric, Poisson, Prior, plots


def test_bars_are_the_described_probabilities():
    prior = Prior(count=Geometric(0.3, start=0), size=Poisson(1))
    told = prior.describe(20)
    terms, size, marked = plots.prior(prior, 20)
    for axes, expected in ((terms, told.terms), (size, told.size)):
        heights = np.array([bar.get_height() for bar in axes.patches])
        assert np.allclose(heights, expected[: len(heights)])
        assert heights.sum() >= 0.999
    shares = np.array([bar.get_height() for bar in marked.patches])
    assert np.allclose(shares, np.histogram(told.marked, np.linspace(0, 1, 21))[0] / 20_000)
