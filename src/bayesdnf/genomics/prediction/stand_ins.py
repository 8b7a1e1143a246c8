"""Proxies: linked variants that replace variants that another cohort does not have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...boolean import BooleanFunction
from ...files.checked_json import JsonFields
from ..alleles import ambiguous, other_name
from ..quality.linkage import find_proxies

if TYPE_CHECKING:
    import pandas as pd

    from ..markers.finding import Markers

COLUMNS = ("FOR", "NAME", "ID", "CHR", "POS", "A1", "A2", "FREQ", "R2")

_R2, _MOST = 0.8, 10  # smallest r² of a stand-in, and how many a variant has


def no_proxies() -> pd.DataFrame:
    """Return the table without a row."""
    import pandas as pd

    return pd.DataFrame([], columns=list(COLUMNS))


def proxies_of(found: Markers) -> pd.DataFrame:
    """List unambiguous linked variants of each variant of the function, the nearest first."""
    import pandas as pd

    genotypes = found.study.genotypes
    rows: list[tuple[Any, ...]] = []
    for name in found.function.attributes:
        last = len(rows) + _MOST
        lead = genotypes.place[name]
        linked = find_proxies(genotypes, [lead], _R2, window=None)
        [own] = genotypes.copies([lead]).astype(np.float64)
        for v, r2 in zip(linked["proxy"], linked["r_squared"], strict=True):
            about = genotypes.variants.iloc[v]
            a1, a2 = str(about["A1"]), str(about["A2"])
            if ambiguous(a1, a2) or len(rows) == last:
                continue
            [other] = genotypes.copies([v]).astype(np.float64)
            known = (own >= 0) & (other >= 0)
            # The sign of the covariance, not r², shows which alleles are on the same haplotypes.
            along = np.cov(own[known], other[known])[0, 1] > 0
            frequency, spelled = float(found.variants["FREQ"].iloc[v]), genotypes.names[v]
            if not along:  # its other allele goes with the counted one of the marker's variant
                turned = other_name(spelled, a1, a2)
                if turned is None:
                    continue
                spelled, a1, a2, frequency = turned, a2, a1, 1 - frequency
            rows.append(
                (name, spelled, str(about["ID"]), str(about["CHR"]), int(about["POS"]), a1, a2,
                 frequency, float(r2))
            )  # fmt: skip
    return pd.DataFrame(rows, columns=list(COLUMNS))


def read_proxies(top: JsonFields, function: BooleanFunction) -> pd.DataFrame:
    """Read what a model file says of them, every field checked."""
    import pandas as pd

    rows = []
    for part in top.parts("proxies"):
        part.expect(*COLUMNS)
        of = part.text("FOR", function.attributes)
        rows.append((of, *read_variant(part), part.number("R2", 0, 1)))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def read_variant(part: JsonFields) -> tuple[str, str, str, int, str, str, float]:
    """Read the name, ID, place, alleles and frequency of a variant in a model file."""
    name, counted = part.text("NAME"), part.text("A1")
    if not name.endswith(f"_{counted}"):
        part.fail("field 'NAME'", f"a name that ends in its counted allele {counted}", name)
    return (
        name, part.text("ID"), part.text("CHR"), part.whole("POS", 0, 2**40), counted,
        part.text("A2"), part.number("FREQ", 0, 1),
    )  # fmt: skip
