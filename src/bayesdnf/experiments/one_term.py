"""The data and the chains of figures 1 and 2: one term of three literals among 100 columns."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import (
    BitMatrix,
    BooleanFunction,
    Draws,
    Effect,
    Flat,
    Posterior,
    Prior,
    Uniform,
    sample,
    simulate,
)
from ..plots.panels import pyplot
from .reproduction import FAITHFUL, OURS, Claim, Measure, Reproduction, Row, summary
from .work import PAPER_SETS, Work, stream

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_DATA, _STARTS, _CHAINS = 5, 6, 7  # numbers of the random streams
N_ROWS, N_COLUMNS, CHAINS, ITERATIONS = 2000, 100, 4, 10_000
CONSTANT = "constant prior"
TRUTH = "truth"

SETTINGS = (
    "One term of three literals, 100 columns, N = 2000, π0 = .1, π1 = .9. Paper's settings: 4 "
    "chains of 10,000 flips from random rows, the last 5,000 kept; P(k) uniform and P(S | k) "
    "uniform, as the paper's text has it, and terms that hold on no row refused, as in its code. "
    "Constant prior: the same with every set of literals alike. Our defaults: sample()."
)
MEASURES = (
    Measure("pi0", "π0", 3),
    Measure("pi1", "π1", 3),
    Measure("true_term", "P(true term)", 3),
    Measure("chains", "chains at it", 3),
)


class Run(NamedTuple):
    """Posterior means, the true term's share of draws, and of chains that draw it most often."""

    pi0: float
    pi1: float
    true_term: float
    chains: float


class _Data(NamedTuple):
    bits: BitMatrix
    y: Any
    truth: BooleanFunction
    starts: list[BooleanFunction]


def _data(number: int, seed: int) -> _Data:
    """Simulate, with the author's range of column frequencies; chains start from random rows."""
    X, y, truth = simulate(
        N_ROWS,
        N_COLUMNS,
        terms=(3,),
        beta=(0.1, 0.9),
        random_state=stream(seed, _DATA, number),
    )
    rng = np.random.default_rng(stream(seed, _STARTS, number))
    rows = X.to_numpy()[rng.choice(N_ROWS, CHAINS, replace=False)].astype(bool)
    starts = [BooleanFunction([X.columns[row]]) for row in rows]
    return _Data(BitMatrix.from_table(X), y, truth, starts)


def _prior(source: str) -> Prior:
    # Terms that hold on no row are refused, as in the author's code; nearly all sets of 100 columns
    # hold on one row or none.
    constant = Prior.paper(0, 0).set_params(min_cover=1)
    if source == CONSTANT:
        return constant
    return constant.set_params(count=Flat(), size=Uniform(), literals="uniform")


def _drawn(source: str, number: int, seed: int, quick: bool) -> tuple[Draws, BooleanFunction]:
    data = _data(number, seed)
    own = stream(seed, _CHAINS, number)
    if source == OURS:
        length: dict[str, Any] = {"draws": 500, "warmup": 250} if quick else {}
        return sample(Posterior(data.bits, data.y), random_state=own, **length), data.truth
    draws = sample(
        Posterior(data.bits, data.y, _prior(source), Effect(ordered=False)),
        draws=ITERATIONS // 2,
        warmup=ITERATIONS // 2,
        thin=1,
        chains=CHAINS,
        kernel="single_term",
        starts=data.starts,
        random_state=own,
    )
    return draws, data.truth


@functools.cache
def first_drawn(source: str, seed: int, quick: bool) -> tuple[Draws, BooleanFunction]:
    """Return the draws of the first data set, which the pictures show, and its true function."""
    return _drawn(source, 0, seed, quick)


@functools.cache  # the two figures share their chains
def _judged(source: str, number: int, seed: int, quick: bool) -> Run:
    first = number == 0
    draws, truth = (
        first_drawn(source, seed, quick) if first else _drawn(source, number, seed, quick)
    )
    # Functions are numbered by how often they were drawn: the truth is among the first, or hardly
    # drawn.
    is_truth = np.array([draws.function(i) == truth for i in range(min(50, draws.n_functions))])
    counts = draws.counts[:, : len(is_truth)]
    leading = [bool(is_truth[row.argmax()]) for row in counts]
    share = float(counts[:, is_truth].sum() / draws.index.size)
    return Run(float(draws.pi0.mean()), float(draws.pi1.mean()), share, float(np.mean(leading)))


def compare(work: Work) -> tuple[Row, ...]:
    """Run all three settings; ours, which take longer, on as many sets as the paper's tables."""
    most = {FAITHFUL: work.sets, CONSTANT: work.sets, OURS: 2 if work.quick else PAPER_SETS}
    tasks = [(source, number) for source, n in most.items() for number in range(n)]
    done = work.each(lambda task: _judged(*task, work.seed, work.quick), tasks)
    rows = [Row((), TRUTH, 1, {"pi0": 0.1, "pi1": 0.9}, {})]
    for source in most:
        rows += summary(
            (), source, [run for (s, _), run in zip(tasks, done, strict=True) if s == source]
        )
    return tuple(rows)


def converges(row: Row) -> Claim:
    """Test the paper's claim about its chains."""
    return Claim(
        'the paper: "the chains converge and correctly attribute high posterior mass to the '
        'actual conjunction"',
        row.values["chains"] > 0.8 and row.values["true_term"] > 0.7,
        f"{row.values['chains']:.3f} of chains draw the true term most often, its mean "
        f"probability is {row.values['true_term']:.3f} ({row.sets} sets)",
    )


def picture(
    work: Work, height: float, plot: Callable[[Draws, Any], object]
) -> Callable[[Reproduction], Figure]:
    """Make a figure with the paper's settings above ours; ``plot(draws, part)`` fills a part."""

    def draw(made: Reproduction) -> Figure:
        figure: Figure = pyplot().figure(figsize=(8, height), layout="constrained")
        parts: Any = figure.subfigures(2, 1)
        for part, source in zip(parts, (FAITHFUL, OURS), strict=True):
            draws, _ = first_drawn(source, work.seed, work.quick)
            plot(draws, part)
            part.suptitle(f"{made.title.split(':')[0]}, {source}", x=0.01, ha="left")
        return figure

    return draw
