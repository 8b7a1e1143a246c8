"""Packed studies: read and filtered once, mapped into memory by later commands."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..files.packed import PackedFile, pack_texts, unpack_texts, write_packed
from .genotypes import Genotypes

if TYPE_CHECKING:
    import pandas as pd

    from .study import Study

KIND = "study"
_NUMBERS = {"i": np.int64, "u": np.int64, "f": np.float64, "b": np.bool_}


def save_study(study: Study, path: str | os.PathLike[str]) -> str:
    """Write a study to a packed file; return its hash."""
    genotypes = study.genotypes
    tables = {"samples": genotypes.samples, "variants": genotypes.variants}
    if study.covariates is not None:
        tables["covariates"] = study.covariates
    columns: dict[str, dict[str, str]] = {}
    arrays: dict[str, NDArray[Any]] = {}
    for name, table in tables.items():
        columns[name] = {}
        for column in table.columns:
            values = table[column].to_numpy()
            # One width for each kind of number, whatever a table library chose: equal studies have
            # equal hashes.
            kind = _NUMBERS.get(values.dtype.kind)
            columns[name][str(column)] = "text" if kind is None else "number"
            if kind is not None:
                arrays[f"{name} {column}"] = values.astype(kind)
                continue
            missing = table[column].isna().to_numpy()
            texts = ["" if gap else str(x) for x, gap in zip(values, missing, strict=True)]
            arrays[f"{name} {column}"] = pack_texts(texts, f"{column} of {name}")
            if missing.any():
                columns[name][str(column)] = "text with gaps"
                arrays[f"{name} {column} missing"] = missing
    if study.families is not None:
        arrays["families"] = study.families.astype(np.int64)
    facts = {
        "n_samples": genotypes.n_samples,
        "n_variants": genotypes.n_variants,
        "columns": columns,
        "families": study.families is not None,
        "history": list(study.history),
        "warnings": list(study.warnings),
        "genotypes_history": list(genotypes.history),
    }
    return write_packed(path, KIND, facts, {**arrays, "y": study.y, "planes": genotypes.planes})


def open_parts(path: str | os.PathLike[str], *, verify: bool = True) -> dict[str, Any]:
    """Map a study: what it is made of."""
    packed = PackedFile(path, KIND, verify=verify)
    facts = packed.facts
    facts.expect(
        "n_samples", "n_variants", "columns", "families", "history", "warnings",
        "genotypes_history",
    )  # fmt: skip
    n_samples = facts.whole("n_samples", 1)
    covariates = _table(packed, "covariates", n_samples)
    y, genotypes = packed["y"], genotypes_of(packed)
    families = packed["families"] if facts.any("families") else None
    if families is not None and (families.dtype != np.int64 or families.shape != (n_samples,)):
        raise InputError(f"{path} is not a valid packed file: its families are not whole.")
    return {
        "genotypes": genotypes,
        "y": y,
        "covariates": covariates,
        "families": None if families is None else np.array(families, dtype=np.intp),
        "history": _sentences(packed, "history"),
        "warnings": _sentences(packed, "warnings"),
    }


def genotypes_of(packed: PackedFile) -> Genotypes:
    """Return the genotypes of a packed study; their planes stay in the file."""
    samples = _table(packed, "samples", packed.facts.whole("n_samples", 1))
    variants = _table(packed, "variants", packed.facts.whole("n_variants", 0))
    planes = packed["planes"]
    whole = planes.dtype == np.uint64 and packed["y"].dtype == np.bool_
    if samples is None or variants is None or not whole:
        raise InputError(f"{packed.path} is not a valid packed file: it holds no whole study.")
    return Genotypes(planes, samples, variants, _sentences(packed, "genotypes_history"))


def _sentences(packed: PackedFile, name: str) -> tuple[str, ...]:
    given = packed.facts.any(name)
    if not isinstance(given, list) or not all(isinstance(sentence, str) for sentence in given):
        packed.facts.fail(packed.facts.named(name), "a list of texts", given)
    return tuple(given)


def _table(packed: PackedFile, name: str, n: int) -> pd.DataFrame | None:
    import pandas as pd

    columns = packed.facts.part("columns").any(name) if _has(packed, name) else None
    if columns is None:
        return None
    table = {}
    for column, kind in columns.items():
        key = f"{name} {column}"
        values: Any = np.array(packed[key]) if kind == "number" else unpack_texts(packed, key, n)
        if kind == "text with gaps" and len(values) == n:
            missing = np.array(packed[f"{key} missing"], dtype=np.bool_)
            values = pd.Series(values, dtype=object).mask(missing)
        if len(values) != n:
            raise InputError(
                f"{packed.path} is not a valid packed file: column {column} of its {name} has "
                f"{len(values):,} entries and not {n:,}."
            )
        table[column] = values
    return pd.DataFrame(table, columns=list(columns), index=range(n))


def _has(packed: PackedFile, name: str) -> bool:
    columns = packed.facts.any("columns")
    if not isinstance(columns, dict) or not all(isinstance(c, dict) for c in columns.values()):
        packed.facts.fail(packed.facts.named("columns"), "columns of tables", columns)
    return name in columns
