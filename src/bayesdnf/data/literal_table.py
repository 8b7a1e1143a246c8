"""The literal table: the meaning of each literal of a packed matrix, and the place of its bits."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from ..boolean.literal import FALSE, MEANING, OPERATORS, TRUE, Literal, Value, comparison
from ..display.wording import listed
from ..errors import InputError, UnknownColumnError, did_you_mean
from ..files.packed import PackedFile, pack_texts, unpack_texts

_CODE = {operator: code for code, operator in enumerate(OPERATORS)}
# The core has =, !=, >= and <; operators in words are mapped to these.
_CORE_CODE = np.array([_CODE[MEANING.get(o, (o, 0))[0]] for o in OPERATORS], dtype=np.uint8)

_FEW = 8  # up to so many literals of an attribute are searched linearly, to save dictionaries

_ARRAYS = {
    "attribute": np.int32, "rank": np.int32, "operator": np.uint8,
    "plane": np.int32, "valid": np.int32, "complement": np.bool_,
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class LiteralTable(Sequence[Literal]):
    """Literals stored by column, so that a million of them need only a few arrays.

    Parameters
    ----------
    attributes : tuple of str
        Names of the attributes.
    levels : tuple of tuples
        For each attribute the values its literals compare with, in rising order.
    attribute, rank, operator : ndarray
        For each literal its attribute, its value's place in that attribute's levels, and its
        operator's place in ``boolean.literal.OPERATORS``.
    plane, valid : ndarray of int32
        The plane that holds the literal's bits, and the plane that says where the value is known
        (-1: known on every row).
    complement : ndarray of bool
        Whether the literal is the complement of its plane.
    """

    attributes: tuple[str, ...]
    levels: tuple[tuple[Value, ...], ...]
    attribute: NDArray[np.int32]
    rank: NDArray[np.int32]
    operator: NDArray[np.uint8]
    plane: NDArray[np.int32]
    valid: NDArray[np.int32]
    complement: NDArray[np.bool_]

    @classmethod
    def of_flags(cls, names: Sequence[str]) -> LiteralTable:
        """Build the table of plain 0/1 columns, one literal and one plane each."""
        require_distinct(names)
        p = len(names)
        return cls(
            attributes=tuple(names),
            levels=((1,),) * p,
            attribute=np.arange(p, dtype=np.int32),
            rank=np.zeros(p, dtype=np.int32),
            operator=np.full(p, _CODE[TRUE], dtype=np.uint8),
            plane=np.arange(p, dtype=np.int32),
            valid=np.full(p, -1, dtype=np.int32),
            complement=np.zeros(p, dtype=np.bool_),
        )

    @classmethod
    def of_codings(
        cls,
        names: Sequence[str],
        codings: Sequence[str],
        *,
        plane: NDArray[np.integer],
        valid: NDArray[np.integer],
        complement: NDArray[np.bool_],
    ) -> LiteralTable:
        """Build the table of allele counts: the same codings for every name, name by name."""
        require_distinct(names)
        p, width = len(names), len(codings)
        copies = sorted({MEANING[coding][1] for coding in codings})
        return cls(
            attributes=tuple(names),
            levels=(tuple(copies),) * p,
            attribute=np.repeat(np.arange(p, dtype=np.int32), width),
            rank=np.tile([copies.index(MEANING[c][1]) for c in codings], p).astype(np.int32),
            operator=np.tile([_CODE[c] for c in codings], p).astype(np.uint8),
            plane=plane.astype(np.int32),
            valid=valid.astype(np.int32),
            complement=complement,
        )

    @classmethod
    def of_literals(
        cls,
        literals: Sequence[Literal],
        plane: Sequence[int],
        complement: Sequence[bool],
        valid: Sequence[int],
        orders: Mapping[str, Sequence[str]] | None = None,
    ) -> LiteralTable:
        """Build a table from literals and the places of their bits.

        ``orders`` has the categories, in order, of the columns whose texts have one.
        """
        attributes = tuple(dict.fromkeys(literal.attribute for literal in literals))
        number = {name: i for i, name in enumerate(attributes)}
        values: list[set[Value]] = [set() for _ in attributes]
        for literal in literals:
            values[number[literal.attribute]].add(comparison(literal)[1])
        # The core compares ranks, never values: literals need only the order of a column's values.
        key_of: dict[str, Callable[[Any], Any]] = {
            name: {text: place for place, text in enumerate(order)}.__getitem__
            for name, order in (orders or {}).items()
        }
        levels = tuple(
            tuple(sorted(own, key=key_of.get(name, _level_key)))
            for name, own in zip(attributes, values, strict=True)
        )
        ranks = [{value: r for r, value in enumerate(level)} for level in levels]
        return cls(
            attributes=attributes,
            levels=levels,
            attribute=np.array([number[x.attribute] for x in literals], dtype=np.int32),
            rank=np.array(
                [ranks[number[x.attribute]][comparison(x)[1]] for x in literals], dtype=np.int32
            ),
            operator=np.array([_CODE[x.operator] for x in literals], dtype=np.uint8),
            plane=np.asarray(plane, dtype=np.int32),
            valid=np.asarray(valid, dtype=np.int32),
            complement=np.asarray(complement, dtype=np.bool_),
        )

    def packed(self) -> dict[str, NDArray[Any]]:
        """Return the arrays from which :meth:`unpacked` restores the table."""
        levels = json.dumps(self.levels, default=lambda value: value.item()).encode()
        return {
            "attributes": pack_texts(self.attributes, "Column"),
            "levels": np.frombuffer(levels, dtype=np.uint8),
            **{name: getattr(self, name) for name in _ARRAYS},
        }

    @classmethod
    def unpacked(cls, packed: PackedFile, n_attributes: int) -> LiteralTable:
        """Make the table from the output of :meth:`packed`; InputError if it is inconsistent."""
        attributes = tuple(unpack_texts(packed, "attributes", n_attributes))
        arrays = {name: packed[name] for name in _ARRAYS}
        try:
            levels = tuple(tuple(level) for level in json.loads(packed["levels"].tobytes()))
            fitting = len(levels) == n_attributes and all(
                array.dtype == kind and array.shape == arrays["attribute"].shape
                for array, kind in zip(arrays.values(), _ARRAYS.values(), strict=True)
            )
            of = arrays["attribute"]
            n_levels = np.fromiter(map(len, levels), np.int64, len(levels))
            fitting = fitting and bool(((of >= 0) & (of < n_attributes)).all())
            fitting = fitting and bool((arrays["operator"] < len(OPERATORS)).all())
            rank = arrays["rank"]
            fitting = fitting and bool(((rank >= 0) & (rank < n_levels[of])).all())
        except (ValueError, TypeError, IndexError):
            fitting = False
        if not fitting:
            raise InputError(f"{packed.path} is not a valid packed file: its literals do not fit.")
        return cls(attributes, levels, **arrays)

    def __len__(self) -> int:
        return len(self.attribute)

    @overload
    def __getitem__(self, index: int) -> Literal: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Literal]: ...
    def __getitem__(self, index: int | slice) -> Literal | Sequence[Literal]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        a = int(self.attribute[index])
        operator = OPERATORS[self.operator[index]]
        value = None if operator in MEANING else self.levels[a][self.rank[index]]
        return Literal(self.attributes[a], operator, value)

    def __iter__(self) -> Iterator[Literal]:
        return (self[i] for i in range(len(self)))

    @property
    def core_operator(self) -> NDArray[np.uint8]:
        """Operator codes as the native core names them: =, !=, >=, <."""
        return _CORE_CODE[self.operator]

    def find(self, literal: Literal) -> int | None:
        """Return the index of a literal, or None if it is not in the table."""
        number = self._number_of(literal.attribute)
        if number not in self._places:
            members = self.members(number).tolist()
            if len(members) <= _FEW:
                return next((i for i in members if self[i] == literal), None)
            # Backwards, so that the first of equal literals is kept.
            self._places[number] = {self[i]: i for i in reversed(members)}
        return self._places[number].get(literal)

    def __contains__(self, literal: object) -> bool:
        return (
            isinstance(literal, Literal)
            and literal.attribute in self.numbers
            and self.find(literal) is not None
        )

    def index_of(self, literal: Literal) -> int:
        """Return the index of a literal, or raise an error with suggestions."""
        found = self.find(literal)
        if found is not None:
            return found
        members = self.members(self._number_of(literal.attribute))
        offered = listed(members.tolist(), 6, lambda i: str(self[i]))
        if self.find(~literal) is not None and not self._has_both_directions(members):
            help_text = "Encode with negations=True to offer it."
        else:
            help_text = f"On offer for that column: {offered}."
        raise UnknownColumnError(
            f"Literal '{literal}' is not among the {len(self):,} literals on offer. {help_text}"
        )

    @property
    def both_directions(self) -> bool:
        """Whether every column offers both directions."""
        return all(
            self._has_both_directions(self.members(number))
            for number in range(len(self.attributes))
        )

    def _has_both_directions(self, members: NDArray[np.intp]) -> bool:
        operators = [OPERATORS[code] for code in self.operator[members]]
        # Of a column with two values, each literal is the negation of the other.
        return operators == ["=", "="] or any(o in ("!=", "<", FALSE) for o in operators)

    def members(self, number: int) -> NDArray[np.intp]:
        """Return the indices of an attribute's literals, in rising order."""
        order, starts = self._grouped
        return order[starts[number] : starts[number + 1]]

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Number of each attribute, by its name."""
        return {name: number for number, name in enumerate(self.attributes)}

    @cached_property
    def _places(self) -> dict[int, dict[Literal, int]]:
        """Indices of the literals of attributes with many literals, filled on demand."""
        return {}

    @cached_property
    def _grouped(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Literals by attribute, and where those of each begin and end among them."""
        sizes = np.bincount(self.attribute, minlength=len(self.attributes))
        return np.argsort(self.attribute, kind="stable"), np.append(0, np.cumsum(sizes))

    def _number_of(self, name: str) -> int:
        if name not in self.numbers:
            raise UnknownColumnError(
                f"The function names column {name!r}, which the table does not have."
                f"{did_you_mean(name, self.attributes)}"
            )
        return self.numbers[name]


def require_distinct(names: Sequence[str]) -> None:
    """Raise an error if a column name occurs twice."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise InputError(
                f"Column name {name!r} appears twice; every column needs its own name."
            )
        seen.add(name)


def _level_key(value: Value) -> tuple[int, float, str]:
    # Numbers as they are: float() would make one of whole numbers past 2^53.
    return (1, 0, value) if isinstance(value, str) else (0, value or 0, "")
