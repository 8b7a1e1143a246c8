"""Tests of what a GPU does. Where there is none, its kernels run on the processor."""

import shutil
import sys

import pytest

from bayesdnf.gpu import device

from .emulated import cupy

needs_gpu = pytest.mark.usefixtures("gpu")


@pytest.fixture
def gpu(monkeypatch):
    """A GPU, or what emulates one; BAYESDNF_NATIVE's sanitizers do not follow its threads."""
    if device.wants_gpu("auto", "tests", None, worth_it=True):
        yield
        return
    if sys.platform != "linux" or shutil.which("g++") is None:
        pytest.skip("needs CuPy and an NVIDIA GPU, or Linux and g++")
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    for cached in (device.cupy, device.compiled):
        cached.cache_clear()
    yield
    for cached in (device.cupy, device.compiled):
        cached.cache_clear()
