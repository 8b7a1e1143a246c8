"""Packed files: named arrays and metadata in one file, which processes map into memory."""

from __future__ import annotations

import hashlib
import json
import math
import mmap
import os
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from .. import _native
from ..errors import InputError
from .atomic import atomic_path
from .checked_json import JsonFields, as_json, parse_json
from .documents import expect_fields, header, read_version
from .hashes import is_hash

_MAGIC = b"bayesdnf packed\n"
_FORMAT = "bayesdnf.packed"
_VERSION = 1
_LINE = 64  # bytes; arrays start on a cache line
_START = len(_MAGIC) + 8  # magic, length of the header
_TYPES = ("|b1", "|u1", "<i4", "<i8", "<u8", "<f8")
_watches: WeakKeyDictionary[mmap.mmap, _Watch] = WeakKeyDictionary()  # arrays keep their map


def is_packed(path: str | os.PathLike[str]) -> bool:
    """Return whether a file begins as packed files do."""
    try:
        with open(path, "rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False


def write_packed(
    path: str | os.PathLike[str],
    kind: str,
    facts: dict[str, Any],
    arrays: Mapping[str, NDArray[Any]],
) -> str:
    """Write a packed file, whole or not at all; return its hash.

    Parameters
    ----------
    path : path
        The file.
    kind : str
        Kind of content, such as "study".
    facts : dict
        Whatever JSON can hold.
    arrays : mapping of str to ndarray
        The arrays, in the order in which they are written.
    """
    stored = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    content = {"kind": kind, "facts": facts, "arrays": _listed(stored)}
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode())
    for array in stored.values():
        digest.update(_bytes(array))
    top = {
        **header(_FORMAT, _VERSION, version("bayesdnf")),
        **content,
        "sha256": digest.hexdigest(),
    }
    text = as_json(top)
    with atomic_path(path) as part:
        try:
            with part.open("wb") as out:
                out.write(_MAGIC + len(text).to_bytes(8, "little") + text)
                for array in stored.values():
                    out.write(bytes(-out.tell() % _LINE))
                    out.write(_bytes(array))
        except OSError as error:
            raise InputError(f"Cannot write {path}: {error.strerror}.") from error
    return digest.hexdigest()


def _bytes(array: NDArray[Any]) -> memoryview:
    return array.reshape(-1).view(np.uint8).data


def _listed(arrays: Mapping[str, NDArray[Any]]) -> list[dict[str, Any]]:
    for array in arrays.values():
        assert array.dtype.str in _TYPES
    return [
        {"name": name, "type": array.dtype.str, "shape": list(array.shape)}
        for name, array in arrays.items()
    ]


