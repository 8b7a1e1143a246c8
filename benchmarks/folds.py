"""Real two-class tables of texts, each with its training and test rows.

"categorical": sets of letters and words; "hiv": drug resistance of virus isolates by mutation. A
set that comes as a training and a test file keeps that split; the others get five stratified folds.
Mushroom comes with the package, and sets that are not at hand are left out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedKFold

from bayesdnf import datasets

from .writing import SHARED

Rows = NDArray[np.intp]

GROUPS = {
    "categorical": (
        "mushroom",
        "tic-tac-toe",
        "monks-1",
        "monks-2",
        "monks-3",
        "car",
        "nursery_priority",
        "splice_EI_vs_rest",
        "promoters",
        "votes",
        "lymphography",
        "audiology_cochlear",
        "spect",
        "kr-vs-kp",
        "compas",
        "titanic",
        "adult",
    ),
    "hiv": ("hiv_nrti_3TC", "hiv_nrti_ABC"),
}
FOLDERS = {"categorical": SHARED / "categorical", "hiv": SHARED / "genomics" / "real"}


class Set(NamedTuple):
    """A table of texts, its outcome (0 or 1), and pairs of training and test rows."""

    name: str
    X: pd.DataFrame
    y: NDArray[np.int64]
    folds: list[tuple[Rows, Rows]]


def read(file: Path) -> pd.DataFrame:
    """Read a table as it is written: every value a text, "?" among them."""
    return pd.read_csv(file, dtype=str, keep_default_na=False)


def split(name: str, frame: pd.DataFrame) -> Set:
    """Cut a table whose last column is the outcome into five folds."""
    X, y = frame.iloc[:, :-1], frame.iloc[:, -1].astype(np.int64).to_numpy()
    folds = StratifiedKFold(5, shuffle=True, random_state=0).split(X, y)
    return Set(name, X, y, list(folds))


def read_set(name: str, folder: Path) -> Set | None:
    """Read one set; None when its files are not at hand."""
    if name == "mushroom":
        X, y = datasets.load_mushroom()
        return split(name, X.astype(str).assign(y=(y == "p").astype(int)))
    for file in (folder / f"{name}.csv", folder / f"{name}.csv.gz"):
        if file.exists():
            return split(name, read(file))
    train, test = (folder / f"{name}_{part}.csv" for part in ("train", "test"))
    if not (train.exists() and test.exists()):
        return None
    n_train = len(read(train))
    whole = pd.concat([read(train), read(test)], ignore_index=True)
    rows = np.arange(len(whole))
    return split(name, whole)._replace(folds=[(rows[:n_train], rows[n_train:])])


def sets(group: str = "categorical", names: Collection[str] | None = None) -> Iterator[Set]:
    """Read the sets of a group one after the other, or only those named."""
    for name in GROUPS[group]:
        if names is None or name in names:
            found = read_set(name, FOLDERS[group])
            if found is not None:
                yield found


def breast_cancer() -> Set:
    """Return scikit-learn's breast cancer data: 30 numbers, malignant or not."""
    data = load_breast_cancer(as_frame=True)
    folds = StratifiedKFold(5, shuffle=True, random_state=0).split(data.data, data.target)
    return Set("breast_cancer", data.data, (data.target == 0).astype(int).to_numpy(), list(folds))
