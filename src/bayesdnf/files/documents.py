"""The head of the library's JSON documents: format, version, and the version that wrote it."""

from __future__ import annotations

import os
from typing import Any

from ..errors import InputError
from .checked_json import JsonFields

_HEADER = ("format", "version", "bayesdnf")


def header(format: str, version: int, written_by: str) -> dict[str, Any]:
    """Return the first fields of a document.

    Parameters
    ----------
    format : str
        Kind of document, such as ``bayesdnf.classifier``.
    version : int
        Version of that format.
    written_by : str
        Version of the library.

    Examples
    --------
    >>> from bayesdnf.files.documents import header
    >>> header("bayesdnf.classifier", 2, "0.1.0")
    {'format': 'bayesdnf.classifier', 'version': 2, 'bayesdnf': '0.1.0'}
    """
    return {"format": format, "version": version, "bayesdnf": written_by}


def read_version(
    top: JsonFields, path: str | os.PathLike[str], format: str, newest: int, what: str
) -> int:
    """Read the version of a document; InputError for another format, or a later version.

    A later version may have other fields, so this is asked before :func:`expect_fields`.

    Parameters
    ----------
    top : JsonFields
        The document.
    path : path
        The file it stands in, for errors.
    format : str
        What it must be.
    newest : int
        The latest version that can be read.
    what : str
        What the document is called in errors: "the model file".
    """
    top.text("format", (format,))
    if (version := top.whole("version", 1)) > newest:
        raise InputError(
            f"{path} has version {version} of {what} and this bayesdnf reads version {newest}; "
            f"it was written by bayesdnf {top.any('bayesdnf')!r:.40}."
        )
    return version


def expect_fields(top: JsonFields, *names: str) -> None:
    """Require the header and exactly these fields besides."""
    top.expect(*_HEADER, *names)
    top.text("bayesdnf")
