"""Write the picture on the site's first page, docs/overview.html: a table, its rule, its risks.

python tools/overview.py docs/overview.html
"""

from __future__ import annotations

import sys
from html import escape
from pathlib import Path

from bayesdnf import DNFClassifier, datasets
from bayesdnf.display.wording import between, percent
from bayesdnf.report.words import literal_words

SHOWN = ("odor", "spore-print-color", "gill-size")


def main() -> None:
    """Fit every second mushroom, and write what came of it."""
    X, y = datasets.load_mushroom()
    model = DNFClassifier(positive="p", random_state=0).fit(X[::2], y[::2])
    low, high = model.risks_
    first = [X.index[y == kind][k] for k in range(3) for kind in ("p", "e")][:5]
    cells = "".join(
        "<tr>"
        + "".join(f"<td>{escape(str(X.at[i, name]))}</td>" for name in SHOWN)
        + f"<td>…</td><td{' class=yes' if y[i] == 'p' else ''}>{y[i]}</td></tr>"
        for i in first
    )
    heads = "".join(f"<th>{name}</th>" for name in (*SHOWN, "…", "class"))
    terms = '<span class="or">or</span>'.join(
        '<span class="term">'
        + " <span class=or>and</span> ".join(
            f"<code>{escape(literal_words(literal))}</code>" for literal in term
        )
        + "</span>"
        for term in model.function_.literal_terms
    )
    risks = "".join(
        f'<div class="risk">{who}<b>{percent(risk.mean)}</b>'
        f'<span class="bar"><i style="width: {100 * risk.mean:.2f}%"></i></span>'
        f"{between(risk.low, risk.high)}</div>"
        for who, risk in (("where the rule holds", high), ("elsewhere", low))
    )
    right = model.score(X[1::2], y[1::2])
    page = f"""<div class="overview">
<figure><table><thead><tr>{heads}</tr></thead><tbody>{cells}</tbody></table>
<figcaption>A table: {len(X):,} mushrooms, {X.shape[1]} columns; which are poisonous (p)?
</figcaption></figure>
<span class="arrow" aria-hidden="true">→</span>
<figure><div>{terms}</div>
<figcaption>A rule, from every second row: poisonous if any line holds.</figcaption></figure>
<span class="arrow" aria-hidden="true">→</span>
<figure><div>{risks}</div>
<figcaption>Risks with 95 % intervals. Accuracy on {len(X) // 2:,} held-out rows:
{percent(right)}.</figcaption></figure>
</div>
"""
    Path(sys.argv[1]).write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
