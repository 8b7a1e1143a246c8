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
    """Return a folder that the workers see; InputError where none is known.

    Parameters
    ----------
    cluster : Cluster
        Whose workers.
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
    """Pack something once, into a file that goes when its owner does.

    Parameters
    ----------
    owner : object
        What is packed; workers keep what they have mapped.
    kind : str
        What the packed file holds.
    write : callable
        Writes the file and returns its hash.
    cluster : Cluster
        Whose workers must see it.
    """
    with _lock:
        # Weak keys: a table that nobody holds any more is not kept alive by its file's entry.
        have = _spilled.setdefault(owner, {})
        if kind not in have:
            path = spill_folder(cluster) / f"bayesdnf-{uuid4().hex[:16]}.pack"
            have[kind] = PackedReference(str(path), kind, write(path))
            # A finalizer runs at the end of the process, too, also where the owner is still alive.
            weakref.finalize(owner, _remove, path)
        return have[kind]


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()
