"""Sweeps on an NVIDIA GPU: planes stay in GPU memory, masks are sent and counts returned.

A sweep counts, for masks of rows, the rows that each shares with every plane. Sweeps take most of
the time of searches and chains, and are the only part that runs on the GPU. Counts are integers, so
results do not depend on the device. A beam needs only few literals and selects them by their
counts; only these are returned.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Generic, Protocol, TypeVar
from weakref import WeakSet

import numpy as np
from numpy.typing import NDArray

from .. import _native
from ..data.bits import BitMatrix
from ..errors import InputError
from .device import Staging, compiled, cupy, free_memory, pinned, wants_gpu

AT_ONCE = 8
"""Masks of a launch: the columns of one binary tensor-core product (m16n8k256)."""

WORTH_A_GPU = 1 << 28
"""Bytes of planes from which "auto" uses a GPU; below, a processor is about as fast."""

# A block of the kernel has 8 warps, and a warp multiplies 16 planes (the rows of m16n8k256).
_PLANES, _THREADS = 128, 256
# Segments start at multiples of 64 bytes: in one step, four threads of a warp read 16 bytes each of
# a plane.
_PIECE_WORDS = 8
_STAGING = 64 << 20  # bytes of the transfer buffers
_SLOTS = 4  # maximum number of launches whose counts were not fetched yet

_THERE: WeakSet[BitMatrix] = WeakSet()
"""Matrices whose planes are on a GPU now."""

Words = NDArray[np.uint64]
Counts = NDArray[np.int32]


class HoldsCounts(Protocol):
    """Protocol of a buffer for the counts of a launch."""

    def counts(self) -> Counts:
        """Return ``counts[segment, mask, plane]`` of the last launch."""
        ...


Slot = TypeVar("Slot", bound=HoldsCounts)


@contextmanager
def on_device(bits: BitMatrix, device: str, caller: str) -> Iterator[None]:
    """Run sweeps of a matrix on a device, inside a with block.

    Parameters
    ----------
    bits : BitMatrix
        The matrix.
    device : {"cpu", "cuda", "auto"}
        The device.
    caller : str
        Name of the caller, for errors.
    """
    wanted = wants_gpu(device, caller, None, bits.nbytes >= WORTH_A_GPU)
    if not wanted or bits in _THERE:  # nested: the search for starts of chains
        yield
        return
    view = bits.view()
    view.use(GpuPlanes(bits))
    _THERE.add(bits)
    try:
        yield
    finally:
        _THERE.discard(bits)
        view.use(None)


class Layout:
    """Positions of segmented rows on the GPU, where segments are aligned to pieces.

    Parameters
    ----------
    offsets : list of int
        Starts of the segments on the host, in words, and the end of the last one.
    """

    def __init__(self, offsets: list[int]) -> None:
        self._from = np.asarray(offsets, dtype=np.int64)
        pieces = -(-np.diff(self._from) // _PIECE_WORDS)
        self.ends = np.cumsum(pieces).astype(np.int32)
        self.n_words = int(self.ends[-1]) * _PIECE_WORDS
        self._to = np.concatenate([[0], self.ends[:-1]]).astype(np.int64) * _PIECE_WORDS

    def segments(self) -> Iterator[tuple[slice, slice]]:
        """Yield, for each segment, its words on the host and on the GPU."""
        for first, last, to in zip(self._from[:-1], self._from[1:], self._to, strict=True):
            yield slice(first, last), slice(to, to + last - first)

    def spread(self, rows: Words, out: Words) -> None:
        """Copy rows of words to their positions on the GPU; do not write the gaps."""
        for here, there in self.segments():
            out[..., there] = rows[..., here]


class _Request:
    """Request of a thread: masks to sweep, and later the buffer of their counts."""

    def __init__(self, masks: Words) -> None:
        self.masks = masks
        self.first = 0
        self.slot: Any = None
        self.error: BaseException | None = None

    @property
    def served(self) -> bool:
        """Whether the request has counts or an error."""
        return self.slot is not None or self.error is not None


class SharedLaunches(Generic[Slot]):
    """Combines the sweeps of many threads into few launches.

    A launch of eight masks takes about as long as one of a single mask. A thread that finds the
    device idle and a buffer free launches the requests of all waiting threads; the others wait for
    their counts. Then every thread copies its own counts, in parallel to the next launch.

    Parameters
    ----------
    launch : callable
        Called as ``launch(masks, slot)`` by one thread at a time: sweeps a list of arrays of masks,
        at most eight masks in all, and writes the counts to a buffer.
    slots : list
        Buffers for counts, each for one launch at a time.
    """

    def __init__(self, launch: Callable[[list[Words], Slot], None], slots: list[Slot]) -> None:
        self._launch = launch
        self._free = list(slots)
        self._readers: dict[int, int] = {}  # by slot: number of threads that did not fetch yet
        self._waiting: list[_Request] = []
        self._busy = False
        self._changed = threading.Condition()

    def sweep(self, masks: Words, counts: Counts) -> None:
        """Fill ``counts[segment, mask, plane]``, from any thread."""
        for first in range(0, len(masks), AT_ONCE):
            some = slice(first, first + AT_ONCE)
            request = _Request(masks[some])
            self._serve(request)
            if request.error is not None:
                raise request.error
            found = request.slot.counts()
            np.copyto(counts[:, some], found[:, request.first : request.first + len(request.masks)])
            with self._changed:
                # A buffer is free again when all its threads have fetched their counts.
                self._readers[id(request.slot)] -= 1
                if self._readers[id(request.slot)] == 0:
                    self._free.append(request.slot)
                    self._changed.notify_all()

    def _serve(self, request: _Request) -> None:
        with self._changed:
            self._waiting.append(request)
            # The first thread that finds the GPU free launches for all; the others wait.
            while not request.served:
                if self._busy or not self._free:
                    self._changed.wait()
                    continue
                taken, slot = self._take(), self._free.pop()
                self._busy = True
                # Release the lock during the launch, so that other threads can queue requests.
                self._changed.release()
                error = None
                try:
                    self._launch([other.masks for other in taken], slot)
                except BaseException as raised:  # noqa: BLE001, every thread that waits raises it
                    error = raised
                self._changed.acquire()
                self._busy = False
                for other in taken:
                    other.slot, other.error = (None, error) if error else (slot, None)
                if error:
                    self._free.append(slot)
                else:
                    self._readers[id(slot)] = len(taken)
                self._changed.notify_all()

    def _take(self) -> list[_Request]:
        """Remove waiting requests from the queue, oldest first, up to eight masks."""
        taken: list[_Request] = []
        n = 0
        while self._waiting and n + len(self._waiting[0].masks) <= AT_ONCE:
            request = self._waiting.pop(0)
            request.first = n
            n += len(request.masks)
            taken.append(request)
        return taken


class _Counts:
    """Buffer for the counts of one launch, on the GPU and on the host."""

    def __init__(self, n_segments: int, n_planes: int) -> None:
        self.there = cupy().empty(n_segments * AT_ONCE * n_planes, dtype=np.int32)
        self.here = pinned((n_segments * AT_ONCE * n_planes,), np.int32)
        self.shape = (n_segments, 0, n_planes)

    def counts(self) -> Counts:
        """Return ``counts[segment, mask, plane]`` of the last launch."""
        return self.here[: int(np.prod(self.shape))].reshape(self.shape)


class _Sweeps:
    """Runs sweeps one after the other, with its own buffer for masks.

    Parameters
    ----------
    planes : ndarray of CuPy
        Planes in the layout of the GPU.
    layout : Layout
        Positions of words.
    n_planes : int
        Number of planes.
    """

    def __init__(self, planes: Any, layout: Layout, n_planes: int) -> None:
        cp = cupy()
        self._planes, self._layout, self._n_planes = planes, layout, n_planes
        self._ends = cp.asarray(layout.ends)
        self._kernel = compiled(_native.CUDA_SWEEP, "sweep")
        self._masks_here = pinned((AT_ONCE, layout.n_words), np.uint64)
        # Words between segments must be 0, because the kernel counts all words; ``spread`` never
        # writes them.
        self._masks_here[:] = 0
        self._masks = cp.empty((AT_ONCE, layout.n_words), np.uint64)
        self.stream = cp.cuda.Stream(non_blocking=True)

    def count(self, masks: Words, counts: Any) -> None:
        """Start a sweep of at most eight masks into GPU memory, on the stream."""
        n = len(masks)
        self._layout.spread(masks, self._masks_here[:n])
        with self.stream:
            self._masks[:n].set(self._masks_here[:n])
            self._kernel(
                (-(-self._n_planes // _PLANES),),
                (_THREADS,),
                (
                    self._planes, np.uint64(self._layout.n_words * 8), np.int32(self._n_planes),
                    self._ends, np.int32(len(self._layout.ends)), self._masks, np.int32(n), counts,
                ),
            )  # fmt: skip


class _Selection:
    """Selects literals by the counts of a sweep of two segments, for one thread at a time.

    Parameters
    ----------
    sweeps : _Sweeps
        Runs the sweeps.
    bits : BitMatrix
        The matrix with the literals.
    """

    def __init__(self, sweeps: _Sweeps, bits: BitMatrix) -> None:
        cp = cupy()
        table = bits.table
        self._sweeps = sweeps
        self._n_planes = len(bits.planes)
        self._counts = cp.empty(2 * AT_ONCE * self._n_planes, dtype=np.int32)
        self._table = [cp.asarray(column) for column in (table.plane, table.valid)]
        self._table.append(cp.asarray(table.complement.view(np.uint8)))
        self._n_literals = len(table.plane)
        self._kernel = compiled(_native.CUDA_SWEEP, "select_literals")
        self._n_selected = cp.zeros(1, dtype=np.uint32)
        self._selected: Any = None
        self._one = threading.Lock()

    def __call__(self, masks: Words, of_masks: Counts, ruled_out: Counts, selected: Counts) -> int:
        cp = cupy()
        with self._one, self._sweeps.stream as stream:
            if self._selected is None or len(self._selected) < len(selected):
                self._selected = cp.empty(selected.shape, dtype=np.int32)
            self._n_selected.fill(0)
            spans = cp.asarray(ruled_out)
            for first in range(0, len(masks), AT_ONCE):
                some = slice(first, first + AT_ONCE)
                self._sweeps.count(masks[some], self._counts)
                n = len(masks[some])
                self._kernel(
                    (-(-self._n_literals // _THREADS), n),
                    (_THREADS,),
                    (
                        self._counts, np.int32(n), np.int32(self._n_planes), *self._table,
                        np.int32(self._n_literals), cp.asarray(of_masks[:, some]), spans,
                        np.int32(first), self._selected, self._n_selected,
                        np.uint32(len(selected)),
                    ),
                )  # fmt: skip
                # The buffer of the masks can be overwritten only after the sweep.
                stream.synchronize()
            found = int(self._n_selected.get()[0])
            there = min(found, len(selected))
            selected[:there] = self._selected[:there].get()
        return found


class GpuPlanes:
    """Planes on a GPU.

    Parameters
    ----------
    bits : BitMatrix
        The matrix with the planes.
    """

    def __init__(self, bits: BitMatrix) -> None:
        cp = cupy()
        self._layout = Layout(bits.offsets)
        self._n_planes, self._n_segments = len(bits.planes), len(bits.segments)
        # A block of the kernel reads 128 planes, so padding planes of zeros are added.
        rows = max(1, -(-self._n_planes // _PLANES)) * _PLANES
        self._require_memory(rows)
        self._planes = cp.zeros((rows, self._layout.n_words), np.uint64)
        self._send(bits.planes)
        # One for sweeps and one for selections, which run concurrently and need separate buffers.
        self._sweeps, selecting = (
            _Sweeps(self._planes, self._layout, self._n_planes) for _ in range(2)
        )
        slots = [_Counts(self._n_segments, self._n_planes) for _ in range(_SLOTS)]
        self.sweep = SharedLaunches(self._launch, slots).sweep
        self.select = _Selection(selecting, bits)
        cp.cuda.Device().synchronize()

    def _require_memory(self, rows: int) -> None:
        counts = (_SLOTS * self._n_segments + 2) * AT_ONCE * self._n_planes * 4
        needed = rows * self._layout.n_words * 8 + counts + 2 * _STAGING
        free = free_memory()
        if needed > free:
            raise InputError(
                f"The table needs {needed / 2**30:.1f} GiB of GPU memory, and {free / 2**30:.1f} "
                "GiB are free; offer fewer literals, or use device='cpu'."
            )

    def _send(self, planes: Words) -> None:
        words = max(1, planes.shape[1])
        length = max(1, min(len(planes), _STAGING // (8 * words)))
        # Two buffers in turn: one is filled while the other is transferred.
        slots = [Staging((length, words)) for _ in range(2)]
        for turn, first in enumerate(range(0, len(planes), length)):
            sent = slots[turn % 2].send(planes[first : first + length])
            self._layout.spread(sent, self._planes[first : first + len(sent)])
        # Wait for the transfers before the buffers are freed: their memory could be reused at once.
        cupy().cuda.get_current_stream().synchronize()

    def _launch(self, masks: list[Words], slot: _Counts) -> None:
        slot.shape = (self._n_segments, sum(map(len, masks)), self._n_planes)
        size = int(np.prod(slot.shape))
        if size == 0:
            return
        self._sweeps.count(np.concatenate(masks), slot.there)
        stream = self._sweeps.stream
        slot.there[:size].get(out=slot.here[:size], stream=stream, blocking=False)
        stream.synchronize()
