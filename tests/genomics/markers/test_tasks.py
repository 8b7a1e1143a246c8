"""What the steps share: refits, and a clock."""

from dataclasses import replace

import pandas as pd

from bayesdnf.genomics.markers.steps import (
    refit_function,
)
from bayesdnf.genomics.markers.tasks import Clock, MarkerTask
from tests.genomics.markers.stepped import FOUND, NULL, SETTINGS


def test_terms_are_refitted_only_beside_something(task):
    plain = refit_function(task, FOUND)
    assert plain.refit is None
    assert plain.history == ()
    assert plain.holds.columns.tolist() == ["rs4_A dominant AND rs8_A dominant"]
    assert (plain.holds.to_numpy()[:, 0] == FOUND(task.study.genotypes)).all()
    site = pd.DataFrame({"site": [7.0] * len(task.study.y)})
    beside = MarkerTask.of(replace(task.study, covariates=site), SETTINGS, 0)
    found = refit_function(beside, FOUND)
    assert found.refit.table["method"].tolist() == ["maximum likelihood"]
    assert found.history == ("Covariate 'site' left out: it is constant.",)
    assert refit_function(beside, NULL).refit is None


def test_the_clock_adds_up_the_time_of_each_step(monkeypatch):
    times = iter([10.0, 11.0, 13.0, 17.0])
    monkeypatch.setattr("time.monotonic", lambda: next(times))
    clock = Clock()
    for step in ("search", "chains", "search"):
        clock.note(step)
    assert clock.seconds == {"search": 5.0, "chains": 2.0}
