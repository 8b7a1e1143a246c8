"""Lists and numbers in words."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Any


def listed(
    values: Iterable[Any], most: int, show: Callable[[Any], str] = repr, joint: str = ", "
) -> str:
    """Join the first values; an ellipsis says that more follow.

    Parameters
    ----------
    values : iterable
        What to list; one value more than is shown is looked at.
    most : int
        Number of values to show.
    show : callable, default=repr
        From a value to its text.
    joint : str, default=", "
        Separator of the values.

    Examples
    --------
    >>> from bayesdnf.display.wording import listed
    >>> listed(["a", "b", "c"], 2), listed([1, 2], 2, str)
    ("'a', 'b', …", '1, 2')
    """
    # One more than is shown tells whether more follow, without a look at all the rest.
    few = list(islice(values, most + 1))
    return joint.join([*map(show, few[:most]), *(["…"] if len(few) > most else [])])


def text_list(parts: Sequence[str], last_word: str) -> str:
    """Join parts as a sentence does, with a word before the last one.

    Examples
    --------
    >>> from bayesdnf.display.wording import text_list
    >>> text_list(["a", "b", "c"], "and")
    'a, b and c'
    """
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} {last_word} {parts[-1]}"


def plural(n: int, one: str, many: str | None = None) -> str:
    """Return the noun that goes with a number.

    Examples
    --------
    >>> from bayesdnf.display.wording import plural
    >>> plural(1, "row"), plural(0, "row"), plural(2, "class", "classes")
    ('row', 'rows', 'classes')
    """
    return one if n == 1 else many or f"{one}s"


def count(n: int, one: str, many: str | None = None) -> str:
    """Count things.

    Examples
    --------
    >>> from bayesdnf.display.wording import count
    >>> count(1, "row"), count(2000, "row")
    ('1 row', '2,000 rows')
    """
    return f"{n:,} {plural(n, one, many)}"


def entries_for_rows(name: str, n_entries: int, n_rows: int) -> str:
    """State that an array does not have one entry for each row of X.

    Examples
    --------
    >>> from bayesdnf.display.wording import entries_for_rows
    >>> entries_for_rows("y", 1, 2000)
    'y has 1 entry for 2,000 rows of X.'
    """
    entries = count(n_entries, "entry", "entries")
    return f"{name} has {entries} for {count(n_rows, 'row')} of X."


def percent(share: float) -> str:
    """Write a share in percent, with enough digits to distinguish it from 0 and 100.

    Examples
    --------
    >>> from bayesdnf.display.wording import percent
    >>> [percent(p) for p in (0, 0.00001, 0.0042, 0.5, 0.9996, 0.999999, 1)]
    ['0 %', '<0.01 %', '0.42 %', '50.0 %', '99.96 %', '>99.99 %', '100 %']
    """
    if math.isnan(share):
        return "–"
    if share in (0, 1):
        return f"{share:.0%}".replace("%", " %")
    if share < 0.0001:
        return "<0.01 %"
    if share > 0.9999:
        return ">99.99 %"
    digits = 1 if 0.01 <= share <= 0.99 else 2
    return f"{100 * share:.{digits}f} %"


def between(low: float, high: float) -> str:
    """Write an interval of shares in percent.

    Examples
    --------
    >>> from bayesdnf.display.wording import between
    >>> between(0.123, 0.5)
    '12.3 to 50.0 %'
    """
    return f"{percent(low).removesuffix(' %')} to {percent(high)}"


def with_interval(value: float, low: float, high: float, form: str) -> str:
    """Write a number and its interval in brackets, all in one format.

    Examples
    --------
    >>> from bayesdnf.display.wording import with_interval
    >>> with_interval(0.5, 0.41, 0.589, ".2f")
    '0.50 [0.41, 0.59]'
    """
    return f"{value:{form}} [{low:{form}}, {high:{form}}]"


def duration(seconds: float) -> str:
    """Describe how long something takes, to two digits.

    Examples
    --------
    >>> from bayesdnf.display.wording import duration
    >>> duration(0.2), duration(42.4), duration(5000), duration(90_000)
    ('a second', '42 seconds', '83 minutes', '25 hours')
    """
    if seconds < 1.5:
        return "a second"
    for unit, length in (("hours", 3600), ("minutes", 60)):
        if seconds >= 1.5 * length:
            return f"{float(f'{seconds / length:.2g}'):g} {unit}"
    return f"{seconds:.0f} seconds"
