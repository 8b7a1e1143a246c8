"""LiteralEncoder: literals from the columns of a table."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..boolean.literal import FALSE, TRUE, Literal, Value
from ..boolean.missing import named_missing
from ..checks import whole
from ..display.offer import how_to_offer
from ..display.wording import count
from ..errors import InputError, ParameterError, UnknownColumnError, did_you_mean
from .bits import BitMatrix
from .columns.any_library import read_column
from .columns.column import NOTHING, TEXT, Column
from .encoder_state import read_state, write_state
from .kinds import (
    Attribute,
    Kinds,
    check_directions,
    check_kinds,
    decide,
    orders_of,
    read_directions,
)
from .literal_table import LiteralTable
from .outcome import read_weights
from .planes.plane_layout import allocate_planes, pack_into, segment_offsets
from .tables import RawTable, read_table


@dataclass(frozen=True, eq=False)
class FittedTable:
    """Rows read by a fitted encoder: the ``Table`` that :meth:`LiteralEncoder.as_table` makes.

    Parameters
    ----------
    n_rows : int
        Number of rows.
    read : callable
        Function from a column's name to its values.
    """

    n_rows: int
    read: Callable[[str], Column]
    _columns: dict[str, Column] = field(default_factory=dict, repr=False)

    def column(self, name: str) -> Column:
        """Return one column, read once."""
        if name not in self._columns:
            self._columns[name] = self.read(name)
        return self._columns[name]

    def truth(self, literal: Literal) -> NDArray[np.bool_]:
        """Return the truth of one literal on every row, in row order."""
        return self.column(literal.attribute).truth(literal)


class LiteralEncoder:
    """Turn the columns of a table into literals, and its rows into packed bits.

    Texts and categories give ``odor = f`` and ``odor != f`` for each level; of two levels each is
    the negation of the other, and there is no ``!=``. Columns of 0 and 1, of bools, and of the
    texts that these become in a file (``True`` and ``False``, ``"0"`` and ``"1"``) are all alike:
    they give ``x3`` and ``NOT x3``. Whole numbers with at most 10 different values give
    ``stage = 2``, ``stage != 2``, ``stage >= 2`` and ``stage < 2``. Other numbers give
    ``age >= 45`` and ``age < 45`` at quantiles, in the fewest digits that split the rows alike.
    No two literals of a column hold on the same values: ``stage != 1`` is not offered where 1 is
    the lowest and ``stage >= 2`` says the same. Constant columns give none, and neither do columns
    of more than 20 different texts that are dates, or have fewer than 20 rows each on average, as
    names and ids have; ``kinds={"name": "categorical"}`` offers them anyway. Ordered Categoricals
    of more than 20 levels give ``>=`` and ``<`` at quantiles, as numbers do;
    ``kinds={"grade": "ordinal"}`` offers every level. A missing value (NaN, None, null, an empty
    text) satisfies neither a literal nor its negation.

    Parameters
    ----------
    kinds : dict, optional
        ``{"stage": "categorical" | "ordinal" | "numeric" | "binary"}`` for columns whose kind
        should not be guessed. ``binary`` gives one literal, and its negation, for a column of two
        values. A list of the categories of a text column, lowest first, makes it ordinal:
        ``{"size": ["small", "medium", "large"]}`` gives ``size >= medium``, as the order of an
        ordered Categorical of pandas does. Texts that are not among them are refused, in fitting
        and afterwards.
    negations : bool, default True
        Whether to offer both directions: ``age < 45`` beside ``age >= 45``, ``odor != f`` beside
        ``odor = f``, ``NOT x3`` beside ``x3``. False offers ``>=``, ``=`` and ``x3`` alone, for
        monotone functions as in the paper.
    thresholds : int, default 8
        Maximum number of cuts of a numeric column, or of an ordered Categorical with more than 20
        levels.
    missing_values : list of texts and numbers, optional
        Values that mean "missing" in this table, such as ``["?"]``.
    drop_first : bool, default False
        Whether the first level of a categorical column gets no literal of its own.
    monotonic_cst : dict or array, optional
        Directions of columns, as in scikit-learn: ``{"age": 1}`` offers ``age >= 45`` and no
        ``age < 45`` or ``age = 45``, ``{"age": -1}`` the reverse, 0 both; an array has a number for
        each column. Columns of texts have no direction unless they have an order.

    Attributes
    ----------
    columns_ : tuple of str
        Names of the columns seen in fitting; those of an array are x0, x1, ….
    kinds_ : dict
        What was decided for each column.
    dropped_ : dict
        The columns that give no literals, and why.
    literals_ : tuple of Literal
        The literals on offer.
    directions_ : dict
        The columns that have a direction, 1 or -1.
    orders_ : dict
        The columns of texts that have an order, and their categories, lowest first; without those
        that are among the ``missing_values``.

    Examples
    --------
    >>> import pandas as pd
    >>> from bayesdnf import LiteralEncoder
    >>> table = pd.DataFrame({"odor": ["f", "n", "n"], "ill": [0, 1, 1], "site": ["A", "A", "A"]})
    >>> encoder = LiteralEncoder().fit(table)
    >>> [str(literal) for literal in encoder.literals_]
    ['odor = f', 'odor = n', 'ill', 'NOT ill']
    >>> encoder.kinds_
    {'odor': 'categorical', 'ill': 'binary'}
    >>> encoder.dropped_
    {'site': "constant: every value that is not missing is 'A'"}
    >>> encoder.encode(table)
    <BitMatrix: 3 rows x 4 literals>
    """

    columns_: tuple[str, ...]
    kinds_: dict[str, str]
    dropped_: dict[str, str]
    literals_: tuple[Literal, ...]
    directions_: dict[str, int]
    orders_: dict[str, tuple[str, ...]]

    def __init__(
        self,
        *,
        kinds: Kinds | None = None,
        negations: bool = True,
        thresholds: int = 8,
        missing_values: Collection[Value] = (),
        drop_first: bool = False,
        monotonic_cst: Mapping[str, int] | Sequence[int] | NDArray[np.integer] | None = None,
    ) -> None:
        self.kinds = kinds
        self.negations = negations
        self.thresholds = thresholds
        self.missing_values = missing_values
        self.drop_first = drop_first
        self.monotonic_cst = monotonic_cst

    def fit(self, X: Any, sample_weight: Any = None) -> LiteralEncoder:
        """Decide which literals to offer.

        Parameters
        ----------
        X : pandas or polars DataFrame, 2-D array, or dict of columns
            The rows to decide by.
        sample_weight : array of whole numbers, optional
            How often each row counts; rows of weight 0 are ignored.
        """
        self._check_parameters()
        self._decide(self._read(X), sample_weight)
        return self

    def _decide(
        self, table: RawTable, sample_weight: Any, parsed: dict[str, Column] | None = None
    ) -> None:
        """Fit; store the columns that give literals in ``parsed``, for packing them later."""
        weights = read_weights(sample_weight, table.n_rows)
        kinds = dict(self.kinds or {})
        for name in kinds:
            if name not in table:
                raise UnknownColumnError(
                    f"The 'kinds' parameter of LiteralEncoder names column {name!r}, which X "
                    f"does not have.{did_you_mean(name, table.names)}"
                )
        directions = read_directions(self.monotonic_cst, table.names)
        orders, missing = orders_of(self.kinds), self._missing_values()
        attributes: list[Attribute] = []
        dropped: dict[str, str] = {}
        for name in table.names:
            column = table.column(name)
            kind = kinds.get(name)
            if name in orders:
                column, kind = column.ordered(orders[name], missing), "ordinal"
            decision = decide(
                name,
                column,
                weights,
                kind=kind,  # type: ignore[arg-type]  # other than a list, it is a text
                negations=bool(self.negations),
                thresholds=self.thresholds,
                drop_first=self.drop_first,
                direction=directions.get(name, 0),
            )
            if isinstance(decision, Attribute):
                attributes.append(decision)
                if parsed is not None:
                    parsed[name] = column
            else:
                dropped[name] = decision.reason
        if not attributes:
            name, reason = next(iter(dropped.items()))
            raise InputError(
                f"X has no usable column: none of its {len(dropped):,} gives literals "
                f"(column {name!r}: {reason}).{how_to_offer(dropped)}"
            )
        self._set(table.names, attributes, dropped, directions)

    def encode(self, X: Any) -> BitMatrix:
        """Pack the truth of every literal on the rows of a table.

        Columns of a DataFrame are found by name, in any order, and others are ignored; an array
        must have as many columns as the table of ``fit``. A level that ``fit`` never saw
        satisfies no ``=`` literal of its column and every ``!=`` one; a column of two levels has
        no ``!=``, so there it satisfies nothing. In a 0/1 column it satisfies ``NOT x3``. Numbers,
        bools and texts that say 0 and 1 may stand for each other; other texts in the place of
        numbers, or numbers in the place of texts, are refused.

        Parameters
        ----------
        X : pandas or polars DataFrame, 2-D array, or dict of columns
            The rows; or what :meth:`as_table` made of them, whose columns are read once for both.
        """
        self._require_fitted()
        if isinstance(X, FittedTable):
            return self._pack(X.n_rows, lambda attribute: X.column(attribute.name))
        table = self._named_as_fitted(self._read(X))
        return self._pack(table.n_rows, lambda attribute: self._column(table, attribute))

    def _pack(self, n_rows: int, column_of: Callable[[Attribute], Column]) -> BitMatrix:
        """Pack the literals of each attribute, reading one column at a time."""
        n_base = int(self._table.plane.max()) + 1
        # Allocate a validity plane per attribute; pages of unused ones are never touched.
        planes = allocate_planes(n_base + len(self._attributes), segment_offsets([n_rows])[-1])
        valid = np.full(len(self._table), -1, dtype=np.int32)
        first, plane, behind = 0, 0, n_base
        for attribute, base in zip(self._attributes, self._base, strict=True):
            column = column_of(attribute)
            for literal in base:
                pack_into(planes[plane], column.truth(literal))
                plane += 1
            after = first + len(attribute.literals)
            if column.missing.any():
                pack_into(planes[behind], ~column.missing)
                valid[first:after] = behind
                behind += 1
            first = after
        return BitMatrix(planes[:behind], replace(self._table, valid=valid), [n_rows])

    def fit_encode(self, X: Any, sample_weight: Any = None) -> BitMatrix:
        """Fit, then encode the same table, each of its columns parsed once.

        Parameters
        ----------
        X : pandas or polars DataFrame, 2-D array, or dict of columns
            The rows.
        sample_weight : array of whole numbers, optional
            How often each row counts; rows of weight 0 are ignored.
        """
        self._check_parameters()
        table = self._read(X)
        parsed: dict[str, Column] = {}
        self._decide(table, sample_weight, parsed)
        # A parsed column is freed as soon as it is packed.
        return self._pack(table.n_rows, lambda attribute: parsed.pop(attribute.name))

    def as_table(self, X: Any, columns: Iterable[str] | None = None) -> FittedTable:
        """Read rows as a table on which functions of this encoder's literals can be evaluated.

        As in :meth:`encode`, with ``missing_values`` missing and the types of columns checked;
        but columns are read only when a literal asks for them.

        Parameters
        ----------
        X : pandas or polars DataFrame, 2-D array, or dict of columns
            The rows.
        columns : iterable of str, optional
            Columns that must be there; by default all that give literals.

        Examples
        --------
        >>> from bayesdnf import BooleanFunction, LiteralEncoder
        >>> encoder = LiteralEncoder(missing_values=["?"]).fit({"odor": ["f", "n", "?"]})
        >>> BooleanFunction("odor != f")(encoder.as_table({"odor": ["n", "?"]}))
        array([ True, False])
        """
        self._require_fitted()
        table = self._named_as_fitted(self._read(X))
        known = {attribute.name: attribute for attribute in self._attributes}
        for name in known if columns is None else columns:
            self._require_column(table, name)
        return FittedTable(table.n_rows, lambda name: self._column(table, known[name]))

    def to_dict(self) -> dict[str, Any]:
        """Return everything :meth:`from_dict` needs, in types that JSON has.

        Examples
        --------
        >>> from bayesdnf import LiteralEncoder
        >>> encoder = LiteralEncoder().fit({"odor": ["f", "n", "n"], "age": [1, 2, 3]})
        >>> LiteralEncoder.from_dict(encoder.to_dict()).literals_ == encoder.literals_
        True
        """
        self._require_fitted()
        return write_state(
            {
                "kinds": None if self.kinds is None else dict(self.kinds) | self._lists(),
                "negations": bool(self.negations),
                "thresholds": int(self.thresholds),
                "missing_values": self._missing_values(),
                "drop_first": bool(self.drop_first),
                "monotonic_cst": self.directions_ or None,
            },
            self.columns_,
            self._attributes,
            self.dropped_,
        )

    @classmethod
    def from_dict(cls, state: Any) -> LiteralEncoder:
        """Make a fitted encoder from the output of :meth:`to_dict`; all fields are checked."""
        read = read_state(state)
        encoder = cls(**read.parameters)
        encoder._check_parameters()
        directions = read_directions(encoder.monotonic_cst, read.columns)
        encoder._set(read.columns, read.attributes, read.dropped, directions)
        return encoder

    def __repr__(self) -> str:
        defaults = {
            "kinds": None,
            "negations": True,
            "thresholds": 8,
            "missing_values": (),
            "drop_first": False,
            "monotonic_cst": None,
        }
        given = [
            f"{name}={getattr(self, name)!r}"
            for name, default in defaults.items()
            if repr(getattr(self, name)) != repr(default)
        ]
        return f"LiteralEncoder({', '.join(given)})"

    def _check_parameters(self) -> None:
        owner = "LiteralEncoder"
        check_kinds(self.kinds, owner)
        for flag in ("negations", "drop_first"):
            if not isinstance(getattr(self, flag), (bool, np.bool_)):
                raise ParameterError.of(flag, owner, "True or False", getattr(self, flag))
        whole("thresholds", owner, self.thresholds, 1)
        named_missing(self.missing_values, owner)
        check_directions(self.monotonic_cst, owner)

    def _lists(self) -> dict[str, list[str]]:
        return {name: list(order) for name, order in orders_of(self.kinds).items()}

    def _missing_values(self) -> list[Value]:
        return sorted(
            named_missing(self.missing_values, "LiteralEncoder"), key=lambda v: (str(type(v)), v)
        )

    def _read(self, X: Any) -> RawTable:
        table = read_table(X, self._missing_values())
        if not table.names:
            raise InputError("X has no columns; at least one is needed.")
        if table.n_rows == 0:
            raise InputError("X has no rows; at least one is needed.")
        return table

    def _set(
        self,
        columns: tuple[str, ...],
        attributes: list[Attribute],
        dropped: dict[str, str],
        directions: dict[str, int],
    ) -> None:
        self.columns_ = columns
        self.dropped_ = dropped
        self.directions_ = directions
        self.orders_ = {
            attribute.name: attribute.order for attribute in attributes if attribute.order
        }
        self.kinds_ = {attribute.name: attribute.kind for attribute in attributes}
        self._attributes = attributes
        self.literals_ = tuple(x for attribute in attributes for x in attribute.literals)
        # The literal whose plane has the literal's bits, or their complement.
        positive = [[_positive(x) for x in attribute.literals] for attribute in attributes]
        self._base = [list(dict.fromkeys(own)) for own in positive]
        place = {literal: i for i, literal in enumerate(itertools.chain(*self._base))}
        self._table = LiteralTable.of_literals(
            self.literals_,
            plane=[place[literal] for literal in itertools.chain(*positive)],
            complement=[literal not in place for literal in self.literals_],
            valid=[-1] * len(self.literals_),
            orders=self.orders_,
        )

    def _require_fitted(self) -> None:
        if not hasattr(self, "literals_"):
            raise InputError("This LiteralEncoder is not fitted yet; call fit first.")

    def _named_as_fitted(self, table: RawTable) -> RawTable:
        if table.is_named:
            return table
        if len(table.names) != len(self.columns_):
            raise InputError(
                f"X has {count(len(table.names), 'column')}; the encoder was fitted on "
                f"{len(self.columns_):,}."
            )
        return table.renamed(self.columns_)

    def _require_column(self, table: RawTable, name: str) -> None:
        if name not in table:
            raise UnknownColumnError(
                f"X has no column {name!r}, which the encoder was fitted on."
                f"{did_you_mean(name, table.names)}"
            )

    def _column(self, table: RawTable, attribute: Attribute) -> Column:
        self._require_column(table, attribute.name)
        column = table.column(attribute.name)
        if column.type != NOTHING and (column.type == TEXT) != (attribute.type == TEXT):
            self._require_same_meaning(column, attribute)
        return self._in_order(column, attribute.name)

    def read_values(self, name: str, values: Any) -> Column:
        """Read the values of a column with literals, with the order of its categories."""
        return self._in_order(read_column(values, f"Column {name!r}"), name)

    def _in_order(self, column: Column, name: str) -> Column:
        return column.ordered(self.orders_[name]) if name in self.orders_ else column

    def _require_same_meaning(self, column: Column, attribute: Attribute) -> None:
        """Raise an error on texts for numbers, or numbers for texts, unless both mean 0 and 1."""
        value: Value
        if attribute.literals[0].operator in (TRUE, FALSE):
            other = column.other_than_flags()
            if other is None:
                return
            value, row = other, int(np.argmax(column.values == column.texts[other]))
        else:
            value, row = column.example()
        raise InputError(
            f"{column.title} held {attribute.type} in fitting and holds {column.type} now, "
            f"such as {value!r} in {column.row(row)}; give it the same type."
        )


def _positive(literal: Literal) -> Literal:
    """Return a literal, or the literal that it negates."""
    return ~literal if literal.operator in ("!=", "<", FALSE) else literal
