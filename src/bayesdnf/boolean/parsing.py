"""Parse the text of Boolean functions and rule lists; the exact inverse of ``str``."""

from __future__ import annotations

import re
from typing import NoReturn

from ..errors import ParameterError, ParseError
from .literal import _KEYWORDS, _WORD, CODINGS, FALSE, MEANING, OPERATORS, TRUE, Literal, Value

_SPACE = re.compile(r"\s*")
_OPERATOR = re.compile(r"!=|>=|<=|==|<>|=|<|>")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_ESCAPES = {"\\": "\\", '"': '"', "'": "'", "n": "\n", "r": "\r", "t": "\t"}
_CODED = re.compile(r"x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U00(?:0[0-9a-fA-F]|10)[0-9a-fA-F]{4}")
_COMPARISONS = tuple(o for o in OPERATORS if o not in MEANING)

# Deeper nesting would exceed Python's recursion limit.
_MAX_DEPTH = 50
_LITERAL = "a literal such as odor = f"

Terms = list[list[Literal]]


def parse_terms(text: str) -> Terms:
    """Read ``(a = 1 AND b) OR (NOT c)`` into its terms; ``FALSE`` has none."""
    if not isinstance(text, str):
        raise ParameterError.of("text", "BooleanFunction.parse", "a string", text)
    if text.strip().lower() == "false":
        return []
    reader = _Reader(text)
    terms = reader.disjunction()
    reader.end("AND, OR or the end of the text")
    return terms


def parse_literal(text: str) -> Literal:
    """Read the text of one literal, such as ``odor != n`` or ``NOT x3``."""
    reader = _Reader(text)
    terms = reader.factor()
    reader.end("the end of the literal")
    if len(terms) != 1 or len(terms[0]) != 1:
        reader.fail("one literal without AND or OR", 0)
    return terms[0][0]


def parse_layers(text: str) -> list[Terms]:
    """Read ``if (a) then part 2 elif (b) then part 1 else part 0`` into its layers."""
    if not isinstance(text, str):
        raise ParameterError.of("text", "RuleList.parse", "a string", text)
    reader = _Reader(text)
    layers = reader.layers()
    reader.end("the end of the text")
    return layers


