"""Search, sweep and chains on the variants that were screened."""

from dataclasses import replace

from bayesdnf import Geometric, Prior
from bayesdnf.genomics.markers.searching import (
    chain_starts,
    screen_variants,
)
from bayesdnf.genomics.markers.steps import (
    scan_variants,
)
from bayesdnf.genomics.markers.tasks import MarkerTask
from tests.genomics.markers.stepped import FOUND, NULL, SETTINGS
from tests.genomics.planted import study


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
