"""What is drawn on a terminal."""

import io
import sys
import time

import pytest

from bayesdnf import PosteriorDNFClassifier, simulate
from bayesdnf.cli import terminal
from bayesdnf.cli.labelled import LabelledRows
from bayesdnf.display import bars
from bayesdnf.sampling.records import ChainRecord
from bayesdnf.sampling.watching import DrawsBar


@pytest.mark.parametrize("installed", [True, False])
def test_a_bar_shows_how_the_chains_are_doing(monkeypatch, installed):
    class Screen(io.StringIO):
        def isatty(self):
            return True

    class Patient(DrawsBar):
        def __call__(self, records, total):
            while not self._appeared:
                time.sleep(0.01)
            super().__call__(records, total)
            if len(records[0]) == total:
                time.sleep(0.3)  # until it is drawn

    if not installed:
        for name in ("arviz_stats", "arviz_stats.base"):
            monkeypatch.setitem(sys.modules, name, None)
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(bars, "_PATIENCE", 0)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    X, y, _ = simulate(60, 6, pi0=0.3, pi1=0.6, random_state=0)
    model = PosteriorDNFClassifier(draws=200, warmup=100, thin=20, chains=2, random_state=0)
    assert terminal.fit_with_bar(model, LabelledRows(X, y, None), Patient("Draws"))
    shown = screen.getvalue()
    assert "best -" in shown
    assert "0:00:0" in shown  # the time spent, from the first picture on
    assert "accepted" in shown
    assert ("R-hat" in shown) == installed


def test_a_bar_says_nothing_of_the_time_left_before_it_is_known(monkeypatch):
    class Screen(io.StringIO):
        def isatty(self):
            return True

    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(bars, "_PATIENCE", 0)
    monkeypatch.setenv("TERM", "xterm")
    with DrawsBar("Draws") as bar:
        time.sleep(0.1)
        bar([ChainRecord(None)], 40)
        time.sleep(0.2)
    assert "Draws" in screen.getvalue()
    assert "left" not in screen.getvalue()
    assert "best" not in screen.getvalue()
