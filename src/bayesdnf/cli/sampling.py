"""``bayesdnf sample``: how probable is each rule, term and literal."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import options
from .output import end, write_json
from .reporting import sign

if TYPE_CHECKING:
    import pandas as pd

    from ..estimators.held_out import HeldOut
    from ..estimators.posterior_classifier import PosteriorDNFClassifier

_MOST_IN_JSON = 100  # functions


@options.learning
def sample(
    table: options.Table,
    target: options.Target,
    positive: options.Positive = None,
    draws: Annotated[int, typer.Option(help="Draws of each chain.")] = 2000,
    warmup: Annotated[int, typer.Option(help="Draws to leave out before them.")] = 1000,
    chains: Annotated[int, typer.Option(help="Number of chains.")] = 4,
    thin: Annotated[int, typer.Option(help="Steps for each draw.")] = 100,
    kernel: Annotated[
        str, typer.Option(help="informed, tempered, reversible_jump or single_term.")
    ] = "informed",
    test: options.Test = None,
    out: Annotated[
        Path | None, typer.Option(help="File to write (NetCDF): the draws and the model.")
    ] = None,
    checkpoint: Annotated[
        Path | None, typer.Option(help="Where to keep the state of the run, and go on from it.")
    ] = None,
    as_json: options.Json = False,
    *,
    learning: options.Learning,
) -> None:
    """Draw rules from the posterior: how probable is each rule, term and literal."""
    from .. import PosteriorDNFClassifier
    from ..sampling.watching import DrawsBar
    from .labelled import keep_apart, measure_file, read_labelled
    from .terminal import fit_with_bar

    if out is not None:
        from ..files.atomic import writable
        from ..sampling.draws_tree import require_arviz

        keep_apart(out, [table, test])
        writable(out)
        require_arviz()  # now, not after hours of sampling
    data = read_labelled(table, target, positive, learning)
    model = PosteriorDNFClassifier(
        **learning.parameters(data),
        draws=draws,
        warmup=warmup,
        chains=chains,
        thin=thin,
        kernel=kernel,
        checkpoint=checkpoint,
    )
    finished = fit_with_bar(model, data.X, data.y, DrawsBar("Draws", learning.time_limit))
    held_out: HeldOut | None = None
    try:
        if out is not None:
            sign(model, table, target, None)
            model.save(out)
        if test is not None:
            held_out = measure_file(model, test, target, learning.sep)
    except KeyboardInterrupt:
        finished = False
    if as_json:
        write_json({**posterior_result(model, held_out), "out": None if out is None else str(out)})
    else:
        print_posterior(model, held_out)
        if out is not None:
            typer.echo(f"Draws written to {out}.")
    end(finished, "these are the draws")


def posterior_result(model: PosteriorDNFClassifier, held_out: HeldOut | None) -> dict[str, Any]:
    """Return what is known of a posterior, for JSON."""
    from ..estimators.posterior_presentation import accepted, verdict

    drawn = model.draws_
    unmarked, marked = model.risks_
    functions = drawn.top(_MOST_IN_JSON)
    functions["function"] = [str(function) for function in functions["function"]]
    return {
        "positive": model.positive_,
        "rows": model.counts_.n,
        "positives": model.counts_.n_pos,
        "literals": len(model.encoder_.literals_),
        "functions": functions.to_dict("records"),
        "distinct_functions": drawn.n_functions,
        "best": str(model.map_),
        "null_probability": model.null_probability_,
        "bayes_factor": None if model.bayes_factor_ is None else model.bayes_factor_._asdict(),
        "inclusion": model.inclusion_.to_dict("records"),
        "risk_marked": None if model.null_probability_ == 1 else marked._asdict(),
        "risk_unmarked": unmarked._asdict(),
        "held_out": None if held_out is None else held_out._asdict(),
        "evidence": None if model.evidence_ is None else model.evidence_._asdict(),
        "accepted": accepted(model),
        "verdict": verdict(model),
        "kernel": model.kernel,
        "chains": drawn.n_chains,
        "draws": drawn.n_draws,
        "stopped": model.stopped_,
        "seed": model.seed_,
    }


def print_posterior(model: PosteriorDNFClassifier, held_out: HeldOut | None) -> None:
    """Print functions, inclusion, risks, how answers do on other rows, and how sure it all is."""
    from rich.text import Text

    from ..estimators import posterior_presentation as present
    from .terminal import held_out_line, make_console, risk_lines, table_line

    console = make_console()
    console.print(table_line(model, model.counts_))
    console.print(Text(f"\n{present.title(model)}:", style="bold"))
    shown = model.draws_.top(present.MOST_FUNCTIONS)
    console.print(_table(shown, {"probability": ".4f", "function": ""}))
    if (left := present.functions_left(model, len(shown))) is not None:
        console.print(f" {left}.")
    if len(included := present.top_inclusion(model)):
        console.print(_table(included, {"probability": ".4f", "kind": "", "what": "", "equal": ""}))
    else:
        console.print()
    for said in present.no_rule(model):
        console.print(said)
    for line in risk_lines(model, None if model.null_probability_ == 1 else ("", "")):
        console.print(line)
    if held_out is not None:
        console.print(held_out_line(held_out))
    for said in present.trust(model):
        console.print(said)


def _table(data: pd.DataFrame, formats: dict[str, str]) -> Any:
    """Show some columns of a table, numbers to the right."""
    from rich.text import Text

    from .terminal import plain_table

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
