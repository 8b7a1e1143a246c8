"""Files that are either written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..errors import InputError


@contextmanager
def atomic_path(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a temporary path beside ``path``; on success it takes that name, else it is removed.

    Of a symbolic link the file that it points to is replaced, not the link.

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
        handle, name = tempfile.mkstemp(
            dir=target.parent, prefix=f".{target.stem[:40]}.", suffix="".join(target.suffixes)
        )
    except OSError as error:
        raise InputError(f"Cannot write {path}: {error.strerror}.") from error
    os.close(handle)
    part = Path(name)
    try:
        yield part
        part.chmod(0o666 & ~_umask())
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def writable(path: str | os.PathLike[str]) -> Path:
    """Return the file that a path stands for; InputError when it cannot be written whole.

    For asking before hours of work, not after them.

    Examples
    --------
    >>> from bayesdnf.files.atomic import writable
    >>> writable("no/such/folder/rule.txt")
    Traceback (most recent call last):
        ...
    bayesdnf.errors.InputError: Cannot write no/such/folder/rule.txt: the folder ...
    """
    given, target = Path(path), Path(os.path.realpath(path))
    try:
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
        raise InputError(f"Cannot write {given}: {error.strerror}.") from error
    if len(os.fsencode(target.name)) > longest:
        raise InputError(f"Cannot write {given}: its name is longer than {longest} bytes.")
    if not os.access(target.parent, os.W_OK):
        raise InputError(f"Cannot write {given}: Permission denied.")
    return target


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
