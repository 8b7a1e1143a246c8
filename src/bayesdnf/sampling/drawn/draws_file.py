"""Files of draws: one NetCDF file without code, which ArviZ reads too.

A file holds plain arrays and texts; reading it checks all of them and executes nothing. Files of
version 1 have functions without strata and only counts of marked rows. Files of version 2 have
neither copies on equal columns nor functions that were never drawn.
"""

from __future__ import annotations

import io
import json
import os
import re
from importlib import import_module
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from ...boolean.parsing import parse_literal
from ...data.outcome import MOST_CLASSES
from ...errors import InputError
from ...files.atomic import write_bytes
from ...files.seals import opened, seal
from ...model.flat_functions import FlatFunctions
from ..kernel import MOVES
from .draws_tree import (
    Group,
    attributes_of,
    coordinates_of,
    origin,
    require_arviz,
    sampled_groups,
    text_array,
)

if TYPE_CHECKING:
    from ...boolean import Literal
    from ...boolean.literal import Value
    from ..draws import Draws

_FORMAT = "bayesdnf.draws"
_VERSION = 3
_DOCUMENT = "document"
_HDF5 = b"\x89HDF\r\n\x1a\n"


def save(draws: Draws, path: str | os.PathLike[str], document: bytes = b"") -> None:
    """Write draws to one NetCDF file, atomically.

    ArviZ and xarray read it too. Additional arrays for :func:`read` are in separate groups, and so
    is an optional document.
    """
    require_arviz()
    import xarray as xr

    coordinates = coordinates_of(draws) | {"move": text_array(MOVES)}
    if "stratum" in coordinates:
        coordinates["stratum"] = text_array(map(_escape, coordinates["stratum"]))
    groups = sampled_groups(draws) | _own_groups(draws)
    groups[_DOCUMENT] = {"bytes": (["byte"], np.frombuffer(document, dtype=np.uint8))}
    head = {
        "format": _FORMAT,
        "schema_version": _VERSION,
        **attributes_of(draws),
    }
    datasets = {"/": xr.Dataset(attrs=head)}
    for name, group in groups.items():
        # Empty arrays are left out: in NetCDF a dimension of length 0 is unlimited.
        kept = {key: value for key, value in group.items() if np.size(value[1])}
        if not kept and name == _DOCUMENT:
            continue
        used = {dim for dims, _ in kept.values() for dim in dims}
        shared = {dim: values for dim, values in coordinates.items() if dim in used}
        datasets[name] = xr.Dataset(kept, coords=shared, attrs=origin())
    # In memory: HDF5 ends the process if it cannot write a file.
    image = io.BytesIO()
    xr.DataTree.from_dict(datasets).to_netcdf(image, engine="h5netcdf")
    write_bytes(path, seal(image.getbuffer(), _FORMAT, _VERSION))


def _own_groups(draws: Draws) -> dict[str, Group]:
    """Return the arrays that an ArviZ tree does not contain."""
    equal = [_escape(str(x)) for others in draws.equal for x in others]
    n_equal = np.array([len(others) for others in draws.equal], dtype=np.int64)
    return {
        "moves": {
            "tried": (["chain", "move"], draws.tried),
            "changed": (["chain", "move"], draws.changed),
            "exchanges_tried": (["chain", "exchange"], draws.exchanges_tried),
            "exchanged": (["chain", "exchange"], draws.exchanged),
        },
        "functions": {
            "term_starts": (["function_bound"], draws.functions.term_starts),
            "literal_starts": (["term_bound"], draws.functions.literal_starts),
            "literals": (["place"], draws.functions.literals),
            "layers": (["term"], draws.functions.layers),
            "log_prior": (["function"], draws.log_prior),
            "log_likelihood": (["function"], draws.log_likelihood),
            "cells": (["function", "stratum", "part", "outcome"], draws.cells),
            "rows": (["function", "half"], draws.rows),
            "log_copies": (["function"], draws.log_copies),
        },
        "undrawn": {
            "text": (["other_function"], text_array(_escape(text) for text, _ in draws.undrawn)),
            "log_mass": (["other_function"], np.array([mass for _, mass in draws.undrawn])),
            "log_null": (["null_function"], np.array([draws.log_null])),
        },
        "literals": {
            "text": (["literal"], text_array(_escape(str(x)) for x in draws.literals)),
            "n_equal": (["literal"], n_equal),
            "equal": (["other"], text_array(equal)),
        },
        "strata": {"label": (["stratum"], text_array(map(json.dumps, draws.strata)))},
    }


