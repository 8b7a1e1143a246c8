"""Genotypes into PLINK 1 files."""

from __future__ import annotations

import os
from contextlib import ExitStack
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ...files.atomic import atomic_path
from ..genotypes import CARRIER, CHUNK_BYTES, KNOWN, TWO, Genotypes
from .plink import BED_MAGIC, prefix_of


def write_plink(genotypes: Genotypes, prefix: str | os.PathLike[str], y: Any = None) -> None:
    """Write .bed, .bim and .fam files, which PLINK and :func:`read_plink` read.

    Parameters
    ----------
    genotypes : Genotypes
        What to write; its counted allele becomes the first one of the .bim file.
    prefix : path
        What the three names have in common.
    y : array-like of bool, optional
        Who is a case, written as 2 with controls as 1; without it outcomes are missing (-9).

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from bayesdnf.genomics import Genotypes, read_study, write_plink
    >>> study = pathlib.Path(tempfile.mkdtemp()) / "study"
    >>> write_plink(Genotypes.from_copies([[0, 1, 2]]), study, y=[False, True, True])
    >>> read_study(study).y
    array([False,  True,  True])
    """
    start = prefix_of(prefix, (".bed", ".bim", ".fam"))
    samples, variants = genotypes.samples, genotypes.variants
    outcome = np.full(genotypes.n_samples, -9)
    if y is not None:
        case = np.asarray(y)
        if case.shape != (genotypes.n_samples,) or not np.isin(case, (0, 1)).all():
            raise InputError(
                f"y must hold True or False for each of {genotypes.n_samples} samples."
            )
        outcome = np.where(case.astype(np.bool_), 2, 1)
    for table, names in ((samples, ("FID", "IID")), (variants, ("CHR", "ID", "A1", "A2"))):
        for name in names:
            blank = table[name].astype(str).str.contains(r"\s|^$", regex=True).to_numpy()
            if blank.any():
                row = int(np.argmax(blank))
                raise InputError(
                    f"{name} of row {row} is {table[name].iloc[row]!r}; PLINK files cannot hold "
                    "empty names or names with blanks."
                )
    bim = variants[["CHR", "ID", "POS", "A1", "A2"]].copy()
    bim.insert(2, "centimorgans", 0)
    fam = samples[["FID", "IID"]].assign(father=0, mother=0, SEX=samples["SEX"], PHENO=outcome)
    with ExitStack() as stack:
        parts = {e: stack.enter_context(atomic_path(start + e)) for e in (".bed", ".bim", ".fam")}
        bim.to_csv(parts[".bim"], sep="\t", header=False, index=False)
        fam.to_csv(parts[".fam"], sep="\t", header=False, index=False)
        with open(parts[".bed"], "wb") as file:
            _write_bed(genotypes, file)


def _write_bed(genotypes: Genotypes, file: IO[bytes]) -> None:
    """Two bits a call: 00 two copies, 10 one, 11 none, 01 missing (high bit first)."""
    file.write(BED_MAGIC)
    n = genotypes.n_samples
    step = max(1, CHUNK_BYTES // max(1, 16 * n))
    for start in range(0, genotypes.n_variants, step):
        planes = genotypes.planes[start : start + step]
        pairs = np.empty((len(planes), n, 2), dtype=np.uint8)
        pairs[:, :, 0] = 1 - _bits(planes[:, CARRIER], n)
        pairs[:, :, 1] = _bits(planes[:, KNOWN], n) - _bits(planes[:, TWO], n)
        file.write(
            np.packbits(pairs.reshape(len(planes), 2 * n), axis=1, bitorder="little").tobytes()
        )


def _bits(plane: NDArray[np.uint64], n: int) -> NDArray[np.uint8]:
    words = np.ascontiguousarray(plane)
    return np.unpackbits(words.view(np.uint8), axis=1, count=n, bitorder="little")
