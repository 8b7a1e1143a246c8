"""The notation of qualitative comparative analysis, ``A*~B + C``: parsing and writing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NoReturn

from ..boolean import BooleanFunction, Literal
from ..boolean.literal import FALSE, TRUE, quote, value_text
from ..boolean.parsing import parse_literal
from ..errors import ParameterError, ParseError

_NEGATED = {FALSE: "~", "!=": "~", TRUE: "", "=": ""}
_CONDITION = "a condition such as A or ~A{1}"
_QUOTED = r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'"
# Signs inside quotes belong to a name: 'a+b' is one condition.
_TOKEN = re.compile(rf"\s*([+*]|(?:{_QUOTED}|[^+*\"'])+)", re.DOTALL)
_VALUE = re.compile(
    rf"(?P<name>{_QUOTED}|[^{{\[\"']+?)\s*(?:\{{(?P<curly>.*)\}}|\[(?P<square>.*)\])", re.DOTALL
)


def parse_qca(text: str) -> BooleanFunction:
    """Read a function in the notation of qualitative comparative analysis.

    ``*`` is AND, ``+`` is OR, ``~`` is NOT, and ``A{1}`` or ``A[1]`` says that condition A has
    the value 1; ``odor = f`` may be written for ``odor{f}``. Names and values with other signs
    stand in quotes. Negation is ``~`` only: a name in lower case is another name, not a negation.

    Parameters
    ----------
    text : str
        An OR of ANDs; parentheses must be multiplied out. ``FALSE`` is the null function.

    Raises
    ------
    ParseError
        If the text does not follow this notation.

    Examples
    --------
    >>> from bayesdnf.qca import parse_qca
    >>> print(parse_qca("A*~B + C{2}"))
    (C = 2) OR (A AND NOT B)
    """
    if not isinstance(text, str):
        raise ParameterError.of("text", "parse_qca", "a string", text)
    if text.strip().lower() == "false":
        return BooleanFunction()
    terms: list[list[Literal]] = [[]]
    wants_literal = True
    for at, token in _tokens(text):
        if (token in "+*") == wants_literal:
            _fail(text, at, _CONDITION if wants_literal else "* or +")
        if token == "+":
            terms.append([])
        elif token != "*":
            terms[-1].append(_literal(text, at, token))
        wants_literal = not wants_literal
    if wants_literal:
        _fail(text, len(text), _CONDITION)
    return BooleanFunction(terms)


def to_qca(function: BooleanFunction, order: Sequence[str] = ()) -> str:
    """Write a function in the notation of qualitative comparative analysis.

    Parameters
    ----------
    function : BooleanFunction
        A function of literals ``A``, ``NOT A``, ``A = v`` and ``A != v``.
    order : sequence of str, optional
        Names of conditions in the order wanted within a term; others follow in the function's own.

    Raises
    ------
    ParameterError
        For a literal such as ``age >= 45``, which the notation does not have.

    Examples
    --------
    >>> from bayesdnf import BooleanFunction
    >>> from bayesdnf.qca import to_qca
    >>> to_qca(BooleanFunction("A AND NOT B OR odor = f"))
    'odor{f} + A*~B'
    """
    return " + ".join(term_text(term, order) for term in function.literal_terms) or "FALSE"


def term_text(term: Sequence[Literal], order: Sequence[str] = ()) -> str:
    """Write one term."""
    place = {name: i for i, name in enumerate(order)}
    ordered = sorted(term, key=lambda literal: place.get(literal.attribute, len(place)))
    return "*".join(_literal_text(literal) for literal in ordered)


def _literal_text(literal: Literal) -> str:
    if literal.operator not in _NEGATED:
        raise ParameterError.of(
            "function",
            "to_qca",
            "made of literals such as A, NOT A, A = v and A != v",
            str(literal),
        )
    value = "" if literal.value is None else f"{{{value_text(literal.value)}}}"
    return _NEGATED[literal.operator] + quote(literal.attribute) + value


def _tokens(text: str) -> Iterator[tuple[int, str]]:
    at = 0
    while text[at:].strip():
        match = _TOKEN.match(text, at)
        if match is None:
            _fail(text, at, "a condition, * or +")
        if match[1].strip():
            yield match.start(1), match[1].strip()
        at = match.end()


def _literal(text: str, at: int, token: str) -> Literal:
    bare = token.lstrip("~ ")
    # Two negations cancel out.
    negations = token[: len(token) - len(bare)].count("~")
    match = _VALUE.fullmatch(bare)
    if match is not None:
        value = match["curly"] if match["curly"] is not None else match["square"]
        bare = f"{match['name']} = {value.strip()}"
    try:
        literal = parse_literal(bare)
    except ParseError:
        nested = "(" in bare or ")" in bare
        _fail(text, at, "no parentheses (multiply them out)" if nested else _CONDITION)
    return ~literal if negations % 2 else literal


def _fail(text: str, at: int, expected: str) -> NoReturn:
    rest = text[at : at + 20]
    got = repr(rest) if rest else "the end of the text"
    raise ParseError(f"Cannot read {text!r}: expected {expected} at position {at}, got {got}.")
