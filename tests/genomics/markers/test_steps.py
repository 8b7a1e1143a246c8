"""The steps of find_markers, one at a time."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from bayesdnf.errors import InputError
from bayesdnf.genomics import find_markers, scan
from bayesdnf.genomics.markers.credible import slots_of
from bayesdnf.genomics.markers.searching import (
    sample_functions,
    screen_variants,
    search_and_sample,
    search_function,
)
from bayesdnf.genomics.markers.steps import (
    check_scans,
    permute_outcomes,
    refit_function,
    scan_variants,
    tabulate,
    tell,
)
from tests.genomics.markers.stepped import FOUND, SETTINGS
from tests.genomics.planted import QUICK, study


def with_progress(task, heard):
    return replace(task, progress=lambda *what: heard.append(what))


def test_the_steps_one_by_one_come_to_what_find_markers_returns(task, screened):
    whole = find_markers(study(), keep=12, **QUICK)
    searched = search_and_sample(task, screened)
    slots = slots_of(task.scoring, searched.function, SETTINGS.r_squared)
    refitted = refit_function(task, searched.function)
    terms, variants = tabulate(task, searched, slots, refitted)
    assert (searched.screened.screen.chosen == whole.screen.chosen).all()
    assert searched.function == whole.function
    assert (searched.draws.index == whole.draws.index).all()
    pd.testing.assert_frame_equal(terms, whole.terms, check_exact=True)
    pd.testing.assert_frame_equal(variants, whole.variants, check_exact=True)
    assert tell(task, searched, refitted) == whole.history
    assert task.settings.recorded(task.streams.name) == whole.settings


def test_the_screen_hands_on_what_the_posterior_allows(task, screened):
    assert len(screened.screen.chosen) == SETTINGS.keep
    names = {task.study.genotypes.names[v] for v in screened.screen.chosen}
    assert {x.attribute for x in screened.posterior.bits.table} == names
    assert FOUND in screened.findings
    assert all(np.isfinite(screened.posterior.log_score(f)) for f in screened.findings)


def test_scans_made_before_are_checked_one_by_one(task):
    given = task.study
    made = scan(given.genotypes, given.y)
    assert check_scans(task, None) == []
    assert check_scans(task, made) == [made]
    assert check_scans(task, (made, made)) == [made, made]
    with pytest.raises(InputError, match="its size is 1, and here it is 2"):
        check_scans(task, [made, scan(given.genotypes, given.y, size=1)])


def test_every_step_tells_its_progress(task):
    heard = []
    listening = with_progress(task, heard)
    screened = screen_variants(listening, scan_variants(listening))
    best = search_function(listening, screened).function
    sample_functions(listening, screened, best)
    permute_outcomes(replace(listening, settings=replace(SETTINGS, permutations=1)))
    stages = list(dict.fromkeys(what for what, _, _ in heard))
    assert stages == [
        "pairs", "pairs, by genotype cells", "triples", "search", "chains", "permutations",
    ]  # fmt: skip
