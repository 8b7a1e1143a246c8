"""The record of a classifier in its model file."""

from __future__ import annotations

from typing import Any

from ...files.checked_json import JsonFields
from ...files.hashes import is_hash
from .record import Record, Source, Split

NO_RECORD = Record("", (), "", {})
"""Of a model file that has none."""


def record_document(record: Record) -> dict[str, Any]:
    """Return a record in types that JSON has."""
    source, split = record.source, record.split
    return {
        "content": record.content,
        "sample": list(record.sample),
        "posterior": record.posterior,
        "versions": record.versions,
        "command": record.command,
        "source": None if source is None else source._asdict(),
        "target": record.target,
        "split": None if split is None else split._asdict(),
        "strata": record.strata,
        "deciding": list(record.deciding),
    }


def read_record(part: JsonFields, version: int) -> Record:
    """Read what :func:`record_document` made in some version; everything is checked."""
    has_strata = version > 3
    has_deciding = bool(part.there("deciding"))  # files of version 4 may be older than this field
    absent = {"strata": not has_strata, "deciding": not has_deciding}
    part.expect(*(name for name in Record._fields if not absent.get(name, False)))
    source, split = None, None
    if part.any("source") is not None:
        of_source = part.part("source")
        of_source.expect(*Source._fields)
        source = Source(of_source.text("name"), _hash(of_source, "sha256"))
    if part.any("split") is not None:
        of_split = part.part("split")
        of_split.expect(*Split._fields)
        split = Split(of_split.number("share", 0, 1), of_split.whole("seed", 0))
    return Record(
        content=_hash(part, "content"),
        sample=_sample(part),
        posterior=_hash(part, "posterior"),
        versions=_versions(part),
        command=_text_or_none(part, "command"),
        source=source,
        target=_text_or_none(part, "target"),
        split=split,
        strata=_text_or_none(part, "strata") if has_strata else None,
        deciding=_deciding(part) if has_deciding else (),
    )


def _hash(part: JsonFields, name: str) -> str:
    text = part.text(name)
    if text and not is_hash(text):  # empty where nothing is known
        part.fail(part.named(name), "a hash of 64 hexadecimal digits", text)
    return text


def _sample(part: JsonFields) -> tuple[str, ...]:
    values = part.any("sample")
    if not isinstance(values, list):
        part.fail(part.named("sample"), "a list", values)
    for value in values:
        if not isinstance(value, str) or not is_hash(value, (33,)):
            part.fail(part.named("sample"), "made of texts of 33 hexadecimal digits", value)
    return tuple(values)


def _deciding(part: JsonFields) -> tuple[str, ...]:
    values = part.any("deciding")
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        part.fail(part.named("deciding"), "a list of names of columns", values)
    return tuple(values)


def _versions(part: JsonFields) -> dict[str, str]:
    values = part.any("versions")
    if not isinstance(values, dict) or not all(isinstance(v, str) for v in values.values()):
        part.fail(part.named("versions"), "an object of texts", values)
    return dict(values)


def _text_or_none(part: JsonFields, name: str) -> str | None:
    return None if part.any(name) is None else part.text(name)
