"""Table 5: mushroom, split by split, at θ = 5 and p_geom = .1."""

from __future__ import annotations

import functools
from typing import Any

from .halves import (
    AT_HIS,
    MEASURES,
    P_GEOM,
    PAPER_M,
    PAPER_SUM_K,
    THETA,
    Found,
    annealed,
    half,
    our_found,
    short_at_his,
    splits,
)
from .output.picture import draw_rows
from .reproduction import FAITHFUL, OURS, PAPER, Claim, Reproduction, Row, beside, printed, summary
from .work import Work

KEYS = ("run",)
# Run, then m, Σk, AUC.
PRINTED = (
    (0, 6, 14, 0.9990),
    (1, 7, 22, 1.0000),
    (2, 7, 14, 1.0000),
    (3, 6, 15, 1.0000),
    (4, 7, 14, 1.0000),
    (5, 6, 14, 1.0000),
    (6, 7, 15, 1.0000),
    (7, 7, 13, 1.0000),
    (8, 7, 15, 1.0000),
    (9, 7, 13, 1.0000),
)


SOURCES = (FAITHFUL, OURS, AT_HIS)


def found_by_split(work: Work) -> list[tuple[Found, Found, Found]]:
    """Return what each of ``SOURCES`` finds, for each of the author's splits."""
    return work.each(lambda split: _found(split, work.seed), splits(work.quick))


@functools.cache  # table 5 and the appendix share them
def _found(split: int, seed: int) -> tuple[Found, Found, Found]:
    his = annealed(half(split), split, THETA, P_GEOM, seed)
    return his, our_found(split, seed, False), our_found(split, seed, True)


def run(work: Work) -> Reproduction:
    """Reproduce table 5."""
    done = found_by_split(work)
    paper = {
        cell: row._replace(sets=1)
        for cell, row in list(printed(len(KEYS), MEASURES, PRINTED).items())[: len(done)]
    }
    ours = [
        Row((number,), source, 1, one.run._asdict(), {})
        for number, found in enumerate(done)
        for source, one in zip(SOURCES, found, strict=True)
    ]
    his, own, at_his = (
        summary(("mean",), source, [found[i].run for found in done])[-1]
        for i, source in enumerate(SOURCES)
    )
    mean: dict[Any, Row] = {
        ("mean",): Row(
            ("mean",), PAPER, 10, {"m": PAPER_M, "sum_k": PAPER_SUM_K, "auc": 0.9999}, {}
        )
    }
    rows = beside({**paper, **mean}, [*ours, his, own, at_his])
    perfect = [sum(pair[i].run.auc == 1 for pair in done) for i in (0, 1)]
    claims = (
        Claim(
            "paper's settings: AUC above .99 in every split",
            all(pair[0].run.auc > 0.99 for pair in done),
            f"lowest {min(pair[0].run.auc for pair in done):.4f}; 1.0000 in {perfect[0]} of "
            f"{len(done)} (the paper: 9 of 10)",
        ),
        Claim(
            "our defaults: AUC 1.0000 in every split",
            perfect[1] == len(done),
            f"{perfect[1]} of {len(done)}",
        ),
        Claim(
            "our defaults: no more terms than the paper's 6.7",
            own.values["m"] <= PAPER_M,
            f"{own.values['m']:.1f} on average",
        ),
        Claim(
            "our defaults: fewer literals than the paper's 14.9",
            own.values["sum_k"] < PAPER_SUM_K,
            f"{own.values['sum_k']:.1f} on average",
        ),
        short_at_his([found[2].run for found in done]),
    )
    words = (
        f"With the paper's settings {perfect[0]} of {len(done)} splits have an AUC of exactly 1, "
        f"with {his.values['m']:.1f} terms and {his.values['sum_k']:.1f} literals on average; the "
        "paper has 9 of 10, 6.7 and 14.9. The annealing ends at a different function each time, so "
        "single rows need not agree.",
        f"Our defaults find {own.values['m']:.1f} terms and {own.values['sum_k']:.1f} literals, "
        f"and make no error on {perfect[1]} of {len(done)} test halves. With the paper's θ and "
        f"p_geom in our prior there are {at_his.values['m']:.1f} terms and "
        f"{at_his.values['sum_k']:.1f} literals.",
    )
    return Reproduction(
        "table5",
        "Table 5: mushroom, split by split",
        "table:tbl5",
        "The author's splits one by one, θ = 5 and p_geom = .1; annealing: 20 chains of 10,000 "
        "steps from one term. Our defaults: DNFClassifier(negations=False, positive='p').",
        KEYS,
        MEASURES,
        rows,
        claims,
        words,
        draw_rows,
    )
