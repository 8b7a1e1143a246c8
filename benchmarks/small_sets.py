"""Small simulated sets of two interacting variants, from end to end.

What find_markers makes of them with its defaults, and whether the pair it names is also the one
that PLINK 1.9's BOOST puts first. Sets that are not at hand are left out.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from bayesdnf.genomics import Genotypes, find_markers, read_study, write_plink

from .scan import PLINK, plink
from .writing import SHARED, show, write

SETS = {
    "gametes_2way_20atts_0.4H": "P1, P2",
    "mdr1_domdom": "SNP.4, SNP.9",
    "mbmdr_simSNP": "SNP1, SNP2",
}
"""The sets, and the variants that act by their makers' word: XOR-like in the first and the last,
dominant with dominant in the second."""


def measure() -> Iterator[dict[str, Any]]:
    """Tell, for each set, the best pairs of both and the function found."""
    for name, truth in SETS.items():
        file = SHARED / "genomics" / "simulated" / f"{name}.csv"
        if not file.exists():
            continue
        data = pd.read_csv(file)
        copies = data.drop(columns="y")
        with tempfile.TemporaryDirectory() as folder:
            prefix = Path(folder) / "study"
            genotypes = Genotypes.from_copies(copies.to_numpy().T, ids=list(copies.columns))
            write_plink(genotypes, prefix, data["y"].to_numpy() == 1)
            study = read_study(prefix)
            boost = _best_of_plink(prefix) if shutil.which(PLINK) else None
        found = find_markers(study, random_state=0)
        pairs = [scan.findings for scan in found.screen.scans[:2]]
        ids = study.genotypes.variants["ID"]
        by_and, by_cells = (
            ", ".join(ids[t[column][0]] for column in ("place_1", "place_2")) for t in pairs
        )
        yield {
            "set": name,
            "truth": truth,
            "samples": study.genotypes.n_samples,
            "variants": study.genotypes.n_variants,
            "by_and": by_and,
            "by_cells": by_cells,
            "boost": boost,
            "function": str(found.function),
            "accuracy": float((found.function(study.genotypes) == study.y).mean()),
            "null_probability": found.null_probability,
        }


def _best_of_plink(prefix: Path) -> str:
    plink(prefix, "--fast-epistasis", "boost", "--epi1", "1")
    table = pd.read_csv(f"{prefix}.epi.cc", sep=r"\s+")
    best = table.sort_values(["P", "STAT"], ascending=[True, False]).iloc[0]
    return f"{best['SNP1']}, {best['SNP2']}"


def main() -> None:
    """Measure, print a table and the functions, write JSON."""
    rows = list(measure())
    show(
        {
            "set": "set",
            "truth": "truth",
            "samples": "samples",
            "variants": "variants",
            "by_and": "best AND",
            "by_cells": "best cells",
            "boost": "PLINK boost",
            "accuracy": "accuracy|.3f",
            "null_probability": "P(no marker)|.3f",
        },
        rows,
    )
    for row in rows:
        print(f"{row['set']}: {row['function']}")
    write("small_sets", {"small_sets": rows})


if __name__ == "__main__":
    main()
