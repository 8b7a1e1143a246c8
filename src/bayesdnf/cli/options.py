"""Options that several commands take, and what their texts mean."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from ..model.prior import Prior

Table = Annotated[Path, typer.Argument(help="CSV or TSV (gzip too) or Parquet.")]
Target = Annotated[str, typer.Option(help="Column that holds the two classes.")]
Positive = Annotated[
    str | None, typer.Option(help="Class that the rule marks; else the second in order.")
]
Test = Annotated[Path | None, typer.Option(help="Table to test the answers on.")]
Negations = Annotated[bool, typer.Option("--negations", help="Offer odor != f too.")]
Thresholds = Annotated[int, typer.Option(help="Most cuts of a numeric column.")]
Missing = Annotated[
    list[str] | None, typer.Option(help="A cell that means missing, such as '?'; repeatable.")
]
Kinds = Annotated[
    list[str] | None,
    typer.Option("--kind", help="column=categorical, ordinal, numeric or binary; repeatable."),
]
SizeMean = Annotated[float | None, typer.Option(help="Prior mean of a term's size.")]
CountP = Annotated[float | None, typer.Option(help="Prior: P(no further term).")]
TimeLimit = Annotated[float | None, typer.Option(help="Seconds after which to stop.")]
Seed = Annotated[int, typer.Option(help="Seed of the random numbers.")]
Jobs = Annotated[int, typer.Option(help="Threads; the result does not depend on them.")]
Separator = Annotated[
    str | None, typer.Option("--sep", help="What separates cells: ',' ';' '\\t'; else by name.")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]


def kinds_of(texts: list[str] | None) -> dict[str, str] | None:
    """Read ``column=kind`` texts; None when there are none."""
    kinds = dict(_kind(text) for text in texts or ())
    return kinds or None


def _kind(text: str) -> tuple[str, str]:
    column, equals, kind = text.rpartition("=")
    if not equals:
        raise typer.BadParameter(f"--kind must be column=kind, such as stage=ordinal, not {text}.")
    return column, kind


def separator(text: str | None) -> str | None:
    """Read what ``--sep`` says."""
    return "\t" if text in ("\\t", "tab") else text


def prior_of(size_mean: float | None, count_p: float | None) -> Prior:
    """Return the default prior, with what was given in its place."""
    from .. import Geometric, Poisson, Prior

    prior = Prior()
    if size_mean is not None:
        prior.set_params(size=Poisson(size_mean))
    if count_p is not None:
        prior.set_params(count=Geometric(count_p, start=0))
    return prior
