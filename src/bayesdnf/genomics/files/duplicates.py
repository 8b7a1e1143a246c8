"""Duplicate samples and variants, which a file must not contain."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...errors import FileFormatError
from ..chromosomes import canonical_chromosomes

if TYPE_CHECKING:
    import pandas as pd


def require_distinct_samples(
    path: object, samples: pd.DataFrame, place: Callable[[int], str]
) -> None:
    """Refuse a sample, FID and IID, that comes twice; ``place`` says where a row stands."""
    by = [name for name in ("FID", "IID") if name in samples]
    found = _first_repeat(samples[by])
    if found is not None:
        who = " ".join(str(samples[name].iloc[found[1]]) for name in by)
        why = f"sample {who} is already on {place(found[0])}; each may come once"
        raise FileFormatError.at(path, place(found[1]), why)


def require_distinct_variants(
    path: object, variants: pd.DataFrame, place: Callable[[int], str]
) -> None:
    """Refuse a variant that comes twice: same place and alleles, and no identifier of its own.

    Alleles of one length are the same in either order, as A1 and A2 may be swapped; C to CT and
    CT to C are an insertion and a deletion.
    """
    import pandas as pd

    # Most variants have identifiers of their own: only the rest is compared by place and alleles.
    shared = variants["ID"].isin(["", "."]) | variants["ID"].duplicated(keep=False)
    where = np.flatnonzero(shared.to_numpy())
    if len(where) < 2:
        return
    some = variants.iloc[where]
    a1, a2 = (some[name].to_numpy(dtype=object) for name in ("A1", "A2"))
    swap = np.array([len(a) == len(b) and a > b for a, b in zip(a1, a2, strict=True)])
    keys = pd.DataFrame(
        {
            "CHR": canonical_chromosomes(some["CHR"]),
            "POS": some["POS"].to_numpy(),
            "A1": np.where(swap, a2, a1),
            "A2": np.where(swap, a1, a2),
        }
    )
    found = _first_repeat(keys)
    if found is not None:
        earlier, later = int(where[found[0]]), int(where[found[1]])
        v = variants.iloc[later]
        what = f"{v['ID']} ({v['CHR']}:{v['POS']} {v['A1']}/{v['A2']})"
        why = f"variant {what} is already on {place(earlier)}; each may come once"
        raise FileFormatError.at(path, place(later), why)


def _first_repeat(keys: pd.DataFrame) -> tuple[int, int] | None:
    """Rows of the first key that comes again: where it was, where it is."""
    repeated: NDArray[np.bool_] = keys.duplicated().to_numpy()
    if not repeated.any():
        return None
    later = int(np.argmax(repeated))
    same = (keys.iloc[:later] == keys.iloc[later]).all(axis=1).to_numpy()
    return int(np.argmax(same)), later
