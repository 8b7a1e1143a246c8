"""One column as plain arrays, numbers or codes of texts, and the truth of literals on it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...boolean.literal import FALSE, ONE_TEXTS, TRUE, ZERO_TEXTS, Literal, Value, comparison
from ...checks import is_number
from ...display.wording import listed
from ...errors import InputError
from ..table_files.row_names import row_name

TEXT, NUMBERS, BOOLS, NOTHING = "text", "numbers", "bools", "nothing"

_SHOWN = 8  # categories of an order in errors


class Origin(NamedTuple):
    """Names of a column and its rows in errors."""

    title: str
    """Such as ``Column 'age'``."""
    index: Any = None
    """That of pandas, which names the rows; None: they are numbered from 0."""

    def row(self, row: int) -> str:
        """Return the name of a row in errors, such as "row 3" or "line 5"."""
        return row_name(self.index, row)


@dataclass(frozen=True, eq=False)
class Column:
    """The values of one column, independent of the table library.

    Parameters
    ----------
    origin : Origin
        Names of the column and its rows in errors.
    type : str
        ``text``, ``numbers``, ``bools``, or ``nothing`` when every value is missing.
    values : ndarray
        Numbers or bools; for text the code of each value (-1: missing).
    missing : ndarray of bool
        Where there is no value.
    texts : dict
        The different texts and their codes 0, 1, ….
    is_category : bool
        Whether the column's own dtype says that its values are categories.
    is_rounded : bool
        Whether distinct numbers became equal in double precision.
    order : tuple of str
        The categories of a text column, lowest first, if they have an order; without texts that
        count as missing.
    """

    origin: Origin
    type: str
    values: NDArray[Any]
    missing: NDArray[np.bool_]
    texts: dict[str, int] = field(default_factory=dict)
    is_category: bool = False
    is_rounded: bool = False
    order: tuple[str, ...] = ()

    def ordered(self, order: tuple[str, ...], missing: Collection[Value] = ()) -> Column:
        """Return the column with an order of its categories, which must name all of its texts.

        Texts that count as missing are not in the order, so they satisfy no literal.
        """
        if self.type in (NUMBERS, BOOLS):
            value, row = self.example()
            raise InputError(
                f"{self.title} cannot have the order {_chain(order)}, which is for texts: it holds "
                f"{value!r} in {self.row(row)}."
            )
        column = replace(self, order=tuple(text for text in order if text not in missing))
        unknown = next((text for text in self.texts if text not in column.places), None)
        if unknown is not None:
            row = int(np.argmax(self.values == self.texts[unknown]))
            raise InputError(
                f"{self.title} holds {unknown!r} in {self.row(row)}, which is not in its order "
                f"{_chain(order)}."
            )
        return column

    @cached_property
    def places(self) -> dict[str, int]:
        """Place of each category in the order."""
        return {text: place for place, text in enumerate(self.order)}

    @cached_property
    def ranks(self) -> NDArray[np.int32]:
        """Rank of each row's category in the order; one after the last if it is missing.

        Without an order all are 0.
        """
        if self.type != TEXT or not self.order:
            return np.zeros(len(self.values), dtype=np.int32)
        # The code -1 of missing values indexes the last entry.
        of_text = [*map(self.places.__getitem__, self.texts), len(self.order)]
        return np.asarray(np.array(of_text, dtype=np.int32)[self.values])

    @property
    def title(self) -> str:
        """What an error calls it: ``Column 'age'``."""
        return self.origin.title

    def row(self, row: int) -> str:
        """Return the name of a row in errors, such as "row 3" or "line 5"."""
        return self.origin.row(row)

    def truth(self, literal: Literal) -> NDArray[np.bool_]:
        """Return the truth of a literal on every row; False for missing values."""
        operator, value = comparison(literal)
        if literal.operator in (TRUE, FALSE):
            holds = self._is_one()
        else:
            holds = self._at_least(literal) if operator in (">=", "<") else self._equal(value)
        return (~holds if operator in ("<", "!=") else holds) & ~self.missing

    def _is_one(self) -> NDArray[np.bool_]:
        if self.type != TEXT:
            return np.asarray(self.values == 1)
        ones = [self.texts[text] for text in ONE_TEXTS if text in self.texts]
        return np.isin(self.values, ones)

    def other_than_flags(self) -> str | None:
        """Return the first text that means neither 0 nor 1; None if there is none."""
        return next((t for t in self.texts if t not in ZERO_TEXTS + ONE_TEXTS), None)

    def _equal(self, value: Value) -> NDArray[np.bool_]:
        if (self.type == TEXT) != isinstance(value, str):
            return np.zeros(len(self.values), dtype=np.bool_)
        if isinstance(value, str):
            # Codes are at least 0, or -1 for missing values, so -2 equals none.
            return np.asarray(self.values == self.texts.get(value, -2))
        return np.asarray(self.values == self._comparable(value))

    def _at_least(self, literal: Literal) -> NDArray[np.bool_]:
        bound = comparison(literal)[1]
        if isinstance(bound, str):
            return self._at_least_category(literal, bound)
        if self.type == TEXT:
            value, row = self.example()
            raise InputError(
                f"{self.title} holds text, such as {value!r} in {self.row(row)}; "
                f"the literal '{literal}' needs numbers."
            )
        return np.asarray(self.values >= self._comparable(bound))

    def _at_least_category(self, literal: Literal, bound: str) -> NDArray[np.bool_]:
        if self.type == NOTHING:
            return np.zeros(len(self.values), dtype=np.bool_)
        if bound not in self.places:
            raise InputError(
                f"The literal '{literal}' needs an order of categories that names {bound!r}; "
                f"{self.title} has {_chain(self.order) if self.order else 'none'}."
            )
        return np.asarray(self.ranks >= self.places[bound])

    def _comparable(self, value: Value) -> Any:
        # Against whole numbers a float would round those past 2^53.
        whole = isinstance(value, float) and value.is_integer() and self.values.dtype.kind in "iu"
        return int(value) if whole else value  # type: ignore[arg-type]

    def distinct(
        self, weights: NDArray[np.int64] | None = None
    ) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """Return the distinct values in ascending order, and the total weight of each.

        Missing values and rows of weight 0 are left out.
        """
        if weights is None:
            values, totals = np.unique(self.values[~self.missing], return_counts=True)
        else:
            rows = ~self.missing & (weights > 0)
            values, group = np.unique(self.values[rows], return_inverse=True)
            totals = np.zeros(len(values), dtype=np.int64)
            np.add.at(totals, group, weights[rows])
        if self.type == TEXT:
            texts = list(self.texts)
            values = np.array([texts[code] for code in values], dtype=object)
            order = np.argsort(values)
            values, totals = values[order], totals[order]
        return values, totals

    def example(self) -> tuple[Value, int]:
        """Return a value that is not missing, a text that is no number if there is one; its row."""
        if self.type != TEXT:
            row = int(np.argmin(self.missing))
            return self.values[row].item(), row
        text = next((text for text in self.texts if not is_number(text)), next(iter(self.texts)))
        return text, int(np.argmax(self.values == self.texts[text]))


def _chain(order: tuple[str, ...]) -> str:
    return listed(order, _SHOWN, repr, " < ")
