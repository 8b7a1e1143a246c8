"""Reproductions of the tables and figures of Hubert (2020), one file each, through the public API.

Each is run twice on the same data, with the paper's settings (its prior, its annealing or its
chain) and with this library's defaults, and compared with the printed figures.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from ..errors import InputError, ParameterError, did_you_mean

if TYPE_CHECKING:
    from .reproduction import Reproduction
    from .work import WorkProgress

NAMES = ("figure1", "figure2", "table1", "table2", "table3", "table4", "table5", "appendix")

__all__ = ["NAMES", "check", "reproduce"]


def check(name: str, seed: int = 0, jobs: int = 1) -> None:
    """Check the arguments of :func:`reproduce`; "all" is a valid name.

    Examples
    --------
    >>> from bayesdnf.experiments import check
    >>> check("tabel2")
    Traceback (most recent call last):
        ...
    bayesdnf.errors.InputError: There is no 'tabel2' to reproduce... Did you mean 'table2'?
    """
    known = (*NAMES, "all")
    if name not in known:
        raise InputError(
            f"There is no {name!r} to reproduce; there are {', '.join(known)}."
            f"{did_you_mean(name, known)}"
        )
    if seed < 0:
        raise ParameterError.of("seed", "reproduce", "a whole number, 0 or more", seed)
    if jobs < 1:
        raise ParameterError.of("jobs", "reproduce", "a whole number, 1 or more", jobs)


def reproduce(
    name: str,
    *,
    quick: bool = False,
    seed: int = 0,
    jobs: int = 1,
    progress: WorkProgress | None = None,
) -> Reproduction:
    """Reproduce one of the paper's tables or figures.

    Parameters
    ----------
    name : str
        One of ``NAMES``.
    quick : bool, default=False
        Use fewer data sets, in seconds.
    seed : int, default=0
        Seed of the data sets and of all searches and chains.
    jobs : int, default=1
        Threads; the result does not depend on their number.
    progress : callable, optional
        Called as ``progress(done, total)`` after each data set.

    Returns
    -------
    Reproduction
        Results of the paper and ours, and which claims were reproduced.

    Examples
    --------
    >>> from bayesdnf.experiments import reproduce
    >>> found = reproduce("table1", quick=True)
    >>> found.title
    'Table 1: 100 steps of annealing, N = 1000'
    >>> sorted({row.source for row in found.rows})
    ['our defaults', 'paper', "paper's settings"]
    """
    from .work import Work

    check(name, seed, jobs)
    run = import_module(f".{name}", __name__).run
    made: Reproduction = run(Work(quick, seed, jobs, progress))
    return made
