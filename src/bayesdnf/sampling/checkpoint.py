"""Checkpoints of long runs: the state on disk is complete at any time.

Two files, PATH.0 and PATH.1, are written alternately and atomically, so the newest readable file is
never older than the last interval, even if the process is killed. The run that resumes from a file
checks its contents.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..checks import is_whole
from ..errors import InputError
from ..files.atomic import writable
from ..files.states import RunState, read_state, write_state
from ..model.flat_functions import FlatFunctions, as_flat
from ..model.posterior import Posterior, Scores
from .kernel import MOVES, Info, Snapshot, Terms
from .records import ChainRecord

_FORMAT = "bayesdnf.checkpoint"
_VERSION = 3
_FUNCTIONS = "functions"
_WORD = 2**64 - 1


class Checkpoint:
    """State of one run, written alternately to two files.

    Parameters
    ----------
    path : path
        Path to which ``.0`` and ``.1`` are added, and ``.search`` while the search for the
        starts of chains runs.
    settings : dict
        Identify the run: a state of another run, or of other data, is refused.
    """

    def __init__(self, path: str | os.PathLike[str], settings: dict[str, Any]) -> None:
        if not Path(path).name:
            raise InputError(f"Cannot keep a checkpoint in {os.fspath(path)!r}: name a file.")
        self.files = tuple(Path(f"{os.fspath(path)}.{i}") for i in (0, 1))
        self.search = Path(f"{os.fspath(path)}.search")  # of where chains start, before they do
        for file in (*self.files, self.search):
            writable(file)
        self.settings = settings
        self._saved = time.monotonic()
        self._next = 0

    def load(self, posterior: Posterior) -> list[ChainRecord] | None:
        """Return the newest state that can be read whole, or None when there is no file.

        Parameters
        ----------
        posterior : Posterior
            The posterior that is sampled; functions of a state must have its scores.

        Raises
        ------
        InputError
            If it is the state of another run, or files exist and none can be read.
        """
        there = [file for file in self.files if file.exists()]
        states = {file: state for file in there if (state := _read(file)) is not None}
        if not there:
            return None
        if not states:
            raise InputError(
                f"Neither {self.files[0]} nor {self.files[1]} is a checkpoint that can be read; "
                "remove them to start again."
            )
        file = max(states, key=lambda file: states[file].head["number"])
        head = states[file].head
        for name, value in self.settings.items():
            if head["settings"].get(name) != value:
                raise InputError(
                    f"The checkpoint {file} is of another run: its "
                    f"{name} is {head['settings'].get(name)!r}, here it is {value!r}."
                )
        try:
            records = _Reader(states[file], self.settings, posterior).records()
        except Exception as error:  # any error that forged arrays cause in numpy or the core
            what = error if isinstance(error, ValueError) else "its contents are not as expected"
            raise InputError(
                f"The checkpoint {file} is damaged: {what}; remove it to resume from the other "
                "one, or both to start again."
            ) from error
        self._next = head["number"] + 1
        return records

    def save_if_due(self, records: Sequence[ChainRecord], every: float) -> None:
        """Write the state if the last one is ``every`` seconds old."""
        if time.monotonic() - self._saved >= every:
            self.save(records)

    def save(self, records: Sequence[ChainRecord]) -> None:
        """Write the state now."""
        head = {
            "number": self._next,
            "settings": self.settings,
            "snapshots": [record.snapshot._asdict() for record in records],
        }
        arrays: dict[str, Any] = {}
        for chain, record in enumerate(records):
            for info in record.joined().pieces:
                for field in fields(Info):
                    value = getattr(info, field.name)
                    if field.name == _FUNCTIONS:
                        for part, array in value._asdict().items():
                            arrays[f"{chain}.{_FUNCTIONS}.{part}"] = array
                    else:
                        arrays[f"{chain}.{field.name}"] = value
        # Two files in turn: while one is written, the other is whole.
        write_state(self.files[self._next % 2], _FORMAT, _VERSION, head, arrays)
        # Remove the file of the search only after the state is on disk: the state has the chains'
        # starts, for which the file was kept.
        self.search.unlink(missing_ok=True)
        self._saved = time.monotonic()
        self._next += 1


def _read(file: Path) -> RunState | None:
    """Return the state in a file; None if it is damaged."""
    found = read_state(file, _FORMAT, _VERSION)
    if found is None or not is_whole(found.head.get("number"), 0, _WORD):
        return None
    return found if isinstance(found.head.get("settings"), dict) else None


class _Reader:
    """Reader of a state that checks each field; raises ValueError."""

    def __init__(self, state: RunState, run: dict[str, Any], posterior: Posterior) -> None:
        self._state, self._run, self._posterior = state, run, posterior
        self._n_betas = len(run["betas"])
        self._steps = (run["draws"] + run["warmup"]) * run["thin"]

    def records(self) -> list[ChainRecord]:
        """Return the chains' records."""
        snapshots = self._state.head.get("snapshots")
        if not isinstance(snapshots, list) or len(snapshots) != self._run["chains"]:
            raise ValueError(f"it has no state of each of {self._run['chains']} chains")
        return [self._record(chain, snapshot) for chain, snapshot in enumerate(snapshots)]

    def _record(self, chain: int, snapshot: dict[str, Any]) -> ChainRecord:
        where = self._snapshot(snapshot)
        drawn = where.step // self._run["thin"]
        if f"{chain}.draws" not in self._state.arrays:
            if drawn:
                raise ValueError(f"chain {chain + 1} has no draws")
            return ChainRecord(where)
        return ChainRecord(where, (self._info(chain, drawn),))

    def _snapshot(self, given: dict[str, Any]) -> Snapshot:
        where = Snapshot(
            functions=tuple(map(_terms, given["functions"])),
            layers=tuple(tuple(map(_integer, layers)) for layers in given["layers"]),
            key=tuple(map(_integer, given["key"])),  # type: ignore[arg-type]
            counter=tuple(map(_integer, given["counter"])),  # type: ignore[arg-type]
            used=_integer(given["used"]),
            step=_integer(given["step"]),
            known=tuple(
                (_terms(terms), tuple(map(_integer, layers))) for terms, layers in given["known"]
            ),
        )
        right = (
            len(where.functions) == len(where.layers) == self._n_betas
            and len(where.key) == 2
            and len(where.counter) == 4
            # Philox makes blocks of four numbers.
            and where.used <= 4
            and where.step <= self._steps
        )
        if not right:
            raise ValueError("the position of a chain is impossible")
        places = [*zip(where.functions, where.layers, strict=True), *where.known]
        self._scores(as_flat(zip(layers, terms, strict=True) for terms, layers in places))
        return where

    def _info(self, chain: int, drawn: int) -> Info:
        functions = FlatFunctions(
            *(
                self._array(f"{chain}.{_FUNCTIONS}.{part}", kind, -1)
                for part, kind in zip(
                    FlatFunctions._fields, (np.int64, np.int64, np.int32, np.int32), strict=True
                )
            )
        )
        scores = self._scores(functions)
        n, n_moves, n_pairs = len(scores.log_prior), len(MOVES), self._n_betas - 1
        info = Info(
            functions=functions,
            log_prior=self._array(f"{chain}.log_prior", np.float64, n),
            log_likelihood=self._array(f"{chain}.log_likelihood", np.float64, n),
            cells=self._array(f"{chain}.cells", np.int64, n, *scores.cells.shape[1:]),
            rows=self._array(f"{chain}.rows", np.uint64, n, 2),
            draws=self._array(f"{chain}.draws", np.int64, drawn),
            likelihoods=self._array(f"{chain}.likelihoods", np.float64, drawn, self._n_betas),
            tried=self._array(f"{chain}.tried", np.int64, n_moves),
            changed=self._array(f"{chain}.changed", np.int64, n_moves),
            exchanges_tried=self._array(f"{chain}.exchanges_tried", np.int64, n_pairs),
            exchanged=self._array(f"{chain}.exchanged", np.int64, n_pairs),
        )
        # Everything that can be recomputed is compared bit by bit, to reject states of other data
        # or of another version.
        for name in ("log_prior", "log_likelihood", "cells"):
            if not np.array_equal(getattr(info, name), getattr(scores, name)):
                raise ValueError(f"chain {chain + 1} has functions with another {name}")
        if drawn and not 0 <= info.draws.min() <= info.draws.max() < n:
            raise ValueError(f"chain {chain + 1} has a draw of an undefined function")
        if drawn and not np.array_equal(info.likelihoods[:, 0], info.log_likelihood[info.draws]):
            raise ValueError(f"chain {chain + 1} has draws with another likelihood")
        for some, all_ in ((info.changed, info.tried), (info.exchanged, info.exchanges_tried)):
            if (some < 0).any() or (some > all_).any():
                raise ValueError(f"chain {chain + 1} has impossible counts of moves")
        return info

    def _scores(self, functions: FlatFunctions) -> Scores:
        """Compute scores of functions, which the core validates; refuse disallowed ones."""
        scores = Scores(*self._posterior.native.score(*functions))
        if not np.isfinite(scores.log_score).all():
            raise ValueError("it has a function that the prior does not allow")
        return scores

    def _array(self, name: str, kind: type, *shape: int) -> NDArray[Any]:
        """Return an array of this type and shape; -1 stands for any length."""
        values: NDArray[Any] = self._state.arrays[name]
        fits = values.ndim == len(shape) and all(
            wanted in (-1, there) for wanted, there in zip(shape, values.shape, strict=True)
        )
        if values.dtype != np.dtype(kind) or not fits:
            raise ValueError(f"'{name}' has type {values.dtype} and shape {values.shape}")
        return np.ascontiguousarray(values)


def _terms(terms: Iterable[Iterable[object]]) -> Terms:
    return tuple(tuple(map(_integer, term)) for term in terms)


def _integer(value: object) -> int:
    if not is_whole(value, 0, _WORD):
        raise ValueError("the place of a chain holds something else than whole numbers")
    return int(value)  # type: ignore[call-overload, no-any-return]
