"""A rule list (decision list): layers of Boolean functions, evaluated in order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..display import markup
from ..errors import ParameterError
from . import algebra
from .function import BooleanFunction
from .literal import Literal
from .parsing import parse_layers
from .rule_list_export import RuleListExports, read_layers_json
from .table import as_table


@dataclass(frozen=True, slots=True, init=False, repr=False)
class RuleList(RuleListExports):
    """Decision list: layers of Boolean functions, evaluated in order; immutable.

    A list of G layers partitions the rows of a table. Layer G is evaluated first and
    layer 1 last; a row belongs to part h if layer h is the first that marks it, and to
    part 0, the ``else``, if no layer does. Without layers it is the null list: every
    row is in part 0. Two lists are equal if their layers are equal functions in the
    same order; :meth:`equivalent_to` compares the parts of all rows.

    Parameters
    ----------
    layers : iterable of BooleanFunction or str, or str
        The layers in the order of evaluation, layer G first; functions may be given
        as texts. None may be the null function. A single text is read as by
        :meth:`parse`.

    Attributes
    ----------
    layers : tuple of BooleanFunction
        The layers in the order of evaluation: layer h is ``layers[-h]``.

    Examples
    --------
    >>> from bayesdnf import RuleList
    >>> rules = RuleList(["odor = f OR bruises = t AND gill-size = n", "age >= 45"])
    >>> print(rules)
    if   (odor = f) OR (bruises = t AND gill-size = n)   then part 2
    elif (age >= 45)                                     then part 1
    else                                                      part 0
    >>> len(rules), rules.n_terms, rules.n_literals
    (2, 3, 4)
    >>> rules.layers[0]
    BooleanFunction('(odor = f) OR (bruises = t AND gill-size = n)')
    >>> RuleList(["odor = f", "age >= 45"])({"odor": ["n", "f", None], "age": [50, 60, 20]})
    array([1, 2, 0])
    """

    layers: tuple[BooleanFunction, ...]

    def __init__(self, layers: str | Iterable[BooleanFunction | str] = ()) -> None:
        read = map(BooleanFunction, parse_layers(layers)) if isinstance(layers, str) else layers
        object.__setattr__(self, "layers", _checked(read))

    @property
    def n_terms(self) -> int:
        """Number of terms of all layers together.

        Examples
        --------
        >>> from bayesdnf import RuleList
        >>> RuleList(["a OR b AND c", "d"]).n_terms
        3
        """
        return sum(len(function) for function in self.layers)

    @property
    def n_literals(self) -> int:
        """Sum of the sizes of the terms of all layers.

        Examples
        --------
        >>> from bayesdnf import RuleList
        >>> RuleList(["a OR b AND c", "a"]).n_literals
        4
        """
        return sum(function.n_literals for function in self.layers)

    @property
    def literals(self) -> tuple[Literal, ...]:
        """The different literals of all layers, sorted.

        Examples
        --------
        >>> from bayesdnf import RuleList
        >>> [str(literal) for literal in RuleList(["b", "a OR b AND NOT a"]).literals]
        ['a', 'NOT a', 'b']
        """
        return self._as_one().literals

    @property
    def attributes(self) -> tuple[str, ...]:
        """The columns the list needs, sorted (x2 before x10).

        Examples
        --------
        >>> from bayesdnf import RuleList
        >>> RuleList(["x10", "x2 AND age < 7"]).attributes
        ('age', 'x2', 'x10')
        """
        return self._as_one().attributes

    @property
    def is_null(self) -> bool:
        """Whether there is no layer, so that every row is in part 0.

        Examples
        --------
        >>> from bayesdnf import RuleList
        >>> RuleList().is_null
        True
        """
        return not self.layers

    def __len__(self) -> int:
        return len(self.layers)

    def __iter__(self) -> Iterator[BooleanFunction]:
        return iter(self.layers)

    def __bool__(self) -> bool:
        # A list is a thing, not a container: without this the null would be falsy.
        return True

    def __call__(self, table: object) -> NDArray[np.intp]:
        """Return, for each row of a table, its part.

        A missing value satisfies neither a literal nor its negation.
        """
        layers = [function.literal_terms for function in self.layers]
        return algebra.parts_of_rows(layers, as_table(table))

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"RuleList({[str(function) for function in self.layers]!r})"

    def _repr_html_(self) -> str:
        parts = [f"part {number}" for number in range(len(self.layers), -1, -1)]
        layers = [function.terms for function in self.layers]
        return markup.block(markup.rule_list(layers, parts))

    def _as_one(self) -> BooleanFunction:
        return BooleanFunction(term for function in self.layers for term in function.literal_terms)

    @classmethod
    def parse(cls, text: str) -> RuleList:
        """Read the text of a list, the exact inverse of ``str``.

        The outcomes after ``then`` and ``else`` may be left out. Risks there are
        ignored: a list does not store them. Functions are written as
        :meth:`BooleanFunction.parse` reads them, and lines may be broken anywhere
        between words.

        Raises
        ------
        ParseError
            Where the text is not a list; names the position and what was expected
            there.

        Examples
        --------
        >>> from bayesdnf import RuleList
        >>> RuleList.parse("if odor = f or x3 then 0.98 elif age >= 45 then 0.43 else 0.02")
        RuleList(['(odor = f) OR (x3)', '(age >= 45)'])
        >>> RuleList.parse("if odor = f or x3 elif age >= 45 else")
        RuleList(['(odor = f) OR (x3)', '(age >= 45)'])
        """
        return cls(map(BooleanFunction, parse_layers(text)))

    def equivalent_to(
        self, other: RuleList, up_to_order: bool = False, limit: int = 1_000_000
    ) -> bool:
        """Return whether two lists put every complete row into the same part.

        Rows are tried as in :meth:`BooleanFunction.equivalent_to`.

        Parameters
        ----------
        other : RuleList
            The list to compare with.
        up_to_order : bool, default False
            Whether parts may have different numbers in the two lists, for example if
            two disjoint layers are exchanged.
        limit : int, default 1_000_000
            Most combinations of values to try.

        Raises
        ------
        SizeLimitError
            When there are more than ``limit`` combinations.

        Examples
        --------
        >>> from bayesdnf import RuleList
        >>> rules = RuleList(["odor = f", "odor = n"])
        >>> rules.equivalent_to(RuleList(["odor = n", "odor = f"]))
        False
        >>> rules.equivalent_to(RuleList(["odor = n", "odor = f"]), up_to_order=True)
        True
        """
        if not isinstance(other, RuleList):
            raise ParameterError.of("other", "equivalent_to", "a RuleList", other)
        one, two = ([f.literal_terms for f in rules.layers] for rules in (self, other))
        return algebra.equivalent(one, two, limit, up_to_order)

    @classmethod
    def from_json(cls, text: str) -> RuleList:
        """Parse the output of :meth:`to_json`; all fields are checked, no code is run.

        Raises
        ------
        ParseError
            When the text is damaged or of another format.

        Examples
        --------
        >>> from bayesdnf import RuleList
        >>> rules = RuleList(["odor = f OR x3", "age >= 45"])
        >>> RuleList.from_json(rules.to_json()) == rules
        True
        """
        return cls(map(BooleanFunction, read_layers_json(text)))


def renumbered_parts(parts: ArrayLike) -> NDArray[np.intp]:
    """Renumber the parts of rows in the order in which they first appear.

    Lists with the same partition of the rows get equal arrays.

    Parameters
    ----------
    parts : array of int
        The part of each row, as a rule list gives it.

    Examples
    --------
    >>> from bayesdnf.boolean import renumbered_parts
    >>> renumbered_parts([2, 0, 0, 2, 1])
    array([0, 1, 1, 0, 2])
    """
    _, first, which = np.unique(np.asarray(parts), return_index=True, return_inverse=True)
    # ``first`` says where each part appears first: its rank among these is the part's new number.
    rank = np.empty(len(first), dtype=np.intp)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[which.reshape(-1)]


def same_partition(one: ArrayLike, other: ArrayLike) -> bool:
    """Return whether two arrays of part numbers give the same partition of rows.

    Parameters
    ----------
    one, other : arrays of int
        The part of each row, as two rule lists give it.

    Examples
    --------
    >>> from bayesdnf.boolean import same_partition
    >>> same_partition([2, 0, 0, 1], [0, 1, 1, 2]), same_partition([0, 0, 1], [0, 1, 1])
    (True, False)
    """
    return np.array_equal(renumbered_parts(one), renumbered_parts(other))


def _checked(layers: Iterable[BooleanFunction | str]) -> tuple[BooleanFunction, ...]:
    """Check and read layers given by a caller."""
    if isinstance(layers, BooleanFunction) or not isinstance(layers, Iterable):
        raise ParameterError.of(
            "layers", "RuleList", "a list of Boolean functions, such as ['odor = f', 'x3']", layers
        )
    result = []
    for number, layer in enumerate(layers):
        if isinstance(layer, str):
            layer = BooleanFunction(layer)
        elif not isinstance(layer, BooleanFunction):
            raise ParameterError(
                f"Each layer must be a BooleanFunction or its text, such as 'odor = f OR x3'. "
                f"Got {layer!r} instead."
            )
        if layer.is_null:
            raise ParameterError(
                f"A layer must hold at least one term. Got the null function as layers[{number}]; "
                f"leave it out (no layers at all make the null list)."
            )
        result.append(layer)
    return tuple(result)
