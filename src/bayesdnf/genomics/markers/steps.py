"""The steps of find_markers, each a function of the task and the results of earlier steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...boolean import BooleanFunction
from ...display.trust import search_trust
from ...display.wording import count
from ..association.adjustment import adjust
from ..association.refit import Refit, odds_ratios, refit_terms
from ..genotypes import Genotypes
from ..scanning.scan_result import Scan
from ..study import Study
from .credible import Slot, term_probabilities
from .marker_tables import add_refit, marker_table, variant_inclusion, variant_table
from .permutations import family_wise
from .scan import identity, strata_hash
from .screening import StudyScans, scan_study, stage_progress
from .searching import Searched
from .spelling import plain_literal, with_negations
from .tasks import MarkerSettings, MarkerTask

if TYPE_CHECKING:
    import pandas as pd

_PERMUTE = 2  # number of the random stream; results depend on it


def check_scans(task: MarkerTask, pairs: Scan | Sequence[Scan] | None) -> list[Scan]:
    """Raise an error if earlier scans have other data or settings."""
    made = [] if pairs is None else [pairs] if isinstance(pairs, Scan) else list(pairs)
    study, s = task.study, task.settings
    for before in made:
        wanted = identity(study.genotypes, study.y, s.codings, s.gap, s.effect)
        before.require({**wanted, "size": 2, "strata": strata_hash(task.adjustment.numbers)})
    return made


def scan_variants(task: MarkerTask, pairs: Sequence[Scan] = ()) -> StudyScans:
    """Scan variants, pairs, and triples of the best variants; ``pairs`` are not repeated."""
    s = task.settings
    return scan_study(
        task.scoring, triples=s.triples, n_jobs=s.n_jobs, device=s.device, progress=task.progress,
        pairs=pairs, effect=s.effect, files=task.files, note=task.clock.note,
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Refitted:
    """Terms of a function beside covariates.

    Parameters
    ----------
    holds : DataFrame
        Carriers of each term, 1 or 0; NaN if undecided because of missing calls.
    refit : Refit or None
        Odds ratios given covariates; None without covariates or without terms.
    history : tuple of str
        The steps of the refit, one sentence each.
    """

    holds: pd.DataFrame
    refit: Refit | None
    history: tuple[str, ...]


def refit_function(task: MarkerTask, function: BooleanFunction) -> Refitted:
    """Refit the terms of a function with the study's covariates and principal components."""
    study, covariates = task.study, task.adjustment.covariates
    holds = _holding(study.genotypes, function)
    if covariates is None or function.is_null:
        return Refitted(holds, None, ())
    refit = refit_terms(study.y, holds, covariates)
    return Refitted(holds, refit, refit.history)


def add_held_out(
    terms: pd.DataFrame,
    held: Study,
    settings: MarkerSettings,
    function: BooleanFunction,
    columns: Sequence[str] = (),
) -> None:
    """Test terms on samples that the search did not see: ``HELD_OR``, ``HELD_P`` and so on."""
    if function.is_null:
        return
    # Components of held-out samples are computed separately: joint ones would leak information.
    adjustment = adjust(
        held.genotypes, held.y, held.covariates, components=settings.components,
        columns=columns, by_risk=False, build=settings.build,
    )  # fmt: skip
    holds = _holding(held.genotypes, function)
    add_refit(terms, refit_terms(held.y, holds, adjustment.covariates), "HELD")


def _holding(genotypes: Genotypes, function: BooleanFunction) -> pd.DataFrame:
    """Return whether each term holds for each sample; NaN if undecided because of missing calls."""
    import pandas as pd

    columns = {}
    for term in function.literal_terms:
        # A term is decided if all its literals hold, or one of them is known to be false.
        holds = BooleanFunction([term])(genotypes)
        fails = np.logical_or.reduce([genotypes.truth(~literal) for literal in term])
        name = " AND ".join(str(plain_literal(x, genotypes.other_names)) for x in term)
        columns[name] = np.where(holds | fails, holds, np.nan)
    return pd.DataFrame(columns, index=range(genotypes.n_samples))


def tabulate(
    task: MarkerTask,
    searched: Searched,
    slots: list[list[Slot]],
    refitted: Refitted,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the tables of terms and of variants."""
    genotypes, y, drawn = task.study.genotypes, task.study.y, searched.draws
    terms = marker_table(
        searched.screened.posterior, genotypes, y, searched.function, drawn, slots,
        term_probabilities(drawn, genotypes, slots), odds_ratios(y, refitted.holds),
        refitted.refit, task.adjustment.numbers,
    )  # fmt: skip
    singles = searched.screened.screen.singles
    inclusion = variant_inclusion(drawn, genotypes)
    return terms, variant_table(genotypes, y, singles, inclusion, task.adjustment.masks)


def permute_outcomes(task: MarkerTask) -> NDArray[np.float64]:
    """Find the best single variant and the best pair under permutations of the outcome."""
    s = task.settings
    return family_wise(
        task.study.genotypes, task.study.y, permutations=s.permutations,
        random_state=task.streams.child(_PERMUTE), n_jobs=s.n_jobs,
        strata=task.adjustment.numbers, families=task.study.families,
        codings=with_negations(s.codings, s.negations), gap=s.gap, effect=s.effect,
        progress=stage_progress(task.progress, "permutations"),
        checkpoint=task.files("permutations"),
    )  # fmt: skip


def tell(task: MarkerTask, searched: Searched, refitted: Refitted) -> tuple[str, ...]:
    """Describe every step of the analysis in one sentence each."""
    n, kept = task.study.genotypes.n_variants, len(searched.screened.screen.chosen)
    within = "" if task.adjustment.strata is None else " within strata"
    scanned = (
        f"All {n:,} variants and their {count(n * (n - 1) // 2, 'pair')} were scored{within}; "
        f"{kept:,} variants were used in the search, one of those with r² of "
        f"{task.settings.r_squared:g} or more."
        if kept < n
        else f"All {n:,} variants were used in the search."
    )
    drawn = searched.draws
    sampled = (
        f"{count(drawn.n_chains, 'chain')} of {drawn.n_draws:,} draws over "
        f"{count(task.scoring.n_literals, 'literal')} ({drawn.settings['stopped']})."
    )
    return (
        *task.study.history, *task.adjustment.history, task.adjustment.verdict, scanned,
        search_trust(searched.search, rule="marker"),
        *searched.sentences, sampled, *refitted.history,
    )  # fmt: skip
