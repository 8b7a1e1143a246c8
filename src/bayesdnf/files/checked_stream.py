"""A stream of text that is checked while it is read: no zero bytes, limited length."""

from __future__ import annotations

import gzip
import io
import os
from typing import IO, Any

from ..errors import InputError
from .piped import open_bytes

_GZIP = b"\x1f\x8b"


class CheckedStream(io.RawIOBase):
    """The bytes of a text file; InputError, which names it, when it cannot be a table's text.

    Parameters
    ----------
    source : binary file
        What to read.
    path : path
        Its name, for errors.
    most : int, optional
        Maximum number of bytes to read.
    limit : str
        Name of this limit in errors.
    """

    def __init__(
        self, source: IO[bytes], path: str | os.PathLike[str], most: int | None, limit: str
    ) -> None:
        super().__init__()
        self._source, self._path, self._most, self._limit = source, path, most, limit

    def readable(self) -> bool:
        """Return True: the stream is read only."""
        return True

    def seekable(self) -> bool:
        """Return True: the reader rewinds after it has looked at the header."""
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Set the offset of the next read, as ``io.RawIOBase.seek`` does."""
        return self._source.seek(offset, whence)

    def readinto(self, buffer: Any) -> int:
        """Read the next bytes."""
        # Offsets in the decompressed text, which may be much longer than the file.
        before = self._source.tell()
        data = self._source.read(len(buffer))
        zero = data.find(b"\0")
        if zero >= 0:
            raise InputError(
                f"Cannot read {self._path}: it is binary, not text (byte {before + zero:,} is 0)."
            )
        if self._most is not None and before + len(data) > self._most:
            raise InputError(f"Cannot read {self._path}: its text is longer than {self._limit}.")
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        """Close the file."""
        self._source.close()
        super().close()


class _Unpacked(gzip.GzipFile):
    """The text of a compressed file, which is closed with it."""

    def __init__(self, packed: IO[bytes]) -> None:
        super().__init__(fileobj=packed)
        self._packed = packed

    def close(self) -> None:
        """Close both."""
        super().close()
        self._packed.close()


def open_text(path: str | os.PathLike[str], most: int | None, limit: str) -> IO[bytes]:
    """Open a text file, compressed by gzip or not, by its content: it may have any name."""
    with open_bytes(path) as file:
        compressed = file.read(2) == _GZIP
    source: Any = open_bytes(path)
    if compressed:
        source = _Unpacked(source)
    return io.BufferedReader(CheckedStream(source, path, most, limit), 1 << 18)
