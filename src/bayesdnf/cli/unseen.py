"""Say which values of a table to predict were not there in the fit, and what follows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

from .. import DNFClassifier
from ..boolean.literal import FALSE, ONE_TEXTS, TRUE, ZERO_TEXTS, Value
from ..data.encoder import FittedTable, LiteralEncoder
from ..display.wording import count, listed, plural
from ..estimators.rule_classifier import RuleClassifier
from ..estimators.rules import placed_terms

_SHOWN = 3


class Unseen(NamedTuple):
    """A value that was not seen in the fit."""

    column: str
    value: Value
    rows: int
    """How many rows have it."""


def unseen_values(
    encoder: LiteralEncoder, rows: FittedTable, columns: Iterable[str]
) -> list[Unseen]:
    """Find values that no literal of their column names, so that only ``!=`` and ``NOT`` hold.

    Numbers that are compared by size are none of them, and neither are values of a column whose
    values the encoder does not name one by one.

    Parameters
    ----------
    encoder : LiteralEncoder
        The fitted encoder.
    rows : FittedTable
        What it read of later rows.
    columns : iterable of str
        The columns to look at.

    Examples
    --------
    >>> from bayesdnf import LiteralEncoder
    >>> from bayesdnf.cli.unseen import unseen_values
    >>> encoder = LiteralEncoder().fit({"odor": ["f", "n", "a"]})
    >>> unseen_values(encoder, encoder.as_table({"odor": ["q", "n", "q"]}), ["odor"])
    [Unseen(column='odor', value='q', rows=2)]
    """
    known = _known(encoder, set(columns))
    found = []
    for name, values in known.items():
        different, totals = rows.column(name).distinct()
        for value, n in zip(different.tolist(), totals.tolist(), strict=True):
            if value not in values:
                found.append(Unseen(name, value, n))
    return found


def _known(encoder: LiteralEncoder, columns: set[str]) -> dict[str, set[Value]]:
    """Return the values that were seen, of the columns that name them all."""
    known: dict[str, set[Value]] = {}
    for literal in encoder.literals_:
        name = literal.attribute
        if name not in columns:
            continue
        if literal.operator in (TRUE, FALSE):
            known[name] = {0, 1, *ZERO_TEXTS, *ONE_TEXTS}
        elif encoder.kinds_[name] == "categorical" and not encoder.drop_first:
            known.setdefault(name, set()).add(literal.value)
    return known


def unseen_lines(model: RuleClassifier, found: Sequence[Unseen]) -> list[str]:
    """Describe for each column which values were not seen, and which literals hold on them.

    Parameters
    ----------
    model : RuleClassifier
        The fitted classifier.
    found : sequence of Unseen
        The values, by column.
    """
    lines = []
    for name, own in groupby(found, lambda value: value.column):
        values = list(own)
        n = len(values)
        shown = listed(values, _SHOWN, lambda x: f"{x.value!r} in {count(x.rows, 'row')}")
        lines.append(
            f"{name!r} has {count(n, 'value')} that {plural(n, 'was', 'were')} not seen in the fit "
            f"({shown}); there {_holding(model, name)}."
        )
    return lines


def _holding(model: RuleClassifier, name: str) -> str:
    """Describe which literals of a column hold on values that are not known."""
    if not isinstance(model, DNFClassifier):  # drawn rules have many
        return "each != holds, and no ="
    own = {
        literal: literal.operator in ("!=", FALSE)
        for _, term in placed_terms(model.function_)
        for literal in term
        if literal.attribute == name
    }
    said = []
    for holds, one, many in ((True, "holds", "hold"), (False, "does not hold", "do not hold")):
        if literals := [literal for literal, is_so in own.items() if is_so == holds]:
            verb = plural(len(literals), one, many)
            said.append(f"{listed(literals, _SHOWN, str)} {verb}")
    return ", and ".join(said)
