"""The screen: exhaustive scans choose the variants for the search and the chains."""

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
from ..quality.linkage import clump_leads
from ..scanning.scan_result import Scan
from .scan import scan
from .scoring import Scoring
from .spelling import with_negations
from .step_files import StepFiles

if TYPE_CHECKING:
    import pandas as pd

StageProgress = Callable[[str, int, int], None]
"""Called as ``progress(what, done, total)``."""


@dataclass(frozen=True, eq=False)
class StudyScans:
    """Every scan of a study.

    Parameters
    ----------
    singles : DataFrame
        Best literal of every variant, best variant first: ``log_bayes_factor``, ``marker``,
        ``cases``, ``controls``.
    scans : tuple of Scan
        Pairs by AND, pairs by genotype cells, and triples of the most promising variants.
    """

    singles: pd.DataFrame
    scans: tuple[Scan, ...]

    def ranked_variants(self) -> list[int]:
        """Return the variants of all findings, best first, taken from the scans in turn."""
        tables = [self.singles, *(found.findings for found in self.scans)]
        return _round_robin([_members(table) for table in tables])


@dataclass(frozen=True, eq=False)
class Screen:
    """Variants chosen by the scans.

    Parameters
    ----------
    chosen : ndarray of int
        Numbers of the chosen variants, in the order of the file.
    singles : DataFrame
        Best literal of every variant, in the order of the file: ``log_bayes_factor``, ``marker``,
        ``cases``, ``controls``.
    scans : tuple of Scan
        Pairs by AND, pairs by genotype cells, and triples of the most promising variants.
    """

    chosen: NDArray[np.intp]
    singles: pd.DataFrame
    scans: tuple[Scan, ...]

    def functions(self, most: int) -> Iterator[BooleanFunction]:
        """Yield the best findings on chosen variants only, taken from the scans in turn."""
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


def scan_study(
    scoring: Scoring,
    *,
    triples: int,
    effect: Effect,
    n_jobs: int,
    device: str,
    progress: StageProgress | None,
    files: StepFiles,
    note: Callable[[str], object],
    pairs: Sequence[Scan] = (),
) -> StudyScans:
    """Scan all variants, all pairs, and all triples of the best variants.

    ``note`` is called after each scan. ``pairs`` are earlier scans of all pairs, by AND or by
    cells, which are not repeated.
    """
    codings = scoring.codings
    alone = with_negations(codings, scoring.negations)
    run: Callable[..., Scan] = partial(
        scan, scoring.genotypes, scoring.y, gap=scoring.gap, effect=effect, strata=scoring.strata,
        n_jobs=n_jobs, device=device,
    )  # fmt: skip
    singles = run(size=1, top=scoring.genotypes.n_variants, codings=alone).findings
    note("single variants")
    known = {made.settings["measure"]: made for made in pairs}
    # Cells detect markers that no single AND expresses, such as XOR.
    titles = {"and": "pairs"} | ({"cells": "pairs, by genotype cells"} if scoring.negations else {})
    scans = []
    for measure, title in titles.items():
        scans.append(
            known.get(measure)
            or run(
                codings=codings,
                measure=measure,
                progress=stage_progress(progress, title),
                checkpoint=files(f"pairs-{measure}"),
            )
        )
        note(title)
    found = StudyScans(singles, tuple(scans))
    # One variant per linkage block: triples of linked variants would be redundant.
    promising = clump_leads(scoring.genotypes, found.ranked_variants(), triples)
    if triples < 3 or len(promising) < 3:
        return found
    of_three = run(
        size=3, among=promising, codings=codings, progress=stage_progress(progress, "triples"),
        checkpoint=files("triples"),
    )  # fmt: skip
    note("triples")
    return StudyScans(singles, (*scans, of_three))


def screen(found: StudyScans, keep: int, genotypes: Genotypes, r_squared: float = 0.5) -> Screen:
    """Choose ``keep`` variants, one of each set of linked ones.

    Variants are taken in turn from the best single variants, the best pairs and the best triples,
    so that variants without a marginal effect can be chosen too. A variant with a squared
    correlation of at least ``r_squared`` to one already chosen, at any distance, is left out.
    """
    ranked = found.ranked_variants()
    chosen = ranked
    if len(ranked) > keep:
        chosen = clump_leads(genotypes, ranked, keep, r_squared, window=None)
    ordered = np.array(sorted(chosen), dtype=np.intp)
    return Screen(ordered, found.singles.sort_values("place_1", ignore_index=True), found.scans)


def stage_progress(progress: StageProgress | None, stage: str) -> Callable[..., None] | None:
    """Return the progress callback of a stage, or None."""
    if progress is None:
        return None
    return lambda done, total, *_: progress(stage, done, total)


def _members(findings: pd.DataFrame) -> list[list[int]]:
    """Return the numbers of the variants of each finding."""
    places = [c for c in findings.columns if c.startswith("place_")]
    return [[int(v) for v in row] for row in findings[places].to_numpy()]


def _round_robin(lists: list[list[list[int]]]) -> list[int]:
    """Interleave lists: all first elements, then all second ones, and so on."""
    chosen: dict[int, None] = {}
    for place in range(max(map(len, lists), default=0)):
        for ranked in lists:
            if place < len(ranked):
                chosen.update(dict.fromkeys(ranked[place]))
    return list(chosen)
