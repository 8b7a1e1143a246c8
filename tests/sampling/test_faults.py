"""Deliberate mistakes in the native core are noticed, every one, by the checks of the samplers."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sampling import fault_build

ROOT = Path(__file__).parents[2]
LISTED = (ROOT / "native" / "faults.hpp").read_text(encoding="utf-8")
FAULTS = re.findall(r"^    (\w+), +//", LISTED, re.MULTILINE)

pytestmark = pytest.mark.long  # the module with the mistakes takes minutes to build and try


@pytest.fixture(scope="module")
def noticed():
    wrong = fault_build.complaint()
    if wrong == fault_build.MISSING and not os.environ.get("CI"):
        pytest.skip(wrong)
    assert wrong is None
    [module] = fault_build.FOLDER.glob("_native*.[sp][oy]*")
    run = subprocess.run(
        [sys.executable, "-m", "tests.sampling.planted_faults", module],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


@pytest.mark.slow
def test_no_fault(noticed):
    assert len(noticed) == 1 + len(FAULTS) > 12
    assert noticed[0] is None


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_fault(noticed, fault):
    assert noticed[1 + FAULTS.index(fault)] is not None


def test_a_build_of_other_sources_is_noticed(tmp_path):
    native = tmp_path / "native"
    (native / "bindings").mkdir(parents=True)
    (tmp_path / "CMakeLists.txt").write_text("project(bayesdnf)")
    (native / "moves.cpp").write_text("int a;")
    assert fault_build.complaint(tmp_path) == fault_build.MISSING
    stamp = tmp_path / fault_build.STAMP.relative_to(ROOT)
    stamp.parent.mkdir(parents=True)
    stamp.write_text(fault_build.digest(tmp_path) + "\n")
    assert fault_build.complaint(tmp_path) is None
    (native / "README.md").write_text("Nothing is compiled of this.")
    assert fault_build.complaint(tmp_path) is None
    (native / "moves.cpp").write_text("int b;")
    assert fault_build.complaint(tmp_path) == fault_build.STALE
    (native / "moves.cpp").write_text("int a;")
    assert fault_build.complaint(tmp_path) is None
    (native / "bindings" / "new.hpp").write_text("")
    assert fault_build.complaint(tmp_path) == fault_build.STALE
