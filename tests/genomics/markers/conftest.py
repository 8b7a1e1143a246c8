"""A task of find_markers, and its variants after the screen."""

import pytest

from bayesdnf import Effect
from bayesdnf.genomics import (
    find_markers,
)
from bayesdnf.genomics.markers.searching import (
    screen_variants,
)
from bayesdnf.genomics.markers.steps import (
    scan_variants,
)
from bayesdnf.genomics.markers.tasks import MarkerTask
from tests.genomics.markers.stepped import SETTINGS
from tests.genomics.planted import QUICK, study


@pytest.fixture(scope="module")
def task():
    return MarkerTask.of(study(), SETTINGS, random_state=0)


@pytest.fixture(scope="module")
def screened(task):
    return screen_variants(task, scan_variants(task))


@pytest.fixture(scope="module")
def found():
    return find_markers(study(), effect=Effect(prevalence=0.01, sampling="case-control"), **QUICK)
