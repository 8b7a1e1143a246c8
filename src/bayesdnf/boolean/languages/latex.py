"""Boolean functions in LaTeX, for math mode."""

from __future__ import annotations

from ..algebra import Terms
from ..literal import FALSE, MEANING, TRUE, Literal, quote, value_text

_LATEX_OPERATORS = {"=": "=", "!=": r"\neq", ">=": r"\geq", "<": "<"}

_LATEX_ESCAPES = {
    **{sign: "\\" + sign for sign in "{}$&#_% "},
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "`": "{`}",  # alone, or ?` and !` would turn into other signs
}


def latex_condition(terms: Terms) -> str:
    r"""Math-mode LaTeX with ``\land``, ``\lor`` and ``\lnot``."""
    if not terms:
        return r"\texttt{FALSE}"
    return r" \lor ".join(
        "(" + r" \land ".join(_latex_literal(literal) for literal in term) + ")" for term in terms
    )


def _latex_literal(literal: Literal) -> str:
    name = latex_text(quote(literal.attribute))
    if literal.operator in MEANING:
        word = "" if literal.operator in (TRUE, FALSE) else literal.operator.split()[-1]
        said = rf"{name}\ \text{{{word}}}" if word else name
        negated = literal.operator == FALSE or literal.operator.startswith("not ")
        return rf"\lnot {said}" if negated else said
    value = value_text(literal.value)
    is_word = isinstance(literal.value, (str, bool))
    value = latex_text(value) if is_word else latex_number(value)
    return f"{name} {_LATEX_OPERATORS[literal.operator]} {value}"


def latex_number(text: str) -> str:
    """Write a number, given as Python writes it, for math mode."""
    mantissa, _, exponent = text.partition("e")
    return rf"{mantissa} \times 10^{{{int(exponent)}}}" if exponent else text


def latex_text(text: str) -> str:
    """Write a text in typewriter letters for math mode."""
    visible = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
    return r"\texttt{" + "".join(_LATEX_ESCAPES.get(c, c) for c in visible) + "}"
