"""Tests that need a GPU."""

import pytest

from bayesdnf.gpu.device import wants_gpu

needs_gpu = pytest.mark.skipif(
    not wants_gpu("auto", "tests", None, worth_it=True), reason="needs CuPy and an NVIDIA GPU"
)
