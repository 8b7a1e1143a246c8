"""Bundled data sets; origin and licence in ``files/README.md``."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd


def load_mushroom() -> tuple[pd.DataFrame, pd.Series[str]]:
    """Load the UCI Mushroom data: which mushrooms are poisonous.

    Returns
    -------
    X : pandas.DataFrame
        8124 rows and 22 attributes, in UCI's one-letter codes and row order. In
        ``stalk-root`` the letter ``?`` means missing.
    y : pandas.Series
        The class: ``p`` poisonous (3916 rows) or ``e`` edible (4208 rows).

    Notes
    -----
    Mushroom, UCI Machine Learning Repository (1987), doi:10.24432/C5959T, CC BY 4.0.
    From the Audubon Society Field Guide to North American Mushrooms (1981), donated by
    Jeff Schlimmer. UCI's attribute ``bruises?`` is called ``bruises`` here.

    Examples
    --------
    >>> from bayesdnf.datasets import load_mushroom
    >>> X, y = load_mushroom()
    >>> X.shape
    (8124, 22)
    >>> y[X["odor"] == "f"].unique().tolist()
    ['p']
    """
    import pandas as pd

    with (files(__package__) / "files" / "mushroom.csv.xz").open("rb") as file:
        # na_filter=False: '?' and 'n' are letters like any other, nothing is NaN.
        table = pd.read_csv(file, compression="xz", dtype=str, na_filter=False)
    y = table.pop("class")
    return table, y
