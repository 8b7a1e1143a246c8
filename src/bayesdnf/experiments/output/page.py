"""The page about all reproductions: where we agree with the paper, where not, and why."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from ..reproduction import Claim, Reproduction
from .layout import as_table, expressions

_START = """# Reproduction of the paper

P. Hubert, *Probabilistic learning of boolean functions applied to the binary classification
problem with categorical explanatories* (2020), has two figures, five tables and an appendix of
results. All of them are run again here, on fresh data where the data were simulated: once as the
paper says, with its prior and its annealing, and once with this library's defaults on the same
data. Measured by `make reproduce`, which writes this page; `bayesdnf reproduce table2` shows one of
them.
"""

_WHY = """## Agreements, differences and reasons

- **The annealing does what the paper says of it.** More chains find more terms, more rows find more
  terms, and how many terms it starts from matters less. On mushrooms every setting gives nearly
  perfect rules.
- **The prior of the paper's code does not favour the truth.** The paper's text divides a term's
  prior by the number of terms of its size, its code does not. A literal is then nearly free, and
  functions with spurious terms score higher than the true one. The tables are as good as they are
  because the annealing does not get there. This library keeps the division: each literal costs
  about ln p, the truth is the best function as soon as there are data enough, and a search that
  reaches the optimum finds it.
- **The rates of ten data sets are rough.** A rate of .9 out of ten has a standard error of .1;
  differences between the paper's cells that are smaller than .2 mean little. Here there are
  {sets} sets.
- **Details that the paper leaves open** were taken from its author's code where it settles them:
  sizes are shifted by one (k - 1 is Poisson), rates are set to their conditional means, the last
  state of a chain counts, functions that mark nobody or everybody are refused.
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
