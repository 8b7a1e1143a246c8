"""Atomic writes: a file is complete or unchanged."""

from __future__ import annotations

import contextlib
import glob
import os
import tempfile
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from ..errors import InputError

_MARK = "bayesdnf-part"  # in the names of temporary files, so that they are known as such
_BEFORE = 40  # characters of the file's own name before it
# Windows has no such locks, and removes no file that is open.
_locks: Any = None if os.name == "nt" else import_module("fcntl")


@contextlib.contextmanager
def atomic_path(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary path next to ``path``; rename it on success, else remove it.

    Whatever the system refuses (a full disk, a limit on sizes, a read-only file) is one InputError
    that names the file. Of a symbolic link the file that it points to is replaced, not the link.
    Temporary files of writers that were killed are removed.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from bayesdnf.files.atomic import atomic_path
    >>> target = pathlib.Path(tempfile.mkdtemp()) / "rule.txt"
    >>> with atomic_path(target) as part:
    ...     _ = part.write_text("odor = f")
    >>> target.read_text()
    'odor = f'
    """
    target = writable(path)
    try:
        _remove_leftovers(target)
        handle, part = _locked_part(target)
        try:
            yield part
            _to_disk(part)
            # mkstemp makes files that only their owner can read; other files get what the umask
            # leaves.
            part.chmod(0o666 & ~_umask())
            os.close(handle)  # Windows renames no file that is open
            handle = -1
            part.replace(target)
        finally:
            if handle >= 0:
                os.close(handle)
            part.unlink(missing_ok=True)
    except OSError as error:
        raise InputError(f"Cannot write {path}: {error.strerror or error}.") from error


def write_bytes(path: str | os.PathLike[str], content: bytes | memoryview) -> None:
    """Write a file, whole or not at all; InputError, which names it, when that fails.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from bayesdnf.files.atomic import write_bytes
    >>> target = pathlib.Path(tempfile.mkdtemp()) / "rule.txt"
    >>> write_bytes(target, b"odor = f")
    >>> target.read_bytes()
    b'odor = f'
    """
    with atomic_path(path) as part:
        part.write_bytes(content)


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text as UTF-8 with plain line ends, whole or not at all."""
    write_bytes(path, text.encode("utf-8"))


def writable(path: str | os.PathLike[str]) -> Path:
    """Resolve a path to a file; raise InputError if it cannot be written atomically.

    For asking before hours of work, not after them.

    Examples
    --------
    >>> from bayesdnf.files.atomic import writable
    >>> writable("no/such/folder/rule.txt")
    Traceback (most recent call last):
        ...
    bayesdnf.errors.InputError: Cannot write no/such/folder/rule.txt: the folder ...
    """
    try:
        given, target = Path(path), Path(os.path.realpath(path))
        if not target.parent.is_dir():
            folder = given.parent if not given.is_symlink() else target.parent
            raise InputError(f"Cannot write {given}: the folder {folder} does not exist.")
        if target.is_dir():
            raise InputError(f"Cannot write {given}: it is a folder; name a file in it.")
        if target.exists() and not target.is_file():
            raise InputError(f"Cannot write {given}: it is a device or a pipe; name a file.")
        # Python 3.12's tests above say no to a name that is too long, where 3.11's raise.
        longest = os.pathconf(target.parent, "PC_NAME_MAX") if hasattr(os, "pathconf") else 255
    except OSError as error:
        raise InputError(f"Cannot write {path}: {error.strerror}.") from error
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        name = os.fspath(path)
        # Each Python has words of its own for this.
        why = "a name can hold no null character" if "\0" in name else str(error)
        raise InputError(f"Cannot write {name!r}: {why}.") from error
    if len(os.fsencode(target.name)) > longest:
        raise InputError(f"Cannot write {given}: its name is longer than {longest} bytes.")
    if target.exists() and not os.access(target, os.W_OK):
        raise InputError(f"Cannot write {given}: the file is read-only.")
    if not os.access(target.parent, os.W_OK):
        raise InputError(f"Cannot write {given}: Permission denied.")
    return target


def _locked_part(target: Path) -> tuple[int, Path]:
    """Make a temporary file, and keep it open and locked as a sign that its writer is alive."""
    while True:
        handle, name = tempfile.mkstemp(
            dir=target.parent,
            prefix=f".{target.stem[:_BEFORE]}.{_MARK}-",
            suffix="".join(target.suffixes),
        )
        with contextlib.suppress(OSError):  # some file systems have no locks
            _lock(handle)
        if os.path.exists(name):  # before it was locked, another may have taken it for a leftover
            return handle, Path(name)
        os.close(handle)


def _remove_leftovers(target: Path) -> None:
    """Remove temporary files of killed writers of this file."""
    start = glob.escape(f".{target.stem[:_BEFORE]}.{_MARK}-")
    for old in target.parent.glob(f"{start}*{glob.escape(''.join(target.suffixes))}"):
        with contextlib.suppress(OSError):  # one that is in use
            if _locks is None:
                old.unlink()
                continue
            handle = os.open(old, os.O_RDWR)
            try:
                _lock(handle)
                old.unlink()
            finally:
                os.close(handle)


def _lock(handle: int) -> None:
    """Lock an open file; OSError when another has locked it."""
    if _locks is not None:
        _locks.flock(handle, _locks.LOCK_EX | _locks.LOCK_NB)


def _to_disk(part: Path) -> None:
    """Wait until the file is on disk, because some systems tell only then that it does not fit."""
    with part.open("r+b") as file:
        os.fsync(file.fileno())


def _umask() -> int:
    # The umask can be read only by setting it.
    mask = os.umask(0)
    os.umask(mask)
    return mask
