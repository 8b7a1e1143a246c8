"""Texts of a plot: names, wrapped or shortened to fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..boolean import RuleList

if TYPE_CHECKING:
    from matplotlib.text import Text

    from ..sampling.draws import Draws

NULL = "no marker (the null function)"
_INDENT = " " * 5  # of the lines of a layer


def plain(text: Text) -> Text:
    """Escape dollar signs, so that matplotlib does not parse a user's name as a formula."""
    text.set_parse_math(False)
    text.set_usetex(False)
    return text


def shortened(names: Sequence[str], width: int) -> list[str]:
    """Shorten long names in the middle; different names stay different.

    Examples
    --------
    >>> from bayesdnf.plots.labels import shortened
    >>> shortened(["short", "a name that goes on and on = 3"], 16)
    ['short', 'a name t…on = 3']
    """
    names = [" ".join(name.split()) for name in names]
    while True:
        cut = [_cut(name, width) for name in names]
        # Different names must stay different: increase the width until they do.
        if len(set(cut)) == len(set(names)):
            return cut
        width += 4


def _cut(name: str, width: int) -> str:
    if len(name) <= width:
        return name
    end = (width - 1) // 2
    return f"{name[: width - 1 - end].rstrip()}…{name[len(name) - end :].lstrip()}"


def literal_names(draws: Draws, numbers: Sequence[int], width: int) -> list[str]:
    """Return the texts of some literals, with the literals of equal columns where they fit."""
    names = []
    for i in numbers:
        name, equal = str(draws.literals[i]), ", ".join(map(str, draws.equal[i]))
        full = f"{name} (or {equal})" if equal else name
        names.append(full if len(full) <= width else name)
    return shortened(names, width)


def null_text(draws: Draws) -> str:
    """Return the label of the null function, or of the null list."""
    return NULL.replace("function", draws.noun)


def function_texts(draws: Draws, numbers: Sequence[int], width: int, most: int) -> list[str]:
    """Return the texts of some functions or lists, wrapped to a few lines.

    A text that is too long even with short names is truncated and ends with its number, for
    ``draws.function(number)``.
    """
    rules = [draws.function(i) for i in numbers]
    layers = [rule.layers if isinstance(rule, RuleList) else (rule,) for rule in rules]
    room, lines_each = width, most
    if draws.layers > 1:
        room, lines_each = width - len(_INDENT), most // max(1, *map(len, layers))
    fitting = iter(fitted([f.terms for its in layers for f in its], room, max(1, lines_each)))
    texts = []
    for i, rule, its in zip(numbers, rules, layers, strict=True):
        lines = [next(fitting) for _ in its]
        whole = [x for its in if_elif(lines) for x in its] if draws.layers > 1 else lines[0]
        cut = cut_lines(whole, most, f"… ({draws.noun} {i})")
        texts.append(null_text(draws) if rule.is_null else cut)
    return texts


def if_elif(layers: Sequence[Sequence[str]]) -> list[list[str]]:
    """Put ``if`` and ``elif`` before the lines of layers.

    Examples
    --------
    >>> from bayesdnf.plots.labels import if_elif
    >>> if_elif([["(a) OR (b)", "OR (c)"], ["(d)"]])
    [['if (a) OR (b)', '     OR (c)'], ['elif (d)']]
    """
    return [
        [f"{'elif' if number else 'if'} {first}", *(f"{_INDENT}{x}" for x in others)]
        for number, (first, *others) in enumerate(layers)
    ]


def term_texts(names: Sequence[str], width: int, most: int) -> list[str]:
    """Return the texts of terms, such as "a AND b", in a few lines of a width."""
    lines = fitted([[name.split(" AND ")] for name in names], width, most)
    return [cut_lines(its, most, "…").removeprefix("(").removesuffix(")") for its in lines]


def cut_lines(lines: list[str], most: int, end: str) -> str:
    """Join lines, the last of too many replaced by an end."""
    if len(lines) <= most:
        return "\n".join(lines)
    return "\n".join([*lines[: most - 1], end]) if most > 1 else f"{lines[0]} {end}"


def fitted(functions: Sequence[Sequence[Sequence[str]]], width: int, most: int) -> list[list[str]]:
    """Break functions into lines, at OR rather than within a term.

    Names of literals are shortened in those that would take too many lines.

    Parameters
    ----------
    functions : sequence of sequences of sequences of str
        For each function its terms, for each term the texts of its literals.
    width : int
        Characters in a line.
    most : int
        Lines that a function should have at most.

    Examples
    --------
    >>> from bayesdnf import BooleanFunction
    >>> from bayesdnf.plots.labels import fitted
    >>> fitted([BooleanFunction("a OR b AND c OR d AND e AND f").terms], 20, 3)
    [['(a) OR (b AND c)', 'OR (d AND e AND f)']]
    """
    names = list(dict.fromkeys(x for terms in functions for term in terms for x in term))
    fitting: list[list[str]] = [[] for _ in functions]
    for room in (max(14, width - 9), 20, 14):
        short = dict(zip(names, shortened(names, room), strict=True))
        for number, terms in enumerate(functions):
            if not fitting[number] or len(fitting[number]) > most:
                fitting[number] = _wrapped([[short[x] for x in term] for term in terms], width)
    return fitting


def _wrapped(terms: Sequence[Sequence[str]], width: int) -> list[str]:
    pieces: list[str] = []
    for number, term in enumerate(terms):
        parts = [f"AND {text}" if place else text for place, text in enumerate(term)]
        parts[0] = f"OR ({parts[0]}" if number else f"({parts[0]}"
        parts[-1] += ")"
        whole = " ".join(parts)
        pieces += [whole] if len(whole) <= width else parts
    lines: list[str] = []
    for piece in pieces:
        if lines and len(lines[-1]) + 1 + len(piece) <= width:
            lines[-1] += f" {piece}"
        else:
            lines.append(piece)
    return lines


def probability_text(value: float) -> str:
    """Write a probability in few characters, 0 and 1 only when it is.

    Examples
    --------
    >>> from bayesdnf.plots.labels import probability_text
    >>> [probability_text(p) for p in (0, 0.0002, 0.0123, 0.5, 0.999, 1)]
    ['0', '<0.001', '0.012', '0.50', '>0.99', '1']
    """
    if value in (0, 1):
        return f"{value:.0f}"
    if value < 0.001:
        return "<0.001"
    if value < 0.0995:
        return f"{value:#.2g}"
    return f"{value:.2f}" if value < 0.995 else ">0.99"
