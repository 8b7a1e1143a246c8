"""``bayesdnf sample``: posterior probabilities of rules, terms and literals."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import InputError
from . import options
from .output import Saved, end, posterior_result, save_result, write_json
from .reporting import sign

if TYPE_CHECKING:
    from ..estimators.held_out import HeldOut


@options.learning
def sample(
    table: options.Table,
    target: options.Target,
    positive: options.Positive = None,
    draws: Annotated[int, typer.Option(help="Draws per chain.")] = 2000,
    warmup: Annotated[int, typer.Option(help="Warm-up draws per chain, discarded.")] = 1000,
    chains: Annotated[int, typer.Option(help="Number of chains.")] = 4,
    thin: Annotated[int, typer.Option(help="Steps per recorded draw (thinning).")] = 100,
    kernel: Annotated[
        str, typer.Option(help="Sampler: informed, tempered, reversible_jump or single_term.")
    ] = "informed",
    test: options.Test = None,
    out: Annotated[
        Path | None, typer.Option(help="NetCDF file to write, with the draws and the model.")
    ] = None,
    checkpoint: Annotated[
        Path | None, typer.Option(help="Checkpoint file to save the run to and resume from.")
    ] = None,
    checkpoint_every: Annotated[float, typer.Option(help="Seconds between checkpoints.")] = 60.0,
    as_json: options.Json = False,
    *,
    learning: options.Learning,
) -> None:
    """Sample rules from the posterior: probabilities of rules, terms and literals."""
    from .. import PosteriorDNFClassifier
    from ..sampling.watching import DrawsBar
    from .labelled import keep_apart, measure_rows, read_labelled, read_test
    from .terminal import fit_with_bar, print_posterior

    if out is not None:
        from ..files.atomic import writable
        from ..sampling.drawn.draws_tree import require_arviz

        keep_apart(out, [table, test])
        writable(out)
        require_arviz()  # now, not after hours of sampling
    data = read_labelled(table, target, positive, learning)
    tested = None if test is None else read_test(test, target, data, learning)
    model = PosteriorDNFClassifier(
        **learning.parameters(data),
        draws=draws,
        warmup=warmup,
        chains=chains,
        thin=thin,
        kernel=kernel,
        checkpoint=checkpoint,
        checkpoint_every=checkpoint_every,
    )
    finished = fit_with_bar(model, data.rows, DrawsBar("Draws", learning.time_limit))
    sign(model, table, target, None, learning.strata)
    held_out: HeldOut | None = None
    problem: InputError | None = None
    try:
        if test is not None and tested is not None:
            held_out = measure_rows(model, tested, test)
        with contextlib.suppress(InputError):
            model.representative()  # the file keeps it
    except KeyboardInterrupt:
        finished = False
    except InputError as error:  # reported at the end, after the draws
        problem = error
    # Before anything is printed, which a closed pipe or a second Ctrl-C may end.
    saved = Saved(None) if out is None else save_result(model.save, out, "the draws")
    if as_json:
        where = None if saved.path is None else str(saved.path)
        write_json({**posterior_result(model, held_out), "out": where})
    else:
        print_posterior(model, held_out)
        if saved.path is not None:
            typer.echo(f"Draws written to {saved.path}.")
    saved.require()
    if problem is not None:
        raise problem
    end(finished, "these are the draws")
