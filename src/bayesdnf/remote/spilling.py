"""Tables in memory, packed into files that workers can read."""

from __future__ import annotations

import contextlib
import os
import tempfile
import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

from ..errors import InputError
from .clusters import Cluster
from .on_worker import PackedReference

SPILL = "BAYESDNF_SPILL"
_lock = threading.Lock()
_spilled: weakref.WeakKeyDictionary[object, dict[str, PackedReference]] = (
    weakref.WeakKeyDictionary()
)


def spill_folder(cluster: Cluster) -> Path:
    """Return a folder that all workers can read; raise InputError if none is known.

    Parameters
    ----------
    cluster : Cluster
        The cluster.
    """
    named = os.environ.get(SPILL)
    if named:
        folder = Path(named).absolute()
        if not folder.is_dir():
            raise InputError(f"{SPILL} must name a folder that all workers see, not {named!r}.")
        return folder
    if cluster.on_this_machine:
        return Path(tempfile.gettempdir())
    raise InputError(
        "A table in memory is sent to workers as a packed file; set the environment variable "
        f"{SPILL} to a folder that this machine and all workers see."
    )


def spilled(
    owner: object, kind: str, write: Callable[[Path], str], cluster: Cluster
) -> PackedReference:
    """Pack an object once, into a file that is removed when its owner is freed.

    Parameters
    ----------
    owner : object
        The object that is packed; workers keep their mappings.
    kind : str
        Kind of the packed file.
    write : callable
        Writes the file and returns its hash.
    cluster : Cluster
        The cluster whose workers must be able to read it.
    """
    with _lock:
        # Weak keys: the entry of a file does not keep its table alive.
        have = _spilled.setdefault(owner, {})
        if kind not in have:
            path = spill_folder(cluster) / f"bayesdnf-{uuid4().hex[:16]}.pack"
            have[kind] = PackedReference(str(path), kind, write(path))
            # The finalizer also runs at the end of the process, if the owner is still alive.
            weakref.finalize(owner, _remove, path)
        return have[kind]


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()
