"""A task of find_markers, and its variants after the screen."""

import pytest

from bayesdnf.genomics.markers.searching import (
    screen_variants,
)
from bayesdnf.genomics.markers.steps import (
    scan_variants,
)
from bayesdnf.genomics.markers.tasks import MarkerTask
from tests.genomics.markers.stepped import SETTINGS
from tests.genomics.planted import study


@pytest.fixture(scope="module")
def task():
    return MarkerTask.of(study(), SETTINGS, random_state=0)


@pytest.fixture(scope="module")
def screened(task):
    return screen_variants(task, scan_variants(task))
