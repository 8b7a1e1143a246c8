"""What an export must know of the cells of a table: orders of categories, missing values."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from ...errors import InputError, ParameterError
from ..literal import Literal, Value, comparison
from ..missing import named_missing

Orders: TypeAlias = Mapping[str, Sequence[str]]
"""Categories of columns of texts, lowest first."""


class Cells(NamedTuple):
    """How the cells of a table are read, which a literal does not know."""

    orders: Orders | None
    missing: tuple[Value, ...]
    """Values that count as missing beside NULL, None, NaN and empty texts."""

    @classmethod
    def read_as(cls, orders: Orders | None, missing_values: Collection[Value], owner: str) -> Cells:
        """Check what an export was given; texts come behind numbers, in rising order."""
        # A text is a sequence of letters: of 'SML' each would be a category.
        if orders is not None and not (
            isinstance(orders, Mapping)
            and all(isinstance(x, Sequence) and not isinstance(x, str) for x in orders.values())
        ):
            must = "a dict from columns to lists of their categories, lowest first"
            raise ParameterError.of("orders", owner, must, orders)
        missing = named_missing(missing_values, owner)
        return cls(orders, tuple(sorted(missing, key=lambda v: (isinstance(v, str), v))))

    def categories_of(self, literal: Literal) -> tuple[str, ...] | None:
        """Return the categories that satisfy a literal which an order decides; None for others."""
        operator, value = comparison(literal)
        if operator == "=" or not isinstance(value, str):
            return None
        given = (self.orders or {}).get(literal.attribute, ())
        order = tuple(text for text in given if text not in self.missing)
        if operator == "!=":
            # Of an order a text that is not in it satisfies none.
            return tuple(text for text in order if text != value) if value in order else None
        if value not in order:
            raise InputError(
                f"The literal '{literal}' needs the order of the categories of "
                f"{literal.attribute!r}: pass orders, such as model.encoder_.orders_, with "
                f"{value!r} in it."
            )
        place = order.index(value)
        return order[place:] if operator == ">=" else order[:place]
