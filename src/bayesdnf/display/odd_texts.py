"""Texts among numbers, which mostly mean that a value is missing, in sentences."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping
from typing import Any

from .wording import listed, text_list

# With commas of any meaning; not with leading zeros, as codes have them.
_NUMBER = re.compile(
    r"\s*[-+]?(?:(?:0|[1-9]\d*)(?:,\d+)*(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?\s*", re.IGNORECASE
)
_MEANS_MISSING = frozenset({"", "na", "n/a", "#n/a", "<na>", "nan", "null", "?", "."})
_MOST_ODD = 2  # of other words among numbers
_LEAST_NUMBERS = 3
_SHOWN = 3


def is_number_text(text: str) -> bool:
    """Return whether a text is a number as people write them.

    Examples
    --------
    >>> from bayesdnf.display.odd_texts import is_number_text
    >>> [is_number_text(text) for text in ("-1.5", "1,250", "007", "NA")]
    [True, True, False, False]
    """
    return _NUMBER.fullmatch(text) is not None


def means_missing(value: Any) -> bool:
    """Return whether a value is a text that mostly means that there is none.

    Examples
    --------
    >>> from bayesdnf.display.odd_texts import means_missing
    >>> [means_missing(value) for value in ("NA", "?", "none", 0)]
    [True, True, False, False]
    """
    return isinstance(value, str) and value.strip().casefold() in _MEANS_MISSING


def odd_columns(columns: Mapping[str, Iterable[Any]]) -> list[str]:
    """Name columns whose texts are numbers but for a few, in a sentence.

    Parameters
    ----------
    columns : dict
        From names to their different values.

    Examples
    --------
    >>> from bayesdnf.display.odd_texts import odd_columns
    >>> odd_columns({"stage": ["1", "2", "NA"], "site": ["A", "B"]})
    ["Numbers as texts: 'stage' holds numbers but for 'NA', so that each of its texts is a category.
    If 'NA' means missing, say so (--missing NA; na_values in pandas)."]
    """
    found = {name: odd for name, values in columns.items() if (odd := _among_numbers(values))}
    if not found:
        return []
    shown = listed(
        found, _SHOWN, lambda name: f"{name!r} holds numbers but for {_all(found[name])}"
    )
    texts = list(dict.fromkeys(text for odd in found.values() for text in odd))
    is_one = len(texts) == 1
    options = " ".join(f"--missing {shlex.quote(text)}" for text in texts[:_SHOWN])
    return [
        f"Numbers as texts: {shown}, so that each of {'its' if len(found) == 1 else 'their'} texts "
        f"is a category. If {_all(texts[:1]) if is_one else 'these'} "
        f"{'means' if is_one else 'mean'} missing, say so ({options}; na_values in pandas)."
    ]


def odd_labels(name: str, labels: Iterable[Any]) -> list[str]:
    """State that a class of a target may mean that the label is missing, in a sentence.

    Examples
    --------
    >>> from bayesdnf.display.odd_texts import odd_labels
    >>> odd_labels("y", ["NA", "no", "yes"])
    ["'NA' is a class of 'y'; if it means missing, leave out its rows."]
    """
    labels = list(labels)
    odd = [label for label in labels if means_missing(label)] or _among_numbers(labels)
    if not odd:
        return []
    is_one = len(odd) == 1
    are, it = ("is a class", "it means") if is_one else ("are classes", "they mean")
    return [
        f"{_all(odd)} {are} of {name!r}; if {it} missing, leave out {'its' if is_one else 'their'} "
        f"rows."
    ]


def _among_numbers(values: Iterable[Any]) -> list[str]:
    """Return the texts that are no numbers, where the others are."""
    texts = sorted(value for value in values if isinstance(value, str))
    odd = [text for text in texts if not is_number_text(text)]
    n_numbers = len(texts) - len(odd)
    if n_numbers and all(map(means_missing, odd)):
        return odd
    return odd if len(odd) <= _MOST_ODD and n_numbers >= _LEAST_NUMBERS else []


def _all(texts: list[str]) -> str:
    return text_list([repr(text) for text in texts], "and")
