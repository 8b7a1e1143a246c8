"""Errors and signals of the command line: each becomes one sentence and an exit status."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import typer

from ..errors import BayesDNFError, BayesDNFWarning
from .shell_words import in_shell_words

DEBUG = "--debug"
_INTERRUPTED = 130
_LONGEST = 500  # characters of an error that nobody expected


class Interruption(Exception):
    """Ctrl-C, as commands hand it on: of KeyboardInterrupt itself Typer makes a silent exit."""


def run(app: Callable[..., Any]) -> None:
    """Run the command line and end the process.

    Parameters
    ----------
    app : callable
        Called as ``app(args=[...])`` with the arguments, ``--debug`` taken out of them.
    """
    arguments = sys.argv[1:]
    debug = DEBUG in arguments
    try:
        with _ending_signals(), _warnings_told():
            # Typer would take the flag before the command's name only.
            app(args=[argument for argument in arguments if argument != DEBUG])
    except (KeyboardInterrupt, Interruption) as interruption:
        typer.echo(str(interruption) or "Interrupted.", err=True)
        sys.exit(_INTERRUPTED)
    except Exception as error:  # noqa: BLE001  the one place where everything ends
        if debug:
            traceback.print_exc()
        typer.echo(f"Error: {_one_line(_sentence(error))}", err=True)
        sys.exit(1)


@contextlib.contextmanager
def _ending_signals() -> Iterator[None]:
    """Let SIGTERM and SIGHUP, which schedulers and closed terminals send, do what Ctrl-C does.

    A signal that is ignored stays so: that is how nohup works.
    """
    # Python lets the main thread alone set handlers.
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {}
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        if number is not None and signal.getsignal(number) == signal.SIG_DFL:
            before[number] = signal.signal(number, signal.default_int_handler)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def _warnings_told() -> Iterator[None]:
    """Write the library's own warnings as sentences, without the line of code they come from."""
    with warnings.catch_warnings():
        others = warnings.showwarning

        def tell(
            message: Warning | str, category: type[Warning], *where: Any, **options: Any
        ) -> None:
            if issubclass(category, BayesDNFWarning):
                typer.echo(f"Warning: {_one_line(in_shell_words(str(message)))}", err=True)
            else:
                others(message, category, *where, **options)

        warnings.simplefilter("always", BayesDNFWarning)
        warnings.showwarning = tell
        yield


def _sentence(error: Exception) -> str:
    """Return the one sentence that describes an error to the user."""
    if isinstance(error, BayesDNFError):
        return in_shell_words(str(error))
    if isinstance(error, OSError) and error.strerror:
        where = "" if error.filename is None else f"{error.filename}: "
        return f"{where}{error.strerror}."
    if isinstance(error, MemoryError):
        return "Not enough memory; use fewer rows, columns or draws."
    text = " ".join(str(error).split())[:_LONGEST].rstrip(".")
    what = f"{type(error).__name__}: {text}" if text else type(error).__name__
    return (
        f"Internal error ({what}). Please report it, with the output of the same command "
        f"with {DEBUG} and of bayesdnf --version."
    )


def _one_line(text: str) -> str:
    """Write out what would break the line or steer a terminal: names may hold anything."""
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text
    )
