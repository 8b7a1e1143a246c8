"""Check whether a table fits in memory before allocating it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from ..errors import OutOfMemoryError

_ROOT = Path("/")
_KIBIBYTE = 1024


def available_memory() -> int | None:
    """Return the bytes that this process can still allocate, or None if unknown.

    On Linux this is ``MemAvailable``, or what is left below the limit of the
    process's control group (a container, a batch job) where that is less.

    Examples
    --------
    >>> from bayesdnf.data.memory import available_memory
    >>> free = available_memory()
    >>> free is None or free >= 0
    True
    """
    free = [_meminfo_available(), *_cgroup_room()]
    known = [n for n in free if n is not None]
    return min(known) if known else None


def require_memory(n_bytes: int, what: str, instead: str = "Use fewer rows or columns") -> None:
    """Raise :class:`~bayesdnf.errors.OutOfMemoryError` when ``n_bytes`` are not free.

    Parameters
    ----------
    n_bytes : int
        Bytes about to be allocated.
    what : str
        What needs them, as the beginning of a sentence: "A table of 10 rows".
    instead : str
        What to do about it.

    Examples
    --------
    >>> from bayesdnf.data.memory import require_memory
    >>> require_memory(1000, "A table of 10 rows by 100 columns")
    >>> require_memory(2**70, "A table of too many rows")
    Traceback (most recent call last):
    ...
    bayesdnf.errors.OutOfMemoryError: A table of too many rows needs 1,024.0 EiB, ...
    """
    free = available_memory()
    if n_bytes <= (sys.maxsize if free is None else free):
        return
    there = "no machine has that much" if free is None else f"{size_text(free)} are free"
    raise OutOfMemoryError(f"{what} needs {size_text(n_bytes)}, and {there}. {instead}.")


def size_text(n_bytes: int) -> str:
    """Format a number of bytes, such as ``20.3 GiB``."""
    units = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]
    power = max(0, min(len(units) - 1, (n_bytes.bit_length() - 1) // 10))
    if power == 0:
        return f"{n_bytes} bytes"
    # Tenths as whole numbers: a float would overflow on absurd sizes.
    tenths = (10 * n_bytes + _KIBIBYTE**power // 2) // _KIBIBYTE**power
    return f"{tenths // 10:,}.{tenths % 10} {units[power]}"


def _read(path: Path) -> str | None:
    try:
        return path.read_text()
    except OSError:
        return None


def _number(path: Path) -> int | None:
    """Read a file that holds one whole number; None for "max" or no file."""
    text = (_read(path) or "").strip()
    return int(text) if text.isdecimal() else None


def _meminfo_available() -> int | None:
    for line in (_read(_ROOT / "proc/meminfo") or "").splitlines():
        name, _, value = line.partition(":")
        if name == "MemAvailable":
            return int(value.split()[0]) * _KIBIBYTE
    return None


def _cgroup_room() -> Iterator[int]:
    """Yield the free memory of the process's control group and of each of its ancestors."""
    for line in (_read(_ROOT / "proc/self/cgroup") or "").splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers == "":  # version 2
            mount, names = "sys/fs/cgroup", ("memory.max", "memory.current", "inactive_file")
        elif "memory" in controllers.split(","):  # version 1
            mount = "sys/fs/cgroup/memory"
            names = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
        else:
            continue
        group = Path(path.lstrip("/"))
        # In a container the path may be the host's: groups not seen from here are skipped.
        for folder in (group, *group.parents):
            room = _room(_ROOT / mount / folder, *names)
            if room is not None:
                yield room


def _room(folder: Path, limit_name: str, usage_name: str, cache_name: str) -> int | None:
    limit, usage = _number(folder / limit_name), _number(folder / usage_name)
    if limit is None or usage is None:
        return None
    # File cache counts as used, but the kernel reclaims it on demand.
    statistics = dict(line.split() for line in (_read(folder / "memory.stat") or "").splitlines())
    return max(0, limit - usage + int(statistics.get(cache_name, 0)))