def is_netcdf(path: str | os.PathLike[str]) -> bool:
    """Return whether a file has the signature of HDF5; raise InputError if it cannot be read."""
    try:
        with open(path, "rb") as file:
            return file.read(len(_HDF5)) == _HDF5
    except OSError as error:
        raise InputError(f"Cannot read {path}: {error.strerror}.") from error


def read(path: str | os.PathLike[str]) -> tuple[dict[str, Any], bytes]:
    """Read a file that :func:`save` wrote; raise InputError, with its name, for other files.

    Returns
    -------
    fields : dict
        The fields of ``Draws``.
    document : bytes
        The document; empty if there is none.
    """
    require_arviz()
    content, version = _sealed(path)
    reader = _Reader(path, content, version)
    return reader.fields(), reader.document()


def _sealed(path: str | os.PathLike[str]) -> tuple[memoryview, int]:
    """Return a file's NetCDF image and version; refuse a file whose seal is not valid.

    The seal is checked before HDF5 reads the file, because HDF5 may not end on damaged files.
    """
    if not is_netcdf(path):
        raise InputError(f"{path} is not a file of draws: it is not NetCDF.")
    try:
        with open(path, "rb") as file:
            whole = file.read()
    except OSError as error:
        raise InputError(f"Cannot read {path}: {error.strerror}.") from error
    found = opened(whole, _FORMAT)
    if found is None:
        if _FORMAT.encode() in whole:
            raise InputError(f"{path} is damaged: it was changed or cut short after it was saved.")
        raise InputError(f"{path} is not a file of draws: it is NetCDF of something else.")
    if found.version > _VERSION:
        raise InputError(
            f"{path} has version {found.version} of the file of draws and this bayesdnf reads "
            f"version {_VERSION}; a later bayesdnf wrote it."
        )
    if not found.intact:
        raise InputError(f"{path} is damaged: it was changed after it was saved.")
    return found.content, found.version


