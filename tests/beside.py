"""Data beside the project, in ``../shared``: tests that read them say what they add."""

from pathlib import Path

import pytest

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


def adds(what):
    """Skip a test where the data are not there; what it adds is the reason that is shown."""
    return pytest.mark.skipif(not DATA.is_dir(), reason=f"without ../shared there is no {what}")
