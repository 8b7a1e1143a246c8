"""What the command line shows people: a fitted rule, and a bar while it is searched."""

from __future__ import annotations

import sys
import threading
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, ProgressColumn
    from rich.table import Table

    from ..estimators.classifier import DNFClassifier
    from ..estimators.held_out import HeldOut
    from ..model.rates import Interval

_WIDEST = 100
_PATIENCE = 2.0  # seconds of silence before a bar appears


def print_model(model: DNFClassifier, held_out: HeldOut | None) -> None:
    """Print the rule, its terms, the risks, how it does on other rows, and how sure it is."""
    from rich.console import Console
    from rich.text import Text

    from ..estimators.presentation import constant_answer, trust

    console = Console(highlight=False, markup=False, emoji=False)
    console.width = min(console.width, _WIDEST)
    counts, function = model.counts_, model.function_
    console.print(
        f"{counts.n:,} rows, {counts.n_pos:,} positive ({model.positive_!s}); "
        f"{len(model.encoder_.kinds_):,} columns, {len(model.encoder_.literals_):,} literals."
    )
    if function.is_null:
        console.print(Text("No rule: nothing beats the null function.", style="bold"))
    else:
        console.print(Text(f"\nRule for {model.positive_!s}:", style="bold"))
        for i, term in enumerate(function.terms):
            console.print(Text(f"  {'OR ' if i else '   '}({' AND '.join(term)})"))
        console.print(_terms(model))
    _print_risks(console, model)
    if held_out is not None:
        area = "–" if held_out.auc is None else f"{held_out.auc:.4f}"
        console.print(
            f"Held out ({held_out.how}): AUC {area}, accuracy {held_out.accuracy:.4f}, "
            f"{held_out.errors:,} errors in {held_out.rows:,} rows."
        )
    console.print(trust(model))
    if (warning := constant_answer(model)) is not None:
        console.print(Text(f"Warning: {warning}", style="yellow"))


def _terms(model: DNFClassifier) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE, pad_edge=False, collapse_padding=True)
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
    unmarked, marked = model.risks_
    if model.function_.is_null:
        console.print(f"Risk on every row: {_risk(unmarked)}")
        return
    counts = model.counts_
    console.print(f"Risk if it holds: {_risk(marked)}, {counts.n_marked:,} rows")
    console.print(f"Risk if not:      {_risk(unmarked)}, {counts.n - counts.n_marked:,} rows")
    prevalence = model.effect_.prevalence
    scale = "" if prevalence is None else f", in a population with {prevalence:g} positive"
    console.print(f"(P({model.positive_!s}): posterior mean and 95 % interval{scale}.)")


def _risk(interval: Interval) -> str:
    return f"{interval.mean:.4f} [{interval.low:.4f}, {interval.high:.4f}]"


class Bar:
    """A bar on standard error, for searches that take longer than two seconds.

    It shows the restarts done, the best score so far, the time spent and the most that is left.
    Nothing is drawn when standard error is not a terminal.

    Parameters
    ----------
    title : str
        What is going on.
    time_limit : float, optional
        Seconds after which the search will end.
    """

    def __init__(self, title: str, time_limit: float | None = None) -> None:
        self.title = title
        self.time_limit = time_limit
        self._timer: threading.Timer | None = None
        self._lock = threading.Lock()
        self._over = False
        self._progress: Progress | None = None

    def __enter__(self) -> Bar:
        if sys.stderr.isatty():
            self._progress = self._build()
            self._timer = threading.Timer(_PATIENCE, self._appear)
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._timer is not None and self._progress is not None:
            self._timer.cancel()
            with self._lock:
                self._over = True
                self._progress.stop()

    def __call__(self, done: int, most: int, best: float) -> None:
        """Take note of a restart that ended."""
        if self._progress is not None:
            [task] = self._progress.task_ids
            self._progress.update(task, completed=done, total=most, best=f"{best:,.2f}")

    def _appear(self) -> None:
        with self._lock:
            if not self._over and self._progress is not None:
                self._progress.start()

    def _build(self) -> Progress:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
        from rich.progress import TimeRemainingColumn as Remaining

        # Agreement mostly ends a search before its last restart, and a limit ends it for certain.
        left: tuple[ProgressColumn, ...]
        if self.time_limit is None:
            left = (TextColumn("at most"), Remaining(), TextColumn("left"))
        else:
            left = (TextColumn(f"of at most {self.time_limit:g} s"),)
        progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=16),
            TextColumn("best {task.fields[best]}"),
            TimeElapsedColumn(),
            *left,
            console=Console(stderr=True),
            transient=True,
        )
        progress.add_task(self.title, total=None, best="–")
        return progress
