"""SHA-256 of files, and the text form of hashes."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection

from ..errors import InputError
from .piped import open_bytes

_HEX = frozenset("0123456789abcdef")


def file_sha256(path: str | os.PathLike[str]) -> str:
    """SHA-256 of a file's bytes, in hexadecimal digits; InputError when it cannot be read.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from bayesdnf.files.hashes import file_sha256
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "rule.txt"
    >>> _ = file.write_text("odor = f")
    >>> file_sha256(file)[:16]
    '2ad41ea22cd4a12b'
    """
    try:
        with open_bytes(path) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"Cannot read {path}: {error.strerror}.") from error


def is_hash(text: str, lengths: Collection[int] = (64,)) -> bool:
    """Return whether a text can be a hash, in lower-case hexadecimal digits.

    Examples
    --------
    >>> from bayesdnf.files.hashes import is_hash
    >>> is_hash("0f" * 32), is_hash("0F" * 32), is_hash("0f", lengths=(2, 4))
    (True, False, True)
    """
    return len(text) in lengths and set(text) <= _HEX