class _Reader:
    """A position in a text, and one method for each rule of the grammar."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.depth = 0
        self._skip()

    def fail(self, expected: str, at: int | None = None) -> NoReturn:
        at = self.at if at is None else at
        rest = self.text[at : at + 20]
        got = repr(rest) if rest else "the end of the text"
        shown = self.text if len(self.text) <= 80 else self.text[:77] + "..."
        raise ParseError(f"Cannot read {shown!r}: expected {expected} at position {at}, got {got}.")

    def end(self, expected: str) -> None:
        if self.at < len(self.text):
            self.fail(expected)

    def layers(self) -> list[Terms]:
        # No name or value can stand where a function may end, so attributes that are called
        # if, elif, then, else or part need no quotes.
        layers: list[Terms] = []
        parts: list[tuple[float, int] | None] = []
        expected = "if or else"
        while self._keyword("elif" if layers else "if"):
            layers.append(self.disjunction())
            said = self._keyword("then")
            parts.append(self._part_or_risk() if said else None)
            expected = "elif or else" if said else "AND, OR, then, elif or else"
        if not self._keyword("else"):
            self.fail(expected)
        parts.append(self._part_or_risk() if self.at < len(self.text) else None)
        # The last one read is the ``else``, part 0.
        for number, part in enumerate(reversed(parts)):
            if part is not None and part[0] != number:
                self.fail(f"{number}, the number of this part", part[1])
        return layers

    def _part_or_risk(self) -> tuple[float, int] | None:
        """Read a part's number and where it stands, or a risk, of which nothing is kept."""
        is_part = self._keyword("part")
        at = self.at
        match = _NUMBER.match(self.text, at)
        if match is None or _WORD.match(self.text, match.end()):
            self.fail("the number of a part" if is_part else "a risk such as 0.25, or part 1")
        number = self._number(match)
        if is_part:
            return number, at
        if not 0 <= number <= 1:
            self.fail("a risk from 0 to 1", at)
        return None

    def disjunction(self) -> Terms:
        terms = self.conjunction()
        while self._keyword("or"):
            terms += self.conjunction()
        return terms

    def conjunction(self) -> Terms:
        start = self.at
        factors = [(start, self.factor())]
        while self._keyword("and"):
            start = self.at
            factors.append((start, self.factor()))
        if len(factors) == 1:
            return factors[0][1]
        for start, terms in factors:
            if len(terms) > 1:
                self.fail("literals joined by AND (multiply out an OR inside an AND)", start)
        return [[literal for _, terms in factors for literal in terms[0]]]

    def factor(self) -> Terms:
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            self.fail(f"at most {_MAX_DEPTH} nested parentheses or NOTs")
        start = self.at
        if self._keyword("not"):
            inner = self.at
            terms = self.factor()
            if len(terms) != 1 or len(terms[0]) != 1:
                self.fail("NOT before one literal (expand a NOT of several)", inner)
            terms = [[~terms[0][0]]]
        elif self.text.startswith("(", start):
            self._advance(start + 1)
            terms = self.disjunction()
            if not self.text.startswith(")", self.at):
                self.fail("AND, OR or a closing parenthesis")
            self._advance(self.at + 1)
        else:
            terms = [[self._literal()]]
        self.depth -= 1
        return terms

    def _literal(self) -> Literal:
        attribute = self._name(_LITERAL)
        operator_at = self.at
        match = _OPERATOR.match(self.text, operator_at)
        if match is None:
            coding = next((word for word in CODINGS if self._keyword(word)), TRUE)
            return Literal(attribute, coding)
        if match.group() not in _COMPARISONS:
            self.fail(f"one of the operators {', '.join(_COMPARISONS)}")
        self._advance(match.end())
        value_at = self.at
        value = self._value()
        try:
            return Literal(attribute, match.group(), value)
        except ParameterError:
            is_order = match.group() in (">=", "<") and isinstance(value, bool)
            must = "a number or a category" if is_order else "a finite number"
            self.fail(f"{must} after {match.group()}", value_at)

    def _name(self, expected: str) -> str:
        if self.text[self.at : self.at + 1] in ('"', "'"):
            return self._quoted()
        match = _WORD.match(self.text, self.at)
        if match is None or match.group().lower() in _KEYWORDS:
            self.fail(expected)
        self._advance(match.end())
        return match.group()

    def _value(self) -> Value:
        number = _NUMBER.match(self.text, self.at)
        # `1e`, `5-3` and `1.2.3` begin as numbers and are words.
        if number and not _WORD.match(self.text, number.end()):
            return self._number(number)
        word = _WORD.match(self.text, self.at)
        if word and word.group().lower() in (TRUE, FALSE):
            self._advance(word.end())
            return word.group().lower() == TRUE
        return self._name("a value (a word, a number, true, false or a quoted text)")

    def _number(self, match: re.Match[str]) -> int | float:
        text = match.group()
        try:
            number = float(text) if any(sign in text for sign in ".eE") else int(text)
        except ValueError:  # Python refuses to read integers of thousands of digits
            self.fail("a number of fewer digits")
        self._advance(match.end())
        return number

    def _quoted(self) -> str:
        start = self.at
        mark = self.text[start]
        characters: list[str] = []
        at = start + 1
        while at < len(self.text) and self.text[at] != mark:
            character = self.text[at]
            if character == "\\":
                at += 1
                escape = self.text[at : at + 1]
                coded = _CODED.match(self.text, at)
                if coded is not None:
                    character = chr(int(coded[0][1:], 16))
                    at = coded.end() - 1
                elif escape in _ESCAPES:
                    character = _ESCAPES[escape]
                else:
                    known = r"\\ \" \' \n \r \t \xHH \uHHHH \UHHHHHHHH"
                    self.fail(f"one of the escapes {known}", at - 1)
            characters.append(character)
            at += 1
        if at == len(self.text):
            self.fail(f"a closing {mark} for the text opened at position {start}", at)
        self._advance(at + 1)
        return "".join(characters)

    def _keyword(self, word: str) -> bool:
        match = _WORD.match(self.text, self.at)
        if match is None or match.group().lower() != word:
            return False
        self._advance(match.end())
        return True

    def _advance(self, at: int) -> None:
        self.at = at
        self._skip()

    def _skip(self) -> None:
        match = _SPACE.match(self.text, self.at)
        assert match is not None
        self.at = match.end()
