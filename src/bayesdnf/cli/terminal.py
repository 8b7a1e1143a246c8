"""What the command line shows people: a fitted rule, and a bar while it is fitted."""

from __future__ import annotations

import contextlib
import math
import sys
import threading
from collections.abc import Sequence
from importlib import import_module
from types import TracebackType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray
    from rich.console import Console
    from rich.progress import Progress, ProgressColumn
    from rich.table import Table

    from ..estimators.classifier import DNFClassifier
    from ..estimators.held_out import HeldOut
    from ..estimators.posterior_classifier import PosteriorDNFClassifier
    from ..estimators.rule_classifier import RuleClassifier
    from ..model.rates import Counts, Interval
    from ..sampling.records import ChainRecord

_WIDEST = 100
_PATIENCE = 2.0  # seconds of silence before a bar appears


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

    from ..estimators.presentation import constant_answer, trust

    console = make_console()
    counts, function = model.counts_, model.function_
    console.print(table_line(model, counts))
    if function.is_null:
        console.print(Text("No rule: nothing beats the null function.", style="bold"))
    else:
        console.print(Text(f"\nRule for {model.positive_!s}:", style="bold"))
        for i, term in enumerate(function.terms):
            console.print(Text(f"  {'OR ' if i else '   '}({' AND '.join(term)})"))
        console.print(_terms(model))
    _print_risks(console, model)
    if held_out is not None:
        console.print(held_out_line(held_out))
    console.print(trust(model))
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


def risk_lines(
    model: DNFClassifier | PosteriorDNFClassifier, rows: tuple[str, str] | None
) -> list[str]:
    """Say the risks, and on how many rows, unmarked and marked; None when there is no rule."""
    unmarked, marked = model.risks_
    if rows is None:
        return [f"Risk on every row: {_risk(unmarked)}"]
    prevalence = model.effect_.prevalence
    scale = "" if prevalence is None else f", in a population with {prevalence:g} positive"
    return [
        f"Risk if it holds: {_risk(marked)}{rows[1]}",
        f"Risk if not:      {_risk(unmarked)}{rows[0]}",
        f"(P({model.positive_!s}): posterior mean and 95 % interval{scale}.)",
    ]


def _risk(interval: Interval) -> str:
    return f"{interval.mean:.4f} [{interval.low:.4f}, {interval.high:.4f}]"


class Bar:
    """A bar on standard error, for what takes longer than two seconds.

    It shows how much is done, how it stands, and the time. Nothing is drawn when standard error is
    not a terminal.

    Parameters
    ----------
    title : str
        What is going on.
    time_limit : float, optional
        Seconds after which it will end.
    """

    width = 16
    with_elapsed = True  # whether the time spent is shown
    before_left = ""  # a word before the time left

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

    @property
    def is_drawn(self) -> bool:
        """Whether there is a terminal to draw on."""
        return self._progress is not None

    def show(self, done: int, total: int | None, status: str) -> None:
        """Say how far it is, of how much if that is known."""
        if self._progress is not None:
            [task] = self._progress.task_ids
            self._progress.update(task, completed=done, total=total, status=status)

    def _appear(self) -> None:
        with self._lock:
            if not self._over and self._progress is not None:
                self._progress.start()

    def _build(self) -> Progress:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
        from rich.progress import TimeRemainingColumn as Remaining

        times: list[ProgressColumn] = []
        if self.with_elapsed or self.time_limit is not None:
            times.append(TimeElapsedColumn())
        if self.time_limit is None:
            if self.before_left:
                times.append(TextColumn(self.before_left))
            times += [Remaining(), TextColumn("left")]
        else:
            times.append(TextColumn(f"of at most {self.time_limit:g} s"))
        progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=self.width),
            TextColumn("{task.fields[status]}"),
            *times,
            console=Console(stderr=True),
            transient=True,
        )
        progress.add_task(self.title, total=None, status="")
        return progress


class SearchBar(Bar):
    """A bar for a search: restarts done, and the best score so far."""

    # Agreement mostly ends a search before its last restart, and a limit ends it for certain.
    before_left = "at most"

    def __call__(self, done: int, most: int, best: float) -> None:
        """Take note of restarts that ended; the bar runs to and fro until the first has."""
        self.show(done, most if done else None, f"best {best:,.2f}" if best > -math.inf else "")


class DrawsBar(Bar):
    """A bar for chains: draws done, mean and best score, R-hat of it, how much is accepted."""

    width = 10
    with_elapsed = False  # all else would not fit on 80 columns
    _appeared = False

    def __call__(self, records: Sequence[ChainRecord], total: int) -> None:
        """Take note of where the chains are."""
        if not self.is_drawn:
            return
        from ..estimators.progress import so_far

        now = so_far(records, with_rhat=self._appeared)
        rhat = "" if math.isnan(now.rhat) else f" R-hat {now.rhat:.2f}"
        status = f"mean {now.mean:,.1f} best {now.best:,.1f}{rhat} accepted {now.accepted:.1%}"
        self.show(now.draws, total, status)

    def _appear(self) -> None:
        # In the timer's thread, beside the chains: loading ArviZ takes its time.
        with contextlib.suppress(ImportError):
            import_module("arviz_stats.base")
        self._appeared = True
        super()._appear()


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
