"""The text of a VCF file: its samples, and errors by line."""

from __future__ import annotations

import gzip
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NoReturn

from ...errors import FileFormatError
from .text_fields import decoded, decompressing, unreadable

_FIXED = ["#CHROM", "POS", "ID", "REF", "ALT", "QUAL", "FILTER", "INFO", "FORMAT"]
_CALL = re.compile(r"[/|]?(\d+|\.)([/|](\d+|\.))*")
_CONTIG = re.compile(rb"##contig=<([^>]*,)?ID=[^,>]+")
_GZIP = b"\x1f\x8b"
# bgzip's files are gzip with an extra field called BC, and end with an empty block.
_BLOCKS = b"\x1f\x8b\x08\x04"
_LAST_BLOCK = bytes.fromhex("1f8b08040000000000ff0600424302001b0003000000000000000000")


def vcf_samples(path: Path) -> list[str]:
    """Read which samples the header of a VCF or BCF file names.

    Everything that can be wrong before the first record is refused here; htslib would do so
    without a line, and crash on some of it.
    """
    try:
        with open(path, "rb") as file:
            start = file.read(4)
            size = file.seek(0, 2)
            file.seek(max(0, size - len(_LAST_BLOCK)))
            end = file.read()
    except OSError as error:
        raise unreadable(path, error) from None
    if not start:
        raise FileFormatError.at(path, "byte 0", "it is empty")
    if start == _BLOCKS and end != _LAST_BLOCK:
        why = "the empty block that ends a file of bgzip is not there; the file is truncated"
        raise FileFormatError.at(path, f"byte {size}", why)
    number, line = 0, ""
    for number, raw in _header_lines(path):
        line = decoded(path, number, raw)
        if number == 1 and not line.startswith("##fileformat=VCF"):
            why = "a VCF file begins with ##fileformat=VCF"
            raise FileFormatError.at(path, "line 1", why)
        if not line.startswith("##"):
            break
    if not line.startswith("#CHROM"):
        why = "the line that begins with #CHROM must come before the variants"
        raise FileFormatError.at(path, f"line {number}", why)
    names = line.split("\t")
    for expected, name in zip(_FIXED, [*names, *[""] * len(_FIXED)], strict=False):
        if name != expected:
            why = f"{expected} is due where the header has {name or 'nothing'!r}, tabs between"
            if expected == "FORMAT":
                why = "it names no FORMAT and no sample, so there are no genotypes"
            raise FileFormatError.at(path, f"line {number}", why)
    samples = names[len(_FIXED) :]
    if not samples:
        raise FileFormatError.at(path, f"line {number}", "it names no sample after FORMAT")
    [(name, times)] = Counter(samples).most_common(1)
    if times > 1:
        raise FileFormatError.at(path, f"line {number}", f"sample {name} comes {times} times")
    return samples


def _header_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Lines of the file, or of the header that a BCF file has as a text of stated length."""
    with _uncompressed(path) as file:
        if file.read(3) != b"BCF":
            yield from _lines(path)
            return
        file.read(2)
        length = int.from_bytes(file.read(4), "little")
        text = file.read(length)
    if len(text) < length or not text.rstrip(b"\0"):
        why = f"its header is said to have {length:,} bytes, and {len(text):,} follow"
        raise FileFormatError.at(path, "byte 5", why)
    yield from enumerate(text.rstrip(b"\0").splitlines(), 1)


def record_place(path: Path, record: int) -> str:
    """Describe the place of record number ``record``: its line, or its number in a BCF file."""
    found = _record(path, record)
    return f"record {record + 1}" if found is None else f"line {found[0]}"


def refuse_record(path: Path, record: int, why: str) -> NoReturn:
    """Raise FileFormatError about a record that could not be read, with the reason if seen."""
    found = _record(path, record)
    if found is None:
        raise FileFormatError.at(path, f"record {record + 1}", why)
    number, raw = found
    line = decoded(path, number, raw)
    raise FileFormatError.at(path, f"line {number}", _wrong_with(vcf_samples(path), line) or why)


def check_first_records(path: Path) -> None:
    """Refuse a damaged first record of a chromosome, in a VCF file whose header names none.

    htslib notes an unknown chromosome as an error of its own, over which it and cyvcf2 miss what
    else is wrong on that line, and crash.
    """
    samples: list[str] = []
    seen = set()
    for number, raw in _lines(path):
        if _CONTIG.match(raw) or (number == 1 and raw.startswith(b"BCF")):
            return
        name = raw.partition(b"\t")[0]
        if raw.startswith(b"#") or name in seen:
            continue
        seen.add(name)
        samples = samples or vcf_samples(path)
        why = _wrong_with(samples, decoded(path, number, raw))
        if why is not None:
            raise FileFormatError.at(path, f"line {number}", why)


def read_to_the_end(path: Path) -> None:
    """Raise FileFormatError where the file's compression is damaged or ends early."""
    for _ in _lines(path):
        pass


def _record(path: Path, record: int) -> tuple[int, bytes] | None:
    seen = -1
    for number, raw in _lines(path):
        if number == 1 and raw.startswith(b"BCF"):
            return None
        seen += not raw.startswith(b"#")
        if seen == record:
            return number, raw
    return None


def _wrong_with(samples: list[str], line: str) -> str | None:
    cells = line.split("\t")
    n = len(_FIXED) + len(samples)
    if not line.strip():
        return "it is blank"
    if len(cells) != n:
        return f"it has {len(cells)} fields, and the header has {n}"
    if not cells[1].isdecimal():
        return f"position {cells[1]!r} is not a whole number"
    if "GT" not in cells[8].split(":"):
        return f"FORMAT is {cells[8]!r}, without genotypes (GT)"
    place = cells[8].split(":").index("GT")
    n_alleles = 1 + len(cells[4].split(","))
    for name, cell in zip(samples, cells[9:], strict=True):
        call = (cell.split(":")[place:] or ["."])[0]
        if not _CALL.fullmatch(call):
            return f"the genotype of {name} is {call!r}, which is not such as 0/1 or ./."
        parts = re.split(r"[/|]", call.lstrip("/|"))
        if len(parts) > 2:
            return f"the genotype of {name} is {call!r}, with more than two alleles"
        if any(part.isdecimal() and int(part) >= n_alleles for part in parts):
            return f"the genotype of {name} is {call!r}, and the line has {n_alleles} alleles"
    return None


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    with _uncompressed(path) as lines:
        for number, line in enumerate(lines, 1):
            yield number, line.rstrip(b"\r\n")


@contextmanager
def _uncompressed(path: Path) -> Iterator[IO[bytes]]:
    with open(path, "rb") as file:
        compressed = file.read(2) == _GZIP
    opened = gzip.open if compressed else open
    with decompressing(path, path.stat().st_size), opened(path, "rb") as lines:
        yield lines  # type: ignore[misc]
