"""Files that can be read only once: standard input and pipes, buffered in memory."""

from __future__ import annotations

import io
import os
import stat
import sys

from ..errors import InputError

STANDARD_INPUT = "-"
_BLOCK = 1 << 20

_held: dict[str, bytes] = {}


def is_piped(path: str | os.PathLike[str]) -> bool:
    """Return whether a path is ``-``, a pipe or a device, which cannot be read twice.

    Examples
    --------
    >>> from bayesdnf.files.piped import is_piped
    >>> is_piped("-"), is_piped("./-")
    (True, False)
    """
    if os.fspath(path) == STANDARD_INPUT:
        return True
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or stat.S_ISCHR(mode)


def open_bytes(path: str | os.PathLike[str]) -> io.BufferedReader | io.BytesIO:
    """Open a file to read, as often as one likes; :func:`hold` reads a pipe first."""
    if not is_piped(path):
        return open(path, "rb")
    hold(path)
    return io.BytesIO(_held[os.fspath(path)])


def hold(path: str | os.PathLike[str], most: int | None = None, limit: str = "") -> None:
    """Read a pipe into memory, unless it was read before.

    Parameters
    ----------
    path : path
        The pipe, or ``-`` for standard input.
    most : int, optional
        Maximum number of bytes to read.
    limit : str
        Name of this limit in errors.
    """
    name = os.fspath(path)
    if name in _held:
        return
    read = bytearray()
    # Standard input is not closed, because it belongs to the process.
    own = name == STANDARD_INPUT
    if own and sys.stdin is None:
        raise InputError("Cannot read -: there is no standard input.")
    with open(sys.stdin.fileno() if own else name, "rb", closefd=not own) as pipe:
        while block := pipe.read(_BLOCK):
            read += block
            if most is not None and len(read) > most:
                raise InputError(f"Cannot read {name}: its text is longer than {limit}.")
    _held[name] = bytes(read)
