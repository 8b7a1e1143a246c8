"""Pictures are drawn, never shown, and leave no trace."""

import matplotlib as mpl
import pytest

mpl.use("Agg")
import matplotlib.pyplot as plt


@pytest.fixture(autouse=True)
def _no_trace_left(monkeypatch):
    monkeypatch.setattr(plt, "show", lambda *_: pytest.fail("a plot was shown"))
    before = dict(mpl.rcParams)
    yield
    plt.close("all")
    assert dict(mpl.rcParams) == before
