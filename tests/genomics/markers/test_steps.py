"""The steps of find_markers, one at a time."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from bayesdnf.boolean import BooleanFunction
from bayesdnf.errors import InputError
from bayesdnf.genomics import Genotypes, find_markers, scan
from bayesdnf.genomics.markers.credible import slots_of
from bayesdnf.genomics.markers.searching import (
    sample_functions,
    screen_variants,
    search_and_sample,
    search_function,
)
from bayesdnf.genomics.markers.steps import (
    _holding,
    check_scans,
    permute_outcomes,
    refit_function,
    scan_variants,
    tabulate,
    tell,
)
from tests.genomics.markers.stepped import FOUND, SETTINGS
from tests.genomics.planted import QUICK, study
from tests.genomics.twins import make


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


def test_a_term_is_decided_where_it_holds_or_a_known_literal_fails():
    calls = make([[1, 1, 0, 0, -1, -1, -1], [2, -1, 0, -1, 0, 1, -1]])
    function = BooleanFunction.parse("v1_B dominant AND v2_B dominant")
    [column] = _holding(calls, function).to_numpy().T
    np.testing.assert_array_equal(column, [1, np.nan, 0, 0, 0, np.nan, np.nan])


def test_counts_of_a_row_are_of_decided_samples():
    given = study()
    copies = given.genotypes.copies(range(30))
    copies[3, ::9] = -1
    calls = replace(given.genotypes, planes=Genotypes.from_copies(copies).planes)
    found = find_markers(replace(given, genotypes=calls), **QUICK)
    [row] = found.terms.to_dict("records")
    first, second = copies[[3, 7]]
    decided = (first >= 0) | (second == 0)
    holds = (first >= 1) & (second >= 1)
    y = given.y
    assert (row["N_CASES"], row["N_CONTROLS"]) == ((decided & y).sum(), (decided & ~y).sum())
    assert (row["CASES"], row["CONTROLS"]) == ((holds & y).sum(), (holds & ~y).sum())
    a, b, n1, n0 = (row[name] for name in ("CASES", "CONTROLS", "N_CASES", "N_CONTROLS"))
    assert row["OR"] == pytest.approx(a * (n0 - b) / (b * (n1 - a)))
    assert row["COVERED"] == a / n1
