"""Functions shared by commands that read a study: reading, progress, and a log with the output."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from .study_options import Reading

if TYPE_CHECKING:
    from ..display.bars import Bar
    from ..genomics.study import Study


class Stages(ExitStack):
    """A bar for each stage of a long command, one after the other."""

    _title: str | None = None
    _bar: Bar | None = None

    def __call__(self, title: str, done: int, total: int) -> None:
        """Show the progress of a stage; a new title starts the next bar."""
        if title != self._title:
            from ..display.bars import Bar

            self.close()  # the bar of the stage before
            self._title, self._bar = title, self.enter_context(Bar(title.capitalize()))
        assert self._bar is not None
        self._bar.show(done, total, f"{done:,} of {total:,}" if done else "")


def prepared(
    study: str, reading: Reading, stages: Stages, note: Callable[[str], object] = lambda step: None
) -> Study:
    """Read and filter a study: ploidy of sex chromosomes, quality filters, close relatives.

    ``note`` is told when a step has ended.
    """
    from ..files.packed import is_packed
    from ..genomics import Study

    if is_packed(study):
        reading.refuse_choices(study)
        opened = Study.open(study)
        note("reading")
        return opened
    filters = reading.filters()  # a wrong option is told before anything is read
    raw = reading.read(study, lambda done, total: stages("reading", done, total))
    note("reading")
    kept = raw.filtered(filters, reading.build, in_place=True)
    note("filters")
    kept = kept.without_relatives(reading.king_cutoff, reading.jobs)
    note("relatives")
    for warning in kept.warnings:
        typer.echo(f"Warning: {warning}", err=True)
    return kept


@contextmanager
def keeping(checkpoint: Path | None) -> Iterator[None]:
    """Name the checkpoint from which an interrupted command can resume."""
    try:
        yield
    except KeyboardInterrupt:
        if checkpoint is not None and checkpoint.exists():
            typer.echo(
                f"Progress is saved in {checkpoint}; run the same command to resume.", err=True
            )
        raise


def study_files(study: str) -> Sequence[Path]:
    """Files that a study is read from, which nothing may be written over."""
    from ..files.packed import is_packed
    from ..genomics.files.opening import open_genotypes

    return [Path(study)] if is_packed(study) else open_genotypes(study).files


def write_log(out: Path, text: str) -> None:
    """Write the log of a command beside its output."""
    from ..files.atomic import write_text
    from ..versions import versions

    told = "\n".join(f"{name} {value}" for name, value in versions().items())
    write_text(out.with_name(f"{out.name}.log"), f"{text}\n{told}\n")
