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

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from bayesdnf.data.atomic import atomic_path
    >>> target = pathlib.Path(tempfile.mkdtemp()) / "rule.txt"
    >>> with atomic_path(target) as part:
    ...     _ = part.write_text("odor = f")
    >>> target.read_text()
    'odor = f'
    """
    target = Path(path)
    if not target.parent.is_dir():
        raise InputError(f"Cannot write {target}: the folder {target.parent} does not exist.")
    if target.is_dir():
        raise InputError(f"Cannot write {target}: it is a folder; name a file in it.")
    try:
        handle, name = tempfile.mkstemp(
            dir=target.parent, prefix=f".{target.stem}.", suffix="".join(target.suffixes)
        )
    except OSError as error:
        raise InputError(f"Cannot write {target}: {error.strerror}.") from error
    os.close(handle)
    part = Path(name)
    try:
        yield part
        part.chmod(0o666 & ~_umask())
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
