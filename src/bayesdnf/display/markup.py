"""HTML fragments for notebooks, with all texts escaped."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

_LINE = "1px solid rgba(128, 128, 128, 0.4)"  # seen on light and on dark pages


def shown(text: object) -> str:
    r"""Return a text in which every character can be seen.

    Names and values come from anyone's table: line breaks, marks that turn the direction of
    writing, and characters without a picture are spelt out.

    Examples
    --------
    >>> from bayesdnf.display.markup import shown
    >>> print(shown("a\u202eb\nc"))
    a\u202eb\nc
    """
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in str(text))


def text(value: object) -> str:
    """Return a text for the inside of an element."""
    return html.escape(shown(value))


def block(*parts: str) -> str:
    """Put parts below each other; what is too wide scrolls."""
    style = "overflow-x: auto; max-width: 70em; line-height: 1.5; text-align: left"
    return f'<div style="{style}">{"".join(parts)}</div>'


def paragraph(lines: Iterable[str], *, strong: bool = False) -> str:
    """Return a paragraph of escaped lines."""
    weight = "; font-weight: bold" if strong else ""
    inner = "<br>".join(text(line) for line in lines)
    return f'<p style="margin: 0.5em 0{weight}">{inner}</p>'


def rule(terms: Sequence[Sequence[str]]) -> str:
    """Draw an OR of ANDs: a line for each term, a box for each literal."""
    if not terms:
        return paragraph(["FALSE: the null function, which marks no row"])
    box = f"border: {_LINE}; border-radius: 4px; padding: 0 0.4em; white-space: pre-wrap"
    lines = []
    for number, term in enumerate(terms):
        literals = " AND ".join(f'<code style="{box}">{text(x)}</code>' for x in term)
        word = "OR" if number else ""
        first = f'<span style="display: inline-block; width: 2em">{word}</span>'
        lines.append(f'<div style="margin: 0.2em 0">{first}{literals}</div>')
    return "".join(lines)


def rule_list(layers: Sequence[Sequence[Sequence[str]]], outcomes: Sequence[str]) -> str:
    """Draw if, elif, else: a rule for each layer, and what follows from it; else comes last."""
    cell = "padding: 0.2em 0.8em 0.2em 0; vertical-align: top; background: transparent"
    cell += "; text-align: left"
    last = len(outcomes) - 1
    rows = []
    for number, outcome in enumerate(outcomes):
        word = "else" if number == last else "elif" if number else "if"
        condition = "" if number == last else rule(layers[number])
        cells = "".join(f'<td style="{cell}">{x}</td>' for x in (word, condition, text(outcome)))
        rows.append(f'<tr style="border-top: {_LINE}; background: none">{cells}</tr>')
    style = "border-collapse: collapse; border: none; margin: 0.5em 0"
    return f'<table style="{style}">{"".join(rows)}</table>'


def table(head: Sequence[str], rows: Iterable[Sequence[str]], wide: int) -> str:
    """Write a table of texts; all columns but one, the wide one, are numbers."""
    cell = "padding: 0.2em 0.8em 0.2em 0; vertical-align: top; background: transparent"
    styles = [
        f"{cell}; text-align: {'left' if i == wide else 'right'}"
        + ("" if i == wide else "; white-space: nowrap")
        for i in range(len(head))
    ]
    tops = [f'<th style="{s}">{text(x)}</th>' for s, x in zip(styles, head, strict=True)]
    lines = [
        "".join(f'<td style="{s}">{text(x)}</td>' for s, x in zip(styles, row, strict=True))
        for row in rows
    ]
    body = "".join(
        f'<tr style="border-top: {_LINE}; background: none">{line}</tr>' for line in lines
    )
    style = "border-collapse: collapse; border: none; margin: 0.5em 0; font-size: 0.95em"
    return f'<table style="{style}"><tr style="background: none">{"".join(tops)}</tr>{body}</table>'
