"""The steps of find_markers, one at a time."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from bayesdnf import BooleanFunction, Effect, Geometric, Prior
from bayesdnf.errors import InputError
from bayesdnf.genomics import find_markers, scan
from bayesdnf.genomics.markers.credible import slots_of
from bayesdnf.genomics.markers.permutations import add_family_wise
from bayesdnf.genomics.markers.searching import (
    chain_starts,
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
from bayesdnf.genomics.markers.tasks import Clock, MarkerSettings, MarkerTask
from tests.genomics.planted import QUICK, TRUTH, study

SETTINGS = MarkerSettings(
    prior=Prior(), effect=Effect(), codings=("dominant", "recessive", "heterozygous"),
    negations=True, keep=12, triples=8, gap=0, components=0, strata=(), adjust=True, build=None,
    r_squared=0.5, layers=1, permutations=0, holdout=0.0, draws=150, warmup=150, chains=2,
    time_limit=None, n_jobs=1,
)  # fmt: skip
NULL = BooleanFunction()
FOUND = BooleanFunction.parse(TRUTH)


@pytest.fixture(scope="module")
def task():
    return MarkerTask.of(study(), SETTINGS, random_state=0)


@pytest.fixture(scope="module")
def screened(task):
    return screen_variants(task, scan_variants(task))


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


def test_chains_start_apart(screened):
    findings = [f for f in screened.findings if f != FOUND]
    starts = chain_starts(screened.posterior, FOUND, screened.findings, 4)
    assert starts == [FOUND, NULL, *findings[:2]]
    assert chain_starts(screened.posterior, FOUND, screened.findings, 1) == [FOUND]
    assert chain_starts(screened.posterior, FOUND, [], 3) == [FOUND, NULL, FOUND]


def test_no_chain_starts_at_the_null_function_where_the_prior_forbids_it():
    prior = Prior(count=Geometric(0.5, start=1))
    task = MarkerTask.of(study(), replace(SETTINGS, prior=prior), 0)
    screened = screen_variants(task, scan_variants(task))
    assert NULL not in chain_starts(screened.posterior, FOUND, screened.findings, 4)


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


def test_family_wise_p_values_are_those_of_the_permutations(task):
    largest = permute_outcomes(replace(task, settings=replace(SETTINGS, permutations=3)))
    assert largest.shape == (3, 2)
    terms = pd.DataFrame({"LOG_BF": [5.0, 5.0, 5.0], "GAIN": [1.0, 3.0, 3.0]})
    variants = pd.DataFrame({"LOG_BF": [0.0, 9.0]})
    function = BooleanFunction.parse("(a dominant) OR (b dominant AND c dominant) OR "
                                     "(d dominant AND e dominant AND f dominant)")  # fmt: skip
    add_family_wise(terms, variants, function, np.array([[1.0, 2.0], [6.0, 3.0], [8.0, 1.0]]))
    assert variants["P_FWE"].tolist() == [1.0, 0.25]
    np.testing.assert_array_equal(terms["P_FWE"], [0.75, 0.5, np.nan])


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


def test_the_clock_keeps_a_time_for_each_stage():
    clock = Clock()
    clock.note("scans")
    clock.note("search")
    assert list(clock.seconds) == ["scans", "search"]
    assert min(clock.seconds.values()) >= 0
