"""Write the picture of a rule in README.md, docs/rule.svg: its terms and the two risks.

python tools/rule_picture.py docs/rule.svg
"""

from __future__ import annotations

import sys
from html import escape
from pathlib import Path

from bayesdnf import DNFClassifier, datasets
from bayesdnf.display.wording import between, percent
from bayesdnf.report.words import literal_words

WIDTH, MARGIN, LINE, BAR = 760, 28, 42, 300
SANS = 'font-family="DejaVu Sans, Helvetica, Arial, sans-serif"'
MONO = 'font-family="DejaVu Sans Mono, Menlo, monospace" font-size="16"'
LETTER = 9.7  # width of a letter of MONO, so that boxes can be drawn without measuring text
INK, MUTED, EDGE, HIGH, LOW = "#17202c", "#57606a", "#d0d7de", "#b6500f", "#0b5c9e"


def text(
    x: float, y: float, words: str, style: str = f'{SANS} font-size="16"', ink: str = INK
) -> str:
    """Return a line of text that begins at a point."""
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{ink}" {style}>{escape(words)}</text>'


def term(y: float, literals: list[str], last: bool) -> str:
    """Return one term: its literals in boxes, joined by "and", and "or" where another follows."""
    x, parts = float(MARGIN), []
    for k, literal in enumerate(literals):
        if k:
            parts.append(text(x, y, "and", ink=MUTED))
            x += 42
        width = LETTER * len(literal) + 20
        parts.append(
            f'<rect x="{x:.1f}" y="{y - 21:.1f}" width="{width:.1f}" height="30" rx="6"'
            f' fill="#f3f5f7" stroke="{EDGE}"/>' + text(x + 10, y, literal, MONO)
        )
        x += width + 10
    return "".join(parts) + ("" if last else text(x, y, "or", ink=MUTED))


def risk(y: float, who: str, mean: float, interval: str, ink: str) -> str:
    """Return one line of risk: whose, a bar from 0 to 1, the mean and its interval."""
    bars = "".join(
        f'<rect x="200" y="{y - 14}" width="{width:.1f}" height="14" rx="3" fill="{colour}"/>'
        for width, colour in ((BAR, "#e6eaee"), (max(2, BAR * mean), ink))
    )
    bold = f'{SANS} font-size="20" font-weight="bold"'
    small = f'{SANS} font-size="12"'
    return (
        text(MARGIN, y, who) + bars
        + text(518, y + 1, percent(mean), bold, ink) + text(616, y, interval, small, MUTED)
    )  # fmt: skip


def main() -> None:
    """Fit every second mushroom, and draw the rule."""
    X, y = datasets.load_mushroom()
    model = DNFClassifier(positive="p", random_state=0).fit(X[::2], y[::2])
    low, high = model.risks_
    terms = [[literal_words(literal) for literal in t] for t in model.function_.literal_terms]
    bold = f'{SANS} font-size="18" font-weight="bold"'
    top = 46
    parts = [text(MARGIN, top, "A mushroom is poisonous if", bold)]
    parts += [
        term(top + LINE * (k + 1), literals, k + 1 == len(terms))
        for k, literals in enumerate(terms)
    ]
    below = top + LINE * len(terms) + 60
    parts += [
        risk(below, "rule holds", high.mean, between(high.low, high.high), HIGH),
        risk(below + 36, "rule does not hold", low.mean, between(low.low, low.high), LOW),
        text(
            MARGIN,
            below + 74,
            f"P(poisonous), mean and 95 % interval. {len(X) // 2:,} rows fitted;"
            f" accuracy on the other {len(X) // 2:,}: {percent(model.score(X[1::2], y[1::2]))}.",
            f'{SANS} font-size="13"',
            MUTED,
        ),
    ]
    height = below + 98
    Path(sys.argv[1]).write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}"'
        f' height="{height}" role="img"><title>A rule and its two risks</title>'
        f'<rect x=".5" y=".5" width="{WIDTH - 1}" height="{height - 1}" rx="10" fill="#fff"'
        f' stroke="{EDGE}"/>\n' + "\n".join(parts) + "\n</svg>\n",
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
