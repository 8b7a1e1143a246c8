"""The GPU of this machine: whether to use it, its kernels, and its memory."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, MissingExtraError, ParameterError

DEVICES = ("cpu", "cuda", "auto")
_OLDEST = 80  # compute capability times ten; older GPUs lack binary m16n8k256 products
_COPIERS = 4  # threads that fill page-locked memory

Words = NDArray[np.uint64]


@cache
def cupy() -> Any:
    """Import CuPy and check the GPU; raise an error that names what is missing."""
    try:
        module = import_module("cupy")
    except ImportError as error:
        raise MissingExtraError(
            "device='cuda' needs CuPy: pip install \"bayesdnf[cuda12]\", or cuda13 for CUDA 13."
        ) from error
    try:
        count = module.cuda.runtime.getDeviceCount()
    except module.cuda.runtime.CUDARuntimeError as error:
        raise InputError(
            f"device='cuda' finds no GPU that can be used ({error}); install NVIDIA's driver, or "
            "use device='cpu'."
        ) from error
    if count == 0:
        raise InputError("device='cuda' finds no GPU on this machine; use device='cpu'.")
    capability = int(module.cuda.Device().compute_capability)
    if capability < _OLDEST:
        raise InputError(
            f"device='cuda' needs a GPU of compute capability 8.0 or more (Ampere, 2020). This one "
            f"has {capability / 10:.1f}; use device='cpu'."
        )
    return module


def wants_gpu(device: str, caller: str, reason: str | None, worth_it: bool) -> bool:
    """Decide whether to use the GPU.

    Parameters
    ----------
    device : {"cpu", "cuda", "auto"}
        The requested device.
    caller : str
        Name of the caller, for errors.
    reason : str or None
        Why a GPU cannot do this work.
    worth_it : bool
        Whether there is enough of it for "auto".
    """
    if device not in DEVICES:
        raise ParameterError.of("device", caller, f"one of {', '.join(DEVICES)}", device)
    if device == "cpu":
        return False
    if device == "cuda":
        if reason:
            raise InputError(f"device='cuda' {reason}; use device='cpu'.")
        cupy()
        return True
    if reason or not worth_it:
        return False
    try:
        cupy()
    except (InputError, MissingExtraError):
        return False
    return True


@cache
def compiled(source: str, name: str, definitions: Sequence[tuple[str, int]] = ()) -> Any:
    """Compile a kernel of native/cuda; CuPy caches compiled kernels on disk.

    Parameters
    ----------
    source, name : str
        The CUDA source, and the name of the kernel.
    definitions : tuple of (str, int)
        Macros and their values.
    """
    options = ("-std=c++17", *(f"-D{macro}={value}" for macro, value in definitions))
    return cupy().RawKernel(source, name, options=options)


def free_memory() -> int:
    """Return the free GPU memory in bytes, including CuPy's pool."""
    free, _ = cupy().cuda.runtime.memGetInfo()
    # CuPy keeps freed memory in a pool for later arrays; the driver counts it as used.
    return int(free) + int(cupy().get_default_memory_pool().free_bytes())


def pinned(shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
    """Allocate page-locked host memory, which has the fastest transfers to and from the GPU."""
    size = int(np.prod(shape))
    kept = cupy().cuda.alloc_pinned_memory(size * np.dtype(dtype).itemsize)
    return np.frombuffer(kept, dtype, size).reshape(shape)


class Staging:
    """Buffer for transfers to the GPU, page-locked on the host.

    Parameters
    ----------
    shape : tuple of int
        Shape of the largest array.
    """

    def __init__(self, shape: tuple[int, ...]) -> None:
        self._host = pinned(shape, np.uint64)
        self._there = cupy().empty(shape, dtype=np.uint64)
        self._sent = cupy().cuda.Event(disable_timing=True)

    def send(self, array: Words) -> Any:
        """Copy an array to the GPU, after the previous one; later work on the GPU waits for it."""
        self._sent.synchronize()
        # Threads copy in parallel, because numpy releases the GIL meanwhile.
        pieces = np.array_split(np.arange(len(array)), _COPIERS)
        with ThreadPoolExecutor(_COPIERS) as pool:
            list(pool.map(lambda piece: self._copy(array, piece), pieces))
        self._there[: len(array)].set(self._host[: len(array)])
        self._sent.record()
        return self._there[: len(array)]

    def _copy(self, array: Words, piece: NDArray[np.intp]) -> None:
        if len(piece):
            part = slice(int(piece[0]), int(piece[-1]) + 1)
            np.copyto(self._host[part], array[part])
