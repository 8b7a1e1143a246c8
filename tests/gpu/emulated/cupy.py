"""What the library uses of CuPy, with memory of this machine and kernels on its processor.

Everything is done at once, so streams and events have nothing to wait for. Small memory is filled
with a pattern where CuPy leaves what was there.
"""

from types import SimpleNamespace

import numpy as np
from numpy import bitwise_and, float32, int32, uint32, uint64  # noqa: F401

from .kernels import RawKernel  # noqa: F401

PATTERNED = 1 << 20  # bytes at most; room for what a launch finds takes 128 MB, mostly unused


class ndarray(np.ndarray):
    """An array on the GPU."""

    @property
    def data(self):
        return SimpleNamespace(ptr=self.ctypes.data)

    def get(self, stream=None, out=None, blocking=True):
        if out is None:
            return np.array(self, subok=False)
        out[...] = self
        return out

    def set(self, array, stream=None):
        self[...] = array


def asarray(array):
    return np.array(array).view(ndarray)


def zeros(shape, dtype=float):
    return np.zeros(shape, dtype).view(ndarray)


def empty(shape, dtype=float):
    made = np.empty(shape, dtype)
    if made.nbytes <= PATTERNED:
        made.reshape(-1).view(np.uint8)[:] = 0xCD
    return made.view(ndarray)


class Stream:
    def __init__(self, non_blocking=False):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass

    def synchronize(self):
        pass


class Event:
    def __init__(self, disable_timing=False):
        pass

    def record(self, stream=None):
        pass

    def synchronize(self):
        pass


class Device:
    """Few multiprocessors, so that each has several blocks of pairs, and the memory of an H200."""

    compute_capability = "90"
    attributes = {"MultiProcessorCount": 3, "MaxSharedMemoryPerBlockOptin": 227 << 10}  # noqa: RUF012

    def synchronize(self):
        pass


class CUDARuntimeError(RuntimeError):
    pass


cuda = SimpleNamespace(
    Device=Device,
    Event=Event,
    Stream=Stream,
    get_current_stream=Stream,
    alloc_pinned_memory=bytearray,
    runtime=SimpleNamespace(
        CUDARuntimeError=CUDARuntimeError,
        getDeviceCount=lambda: 1,
        memGetInfo=lambda: (4 << 30, 4 << 30),
    ),
)


def get_default_memory_pool():
    return SimpleNamespace(free_bytes=lambda: 0)
