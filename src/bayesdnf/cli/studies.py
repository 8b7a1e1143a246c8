"""Functions shared by commands that read a study: reading, progress, and a log with the output."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
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
    study: str,
    reading: Reading,
    stages: Stages,
    note: Callable[[str], object] = lambda step: None,
    *,
    tell: bool = True,
) -> Study:
    """Read and filter a study: ploidy of sex chromosomes, quality filters, close relatives.

    ``note`` is told when a step has ended. Warnings go to standard error, unless the caller shows
    them with its results.
    """
    from ..files.packed import is_packed
    from ..genomics import Study

    if is_packed(study):
        reading.refuse_choices(study)
        opened = Study.open(study)
        note("reading")
        return opened
    filters = reading.filters()  # report wrong options before anything is read
    raw = reading.read(study, lambda done, total: stages("reading", done, total))
    note("reading")
    kept = raw.filtered(filters, reading.build, in_place=True)
    note("filters")
    kept = kept.without_relatives(reading.king_cutoff, reading.jobs)
    note("relatives")
    if tell:
        warn(kept.warnings)
    return kept


def warn(warnings: Iterable[str]) -> None:
    """Show warnings on standard error."""
    for warning in warnings:
        typer.echo(f"Warning: {warning}", err=True)


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


@contextmanager
def no_empty_folder(folder: Path, fresh: bool) -> Iterator[None]:
    """Remove a folder made for results if an error or Ctrl-C left it without any."""
    try:
        yield
    except BaseException:
        if fresh:
            with suppress(OSError):  # it holds something
                folder.rmdir()
        raise


def study_files(study: str) -> Sequence[Path]:
    """Files that a study is read from, which nothing may be written over."""
    from ..files.packed import is_packed
    from ..genomics.files.opening import open_genotypes

    return [Path(study)] if is_packed(study) else open_genotypes(study).files


def write_log(out: Path, text: str) -> None:
    """Write the log of a command next to its output."""
    from ..files.atomic import write_text
    from ..versions import versions

    told = "\n".join(f"{name} {value}" for name, value in versions().items())
    write_text(out.with_name(f"{out.name}.log"), f"{text}\n{told}\n")
