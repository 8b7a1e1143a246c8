"""The page about all reproductions: agreements, differences and reasons."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from ..reproduction import Claim, Reproduction
from .layout import as_table, expressions

_START = """# Reproduction of the paper

P. Hubert, *Probabilistic learning of boolean functions applied to the binary classification
problem with categorical explanatories* (2020), has two figures, five tables and an appendix of
results. This page repeats all of them, with new data if the data were simulated: once with the
paper's prior and annealing, and once with this library's defaults on the same data.
Measured by `make reproduce`, which writes this page; `bayesdnf reproduce table2` shows one of
them.
"""

_WHY = """## Agreements, differences and reasons

- **The annealing performs as the paper describes.** More chains and more rows find more terms, and
  the initial number of terms has less effect. On mushrooms every setting gives nearly perfect
  rules.
- **The prior of the paper's code does not favour the true function.** The paper's text divides the
  prior of a term by the number of terms of its size; its code does not. A literal then costs almost
  nothing, and functions with spurious terms score higher than the true one. The paper's tables are
  good only because the annealing does not reach these functions. This library keeps the division:
  each literal costs about ln p, the true function is the best one if there are enough data, and a
  search that reaches the optimum finds it.
- **Rates from ten data sets are imprecise.** A rate of .9 out of ten has a standard error of .1;
  differences below .2 between the paper's cells mean little. Here there are
  {sets} sets.
- **Details that the paper leaves open** follow its author's code: sizes are shifted by one (k - 1
  is Poisson), rates are set to their conditional means, the last state of a chain is its result,
  and functions that mark no row or every row are not allowed.
"""


def page(all_made: Sequence[Reproduction]) -> str:
    """Write the page in Markdown."""
    claims = [(made, claim) for made in all_made for claim in made.claims]
    failed = [(made, claim) for made, claim in claims if not claim.holds]
    sets = max(row.sets for made in all_made for row in made.rows)
    parts = [_START, _WHY.format(sets=sets), "## Claims that were not reproduced\n"]
    if failed:
        parts.append(f"{len(failed)} of {len(claims)} claims were not reproduced:\n")
        parts += [_item(made, claim) for made, claim in failed]
    else:
        parts.append(f"None: all {len(claims)} claims were reproduced.")
    parts.append("")
    for made in all_made:
        parts.append(_section(made))
    return "\n".join(parts).rstrip() + "\n"


def _item(made: Reproduction, claim: Claim) -> str:
    text = f"- {made.title.split(':')[0]}, {claim.text}: {claim.found}."
    return textwrap.fill(text, 100, subsequent_indent="  ")


def _section(made: Reproduction) -> str:
    lines = [f"## {made.title}", "", f"![{made.title}]({made.name}.png)", ""]
    lines += [line for words in made.words for line in (textwrap.fill(words, 100), "")]
    for claim in made.claims:
        mark = "yes" if claim.holds else "**no**"
        text = f"- {mark}: {claim.text} ({claim.found})."
        lines.append(textwrap.fill(text, 100, subsequent_indent="  "))
    lines += ["", textwrap.fill(made.settings, 100), ""]
    lines += ["```text", as_table(made), "```", ""]
    for text in expressions(made):
        numbered = text.startswith("  ")
        lines += [text.strip()] if numbered else ["", f"Expressions, {text}", ""]
    return "\n".join([*lines, "", f"[{made.name}.csv]({made.name}.csv)", ""])
