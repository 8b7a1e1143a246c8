"""Seals: a hash at the end of a binary file, which detects any change."""

from __future__ import annotations

import hashlib
import re
from typing import NamedTuple


class Sealed(NamedTuple):
    """Contents of a sealed file."""

    content: memoryview
    version: int
    intact: bool
    """Whether the content is what was sealed."""


def seal(content: bytes | memoryview, kind: str, version: int) -> bytes:
    """Return a file's content with a seal behind it.

    Parameters
    ----------
    content : bytes
        The content.
    kind : str
        Kind of file, such as ``bayesdnf.draws``.
    version : int
        Version of that format.

    Examples
    --------
    >>> from bayesdnf.files.seals import opened, seal
    >>> whole = seal(b"draws", "bayesdnf.draws", 2)
    >>> found = opened(whole, "bayesdnf.draws")
    >>> bytes(found.content), found.version, found.intact
    (b'draws', 2, True)
    >>> opened(whole.replace(b"draws", b"other", 1), "bayesdnf.draws").intact
    False
    >>> opened(whole[:-1], "bayesdnf.draws") is None
    True
    """
    return bytes(content) + f"{kind} sha256 {version:06} {_digest(content)}\n".encode()


def opened(whole: bytes, kind: str) -> Sealed | None:
    """Return the content before a seal of this kind; None if there is no seal."""
    # Seals of a kind have one length, so that it is found from the end whatever the content holds.
    length = len(whole) - len(f"{kind} sha256 {'':6} {'':64}\n")
    pattern = rf"{re.escape(kind)} sha256 ([0-9]{{6}}) ([0-9a-f]{{64}})\n".encode()
    found = re.fullmatch(pattern, whole[max(0, length) :])
    if found is None:
        return None
    content = memoryview(whole)[:length]
    return Sealed(content, int(found[1]), _digest(content) == found[2].decode())


def _digest(content: bytes | memoryview) -> str:
    return hashlib.sha256(content).hexdigest()
