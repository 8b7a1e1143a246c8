"""The command line: ``bayesdnf demo``, ``bayesdnf simulate``.

Results go to standard output, everything else to standard error. Exit status: 0 done, 1 the input
is wrong, 2 wrong usage. Heavy libraries are imported inside the commands.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .errors import BayesDNFError, ParameterError

if TYPE_CHECKING:
    from .model.posterior import Posterior

app = typer.Typer(
    help="Learn Boolean rules (an OR of ANDs) from data, with honest probabilities.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]

# Rules for the mushroom data. The first is the rule of Duch, Adamczak and Grabczewski that UCI
# publishes with the set; the second is the best known under this model without negations.
_PUBLISHED = (
    "(odor != a AND odor != l AND odor != n) OR (spore-print-color = r) "
    "OR (odor = n AND stalk-surface-below-ring = y AND stalk-color-above-ring != n) "
    "OR (habitat = l AND cap-color = w)"
)
_BEST_KNOWN = (
    "(bruises = f AND gill-spacing = c AND ring-type = e) OR (bruises = f AND stalk-root = c) "
    "OR (bruises = t AND gill-size = n AND stalk-shape = e) OR (odor = c) OR (odor = f) "
    "OR (spore-print-color = r)"
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from .versions import show_versions

        show_versions()
        raise typer.Exit()


@app.callback()
def _common(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Show versions and exit."
        ),
    ] = False,
) -> None:
    pass


@app.command()
def demo(as_json: Json = False) -> None:
    """Score two known rules on the built-in mushroom data and print their risks."""
    from . import LiteralEncoder, Posterior, datasets

    X, y = datasets.load_mushroom()
    bits = LiteralEncoder(negations=True).fit_encode(X)
    posterior = Posterior(bits, y, positive="p")
    rules = {
        "the rule published with the data": _PUBLISHED,
        "a rule without negations": _BEST_KNOWN,
        "no rule at all": "FALSE",
    }
    results = {title: _scored(posterior, text) for title, text in rules.items()}
    if as_json:
        _write_json({"rows": posterior.n, "literals": bits.n_literals, "rules": results})
        return
    _print_demo(posterior, results)


def _scored(posterior: Posterior, text: str) -> dict[str, Any]:
    from . import BooleanFunction

    function = BooleanFunction.parse(text)
    counts = posterior.counts(function)
    unmarked, marked = posterior.rates(function).summary()
    return {
        "rule": str(function),
        "terms": [list(term) for term in function.terms],
        "literals": function.n_literals,
        "log_posterior": posterior.log_score(function),
        "marked": counts.n_marked,
        "marked_positive": counts.n_both,
        "errors": counts.n_marked + counts.n_pos - 2 * counts.n_both,
        "risk_marked": None if function.is_null else list(marked),
        "risk_unmarked": list(unmarked),
    }


def _print_demo(posterior: Posterior, results: dict[str, dict[str, Any]]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    width = min(console.width, 100)
    console.print(
        f"Mushrooms: {posterior.n:,} rows, {posterior.n_pos:,} poisonous, "
        f"{posterior.bits.n_literals} literals on offer (negations included).\n"
    )
    for number, (title, result) in enumerate(results.items(), start=1):
        console.print(Text(f"{number}. {title}", style="bold"))
        for i, term in enumerate(result["terms"]):
            console.print(Text(f"   {'OR ' if i else '   '}({' AND '.join(term)})"), width=width)
    table = Table(box=box.SIMPLE, pad_edge=False)
    table.add_column("rule")
    for name in ("literals", "errors", "risk if it holds", "risk if not", "log posterior"):
        table.add_column(name, justify="right")
    for number, result in enumerate(results.values(), start=1):
        table.add_row(
            str(number),
            str(result["literals"]),
            f"{result['errors']:,}",
            _risk(result["risk_marked"]),
            _risk(result["risk_unmarked"]),
            f"{result['log_posterior']:,.2f}",
        )
    console.print(table)
    console.print("Risks are posterior means with 95 % intervals of P(poisonous).")


def _risk(interval: list[float] | None) -> str:
    if interval is None:
        return "–"
    mean, low, high = interval
    return f"{mean:.4f} [{low:.4f}, {high:.4f}]"


@app.command()
def simulate(
    out: Annotated[Path, typer.Option(help="CSV file to write (.gz is compressed).")],
    rows: Annotated[int, typer.Option(help="Number of rows.")] = 1000,
    columns: Annotated[int, typer.Option(help="Number of 0/1 columns, x0, x1, ….")] = 100,
    terms: Annotated[str, typer.Option(help="Sizes of the terms, such as 2,2.")] = "2,2",
    beta: Annotated[str, typer.Option(help="Range of the columns' frequencies.")] = "0.4,0.5",
    pi0: Annotated[float, typer.Option(help="P(y = 1) where the function does not hold.")] = 0.1,
    pi1: Annotated[float, typer.Option(help="P(y = 1) where it holds.")] = 0.9,
    case_control: Annotated[
        bool, typer.Option("--case-control", help="Half cases, half controls.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Seed of the random numbers.")] = 0,
    as_json: Json = False,
) -> None:
    """Write a table whose outcome follows a known function, in column y."""
    from .data.atomic import atomic_path
    from .data.simulate import simulate as draw

    frequencies = _numbers(beta, "--beta")
    if len(frequencies) != 2:
        raise ParameterError.of("--beta", "simulate", "two numbers such as 0.4,0.5", beta)
    X, y, function = draw(
        rows,
        columns,
        terms=tuple(int(k) for k in _numbers(terms, "--terms")),
        beta=(frequencies[0], frequencies[1]),
        pi0=pi0,
        pi1=pi1,
        sampling="case-control" if case_control else "random",
        random_state=seed,
    )
    with atomic_path(out) as part:
        X.assign(y=y).to_csv(part, index=False)
    if as_json:
        _write_json({"out": str(out), "function": str(function), "rows": rows, "columns": columns})
        return
    typer.echo(f"{out}: {rows:,} rows, {columns:,} columns and y; {int(y.sum()):,} positives.")
    typer.echo(f"True function: {function}")


def _numbers(text: str, option: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise ParameterError.of(option, "simulate", "numbers with commas", text) from None


def _write_json(result: dict[str, Any]) -> None:
    typer.echo(json.dumps(result, indent=2, ensure_ascii=False))


def main() -> None:
    """Run the command line; a wrong input is one sentence and exit status 1."""
    try:
        app()
    except BayesDNFError as error:
        typer.echo(f"Error: {error}", err=True)
        sys.exit(1)
