"""Tests of what a GPU does. Where there is none, its kernels run on the processor."""

import shutil
import sys

import pytest

from bayesdnf.genomics.scanning import cuda_pairs, cuda_triples
from bayesdnf.gpu import device

from .emulated import cupy

CAN_EMULATE = sys.platform == "linux" and shutil.which("g++") is not None

needs_gpu = pytest.mark.usefixtures("gpu")
needs_emulation = pytest.mark.skipif(not CAN_EMULATE, reason="needs Linux and g++")


@pytest.fixture
def gpu(monkeypatch):
    """A GPU, or what emulates one; scans leave it all of their work."""
    for scans in (cuda_pairs, cuda_triples):  # the processor alone would scan small studies
        monkeypatch.setattr(scans, "_FIRST", 0)
    if device.wants_gpu("auto", "tests", None, worth_it=True):
        yield
        return
    if not CAN_EMULATE:
        pytest.skip("needs CuPy and an NVIDIA GPU, or Linux and g++")
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    for cached in (device.cupy, device.compiled):
        cached.cache_clear()
    yield
    for cached in (device.cupy, device.compiled):
        cached.cache_clear()
