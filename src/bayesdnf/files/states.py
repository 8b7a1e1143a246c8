"""States of long runs: metadata and arrays in one sealed file, written atomically.

A file is an npz without pickle, followed by a seal: reading it runs no code, and damage is
detected. The run that resumes from a state checks its contents.
"""

from __future__ import annotations

import io
import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from .atomic import writable, write_bytes
from .seals import opened, seal

_SAVE_EVERY = 60.0  # seconds between states of a run that keeps one file
_VERSION = 1


class RunState(NamedTuple):
    """Contents of a state file."""

    head: dict[str, Any]
    arrays: dict[str, NDArray[Any]]


def write_state(
    path: Path, kind: str, version: int, head: Mapping[str, Any], arrays: Mapping[str, Any]
) -> None:
    """Write a state, whole or not at all.

    Parameters
    ----------
    path : Path
        The file.
    kind : str
        Kind of file, such as ``bayesdnf.checkpoint``.
    version : int
        Version of that format.
    head : dict
        What JSON can hold.
    arrays : dict of ndarray
        The rest; none is named ``head``.
    """
    image = io.BytesIO()
    np.savez(image, head=np.array(json.dumps(head)), **arrays)
    write_bytes(path, seal(image.getbuffer(), kind, version))


def read_state(path: Path, kind: str, version: int) -> RunState | None:
    """Read what :func:`write_state` wrote; None when the file is not as it was written."""
    try:
        found = opened(path.read_bytes(), kind)
    except OSError as error:
        raise InputError(f"Cannot read {path}: {error.strerror}.") from error
    if found is None or not found.intact:
        return None
    if found.version != version:
        raise InputError(
            f"The checkpoint {path} has format {found.version}; "
            f"this version of bayesdnf reads format {version}."
        )
    try:
        with np.load(io.BytesIO(found.content), allow_pickle=False) as archive:
            # Nothing that is written is compressed: what is could be larger than any memory.
            if sum(entry.file_size for entry in archive.zip.infolist()) > len(found.content):
                return None
            arrays = dict(archive)
        head = json.loads(str(arrays.pop("head")))
    except Exception:  # noqa: BLE001  whatever a forged file makes its readers raise
        return None
    return RunState(head, arrays) if isinstance(head, dict) else None


class StateFile:
    """The file in which a run keeps its state, for the same run to go on from.

    Parameters
    ----------
    path : path
        The file.
    what : str
        What runs, in words: ``scan``.
    settings : dict
        What the run is: a state of another one is refused.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from bayesdnf.files.states import StateFile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "state"
    >>> StateFile(path, "scan", {"top": 10}).save({"done": [3]})
    >>> StateFile(path, "scan", {"top": 10}).load().head["done"]
    [3]
    >>> StateFile(path, "scan", {"top": 20}).load()
    Traceback (most recent call last):
        ...
    bayesdnf.errors.InputError: The checkpoint ... is of another scan: its top is 10, here it is 20.
    """

    def __init__(self, path: str | os.PathLike[str], what: str, settings: dict[str, Any]) -> None:
        self.path = writable(path)
        self._what, self._kind = what, f"bayesdnf.{what.replace(' ', '-')}-checkpoint"
        self._settings = json.loads(json.dumps(settings))  # as it is read back
        self._saved = time.monotonic()

    def load(self) -> RunState | None:
        """Return the state; None when there is no file."""
        if not self.path.exists():
            return None
        found = read_state(self.path, self._kind, _VERSION)
        if found is None or not isinstance(found.head.get("settings"), dict):
            raise InputError(
                f"{self.path} is not a checkpoint of a {self._what}, or a damaged one; remove it "
                "to start again."
            )
        there = found.head["settings"]
        for name, value in self._settings.items():
            if there.get(name) != value:
                raise InputError(
                    f"The checkpoint {self.path} is of another {self._what}: its {name} is "
                    f"{there.get(name)!r}, here it is {value!r}."
                )
        return found

    def damaged(self, why: object) -> InputError:
        """Return the error for a state that holds what it cannot."""
        return InputError(
            f"The checkpoint {self.path} is damaged: {why}; remove it to start again."
        )

    @property
    def due(self) -> bool:
        """Whether the last state is old enough to write another."""
        return time.monotonic() - self._saved >= _SAVE_EVERY

    def save(
        self, head: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]] | None = None
    ) -> None:
        """Write the state now."""
        whole = {"settings": self._settings, **head}
        write_state(self.path, self._kind, _VERSION, whole, arrays or {})
        self._saved = time.monotonic()
