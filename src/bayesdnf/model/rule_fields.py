"""Functions, risks and counts as checked fields of JSON documents."""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ..boolean import BooleanFunction, Literal, RuleList
from ..checks import is_whole
from ..display.wording import count
from ..files.checked_json import JsonFields
from .rates import Counts, Interval
from .rule import Rule

_MOST_ROWS = 2**53  # whole numbers that a float holds exactly


def read_function(
    top: JsonFields, is_allowed: Callable[[Literal], bool], made_of: str
) -> BooleanFunction:
    """Read a function, and the text of it that stands beside it for people.

    Parameters
    ----------
    top : JsonFields
        The document, with the fields ``function`` and ``rule``.
    is_allowed : callable
        Whether the function may have a literal.
    made_of : str
        What its literals must be, for errors: "the encoder's literals".
    """
    function = top.make("function", lambda: BooleanFunction.from_json(_text(top)))
    _check(top, function, is_allowed, made_of)
    return function


def read_list(
    top: JsonFields, is_allowed: Callable[[Literal], bool], made_of: str, layers: int
) -> RuleList:
    """Read a list of at most so many layers, as :func:`read_function` reads a function."""
    rules = top.make("function", lambda: RuleList.from_json(_text(top)))
    if len(rules) > layers:
        top.fail(
            "field 'function'",
            f"a list of at most {count(layers, 'layer')}",
            f"{len(rules)} layers",
        )
    _check(top, rules, is_allowed, made_of)
    return rules


def _text(top: JsonFields) -> str:
    return json.dumps(top.any("function"))


def _check(
    top: JsonFields, rule: Rule, is_allowed: Callable[[Literal], bool], made_of: str
) -> None:
    for literal in rule.literals:
        if not is_allowed(literal):
            top.fail("field 'function'", f"made of {made_of}", str(literal))
    if top.text("rule") != str(rule):
        top.fail("field 'rule'", "the text of 'function'", top.any("rule"))


def read_risk(part: JsonFields) -> Interval:
    """Read a probability and its interval."""
    part.expect(*Interval._fields)
    return Interval(*(part.number(name, 0, 1) for name in Interval._fields))


def read_risks(top: JsonFields, n_parts: int) -> tuple[Interval, ...]:
    """Read the risks of the parts of a list, the highest layer first; part 0 comes back first."""
    parts = top.parts("risks")
    if len(parts) != n_parts:
        top.fail("field 'risks'", f"a list of {n_parts}, one for each part", top.any("risks"))
    risks = []
    for number, part in zip(range(n_parts - 1, -1, -1), parts, strict=True):
        part.expect("part", *Interval._fields)
        part.whole("part", number, number)
        risks.append(Interval(*(part.number(name, 0, 1) for name in Interval._fields)))
    return tuple(reversed(risks))


def read_cells(top: JsonFields, n_strata: int, n_parts: int, counts: Counts) -> NDArray[np.int64]:
    """Read positives and negatives by stratum and part, which must add up to the counts."""
    read = read_class_cells(top, n_strata, n_parts, 2)
    if counts != counts_of(read):
        top.fail("field 'cells'", "numbers that add up to 'counts'", top.any("cells"))
    return read


def read_class_cells(
    top: JsonFields, n_strata: int, n_parts: int, n_classes: int
) -> NDArray[np.int64]:
    """Read rows by stratum, part and class."""
    cells = top.any("cells")
    try:
        whole = all(is_whole(n, 0, _MOST_ROWS) for own in cells for part in own for n in part)
        read = np.array(cells, dtype=np.int64) if whole else np.empty(0)
    except (TypeError, ValueError):  # no lists, or of different lengths
        read = np.empty(0)
    if read.shape != (n_strata, n_parts, n_classes):
        must = f"whole numbers, 0 or more: {n_strata} by {n_parts} by {n_classes}, nested in lists"
        top.fail("field 'cells'", must, cells)
    return read


def counts_of(cells: NDArray[np.int64]) -> Counts:
    """Add the cells up.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf.model.rule_fields import counts_of
    >>> counts_of(np.array([[[1, 9], [8, 2]]]))
    Counts(n=20, n_pos=9, n_marked=10, n_both=8)
    """
    marked = cells[:, 1:].sum(axis=(0, 1))
    return Counts(int(cells.sum()), int(cells[..., 0].sum()), int(marked.sum()), int(marked[0]))


def cells_of(counts: Counts, is_null: bool) -> NDArray[np.int64]:
    """Return the cells of a function without strata.

    Examples
    --------
    >>> from bayesdnf.model.rates import Counts
    >>> from bayesdnf.model.rule_fields import cells_of
    >>> cells_of(Counts(20, 9, 10, 8), is_null=False).tolist()
    [[[1, 9], [8, 2]]]
    """
    n, n_pos, n_marked, n_both = counts
    part0 = [n_pos - n_both, n - n_marked - n_pos + n_both]
    parts = [part0] if is_null else [part0, [n_both, n_marked - n_both]]
    return np.array([parts], dtype=np.int64)


def read_counts(part: JsonFields) -> Counts:
    """Read the counts of a function, which must be possible together."""
    part.expect(*Counts._fields)
    n = part.whole("n", 0, _MOST_ROWS)
    n_pos = part.whole("n_pos", 0, n)
    n_marked = part.whole("n_marked", 0, n)
    n_both = part.whole("n_both", max(0, n_pos + n_marked - n), min(n_pos, n_marked))
    return Counts(n, n_pos, n_marked, n_both)
