"""Every test of pictures is watched."""

import pytest


@pytest.fixture(autouse=True)
def _watched(no_trace_left):
    """Nothing is shown, and no figure or setting stays."""
