"""Data of the form "try a case": the values of each column, and the truth of each literal."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..boolean import Literal
from ..boolean.literal import FALSE, TRUE, value_text
from ..data.columns.column import NOTHING, TEXT, Column
from ..data.encoder import FittedTable, LiteralEncoder
from ..display.markup import shown
from ..estimators.explaining.changes import possible_values
from ..estimators.rules import placed_terms
from ..model.rule import Rule
from .words import value_words

Bools = NDArray[np.bool_]

_MOST_OPTIONS = 200


def case_form(
    rule: Rule, encoder: LiteralEncoder, table: FittedTable, rows: Bools
) -> dict[str, Any]:
    """Describe the form of a rule, in types that JSON has.

    Parameters
    ----------
    rule : BooleanFunction or RuleList
        The rule.
    encoder : LiteralEncoder
        Its encoder.
    table : FittedTable
        Rows, of which the form shows the most common values at first.
    rows : ndarray of bool
        Which of them.

    Returns
    -------
    dict
        ``terms``, each a list of numbers of literals; ``layers``, that of each term;
        ``attributes``, each with its ``name``, the ``options`` to pick, the number of them that may
        be suggested as a change (the others stand for a value never seen and for a missing one),
        ``holds`` (by option: the literals that hold, by number), ``start``, and for numbers the
        ``cuts`` between options.
    """
    number = {literal: i for i, literal in enumerate(rule.literals)}
    terms = placed_terms(rule)
    return {
        "terms": [[number[literal] for literal in term] for _, term in terms],
        "layers": [layer for layer, _ in terms],
        "attributes": [
            _attribute(name, number, encoder, table.column(name), rows) for name in rule.attributes
        ],
    }


def _attribute(
    name: str, number: dict[Literal, int], encoder: LiteralEncoder, column: Column, rows: Bools
) -> dict[str, Any]:
    literals = [literal for literal in number if literal.attribute == name]
    offered = [literal for literal in encoder.literals_ if literal.attribute == name]
    values = _some(possible_values(name, literals, encoder), literals)
    numeric = name not in encoder.orders_ and all(x.operator in (">=", "<") for x in offered)
    is_flag = any(literal.operator in (TRUE, FALSE) for literal in offered)
    made = encoder.read_values(name, values)
    truth = [made.truth(literal) for literal in literals]
    holds = [
        [number[literal] for literal, flags in zip(literals, truth, strict=True) if flags[i]]
        for i in range(len(values))
    ]
    if numeric:
        options = _intervals(values[1:])
    elif is_flag:
        options = ["no (0)", "yes (1)"]
    else:
        options = [value_words(value) for value in values]
    suggested = len(options)
    seen = {literal.operator for literal in offered}
    if encoder.kinds_[name] == "binary" and seen & {"=", "!="}:
        options[1] = f"anything but {options[0]}"
    elif seen <= {"=", "!="} and not isinstance(values[0], bool):  # it may lie beyond any >=
        options.append("another value")
        holds.append([number[literal] for literal in literals if literal.operator == "!="])
    options.append("not known")
    holds.append([])
    form: dict[str, Any] = {
        "name": shown(name),
        "options": options,
        "suggested": suggested,
        "literals": [number[literal] for literal in literals],
        "holds": holds,
    }
    known = rows & ~column.missing
    if numeric:
        middle = float(np.median(column.values[known])) if known.any() else float(values[1])
        return form | {"cuts": [float(v) for v in values[1:]], "start": float(f"{middle:.6g}")}
    flag = Literal(name, TRUE) if is_flag else None
    return form | {"start": _most_common(values, column, known, flag)}


def _some(values: list[Any], literals: list[Literal]) -> list[Any]:
    """Of very many levels those that the rule names, and some more."""
    named = {literal.value for literal in literals}
    others = [value for value in values if value not in named]
    left_out = set(others[max(0, _MOST_OPTIONS - len(named)) :])
    return [value for value in values if value not in left_out]


def _intervals(cuts: list[Any]) -> list[str]:
    texts = [value_text(cut) for cut in cuts]
    inner = [f"{low} to below {high}" for low, high in pairwise(texts)]
    return [f"below {texts[0]}", *inner, f"{texts[-1]} or more"]


def _most_common(
    values: list[Any], column: Column, known: Bools, flag: Literal | None = None
) -> int:
    """Return the index of the most frequent value; values of 0/1 columns may have any type."""
    if column.type == NOTHING or not known.any():
        return 0
    if flag is not None:
        return int(2 * column.truth(flag)[known].sum() > known.sum())
    held, rows = np.unique(column.values[known], return_counts=True)
    best = held[int(np.argmax(rows))].item()
    if column.type == TEXT:
        best = list(column.texts)[best]
    return values.index(best) if best in values else len(values) - 1