class _Reader:
    """Reader of the arrays of one file, each by name, type and shape.

    The file is read by h5py and not by xarray, whose result depends on more parts of the file.
    """

    def __init__(self, path: str | os.PathLike[str], content: memoryview, version: int) -> None:
        self._path = path
        self._version = version
        self._arrays: dict[str, Any] = {}
        try:
            with import_module("h5py").File(io.BytesIO(content), "r") as file:
                self._settings_text = str(file.attrs["settings"])
                for group in self._own(file):
                    for name, array in self._own(file[group]).items():
                        self._take(f"{group}/{name}", array)
        except InputError:
            raise
        except Exception as error:  # any error that a forged file causes
            raise InputError(f"{path} is damaged: it cannot be read.") from error

    def _own(self, group: Any) -> dict[str, Any]:
        """Return the members of a group; refuse links, which could point out of the file."""
        h5py: Any = import_module("h5py")
        if not isinstance(group, h5py.Group):
            return {}
        for name in group:
            if not isinstance(group.get(name, getlink=True), h5py.HardLink):
                self._fail(f"'{group.name}' has an external link")
        return {name: group[name] for name in group}

    def _take(self, name: str, item: Any) -> None:
        """Read an array, which must be contiguous and without filters."""
        if not hasattr(item, "dtype"):
            return
        if item.external or item.is_virtual:
            self._fail(f"'{name}' stores its values in another file")
        stored = item.id.get_storage_size()
        if stored == 0:  # a dimension of NetCDF without values
            return
        # A small file with chunks, filters or unwritten values can describe an array of any size.
        if item.chunks is not None or stored < item.size * item.dtype.itemsize:
            self._fail(f"'{name}' is not stored whole")
        self._arrays[name] = (item.asstr() if item.dtype.kind == "O" else item)[()]

    def _fail(self, what: str, cause: Exception | None = None) -> NoReturn:
        raise InputError(f"{self._path} is damaged: {what}.") from cause

    def _array(self, name: str, kind: type, *shape: int) -> NDArray[Any]:
        """Return an array of this type and shape; -1 stands for any length."""
        expected = np.dtype(kind)
        if name not in self._arrays:
            if 0 in shape or -1 in shape:
                return np.empty([max(0, n) for n in shape], dtype=expected)
            self._fail(f"'{name}' is missing")
        values = np.asarray(self._arrays[name])
        if expected.kind == "O":
            if not all(isinstance(x, str) for x in values.ravel()):
                self._fail(f"'{name}' holds no texts")
        elif values.dtype != expected:
            self._fail(f"'{name}' has type {values.dtype}, not {expected}")
        fits = len(values.shape) == len(shape) and all(
            wanted in (-1, there) for wanted, there in zip(shape, values.shape, strict=True)
        )
        if not fits:
            self._fail(f"'{name}' has shape {values.shape}")
        return np.ascontiguousarray(values)

    def fields(self) -> dict[str, Any]:
        """Return the fields of the draws, exactly as they were saved."""
        group = "posterior" if self._version < 3 else "sample_stats"
        index = self._array(f"{group}/function", np.int64, -1, -1)
        n_chains, n_draws = index.shape
        if index.size == 0:
            self._fail("it holds no draws")
        betas = self._array("sample_stats/inverse_temperature", np.float64, -1)
        n_betas = len(betas)
        literals, equal = self._literals()
        functions = self._functions(len(literals))
        n = len(functions.term_starts) - 1
        cells = self._cells(n)
        n_strata, n_parts, n_classes = cells.shape[1:]
        self._require_layers(functions, n_parts - 1)
        if index.min() < 0 or index.max() >= n:
            self._fail("a draw has an undefined function")
        return {
            "literals": literals,
            "equal": equal,
            "functions": functions,
            "log_prior": self._array("functions/log_prior", np.float64, n),
            "log_likelihood": self._array("functions/log_likelihood", np.float64, n),
            "cells": cells,
            "rows": self._array("functions/rows", np.uint64, n, 2),
            "index": index,
            "rates": self._rates(n_chains, n_draws, n_strata, n_parts, n_classes),
            "likelihoods": self._array(
                "sample_stats/likelihoods", np.float64, n_chains, n_draws, n_betas
            ),
            "betas": tuple(betas.tolist()),
            "tried": self._moves("tried", n_chains),
            "changed": self._moves("changed", n_chains),
            "exchanges_tried": self._array(
                "moves/exchanges_tried", np.int64, n_chains, n_betas - 1
            ),
            "exchanged": self._array("moves/exchanged", np.int64, n_chains, n_betas - 1),
            "log_copies": np.full(n, np.nan)
            if self._version < 3
            else self._array("functions/log_copies", np.float64, n),
            **self._undrawn(),
            "settings": self._settings(),
            "strata": self._strata(n_strata),
        }

    def document(self) -> bytes:
        """Return the document that is stored with the draws."""
        return self._array(f"{_DOCUMENT}/bytes", np.uint8, -1).tobytes()

    def _literals(self) -> tuple[tuple[Literal, ...], tuple[tuple[Literal, ...], ...]]:
        texts = self._array("literals/text", object, -1)
        n_equal = self._array("literals/n_equal", np.int64, len(texts))
        others = self._array("literals/equal", object, -1)
        if n_equal.min(initial=0) < 0 or n_equal.sum() != len(others):
            self._fail("'literals/n_equal' does not fit 'literals/equal'")
        # Lists of different lengths are concatenated: NetCDF has rectangular arrays only.
        bounds = np.concatenate([[0], np.cumsum(n_equal)]).tolist()
        try:
            literals = tuple(parse_literal(_unescape(text)) for text in texts)
            equal = [parse_literal(_unescape(text)) for text in others]
        except ValueError as error:
            self._fail(f"a literal cannot be read ({error})", error)
        return literals, tuple(tuple(equal[a:b]) for a, b in pairwise(bounds))

    def _cells(self, n: int) -> NDArray[np.int64]:
        """Return the rows of each part; -1 in part 0 of files of version 1."""
        if self._version == 1:
            marked = self._array("functions/marked", np.int64, n, 2)
            return np.stack([np.full_like(marked, -1), marked], axis=1)[:, None]
        if "functions/cells" not in self._arrays:
            self._fail("'functions/cells' is missing")
        cells = self._array("functions/cells", np.int64, n, -1, -1, -1)
        if cells.shape[1] < 1 or cells.shape[2] < 2 or not 2 <= cells.shape[3] <= MOST_CLASSES:
            self._fail(f"'functions/cells' has shape {cells.shape}")
        if (cells[:, :, 1:] < 0).any() or (cells[:, :, 0] < -1).any():
            self._fail("'functions/cells' has negative counts")
        return cells

    def _rates(
        self, n_chains: int, n_draws: int, n_strata: int, n_parts: int, n_classes: int
    ) -> NDArray[Any]:
        shape = (n_chains, n_draws, n_strata, n_parts)
        if n_classes > 2:
            return self._array("posterior/rates", np.float64, *shape, n_classes)
        if n_strata > 1 or n_parts > 2:
            return self._array("posterior/rates", np.float64, *shape)
        pair = [self._array(f"posterior/{name}", np.float64, *shape[:2]) for name in ("pi0", "pi1")]
        return np.stack(pair, axis=2)[:, :, None]

    def _strata(self, n_strata: int) -> tuple[Value, ...]:
        texts = self._array("strata/label", object, -1).tolist()
        try:
            labels = tuple(json.loads(text) for text in texts)
        except (ValueError, RecursionError) as error:
            self._fail("the label of a stratum cannot be read", error)
        if not all(isinstance(label, str | int | float) for label in labels):
            self._fail("the label of a stratum is neither a text nor a number")
        if len(set(labels)) < len(labels) or max(1, len(labels)) != n_strata:
            self._fail(f"'strata/label' does not name {n_strata} different strata")
        return labels

    def _functions(self, n_literals: int) -> FlatFunctions:
        term_starts = self._array("functions/term_starts", np.int64, -1)
        literal_starts = self._array("functions/literal_starts", np.int64, -1)
        literals = self._array("functions/literals", np.int32, -1)
        for name, starts, total in (
            ("term_starts", term_starts, len(literal_starts) - 1),
            ("literal_starts", literal_starts, len(literals)),
        ):
            rises = len(starts) > 0 and starts[0] == 0 and (np.diff(starts) >= 0).all()
            if not rises or starts[-1] != total:
                self._fail(f"'functions/{name}' does not count up to {total:,}")
        if len(literals) and (literals.min() < 0 or literals.max() >= n_literals):
            self._fail("a function has an undefined literal")
        layers = np.ones(len(literal_starts) - 1, dtype=np.int32)
        if self._version > 1:
            layers = self._array("functions/layers", np.int32, len(layers))
        return FlatFunctions(term_starts, literal_starts, literals, layers)

    def _require_layers(self, functions: FlatFunctions, most: int) -> None:
        """Refuse terms with an invalid layer, and layers without terms."""
        layers, n_terms = functions.layers, functions.n_terms
        if len(layers) and not 1 <= layers.min() <= layers.max() <= most:
            self._fail(f"a term is in none of the layers 1 to {most}")
        owner = np.repeat(np.arange(len(n_terms)), n_terms)
        filled = np.unique(np.column_stack([owner, layers]), axis=0)[:, 0]
        if (np.bincount(filled, minlength=len(n_terms)) != functions.n_layers).any():
            self._fail("a list has a layer without terms")

    def _undrawn(self) -> dict[str, Any]:
        """Return the fields about known functions that were never drawn."""
        if self._version < 3:
            return {}
        texts = self._array("undrawn/text", object, -1).tolist()
        log_mass = self._array("undrawn/log_mass", np.float64, len(texts)).tolist()
        return {
            "undrawn": tuple(zip(map(_unescape, texts), log_mass, strict=True)),
            "log_null": float(self._array("undrawn/log_null", np.float64, 1)[0]),
        }

    def _moves(self, name: str, n_chains: int) -> NDArray[np.int64]:
        """Return counts by move, in this version's order of moves."""
        names = self._array("moves/move", object, -1).tolist()
        if not names:
            self._fail("'moves/move' is missing")
        counts = self._array(f"moves/{name}", np.int64, n_chains, len(names))
        if len(set(names)) < len(names) or not set(names) <= set(MOVES):
            self._fail(f"'moves/move' has other moves than {', '.join(MOVES)}")
        here = np.zeros((n_chains, len(MOVES)), dtype=np.int64)
        here[:, [MOVES.index(move) for move in names]] = counts
        return here

    def _settings(self) -> dict[str, Any]:
        try:
            settings = json.loads(self._settings_text)
        except (ValueError, RecursionError) as error:
            self._fail("its settings are not valid JSON", error)
        if not isinstance(settings, dict):
            self._fail("its settings are not an object")
        return settings


def _escape(text: str) -> str:
    """Escape characters that NetCDF cannot store: NUL and lone surrogates."""
    return re.sub("[\\\\\0\ud800-\udfff]", lambda found: f"\\u{ord(found[0]):04x}", text)


def _unescape(text: str) -> str:
    return re.sub(r"\\u([0-9a-f]{4})", lambda found: chr(int(found[1], 16)), text)
