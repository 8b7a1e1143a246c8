"""The simulated data of tables 1 to 3: two terms of two literals, π0 = .1, π1 = .9, 100 columns."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import BitMatrix, BooleanFunction, DNFClassifier, Flat, Posterior, Prior, anneal, simulate
from .reproduction import FAITHFUL, OURS, Measure, Row, summary
from .work import Work, stream

_DATA, _ANNEAL, _OURS = range(3)  # numbers of the random streams
N_COLUMNS = 100

MEASURES = (
    Measure("pi0", "π0", 2),
    Measure("pi1", "π1", 2),
    Measure("m", "m", 1),
    Measure("sum_k", "Σk", 1),
    Measure("term_1", "term 1", 2),
    Measure("term_2", "term 2", 2),
    Measure("both", "both", 2),
    Measure("exact", "exact", 2),
)


class Cell(NamedTuple):
    """Settings of the paper's annealing."""

    start_terms: int
    chains: int
    theta: float
    p_geom: float
    steps: int


class Run(NamedTuple):
    """What was found on one data set, in the paper's figures."""

    pi0: float
    pi1: float
    m: float
    sum_k: float
    term_1: float
    term_2: float
    both: float
    exact: float


class Data(NamedTuple):
    """A simulated data set with its true function."""

    bits: BitMatrix
    y: NDArray[np.uint8]
    truth: BooleanFunction


def draw(n_rows: int, number: int, seed: int) -> Data:
    """Simulate the data set of a number."""
    X, y, truth = simulate(n_rows, N_COLUMNS, random_state=stream(seed, _DATA, n_rows, number))
    return Data(BitMatrix.from_table(X), y, truth)


def prior_of(theta: float, p_geom: float) -> Prior:
    """Return the author's prior; a 0 means that this part of it is constant."""
    if theta > 0 and p_geom == 0:
        return Prior.paper(theta, 0.5).set_params(count=Flat())
    return Prior.paper(theta, p_geom)


def described(function: BooleanFunction, truth: BooleanFunction, pi0: float, pi1: float) -> Run:
    """Compute the paper's figures of a function."""
    term_1, term_2 = (float(term in function.terms) for term in truth.terms)
    return Run(
        pi0,
        pi1,
        len(function),
        function.n_literals,
        term_1,
        term_2,
        min(term_1, term_2),
        float(function == truth),
    )


def annealed(data: Data, cell: Cell, random_state: np.random.SeedSequence) -> Run:
    """Run the paper's annealing with the paper's prior."""
    found = anneal(
        Posterior(data.bits, data.y, prior_of(cell.theta, cell.p_geom)),
        chains=cell.chains,
        steps=cell.steps,
        start_terms=cell.start_terms,
        random_state=random_state,
    )
    assert isinstance(found.function, BooleanFunction)  # of one layer
    return described(found.function, data.truth, found.pi0, found.pi1)


@functools.cache  # tables share data sets
def _default(n_rows: int, number: int, seed: int) -> tuple[Run, float]:
    """Fit a classifier on the paper's literals; return its regret to the true function too."""
    X, y, truth = simulate(n_rows, N_COLUMNS, random_state=stream(seed, _DATA, n_rows, number))
    # The classifier takes one whole number, as scikit-learn's do.
    own = int(stream(seed, _OURS, n_rows, number).generate_state(1)[0])
    model = DNFClassifier(negations=False, random_state=own).fit(X, y)
    unmarked, marked = model.risks_
    assert isinstance(model.function_, BooleanFunction)  # of one layer
    run = described(model.function_, truth, unmarked.mean, marked.mean)
    truth_score = Posterior(BitMatrix.from_table(X), y).log_score(truth)
    return run, max(0.0, truth_score - model.log_posterior_)


def missed(work: Work, n_rows: int) -> int:
    """Count the sets in which the true function scores higher than the result of our defaults."""
    runs = [_default(n_rows, number, work.seed) for number in range(work.sets)]
    return sum(regret > 1e-6 for _, regret in runs)


def run_cells(work: Work, n_rows: int, cells: Mapping[Any, Cell]) -> list[Row]:
    """Run the paper's settings in each cell, and our defaults once, on the same data sets.

    Returns
    -------
    list of Row
        Those of our defaults have an empty cell: they have none of these settings.
    """

    def do(number: int) -> tuple[list[Run], Run]:
        data = draw(n_rows, number, work.seed)
        runs = [
            annealed(data, cell, work.stream(_ANNEAL, n_rows, number, place))
            for place, cell in enumerate(cells.values())
        ]
        return runs, _default(n_rows, number, work.seed)[0]

    done = work.each(do, range(work.sets))
    rows: list[Row] = []
    for place, key in enumerate(cells):
        rows += summary(key, FAITHFUL, [runs[place] for runs, _ in done])
    return rows + summary((), OURS, [ours for _, ours in done])


def counted(first: Row, most: Row) -> str:
    """Format the number of sets with both terms, and with both terms and no other."""
    parts = []
    for row in (first, most) if most.sets > first.sets else (first,):
        both, exact = (round(row.values[name] * row.sets) for name in ("both", "exact"))
        parts.append(f"{both} of {row.sets} (with no other term {exact})")
    return ", ".join(parts)