class PackedFile:
    """A packed file that is mapped into memory; what is not looked at is not read.

    Parameters
    ----------
    path : path
        The file.
    kind : str
        The required kind of content.
    verify : bool, default=True
        Read all of it once and compare its hash. Without it only the size and the header are
        checked.
    """

    def __init__(self, path: str | os.PathLike[str], kind: str, *, verify: bool = True) -> None:
        self.path = os.fspath(path)
        try:
            with open(path, "rb") as file:
                self._size = os.fstat(file.fileno()).st_size
                begin = file.read(_START)
                if begin[: len(_MAGIC)] != _MAGIC:
                    raise InputError(f"{path} is not a file that bayesdnf packed.")
                length = int.from_bytes(begin[len(_MAGIC) :], "little")
                if len(begin) < _START or _START + length > self._size:
                    raise self._truncated(f"{_START + length:,} or more")
                top = parse_json(file.read(length), self.path, "packed file")
                self._read_header(top, kind)
                self._arrays, end = self._places(top, _START + length)
                # Both ways: bytes behind the last array would be covered by no hash.
                if end != self._size:
                    raise self._truncated(f"{end:,}")
                self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
                _watches[self._map] = _Watch(self, file.fileno(), self._map)
        except OSError as error:
            raise InputError(f"Cannot read {path}: {error.strerror}.") from error
        if verify:
            self._verify(top)

    def _truncated(self, wanted: str) -> InputError:
        return InputError(
            f"{self.path} is truncated or damaged: it has {self._size:,} bytes and its "
            f"header asks for {wanted}; pack it again."
        )

    def _read_header(self, top: JsonFields, kind: str) -> None:
        read_version(top, self.path, _FORMAT, _VERSION, "packed files")
        expect_fields(top, "kind", "facts", "arrays", "sha256")
        if (found := top.text("kind")) != kind:
            raise InputError(f"{self.path} holds a packed {found}, where a {kind} is asked for.")
        self.kind = kind
        self.facts = top.part("facts")
        self.hash = top.text("sha256")
        if not is_hash(self.hash):
            top.fail(top.named("sha256"), "64 hexadecimal digits", self.hash)

    def _places(self, top: JsonFields, at: int) -> tuple[dict[str, tuple[int, str, Any]], int]:
        """Offset of each array, and the end of the last one."""
        places: dict[str, tuple[int, str, Any]] = {}
        for fields in top.parts("arrays"):
            fields.expect("name", "type", "shape")
            kind, shape = fields.text("type", _TYPES), fields.any("shape")
            # By type, because True is an int to isinstance; products of such sizes are Python's,
            # which never wrap around.
            if not isinstance(shape, list) or not all(
                type(n) is int and 0 <= n < 2**48 for n in shape
            ):
                fields.fail(fields.named("shape"), "a list of sizes", shape)
            at += -at % _LINE
            places[fields.text("name")] = (at, kind, tuple(shape))
            at += math.prod(shape) * np.dtype(kind).itemsize
        return places, at

    def _verify(self, top: JsonFields) -> None:
        content = {name: top.any(name) for name in ("kind", "facts", "arrays")}
        digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode())
        for name in self._arrays:
            array = self[name]
            digest.update(_bytes(array))
        self.require_intact()
        if digest.hexdigest() != self.hash:
            raise InputError(
                f"{self.path} is damaged: its contents do not have the hash of its header; pack "
                "it again."
            )

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Return an array, read-only and still in the file."""
        if name not in self._arrays:
            raise InputError(f"{self.path} is not a valid packed file: it has no array '{name}'.")
        at, kind, shape = self._arrays[name]
        return np.frombuffer(self._map, kind, math.prod(shape), at).reshape(shape)

    def has(self, name: str) -> bool:
        """Return whether an array is there."""
        return name in self._arrays

    def require_intact(self) -> None:
        """Raise InputError if the file was cut off or written to since it was opened."""
        _watches[self._map].require_intact()


class _Watch:
    """What tells whether a mapped file is still the one that was opened."""

    def __init__(self, packed: PackedFile, file: int, mapped: mmap.mmap) -> None:
        self._path = packed.path
        whole = np.frombuffer(mapped, dtype=np.uint8)
        self._start = whole.ctypes.data
        self._kind, self._hash, self._arrays = packed.kind, packed.hash, packed._arrays
        # A descriptor of its own: the path may name another file by the time it is looked at.
        self._file = os.dup(file)
        self._opened = self._now()
        self._guard = _native.MapGuard(whole)

    def __del__(self) -> None:
        os.close(self._file)

    def _now(self) -> tuple[int, int]:
        found = os.fstat(self._file)
        return found.st_size, found.st_mtime_ns

    def require_intact(self) -> None:
        if self._guard.broken or self._now() != self._opened:
            raise InputError(
                f"{self._path} was changed while it was in use; what was computed from it is "
                "discarded. Pack it again, and run the command once more."
            )

    def place_of(self, array: NDArray[Any]) -> PackedPlace | None:
        """Which array of the file this is."""
        for name, (at, kind, shape) in self._arrays.items():
            if array.ctypes.data - self._start == at and array.shape == shape:
                whole = array.dtype.str == kind and array.flags.c_contiguous
                path = os.path.abspath(self._path)
                return PackedPlace(path, self._kind, self._hash, name) if whole else None
        return None


class PackedPlace(NamedTuple):
    """Place of an array: a packed file with its kind and hash, and the array's name in it."""

    path: str
    kind: str
    sha256: str
    name: str


def place_of(array: NDArray[Any]) -> PackedPlace | None:
    """Return the packed file and name of a mapped array; None for arrays in memory and parts."""
    watch = _watch_of(array)
    return None if watch is None else watch.place_of(array)


def require_intact(array: NDArray[Any]) -> None:
    """Raise InputError if an array is in a packed file that was changed since it was opened."""
    watch = _watch_of(array)
    if watch is not None:
        watch.require_intact()


def _watch_of(array: NDArray[Any]) -> _Watch | None:
    base: Any = array
    # Views of views end at the buffer that all of them keep alive.
    while isinstance(base, np.ndarray):
        base = base.base
    source = base.obj if isinstance(base, memoryview) else base
    return _watches.get(source) if isinstance(source, mmap.mmap) else None


def pack_texts(texts: Sequence[str], what: str) -> NDArray[np.uint8]:
    """Texts as an array of bytes; InputError for one with a line break in it."""
    joined = "\n".join(texts)
    # One search in all texts instead of one in each of what may be a million.
    if joined.count("\n") != max(0, len(texts) - 1):
        odd = next(text for text in texts if "\n" in text)
        raise InputError(f"{what} {odd!r} has a line break in it and cannot be packed.")
    return np.array(bytearray(joined.encode("utf-8", "surrogatepass")), dtype=np.uint8)


def unpack_texts(packed: PackedFile, name: str, n: int) -> list[str]:
    """Return n texts that :func:`pack_texts` packed."""
    try:
        joined = packed[name].tobytes().decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        joined = None
    texts = [] if joined is None or n == 0 else joined.split("\n")
    if len(texts) != n:
        raise InputError(f"{packed.path} is not a valid packed file: '{name}' is not {n:,} texts.")
    return texts
