"""A Boolean function: an OR of terms, each an AND of literals."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..display import markup
from ..errors import ParameterError
from . import algebra
from .algebra import Terms
from .export import Exports
from .languages.json_text import read_json
from .literal import Literal
from .parsing import parse_literal, parse_terms
from .table import as_table


@dataclass(frozen=True, slots=True, init=False, repr=False)
class BooleanFunction(Exports):
    """An OR of terms, each an AND of literals; immutable.

    A row is *marked* when every literal of some term holds on it. With no term
    at all it is the null function, which marks no row. Two functions are equal
    when they have the same set of terms; :meth:`equivalent_to` compares their
    truth on all rows.

    Parameters
    ----------
    terms : iterable of iterables of Literal or str, or str
        The terms, in any order; literals may be given as texts. A single text is
        read as by :meth:`parse`.

    Attributes
    ----------
    literal_terms : tuple of tuples of Literal
        The terms, short ones first, sorted and without repetitions.

    Examples
    --------
    >>> from bayesdnf import BooleanFunction, Literal
    >>> f = BooleanFunction([["odor = f"], ["gill-size = n", Literal("bruises", "=", "t")]])
    >>> f
    BooleanFunction('(odor = f) OR (bruises = t AND gill-size = n)')
    >>> f.terms
    (('odor = f',), ('bruises = t', 'gill-size = n'))
    >>> len(f), f.n_literals, f.attributes
    (2, 3, ('bruises', 'gill-size', 'odor'))
    """

    literal_terms: Terms

    def __init__(self, terms: str | Iterable[Iterable[Literal | str]] = ()) -> None:
        read: Iterable[Iterable[Literal]]
        read = parse_terms(terms) if isinstance(terms, str) else _read(terms, "term")
        object.__setattr__(self, "literal_terms", algebra.canonical(read))

    @property
    def terms(self) -> tuple[tuple[str, ...], ...]:
        """The terms as texts.

        Examples
        --------
        >>> from bayesdnf import BooleanFunction
        >>> BooleanFunction("NOT x3 AND age >= 45").terms
        (('age >= 45', 'NOT x3'),)
        """
        return tuple(tuple(str(literal) for literal in term) for term in self.literal_terms)

    @property
    def literals(self) -> tuple[Literal, ...]:
        """The different literals, sorted.

        Examples
        --------
        >>> from bayesdnf import BooleanFunction
        >>> [str(literal) for literal in BooleanFunction("b OR a AND b").literals]
        ['a', 'b']
        """
        distinct = {literal for term in self.literal_terms for literal in term}
        return tuple(sorted(distinct, key=Literal.sort_key))

    @property
    def attributes(self) -> tuple[str, ...]:
        """The columns the function needs, sorted (x2 before x10).

        Examples
        --------
        >>> from bayesdnf import BooleanFunction
        >>> BooleanFunction("x10 OR x2 AND age < 7").attributes
        ('age', 'x2', 'x10')
        """
        return tuple(dict.fromkeys(literal.attribute for literal in self.literals))

    @property
    def n_literals(self) -> int:
        """Sum of the sizes of the terms.

        Examples
        --------
        >>> from bayesdnf import BooleanFunction
        >>> BooleanFunction("a AND b OR a AND c").n_literals
        4
        """
        return sum(len(term) for term in self.literal_terms)

    @property
    def is_null(self) -> bool:
        """Whether this is the null function: no term, no marked row.

        Examples
        --------
        >>> from bayesdnf import BooleanFunction
        >>> BooleanFunction().is_null
        True
        """
        return not self.literal_terms

    def __len__(self) -> int:
        return len(self.literal_terms)

    def __bool__(self) -> bool:
        # A function is a thing, not a container: without this the null would be falsy.
        return True

    def __call__(self, table: object) -> NDArray[np.bool_]:
        """Return, for each row of a table, whether it is marked.

        A missing value satisfies neither a literal nor its negation.
        """
        return algebra.marked_rows(self.literal_terms, as_table(table))

    def __or__(self, other: BooleanFunction) -> BooleanFunction:
        if not isinstance(other, BooleanFunction):
            return NotImplemented
        return BooleanFunction(self.literal_terms + other.literal_terms)

    def __str__(self) -> str:
        return " OR ".join(f"({' AND '.join(term)})" for term in self.terms) or "FALSE"

    def __repr__(self) -> str:
        return f"BooleanFunction({str(self)!r})"

    def _repr_html_(self) -> str:
        return markup.block(markup.rule(self.terms))

    @classmethod
    def parse(cls, text: str) -> BooleanFunction:
        """Read the text of a function, the exact inverse of ``str``.

        Parentheses around terms may be left out (AND binds tighter than OR),
        keywords may be in any case, NOT may stand before any one literal, and
        texts may be quoted with ``'`` or ``"``.

        Raises
        ------
        ParseError
            Where the text is not an OR of ANDs; names the position and what was
            expected there.

        Examples
        --------
        >>> from bayesdnf import BooleanFunction
        >>> print(BooleanFunction.parse("not (odor = 'n') and x3 or age>=45"))
        (age >= 45) OR (odor != n AND x3)
        """
        return cls(parse_terms(text))

    def absorb(self) -> BooleanFunction:
        """Drop terms and literals that change no marked row of any table.

        It removes terms with two literals that exclude each other, literals that
        follow from another literal of their term, and terms that imply another
        term. The result is an antichain that marks the same rows of every
        table, missing values included.

        Examples
        --------
        >>> from bayesdnf import BooleanFunction
        >>> f = BooleanFunction("age >= 45 OR age >= 50 AND b OR odor = f AND odor != n AND b")
        >>> print(f.absorb())
        (age >= 45) OR (b AND odor = f)
        """
        return BooleanFunction(algebra.absorb(self.literal_terms))

    def equivalent_to(self, other: BooleanFunction, limit: int = 1_000_000) -> bool:
        """Return whether two functions agree on every complete row.

        Every combination of distinguishable values of the attributes is tried:
        each value that a literal names, the numbers between them, and a value
        that no literal names. Numbers are taken as real numbers. An attribute
        compared by ``>=`` or ``<`` is taken to hold numbers only, unless a
        literal names a text for it.

        Parameters
        ----------
        other : BooleanFunction
            The function to compare with.
        limit : int, default 1_000_000
            Most combinations to try.

        Raises
        ------
        SizeLimitError
            When there are more than ``limit`` combinations.

        Examples
        --------
        >>> from bayesdnf import BooleanFunction
        >>> f = BooleanFunction("a AND b OR NOT a AND b")
        >>> f.equivalent_to(BooleanFunction("b"))
        True
        >>> f == BooleanFunction("b")
        False
        """
        if not isinstance(other, BooleanFunction):
            raise ParameterError.of("other", "equivalent_to", "a BooleanFunction", other)
        return algebra.equivalent([self.literal_terms], [other.literal_terms], limit)

    def complement(self, limit: int = 10_000) -> BooleanFunction:
        """Return the negation, again as an OR of ANDs.

        On complete rows it marks exactly the rows that the function does not.
        Where values are missing a row may be marked by neither, just as SQL's
        ``WHERE NOT (...)`` leaves out rows for which NULL hides the answer.

        Parameters
        ----------
        limit : int, default 10_000
            Most terms allowed at any step of the multiplication.

        Raises
        ------
        SizeLimitError
            When the terms pass ``limit``.
        ParameterError
            For the null function, whose complement marks every row and has no
            non-empty terms.

        Examples
        --------
        >>> from bayesdnf import BooleanFunction
        >>> print(BooleanFunction("odor = f OR a AND age < 45").complement())
        (NOT a AND odor != f) OR (age >= 45 AND odor != f)
        """
        if self.is_null:
            raise ParameterError(
                "The complement of the null function marks every row, "
                "which no OR of non-empty terms can say."
            )
        return BooleanFunction(algebra.complement(self.literal_terms, limit))

    def to_cnf(self, limit: int = 10_000) -> Terms:
        """Return the minimal clauses of the equal AND of ORs.

        Literals are treated as independent variables, so the function is
        monotone in them. The null function gives one empty clause.

        Parameters
        ----------
        limit : int, default 10_000
            Most clauses allowed at any step.

        Raises
        ------
        SizeLimitError
            When the clauses pass ``limit``.

        Examples
        --------
        >>> from bayesdnf import BooleanFunction
        >>> clauses = BooleanFunction("a OR b AND c").to_cnf()
        >>> [[str(literal) for literal in clause] for clause in clauses]
        [['a', 'b'], ['a', 'c']]
        """
        return algebra.dual(self.literal_terms, limit, "CNF")

    @classmethod
    def from_cnf(
        cls, clauses: Iterable[Iterable[Literal | str]], limit: int = 10_000
    ) -> BooleanFunction:
        """Multiply out an AND of ORs, the inverse of :meth:`to_cnf`.

        Parameters
        ----------
        clauses : iterable of iterables of Literal or str
            At least one clause; an empty clause makes the null function.
        limit : int, default 10_000
            Most terms allowed at any step.

        Raises
        ------
        SizeLimitError
            When the terms pass ``limit``.

        Examples
        --------
        >>> from bayesdnf import BooleanFunction
        >>> print(BooleanFunction.from_cnf([["a", "b"], ["a", "c"]]))
        (a) OR (b AND c)
        """
        read = algebra.canonical(_read(clauses, "clause", allow_empty=True))
        if not read:
            raise ParameterError.of(
                "clauses", "BooleanFunction.from_cnf", "at least one clause", read
            )
        return cls(algebra.dual(read, limit, "DNF"))

    @classmethod
    def discriminator(
        cls, table: object, positive: object, literals: Iterable[Literal | str]
    ) -> BooleanFunction:
        """Return the perfect discriminator: it marks the positive rows and no other.

        It is the OR, over the positive rows, of the AND of all literals true
        there, with what is redundant absorbed.

        Parameters
        ----------
        table : Table
            The rows, or anything that reads as a table.
        positive : array of bool
            One entry for each row.
        literals : iterable of Literal or str
            The literals that may be used.

        Raises
        ------
        ContradictionError
            When the true literals of a positive row are all true in another row
            too, so that no such function exists; names the two rows.

        Examples
        --------
        >>> import numpy as np
        >>> from bayesdnf import BooleanFunction
        >>> class Bits:
        ...     n_rows = 3
        ...     def truth(self, literal):
        ...         columns = {"a": [1, 1, 0], "b": [1, 0, 1], "c": [0, 1, 1]}
        ...         return np.array(columns[literal.attribute], dtype=bool)
        >>> print(BooleanFunction.discriminator(Bits(), [True, True, False], ["a", "b", "c"]))
        (a AND b) OR (a AND c)
        """
        offered = [
            literal for term in _read([literals], "list of literals", True) for literal in term
        ]
        return cls(algebra.discriminator(as_table(table), positive, offered))

    @classmethod
    def from_json(cls, text: str) -> BooleanFunction:
        """Parse the output of :meth:`to_json`; all fields are checked, no code is run.

        Raises
        ------
        ParseError
            When the text is damaged or of another format.

        Examples
        --------
        >>> from bayesdnf import BooleanFunction
        >>> f = BooleanFunction("odor = f OR x3")
        >>> BooleanFunction.from_json(f.to_json()) == f
        True
        """
        return cls(read_json(text))


def _read(
    groups: Iterable[Iterable[Literal | str]], kind: str, allow_empty: bool = False
) -> list[list[Literal]]:
    """Check and read terms, clauses or a list of literals given by a caller."""
    if not isinstance(groups, Iterable):
        must = f"a text or a list of {kind}s, such as [['odor = f', 'x3']]"
        raise ParameterError(f"A Boolean function is made of {must}. Got {groups!r} instead.")
    result = []
    for group in groups:
        if isinstance(group, (str, Literal)) or not isinstance(group, Iterable):
            raise ParameterError(
                f"Each {kind} must be a list of literals, such as ['odor = f', 'x3']. "
                f"Got {group!r} instead."
            )
        literals = []
        for member in group:
            if isinstance(member, str):
                member = parse_literal(member)
            elif not isinstance(member, Literal):
                raise ParameterError(
                    f"A literal must be a Literal or its text, such as 'odor = f'. "
                    f"Got {member!r} instead."
                )
            literals.append(member)
        if not literals and not allow_empty:
            raise ParameterError(
                f"A {kind} must hold at least one literal. Got an empty {kind}; "
                f"leave it out (no {kind}s at all make the null function)."
            )
        result.append(literals)
    return result
