"""Terminal output: a fitted rule, draws of rules, and the progress of a fit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ..display.wording import count
from .output import ADVICE
from .shell_words import in_shell_words

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from ..boolean import BooleanFunction
    from ..display.bars import SearchBar
    from ..estimators.classifier import DNFClassifier
    from ..estimators.held_out import HeldOut
    from ..estimators.posterior_classifier import PosteriorDNFClassifier
    from ..estimators.rule_classifier import RuleClassifier
    from ..model.rates import Counts
    from ..sampling.watching import DrawsBar
    from .labelled import LabelledRows

_WIDEST = 100


def make_console() -> Console:
    """Return a console for standard output that prints texts without markup."""
    from rich.console import Console

    console = Console(highlight=False, markup=False, emoji=False)
    console.width = min(console.width, _WIDEST)
    return console


def table_line(model: RuleClassifier, counts: Counts) -> str:
    """Describe the table in one line."""
    rows = f"{count(counts.n, 'row')}, {counts.n_pos:,} positive"
    return f"{rows} ({model.positive_!s}); {_offered(model)}"


def _class_line(model: RuleClassifier, cells: NDArray[np.int64]) -> str:
    """Describe the same with more than two classes."""
    rows = cells.sum(axis=(0, 1))
    each = ", ".join(f"{n:,} {label!s}" for label, n in zip(model.classes_, rows, strict=True))
    return f"{rows.sum():,} rows ({each}); {_offered(model)}"


def _offered(model: RuleClassifier) -> str:
    return (
        f"{count(len(model.encoder_.kinds_), 'column')}, "
        f"{count(len(model.encoder_.literals_), 'literal')}."
    )


def print_model(
    model: DNFClassifier, held_out: HeldOut | None, threshold: float | None = None
) -> None:
    """Print the rule, its terms, the risks, how it does on other rows, and how sure it is."""
    from rich.text import Text

    from ..display.offer import not_offered
    from ..estimators.presenting.measured import fitted_lines
    from ..estimators.presenting.rule_summary import (
        constant_answer,
        is_sure,
        near_equal,
        no_rule,
        trust,
    )

    console = make_console()
    counts = model.counts_
    line = _class_line(model, model.cells_) if counts is None else table_line(model, counts)
    console.print(line)
    _print_columns(console, model)
    if (several := near_equal(model)) is not None:
        console.print(Text(_sampled(several), style="bold"))
    if model.function_.is_null:
        console.print(Text(f"No rule: {no_rule(model)}", style="bold"))
        for line in not_offered(model.encoder_):
            console.print(Text(in_shell_words(line), style="yellow"))
    else:
        for text in _rule(model):
            console.print(text)
        console.print(_terms(model))
    _print_risks(console, model)
    if model.stratum_layers_ is not None:
        console.print(_parts(model.stratum_layers_))
    for said in fitted_lines(model, threshold) if held_out is None else held_out_lines(held_out):
        console.print(said)
    console.print(Text(trust(model), style="green" if is_sure(model) else "yellow"))
    if (warning := constant_answer(model, threshold, ADVICE)) is not None:
        console.print(Text(f"Warning: {warning}", style="yellow"))


def _sampled(text: str) -> str:
    return text.replace("PosteriorDNFClassifier (bayesdnf sample)", "bayesdnf sample")


def _print_columns(console: Console, model: RuleClassifier) -> None:
    from rich.text import Text

    from ..estimators.presenting.rule_summary import column_lines

    for line in column_lines(model):
        console.print(Text(in_shell_words(line), style="yellow"))


def _rule(model: DNFClassifier) -> list[Text]:
    """Write the rule, a line for each term."""
    from rich.text import Text

    from ..boolean import RuleList
    from ..estimators.presenting.rule_summary import heading

    rule = model.function_
    title = Text(f"\n{heading(model)}:", style="bold")
    if not isinstance(rule, RuleList):
        return [title, *_term_lines(rule, "     ")]
    lines = [title]
    for number, layer in enumerate(rule.layers):
        lines += _term_lines(layer, "  elif " if number else "  if   ")
    return [*lines, Text("  else", style="dim")]


def _term_lines(function: BooleanFunction, first: str) -> list[Text]:
    from rich.text import Text

    after = f"{'OR ':>{len(first)}}"
    lines = []
    for i, term in enumerate(function.terms):
        pieces = [piece for x in term for piece in ((" AND ", "dim"), (x, "cyan"))]
        start = (f"{after if i else first}(", "dim")
        lines.append(Text.assemble(start, *pieces[1:], (")", "dim")))
    return lines


def held_out_lines(held_out: HeldOut) -> list[str]:
    """Describe how answers did on rows that were held out."""
    from ..estimators.presenting.measured import measured_lines

    area = "–" if held_out.auc is None else f"{held_out.auc:.4f}"
    head = (
        f"Held out ({held_out.how}): AUC {area}, {count(held_out.errors, 'error')} "
        f"in {count(held_out.rows, 'row')}"
    )
    return [head, *measured_lines(held_out.predict, held_out.marked, held_out.threshold)]


def plain_table() -> Table:
    """Return an empty table with a line below its head."""
    from rich import box
    from rich.table import Table

    return Table(box=box.SIMPLE, pad_edge=False, collapse_padding=True)


def _terms(model: DNFClassifier) -> Table:
    from ..estimators.presenting.rule_tables import TERM_HEAD, term_cells, term_head

    head = term_head(model.rules_)
    rows = term_cells(model.rules_)
    numbered = [(str(number), *row) for number, row in enumerate(rows, start=1)]
    return _short_texts(("", *head), numbered, wide=TERM_HEAD[0])


def _parts(parts: pd.DataFrame) -> Table:
    from ..estimators.presenting.rule_tables import part_cells, part_head

    head = part_head(parts)
    return _short_texts(head, part_cells(parts), wide=head[0])


def _short_texts(head: Sequence[str], rows: Iterable[Sequence[str]], wide: str) -> Table:
    """Make a table of texts, of which one column may be long."""
    from rich.text import Text

    table = plain_table()
    for name in head:
        if name == wide:
            table.add_column(name, overflow="fold")
        else:
            table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def _print_risks(console: Console, model: DNFClassifier) -> None:
    counts = model.counts_
    if counts is None:
        console.print(_parts(model.layers_))
        console.print("(Shares of classes: posterior means, of the first with 95 % interval.)")
        return
    if model.rates_ is None and not model.function_.is_null:
        console.print(_parts(model.layers_))
        console.print(
            f"(P({model.positive_!s}): posterior mean and 95 % interval; of all rows "
            f"{counts.n_pos / counts.n:.4f}.)"
        )
        return
    n, n_marked = counts.n, counts.n_marked
    rows = (
        None
        if model.function_.is_null
        else (
            f", {count(n - n_marked, 'row')}",
            f", {count(n_marked, 'row')}",
        )
    )
    for line in risk_lines(model, rows):
        console.print(line)


def print_posterior(model: PosteriorDNFClassifier, held_out: HeldOut | None) -> None:
    """Print functions, inclusion, risks, how answers do on other rows, and how sure it all is."""
    from rich.text import Text

    from ..estimators.presenting import posterior_summary as present
    from ..model.rule import one_line

    console = make_console()
    if doubt := model.draws_.doubt:
        console.print(Text(f"{in_shell_words(doubt)}\n", style="bold"))
    if model.counts_ is None:
        console.print(_class_line(model, model.draws_.cells[0]))
    else:
        console.print(table_line(model, model.counts_))
    _print_columns(console, model)
    lead = present.none_stands_out(model)
    if lead is not None:
        console.print(Text(f"\n{lead}", style="bold"))
        for said in present.representative(model):
            console.print(Text(said))
        formats = {"probability": ".4f", "column": ".4f", "literal": ""}
        console.print(_columns(present.literal_certainty(model), formats))
    console.print(Text(f"\n{present.title(model)}:", style="bold"))
    shown = model.draws_.top(present.MOST_FUNCTIONS)
    shown = shown.assign(function=[one_line(rule) for rule in shown["function"]])
    if model.draws_.layers > 1:  # a row represents all lists with the same partition of rows
        shown = shown.assign(probability=shown["same_rows"])
    elif not model.draws_.settled:
        shown = shown.drop(columns="probability").rename(columns={"at_most": "at most"})
    formats = {"probability": ".4f", "at most": ".4f", "frequency": ".4f", "function": ""}
    console.print(_columns(shown, formats))
    if (left := present.functions_left(model, len(shown))) is not None:
        console.print(f" {left}.")
    if len(included := present.top_inclusion(model)):
        console.print(
            _columns(included, {"probability": ".4f", "kind": "", "what": "", "equal": ""})
        )
    else:
        console.print()
    if lead is None:
        for said in present.representative(model):
            console.print(Text(said))
        console.print()
    for said in present.no_rule(model):
        console.print(in_shell_words(said))
    if model.counts_ is None:
        for said in present.risks(model):
            console.print(said)
    elif model.draws_.simple or model.draws_.only_null:
        for line in risk_lines(model, None if model.draws_.only_null else ("", "")):
            console.print(line)
    else:
        for said in present.pooled(model):
            console.print(said)
    for said in [] if held_out is None else held_out_lines(held_out):
        console.print(said)
    for said in present.trust(model):
        console.print(in_shell_words(said))


def _columns(data: pd.DataFrame, formats: dict[str, str]) -> Table:
    """Show some columns of a table, numbers to the right."""
    from rich.text import Text

    table = plain_table()
    names = [name for name in formats if name in data]
    for name in names:
        table.add_column(name, justify="right" if formats[name] else "left", overflow="fold")
    for _, row in data.iterrows():
        # str first: a function has no format of its own.
        table.add_row(
            *(
                Text(f"{row[name]:{formats[name]}}" if formats[name] else str(row[name]))
                for name in names
            )
        )
    return table


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
    """Return the risks, and on how many rows, unmarked and marked; None when there is no rule."""
    from ..estimators.presenting.rule_summary import short_risk_lines

    return [_emphasised(line) for line in short_risk_lines(model, rows)]


def fit_with_bar(model: RuleClassifier, rows: LabelledRows, bar: SearchBar | DrawsBar) -> bool:
    """Fit with a bar; False when it was interrupted and the model holds what there is."""
    with bar:
        model._progress = bar
        try:
            model.fit(rows.X, rows.y, strata=rows.strata)
        except KeyboardInterrupt:
            # Interrupted before anything was found: there is nothing to show.
            if not hasattr(model, "encoder_"):
                raise
            return False
        finally:
            model._progress = None
    return True
