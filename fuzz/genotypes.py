"""PLINK files: bytes of .bed, .bim and .fam, parted by ``SEPARATOR``."""

from __future__ import annotations

import tempfile
from pathlib import Path

from bayesdnf.errors import BayesDNFError
from bayesdnf.genomics import Genotypes, read_study, write_plink

EXPECTED = (BayesDNFError,)
SEPARATOR = b"\n===\n"
_FOLDER = tempfile.TemporaryDirectory()


def attempt(data: bytes) -> None:
    """Write the three files, read them, and write what was read."""
    parts = [*data.split(SEPARATOR, 2), b"", b""]
    path = Path(_FOLDER.name) / "study"
    for ending, content in zip((".bed", ".bim", ".fam"), parts, strict=False):
        path.with_suffix(ending).write_bytes(content)
    study = read_study(path)
    assert isinstance(study.genotypes, Genotypes)
    write_plink(study.genotypes, Path(_FOLDER.name) / "again")
