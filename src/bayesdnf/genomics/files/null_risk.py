"""Predictions of a polygenic model, from REGENIE's .loco files."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...checks import is_number
from ...display.wording import count, listed
from ...errors import FileFormatError
from ..chromosomes import canonical_chromosome, canonical_chromosomes
from .text_fields import read_lines

if TYPE_CHECKING:
    import pandas as pd

COLUMN = "NULL_RISK"  # the covariate that it becomes


class NullRisk(NamedTuple):
    """What a model without the variants of a study predicts for each sample, and a sentence."""

    values: NDArray[np.float64]
    said: str


def read_null_risk(
    path: str | os.PathLike[str], samples: pd.DataFrame, chromosomes: ArrayLike
) -> NullRisk:
    r"""Read what REGENIE predicts for samples, leaving out the chromosomes of a study.

    A ``.loco`` file of REGENIE's first step has a row ``FID_IID`` with the samples, as FID and IID
    joined by an underscore, then a row for each chromosome with predictions from all others.

    Parameters
    ----------
    path : path
        The file, compressed by gzip or not.
    samples : DataFrame
        FID and IID of the samples; each must be in the file.
    chromosomes : array-like of str
        Chromosomes of the study's variants; each must be in the file. Predictions are averaged over
        their rows, since a marker may join variants of several.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import pandas as pd
    >>> from bayesdnf.genomics.files.null_risk import read_null_risk
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "study_1.loco"
    >>> _ = file.write_text("FID_IID f_ann f_bob\n1 0.2 -0.1\n2 0.4 -0.3\n")
    >>> samples = pd.DataFrame({"FID": ["f", "f"], "IID": ["bob", "ann"]})
    >>> read_null_risk(file, samples, ["2"]).values
    array([-0.3,  0.4])
    """
    (first, head), *rows = read_lines(path) or [(1, [""])]
    if head[0] != "FID_IID":
        why = f"it begins with {head[0]!r}, and a .loco file with FID_IID and its samples"
        raise FileFormatError.at(path, f"line {first}", why)
    place = {name: i for i, name in enumerate(head[1:])}
    if len(place) < len(head) - 1:
        twice = next(name for i, name in enumerate(head[1:]) if place[name] != i)
        raise FileFormatError.at(path, f"line {first}", f"two samples are called {twice}")
    wanted = samples["FID"].astype(str) + "_" + samples["IID"].astype(str)
    absent = [name for name in wanted if name not in place]
    if absent:
        raise FileFormatError.at(
            path, f"line {first}",
            f"{count(len(absent), 'sample')} of the study have no predictions: "
            f"{listed(absent, 3, show=str)}; predict them too, or leave them out",
        )  # fmt: skip
    columns = np.array([place[name] for name in wanted], dtype=np.intp)
    found = {canonical_chromosome(row[0]): (number, row) for number, row in rows}
    needed = sorted(set(canonical_chromosomes(chromosomes).tolist()))
    without = [name for name in needed if name not in found]
    if without:
        raise FileFormatError.at(
            path, None,
            f"it has no predictions that leave out chromosome {without[0]}, of which the study has "
            f"variants; it has {listed(list(found), 3, show=str)}",
        )  # fmt: skip
    values = np.stack([_numbers(path, *found[name], len(head))[columns] for name in needed])
    gaps = ~np.isfinite(values).all(axis=0)
    if gaps.any():
        name = wanted.iloc[int(np.argmax(gaps))]
        raise FileFormatError.at(
            path, None,
            f"predictions of {count(int(gaps.sum()), 'sample')} are missing, of {name} first; "
            "leave them out",
        )  # fmt: skip
    said = (
        f"{COLUMN} is what {os.path.basename(path)} predicts without "
        f"{count(len(needed), 'chromosome')}{', on average' if len(needed) > 1 else ''}."
    )
    return NullRisk(values.mean(axis=0), said)


def _numbers(
    path: str | os.PathLike[str], number: int, row: list[str], width: int
) -> NDArray[np.float64]:
    """Return the predictions of a row, NaN for NA."""
    if len(row) != width:
        why = f"it has {len(row)} fields, and the first line has {width}"
        raise FileFormatError.at(path, f"line {number}", why)
    texts = [text if text != "NA" else "nan" for text in row[1:]]
    try:
        return np.array(texts, dtype=np.float64)
    except ValueError:
        wrong = next(text for text in texts if not is_number(text))
        why = f"{wrong!r} is not a number"
        raise FileFormatError.at(path, f"line {number}", why) from None
