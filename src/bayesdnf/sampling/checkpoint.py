"""checkpoint: a long run's state on disk, whole at every moment.

Two files are written in turn, PATH.0 and PATH.1, each as a whole, so that the newer one that can
be read is never older than the last interval, whenever the process is killed. A file is an npz
without pickle: reading one runs no code.
"""

from __future__ import annotations

import json
import os
import time
import zipfile
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InputError
from ..files.atomic import atomic_path, writable
from ..model.flat_functions import FlatFunctions
from .kernel import Info, Snapshot, Terms
from .records import ChainRecord

_VERSION = 3
_FUNCTIONS = "functions"


class Checkpoint:
    """The state of one run, kept in two files.

    Parameters
    ----------
    path : path
        Where; ``.0`` and ``.1`` are added to it.
    settings : dict
        What the run is: a state of another run, or of other data, is refused.
    """

    def __init__(self, path: str | os.PathLike[str], settings: dict[str, Any]) -> None:
        self.files = tuple(Path(f"{os.fspath(path)}.{i}") for i in (0, 1))
        for file in self.files:
            writable(file)
        self.settings = settings
        self._saved = time.monotonic()
        self._next = 0

    def load(self) -> list[ChainRecord] | None:
        """Return the newest state that can be read whole, or None when there is no file.

        Raises
        ------
        InputError
            When it is the state of another run, or when files are there and none can be read.
        """
        states = [self._read(file) for file in self.files if file.exists()]
        if not states:
            return None
        whole = [state for state in states if state is not None]
        if not whole:
            raise InputError(
                f"Neither {self.files[0]} nor {self.files[1]} is a checkpoint that can be read; "
                "remove them to start anew."
            )
        newest, records = max(whole, key=lambda state: state[0]["number"])
        for name, value in self.settings.items():
            if newest["settings"].get(name) != value:
                raise InputError(
                    f"The checkpoint {self.files[newest['number'] % 2]} is of another run: its "
                    f"{name} is {newest['settings'].get(name)!r}, here it is {value!r}."
                )
        self._next = newest["number"] + 1
        return records

    def save_if_due(self, records: Sequence[ChainRecord], every: float) -> None:
        """Write the state when the last one is ``every`` seconds old."""
        if time.monotonic() - self._saved >= every:
            self.save(records)

    def save(self, records: Sequence[ChainRecord]) -> None:
        """Write the state now."""
        head = {
            "version": _VERSION,
            "number": self._next,
            "settings": self.settings,
            "snapshots": [record.snapshot._asdict() for record in records],
        }
        arrays: dict[str, Any] = {"head": np.array(json.dumps(head))}
        for chain, record in enumerate(records):
            for info in record.joined().pieces:
                for field in fields(Info):
                    value = getattr(info, field.name)
                    if field.name == _FUNCTIONS:
                        for part, array in value._asdict().items():
                            arrays[f"{chain}.{_FUNCTIONS}.{part}"] = array
                    else:
                        arrays[f"{chain}.{field.name}"] = value
        with atomic_path(self.files[self._next % 2]) as part_file, part_file.open("wb") as handle:
            np.savez(handle, **arrays)
            handle.flush()
            os.fsync(handle.fileno())
        self._saved = time.monotonic()
        self._next += 1

    def _read(self, file: Path) -> tuple[dict[str, Any], list[ChainRecord]] | None:
        try:
            with file.open("rb") as handle, np.load(handle, allow_pickle=False) as arrays:
                head = json.loads(str(arrays["head"]))
                if head["version"] != _VERSION:
                    raise InputError(
                        f"The checkpoint {file} has format {head['version']}; "
                        f"this version of bayesdnf reads format {_VERSION}."
                    )
                records = [
                    _record(arrays, chain, snapshot)
                    for chain, snapshot in enumerate(head["snapshots"])
                ]
        except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile) as error:
            if isinstance(error, InputError):
                raise
            return None
        return head, records


def _terms(terms: Any) -> Terms:
    return tuple(tuple(int(i) for i in term) for term in terms)


def _record(arrays: Any, chain: int, snapshot: dict[str, Any]) -> ChainRecord:
    where = Snapshot(
        functions=tuple(_terms(terms) for terms in snapshot["functions"]),
        layers=tuple(tuple(int(g) for g in layers) for layers in snapshot["layers"]),
        key=(int(snapshot["key"][0]), int(snapshot["key"][1])),
        counter=tuple(int(c) for c in snapshot["counter"]),  # type: ignore[arg-type]
        used=int(snapshot["used"]),
        step=int(snapshot["step"]),
        known=tuple(
            (_terms(terms), tuple(int(g) for g in layers)) for terms, layers in snapshot["known"]
        ),
    )
    if f"{chain}.draws" not in arrays:
        return ChainRecord(where)
    flat = FlatFunctions(
        *(arrays[f"{chain}.{_FUNCTIONS}.{part}"] for part in FlatFunctions._fields)
    )
    others = {f.name: arrays[f"{chain}.{f.name}"] for f in fields(Info) if f.name != _FUNCTIONS}
    return ChainRecord(where, (Info(functions=flat, **others),))
