"""Which instruction set runs, and that its type stub says what the module holds."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import bayesdnf
from bayesdnf import _native

SIMD = _native.available_simd()


def run(code, simd):
    environment = {**os.environ, "BAYESDNF_SIMD": simd}
    return subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )


def test_the_portable_loops_are_always_there():
    assert SIMD[0] == "portable"
    assert len(set(SIMD)) == len(SIMD)
    assert _native.simd() == os.environ.get("BAYESDNF_SIMD", SIMD[-1])


@pytest.mark.parametrize("simd", SIMD)
def test_the_environment_forces_an_instruction_set(simd):
    done = run("from bayesdnf import _native; print(_native.simd())", simd)
    assert done.stdout.strip() == simd, done.stderr


def test_an_empty_variable_forces_nothing():
    done = run("from bayesdnf import _native; print(_native.simd())", "")
    assert done.stdout.strip() == SIMD[-1], done.stderr


def test_an_unknown_instruction_set_is_an_error_at_first_use():
    code = """
import numpy as np
from bayesdnf import _native
one = np.ones(1, dtype=np.uint64)
assert _native.popcount(one, "portable") == 1
for _ in range(2):
    try:
        _native.popcount(one)
    except ValueError as error:
        print(error)
"""
    done = run(code, "abacus")
    assert done.returncode == 0, done.stderr
    line = (
        f"BAYESDNF_SIMD must be one of {', '.join(SIMD)} on this processor. Got 'abacus' instead."
    )
    assert done.stdout.splitlines() == [line, line]


def test_the_stub_is_up_to_date():
    stubgen = pytest.importorskip("nanobind.stubgen")
    stub = stubgen.StubGen(module=_native)
    stub.put(_native)
    path = Path(bayesdnf.__file__).with_name("_native.pyi")
    assert stub.get().rstrip() == path.read_text().rstrip(), "run `make stub`"


def test_a_wrong_variable_is_one_sentence_of_the_command_line():
    code = "import sys; sys.argv = ['bayesdnf', '--version']; from bayesdnf.cli import main; main()"
    done = run(code, "abacus")
    assert done.returncode == 1
    assert done.stderr.startswith("Error: BAYESDNF_SIMD must be one of ")
    assert len(done.stderr.splitlines()) == 1
    code = """
from bayesdnf import _native
from bayesdnf.errors import ParameterError
try: _native.simd()
except ParameterError: print("told")
"""
    assert run(code, "abacus").stdout == "told\n"
