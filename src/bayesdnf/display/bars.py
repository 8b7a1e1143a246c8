"""Progress bars on terminals and in notebooks; lines on standard error otherwise."""

from __future__ import annotations

import contextlib
import math
import sys
import threading
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol

from . import markup

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn, Task

_PATIENCE = 2.0  # seconds of silence before a bar appears
_PAUSE = 0.2  # seconds between two pictures of a bar in a notebook


def in_notebook() -> bool:
    """Return whether this runs in a notebook or another front end that shows HTML."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return hasattr(shell, "kernel")


class Followed(Protocol):
    """What the progress display reads from a classifier during a fit."""

    verbose: int
    time_limit: float | None
    _progress: Any


@contextlib.contextmanager
def following(
    model: Followed,
    bar: Callable[[str, float | None], Bar],
    title: str,
    teller: Callable[[int], Any],
) -> Iterator[Any]:
    """Return the progress display of a fit: a bar, lines on standard error, or nothing.

    Parameters
    ----------
    model : Followed
        A classifier: ``verbose`` 1 asks for a bar, or for lines where none can be drawn, 2 for
        lines.
    bar, title : callable and str
        The bar and what it is called.
    teller : callable
        What writes lines, from ``verbose``.
    """
    if model._progress is not None or not model.verbose:
        yield model._progress
    elif model.verbose > 1 or not (in_notebook() or sys.stderr.isatty()):
        yield teller(model.verbose)
    else:
        with bar(title, model.time_limit) as drawn:
            yield drawn


class Bar:
    """A progress bar, shown after two seconds, in a notebook or on standard error.

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
    before_left = ""  # a word before the time left

    def __init__(self, title: str, time_limit: float | None = None) -> None:
        self.title = title
        self.time_limit = time_limit
        self._timer: threading.Timer | None = None
        self._lock = threading.Lock()
        self._over = False
        self._progress: Progress | None = None
        self._picture: NotebookPicture | None = None

    def __enter__(self) -> Any:
        if in_notebook():
            self._picture = NotebookPicture(self.title)
        elif sys.stderr.isatty():
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
        if self._picture is not None:
            self._picture.end()
        if self._timer is not None and self._progress is not None:
            self._timer.cancel()
            with self._lock:
                self._over = True
                self._progress.stop()

    @property
    def is_drawn(self) -> bool:
        """Whether there is something to draw on."""
        return self._progress is not None or self._picture is not None

    def show(self, done: int, total: int | None, status: str) -> None:
        """Show the amount done, of the total if that is known."""
        if self._picture is not None:
            self._picture.show(done, total, status)
        if self._progress is not None:
            [task] = self._progress.task_ids
            self._progress.update(task, completed=done, total=total, status=status)

    def _appear(self) -> None:
        with self._lock:
            # The timer may fire while the work ends: without the lock and the flag a bar could
            # start after it was stopped, and stay on the terminal.
            if not self._over and self._progress is not None:
                self._progress.start()

    def _build(self) -> Progress:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
        from rich.progress import TimeRemainingColumn as Remaining
        from rich.text import Text

        before = self.before_left

        class TimeLeft(Remaining):
            """The time left with the words about it; nothing while there is no estimate."""

            def render(self, task: Task) -> Text:
                """Write the estimate, if there is one."""
                known = task.total is not None and task.time_remaining is not None
                words = [before, super().render(task).plain, "left"] if known else []
                return Text(" ".join(filter(None, words)), style="progress.remaining")

        times: list[ProgressColumn] = [TimeElapsedColumn()]
        if self.time_limit is None:
            times.append(TimeLeft())
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


class NotebookPicture:
    """A bar below the cell of a notebook, which goes when it has ended."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._start = self._last = time.monotonic()
        self._handle: Any = None

    def show(self, done: int, total: int | None, status: str) -> None:
        """Draw the bar, unless the work began or the bar was drawn a moment ago."""
        now = time.monotonic()
        if now - self._start < _PATIENCE or now - self._last < min(_PAUSE, _PATIENCE):
            return
        self._last = now
        stands = ", ".join(filter(None, [status, f"{now - self._start:,.0f} s"]))
        texts = [markup.text(x) for x in (self._title, stands)]
        far = "" if total is None else f' value="{done}" max="{total}"'
        bar = f"<progress{far}></progress>"
        self._draw(f"<div>{texts[0]} {bar} {texts[1]}</div>")

    def end(self) -> None:
        """Remove the bar from the notebook's output."""
        if self._handle is not None:
            self._draw("")

    def _draw(self, text: str) -> None:
        display: Any = import_module("IPython.display")
        if self._handle is None:
            self._handle = display.display(display.HTML(text), display_id=True)
        else:
            self._handle.update(display.HTML(text))


class SearchBar(Bar):
    """A bar for a search: restarts done, and the best score so far."""

    # Agreement mostly ends a search before its last restart, and a limit ends it for certain.
    before_left = "at most"

    def __call__(self, done: int, most: int, best: float) -> None:
        """Show the restarts that ended; the bar pulses until the first one ends."""
        self.show(done, most if done else None, f"best {best:,.2f}" if best > -math.inf else "")

    def proving(self, done: int, left: int, gap: float) -> None:
        """Show how many boxes of functions a proof has excluded, and the gap."""
        self.show(done, done + left, f"gap {gap:,.2f} nats")


class Teller:
    """Print the progress of a search on standard error: each better function, or each restart."""

    def __init__(self, verbose: int) -> None:
        self.verbose = verbose
        self.best = -math.inf
        self.gap = math.inf
        self.done = 0

    def __call__(self, done: int, most: int, best: float) -> None:
        """Print a line for the restarts so far."""
        if best > self.best or (self.verbose > 1 and done > self.done):
            sys.stderr.write(f"Restart {done} of at most {most}: best log posterior {best:.4f}\n")
        self.best, self.done = max(self.best, best), done

    def proving(self, done: int, left: int, gap: float) -> None:
        """Print the state of a proof: whenever the gap has halved, or at each step."""
        if gap <= self.gap / 2 or self.verbose > 1:
            sys.stderr.write(f"Proof: {done} boxes done, {left} left, gap {gap:.4f} nats\n")
            self.gap = gap
