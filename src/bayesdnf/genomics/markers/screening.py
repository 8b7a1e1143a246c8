"""The screen: exhaustive scans choose the variants that the search and the chains then work on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...boolean import BooleanFunction
from ...model.effect import Effect
from ..genotypes import Genotypes
from .scan import Scan, scan

if TYPE_CHECKING:
    import pandas as pd

StageProgress = Callable[[str, int, int], None]
"""Called as ``progress(what, done, total)``."""


@dataclass(frozen=True, eq=False)
class Screen:
    """What the scans chose.

    Parameters
    ----------
    chosen : ndarray of int
        Numbers of the variants to go on with, in the order of the file.
    singles : DataFrame
        Best literal of every variant: ``log_bayes_factor``, ``marker``, ``cases``, ``controls``.
    scans : tuple of Scan
        Pairs by AND, pairs by genotype cells, and triples of the most promising variants.
    """

    chosen: NDArray[np.intp]
    singles: pd.DataFrame
    scans: tuple[Scan, ...]

    def functions(self, most: int) -> Iterator[BooleanFunction]:
        """Yield the best findings, those of each scan in turn, that use chosen variants only."""
        wanted = {int(v) for v in self.chosen}
        tables = [self.singles.sort_values("log_bayes_factor", ascending=False, kind="stable")]
        tables += [found.findings for found in self.scans]
        for place in range(most):
            for table in tables:
                if place >= len(table):
                    continue
                row = table.iloc[place]
                members = [int(row[c]) for c in table.columns if c.startswith("place_")]
                if row["log_bayes_factor"] > 0 and wanted.issuperset(members):
                    yield BooleanFunction.parse(row["marker"])


def screen(
    genotypes: Genotypes,
    y: NDArray[np.bool_],
    *,
    keep: int,
    triples: int,
    codings: Sequence[str],
    cells: bool,
    gap: int,
    effect: Effect,
    n_jobs: int,
    progress: StageProgress | None,
    pairs: Sequence[Scan] = (),
) -> Screen:
    """Scan variants, pairs and triples, and choose ``keep`` variants to go on with.

    The best single variants, the variants of the best pairs and of the best triples are taken in
    turn, list by list, until there are enough. ``pairs`` are scans of all pairs made before, by
    AND or by cells, which are then not made again.
    """
    run = partial(scan, genotypes, y, gap=gap, effect=effect, n_jobs=n_jobs)
    alone = offered(codings, cells)
    singles = run(size=1, top=genotypes.n_variants, codings=alone).findings
    known = {made.settings["measure"]: made for made in pairs}
    titles = {"and": "pairs"} | ({"cells": "pairs, by genotype cells"} if cells else {})
    scans = [
        known.get(measure) or run(codings=codings, measure=measure, progress=told(progress, title))
        for measure, title in titles.items()
    ]
    order = singles["place_1"].to_numpy()
    lists = [[[int(v)] for v in order], *map(_members, scans)]
    promising = _in_turn(lists, triples)
    if triples >= 3 and len(promising) >= 3:
        scans.append(
            run(size=3, among=promising, codings=codings, progress=told(progress, "triples"))
        )
        lists.append(_members(scans[-1]))
    chosen = np.array(_in_turn(lists, keep), dtype=np.intp)
    in_order = singles.sort_values("place_1", ignore_index=True)
    return Screen(chosen, in_order, tuple(scans))


def told(progress: StageProgress | None, what: str) -> Callable[..., None] | None:
    """Return what a stage reports to, as (done, total, …), or None where nobody listens."""
    if progress is None:
        return None
    return lambda done, total, *_: progress(what, done, total)


def offered(codings: Sequence[str], negations: bool) -> list[str]:
    """Codings on offer, with their negations where these are wanted."""
    return [*codings, *(f"not {coding}" for coding in codings if negations)]


def _members(found: Scan) -> list[list[int]]:
    places = [c for c in found.findings.columns if c.startswith("place_")]
    return [[int(v) for v in row] for row in found.findings[places].to_numpy()]


def _in_turn(lists: list[list[list[int]]], most: int) -> list[int]:
    """Take the heads of all lists, then their seconds, until there are enough; sorted."""
    chosen: dict[int, None] = {}
    for place in range(max(map(len, lists), default=0)):
        for ranked in lists:
            if place < len(ranked):
                for variant in ranked[place]:
                    if len(chosen) < most:
                        chosen[variant] = None
        if len(chosen) >= most:
            break
    return sorted(chosen)
