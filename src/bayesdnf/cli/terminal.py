"""What the command line shows people: a fitted rule, and how it is being fitted."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from ..display.bars import SearchBar
    from ..estimators.classifier import DNFClassifier
    from ..estimators.held_out import HeldOut
    from ..estimators.posterior_classifier import PosteriorDNFClassifier
    from ..estimators.rule_classifier import RuleClassifier
    from ..model.rates import Counts, Interval
    from ..sampling.watching import DrawsBar

_WIDEST = 100


def make_console() -> Console:
    """Return a console for standard output that prints texts as they are."""
    from rich.console import Console

    console = Console(highlight=False, markup=False, emoji=False)
    console.width = min(console.width, _WIDEST)
    return console


def table_line(model: RuleClassifier, counts: Counts) -> str:
    """Say what the table held."""
    return (
        f"{counts.n:,} rows, {counts.n_pos:,} positive ({model.positive_!s}); "
        f"{len(model.encoder_.kinds_):,} columns, {len(model.encoder_.literals_):,} literals."
    )


def print_model(model: DNFClassifier, held_out: HeldOut | None) -> None:
    """Print the rule, its terms, the risks, how it does on other rows, and how sure it is."""
    from rich.text import Text

    from ..estimators.presentation import constant_answer, is_sure, trust

    console = make_console()
    counts, function = model.counts_, model.function_
    console.print(table_line(model, counts))
    if function.is_null:
        console.print(Text("No rule: nothing beats the null function.", style="bold"))
    else:
        console.print(Text(f"\nRule for {model.positive_!s}:", style="bold"))
        for i, term in enumerate(function.terms):
            pieces = [piece for x in term for piece in ((" AND ", "dim"), (x, "cyan"))]
            console.print(
                Text.assemble(("  OR (" if i else "     (", "dim"), *pieces[1:], (")", "dim"))
            )
        console.print(_terms(model))
    _print_risks(console, model)
    if held_out is not None:
        console.print(held_out_line(held_out))
    console.print(Text(trust(model), style="green" if is_sure(model) else "yellow"))
    if (warning := constant_answer(model)) is not None:
        console.print(Text(f"Warning: {warning}", style="yellow"))


def held_out_line(held_out: HeldOut) -> str:
    """Say how answers did on rows that were held out."""
    area = "–" if held_out.auc is None else f"{held_out.auc:.4f}"
    return (
        f"Held out ({held_out.how}): AUC {area}, accuracy {held_out.accuracy:.4f}, "
        f"{held_out.errors:,} errors in {held_out.rows:,} rows."
    )


def plain_table() -> Table:
    """Return an empty table with a line below its head."""
    from rich import box
    from rich.table import Table

    return Table(box=box.SIMPLE, pad_edge=False, collapse_padding=True)


def _terms(model: DNFClassifier) -> Table:
    from rich.text import Text

    table = plain_table()
    table.add_column("", justify="right")
    table.add_column("term", overflow="fold")
    for name in ("rows", "positive", "rate [95 %]", "log gain"):
        table.add_column(name, justify="right", no_wrap=True)
    for number, term in enumerate(model.rules_.to_dict("records"), start=1):
        table.add_row(
            str(number),
            Text(str(term["rule"])),
            f"{term['rows']:,}",
            f"{term['positives']:,}",
            f"{term['rate']:.3f} [{term['low']:.3f}, {term['high']:.3f}]",
            f"{term['log_gain']:,.1f}",
        )
    return table


def _print_risks(console: Console, model: DNFClassifier) -> None:
    n, n_marked = model.counts_.n, model.counts_.n_marked
    rows = None if model.function_.is_null else (f", {n - n_marked:,} rows", f", {n_marked:,} rows")
    for line in risk_lines(model, rows):
        console.print(line)


def _emphasised(line: str) -> Text:
    """Set the first number of a line in bold."""
    from rich.text import Text

    text = Text(line)
    if (number := re.search(r"(?<=: )\s*[\d.]+", line)) is not None:
        text.stylize("bold", *number.span())
    return text


def risk_lines(
    model: DNFClassifier | PosteriorDNFClassifier, rows: tuple[str, str] | None
) -> list[Text]:
    """Say the risks, and on how many rows, unmarked and marked; None when there is no rule."""
    unmarked, marked = model.risks_
    if rows is None:
        return [_emphasised(f"Risk on every row: {_risk(unmarked)}")]
    prevalence = model.effect_.prevalence
    scale = "" if prevalence is None else f", in a population with {prevalence:g} positive"
    lines = (
        f"Risk if it holds: {_risk(marked)}{rows[1]}",
        f"Risk if not:      {_risk(unmarked)}{rows[0]}",
        f"(P({model.positive_!s}): posterior mean and 95 % interval{scale}.)",
    )
    return [_emphasised(line) for line in lines]


def _risk(interval: Interval) -> str:
    return f"{interval.mean:.4f} [{interval.low:.4f}, {interval.high:.4f}]"


def fit_with_bar(
    model: RuleClassifier, X: pd.DataFrame, y: NDArray[Any], bar: SearchBar | DrawsBar
) -> bool:
    """Fit with a bar; False when it was interrupted and the model holds what there is."""
    with bar:
        model._progress = bar
        try:
            model.fit(X, y)
        except KeyboardInterrupt:
            if not hasattr(model, "encoder_"):
                raise
            return False
        finally:
            model._progress = None
    return True
