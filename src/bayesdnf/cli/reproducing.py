"""``bayesdnf reproduce``: the paper's tables and figures, compared with the paper."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from . import options
from .output import end, write_json

if TYPE_CHECKING:
    from ..experiments.reproduction import Reproduction


def reproduce(
    name: Annotated[
        str,
        typer.Argument(
            help="figure1, figure2, table1, table2, table3, table4, table5, appendix or all."
        ),
    ],
    quick: Annotated[
        bool, typer.Option("--quick", help="Use fewer data sets; takes seconds.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Output folder for CSV, text and PNG files; with all, also a summary page."
        ),
    ] = None,
    seed: options.Seed = 0,
    jobs: options.Jobs = 1,
    as_json: options.Json = False,
) -> None:
    """Reproduce a table or figure of Hubert (2020) and compare it with the paper."""
    from ..experiments import NAMES, check

    check(name, seed, jobs)
    if out is not None:
        from ..experiments.output.folder import ready, write, write_page

        ready(out)
    made: list[Reproduction] = []
    files: list[Path] = []
    finished = True
    try:
        for one in NAMES if name == "all" else (name,):
            made.append(_with_bar(one, quick, seed, jobs))
            if out is not None:
                files += write(made[-1], out)
            if not as_json:
                from ..experiments.output.layout import as_text

                typer.echo(f"{as_text(made[-1])}\n")
        if out is not None and name == "all":
            files.append(write_page(made, out))
    except KeyboardInterrupt:
        finished = False
    if as_json:
        from ..experiments.output.layout import as_data

        write_json(
            {
                "quick": quick,
                "seed": seed,
                "reproductions": [as_data(one) for one in made],
                "files": [str(file) for file in files],
            }
        )
    elif files:
        typer.echo(f"{len(files)} files written to {out}.")
    end(finished, "this is what was done")


def _with_bar(name: str, quick: bool, seed: int, jobs: int) -> Reproduction:
    from ..display.bars import Bar
    from ..experiments import reproduce

    with Bar(name) as bar:
        return reproduce(
            name,
            quick=quick,
            seed=seed,
            jobs=jobs,
            progress=lambda done, total: bar.show(done, total, f"{done} of {total} data sets"),
        )
