"""Every test of pictures is watched."""

import pytest

from tests.plots.problems import PROBLEMS, PROBLEMS_OF_LISTS


@pytest.fixture(autouse=True)
def _watched(no_trace_left):
    """Nothing is shown, and no figure or setting stays."""


@pytest.fixture(scope="session")
def draws_of():
    """Return draws by name, each made once."""
    made = {}

    def get(name):
        if name not in made:
            made[name] = (PROBLEMS | PROBLEMS_OF_LISTS)[name]()
        return made[name]

    return get


@pytest.fixture
def two(draws_of):
    return draws_of("two terms")
