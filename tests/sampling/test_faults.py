"""Deliberate mistakes in the native core are noticed, every one, by the checks of the samplers."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LISTED = (ROOT / "native" / "faults.hpp").read_text(encoding="utf-8")
FAULTS = re.findall(r"^    (\w+), +//", LISTED, re.MULTILINE)


@pytest.fixture(scope="module")
def noticed():
    built = ROOT / "build" / "faults" / ".built"
    sources = [*(ROOT / "native").rglob("*.?pp"), *(ROOT / "native").rglob("CMakeLists.txt")]
    if not built.exists() or built.stat().st_mtime < max(f.stat().st_mtime for f in sources):
        pytest.skip("the module with faults is not there or out of date: make build/faults/.built")
    [module] = (ROOT / "build" / "faults" / "native").glob("_native*.[sp][oy]*")
    run = subprocess.run(
        [sys.executable, "-m", "sampling.planted_faults", module],
        env={**os.environ, "PYTHONPATH": str(ROOT / "tests")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def test_no_fault(noticed):
    assert len(noticed) == 1 + len(FAULTS) > 12
    assert noticed[0] is None


@pytest.mark.parametrize("fault", FAULTS)
def test_fault(noticed, fault):
    assert noticed[1 + FAULTS.index(fault)] is not None
