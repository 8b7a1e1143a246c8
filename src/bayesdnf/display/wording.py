"""Phrases that several messages share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any


def listed(values: Iterable[Any], most: int, show: Callable[[Any], str] = repr) -> str:
    """Join the first few values for a sentence, with "…" when more follow.

    Parameters
    ----------
    values : iterable
        What to list; no more than ``most`` + 1 values are looked at.
    most : int
        How many to show.
    show : callable
        Makes the text of a value.

    Examples
    --------
    >>> from bayesdnf.display.wording import listed
    >>> listed([3, 1, 2], 2), listed(["a", "b"], 2, show=str)
    ('3, 1, …', 'a, b')
    """
    few = list(islice(values, most + 1))
    return ", ".join(map(show, few[:most])) + (", …" if len(few) > most else "")
