"""The steps of find_markers, each a function of the task and of what earlier steps found."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...boolean import BooleanFunction
from ...checks import seconds, whole
from ...display.trust import search_trust
from ...model.effect import Effect
from ...model.posterior import Posterior
from ...model.prior import Prior
from ...model.streams import Streams
from ...sampling.draws import Draws
from ...sampling.run import sample
from ...sampling.samplers import informed
from ...search.hunt import hunt
from ...search.result import SearchResult
from ..genotypes import Genotypes
from ..quality.structure import principal_components
from ..study import Study
from .credible import Slot, term_probabilities
from .marker_tables import marker_table, variant_inclusion, variant_table
from .permutations import family_wise
from .refit import Refit, odds_ratios, refit_terms
from .scan import Scan, identity
from .scoring import Scoring
from .screening import (
    Screen,
    StageProgress,
    StudyScans,
    scan_study,
    screen,
    stage_progress,
    with_negations,
)

if TYPE_CHECKING:
    import pandas as pd

_STARTS = 20  # findings of each scan that the search starts from
_LISTED = 100  # findings of each scan that the chains are offered
_THIN = 50  # steps for each draw
_HUNT, _SAMPLE, _PERMUTE = range(3)  # numbers of the random streams; results depend on them


@dataclass(frozen=True, kw_only=True)
class MarkerSettings:
    """How markers are looked for; see :func:`find_markers` for the meanings."""

    prior: Prior
    effect: Effect
    codings: tuple[str, ...]
    negations: bool
    keep: int
    triples: int
    gap: int
    components: int
    r_squared: float
    permutations: int
    draws: int
    warmup: int
    chains: int
    time_limit: float | None
    n_jobs: int

    def checked(self) -> MarkerSettings:
        """Refuse numbers without a meaning before anything is scanned; return plain ints."""
        least = {
            "keep": 1, "triples": 0, "gap": 0, "components": 0, "permutations": 0,
            "draws": 1, "warmup": 0, "chains": 1, "n_jobs": 1,
        }  # fmt: skip
        numbers: dict[str, Any] = {
            name: whole(name, "find_markers", getattr(self, name), low)
            for name, low in least.items()
        }
        seconds("time_limit", "find_markers", self.time_limit)
        return replace(self, **numbers)

    def recorded(self, seed: Any) -> dict[str, Any]:
        """Return what a result depends on, as model files and reports show it."""
        return {
            "prior": repr(self.prior), "effect": repr(self.effect), "codings": list(self.codings),
            "negations": self.negations, "keep": self.keep, "triples": self.triples,
            "gap": self.gap, "components": self.components, "r_squared": self.r_squared,
            "permutations": self.permutations, "draws": self.draws, "warmup": self.warmup,
            "chains": self.chains, "seed": seed,
        }  # fmt: skip


@dataclass(frozen=True, eq=False)
class MarkerTask:
    """What every step needs: the study, how to go about it, and whom to tell.

    Parameters
    ----------
    study : Study
        What is searched.
    settings : MarkerSettings
        How.
    streams : Streams
        Random numbers.
    progress : callable or None
        Called as ``progress(what, done, total)``.
    scoring : Scoring
        What a function on any variants of the study scores.
    """

    study: Study
    settings: MarkerSettings
    streams: Streams
    progress: StageProgress | None
    scoring: Scoring

    @classmethod
    def of(
        cls,
        study: Study,
        settings: MarkerSettings,
        random_state: int | np.random.SeedSequence | None = None,
        progress: StageProgress | None = None,
    ) -> MarkerTask:
        """Check the settings and get ready to score functions on the study."""
        s = settings.checked()
        scoring = Scoring(
            study.genotypes, study.y, s.prior, s.effect, s.codings, s.negations, s.gap
        )
        return cls(study, s, Streams(random_state, "find_markers"), progress, scoring)


class Clock:
    """Seconds that each stage took."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._since = time.monotonic()

    def note(self, stage: str) -> None:
        """Say that a stage has ended."""
        now = time.monotonic()
        self.seconds[stage], self._since = now - self._since, now


@dataclass(frozen=True, eq=False)
class Screened:
    """What the scans leave for the search and the chains.

    Parameters
    ----------
    screen : Screen
        The scans, and the variants they chose.
    posterior : Posterior
        Of functions on these variants.
    findings : list of BooleanFunction
        The best findings of the scans that the posterior allows, those of each scan in turn.
    """

    screen: Screen
    posterior: Posterior
    findings: list[BooleanFunction]


def check_scans(task: MarkerTask, pairs: Scan | Sequence[Scan] | None) -> list[Scan]:
    """Refuse scans made before that are not of this study, or were made with other settings."""
    made = [] if pairs is None else [pairs] if isinstance(pairs, Scan) else list(pairs)
    study, s = task.study, task.settings
    for before in made:
        wanted = identity(study.genotypes, study.y, s.codings, s.gap, s.effect)
        before.require({**wanted, "size": 2})
    return made


def scan_variants(task: MarkerTask, pairs: Sequence[Scan] = ()) -> StudyScans:
    """Scan variants, pairs and promising triples; scans given as ``pairs`` are not made again."""
    study, s = task.study, task.settings
    return scan_study(
        study.genotypes, study.y, triples=s.triples, codings=s.codings, negations=s.negations,
        gap=s.gap, effect=s.effect, n_jobs=s.n_jobs, progress=task.progress, pairs=pairs,
    )  # fmt: skip


def screen_variants(task: MarkerTask, scanned: StudyScans) -> Screened:
    """Choose the variants to go on with, and the findings on them that the posterior allows."""
    chosen = screen(scanned, task.settings.keep)
    posterior = task.scoring.on(chosen.chosen)
    allowed = [f for f in chosen.functions(_LISTED) if np.isfinite(posterior.log_score(f))]
    return Screened(chosen, posterior, allowed)


def search_function(task: MarkerTask, screened: Screened) -> SearchResult:
    """Search for the best function on the chosen variants, starting from the best findings."""
    if task.progress is not None:
        task.progress("search", 0, 1)  # its first restart may take a while
    n_lists = 1 + len(screened.screen.scans)  # single variants are a list too
    return hunt(
        screened.posterior,
        starts=screened.findings[: _STARTS * n_lists],
        time_limit=task.settings.time_limit,
        n_jobs=task.settings.n_jobs,
        random_state=task.streams.child(_HUNT),
        progress=stage_progress(task.progress, "search"),
    )


def sample_functions(task: MarkerTask, screened: Screened, best: BooleanFunction) -> Draws:
    """Draw functions on the chosen variants from their posterior."""
    s, posterior, progress = task.settings, screened.posterior, task.progress

    def slowest(records: Sequence[Any], total: int) -> None:
        assert progress is not None
        progress("chains", min(map(len, records)), total)

    return sample(
        posterior,
        draws=s.draws,
        warmup=s.warmup,
        chains=s.chains,
        thin=_THIN,
        kernel=informed(posterior, screened.findings),
        starts=chain_starts(posterior, best, screened.findings, s.chains),
        time_limit=s.time_limit,
        n_jobs=s.n_jobs,
        random_state=task.streams.child(_SAMPLE),
        progress=None if progress is None else slowest,
    )


def chain_starts(
    posterior: Posterior, best: BooleanFunction, findings: list[BooleanFunction], chains: int
) -> list[BooleanFunction]:
    """Start at the best function, at none where that is allowed, and at other findings.

    Chains that start apart and end up alike are what the diagnostics can believe.
    """
    null = BooleanFunction()
    starts = [best]
    if np.isfinite(posterior.log_score(null)):
        starts.append(null)
    others = [f for f in findings if f != best]
    starts += others[: max(0, chains - len(starts))]
    return [starts[i % len(starts)] for i in range(chains)]


@dataclass(frozen=True, eq=False)
class Refitted:
    """Terms of a function beside covariates.

    Parameters
    ----------
    holds : DataFrame of bool
        Who carries each term.
    refit : Refit or None
        Odds ratios given covariates; None without any, or without terms.
    history : tuple of str
        What was done for it, one sentence each.
    """

    holds: pd.DataFrame
    refit: Refit | None
    history: tuple[str, ...]


def refit_function(task: MarkerTask, function: BooleanFunction) -> Refitted:
    """Fit the terms of a function beside the study's covariates and principal components."""
    study = task.study
    covariates, history = _covariates(study, task.settings.components)
    holds = _holding(study.genotypes, function)
    if covariates is None or function.is_null:
        return Refitted(holds, None, history)
    refit = refit_terms(study.y, holds, covariates)
    return Refitted(holds, refit, (*history, *refit.history))


def _covariates(study: Study, components: int) -> tuple[pd.DataFrame | None, tuple[str, ...]]:
    import pandas as pd

    if components == 0:
        return study.covariates, ()
    found = principal_components(study.genotypes, components)
    parts = [] if study.covariates is None else [study.covariates.reset_index(drop=True)]
    return pd.concat([*parts, found.scores.reset_index(drop=True)], axis=1), (found.sentence,)


def _holding(genotypes: Genotypes, function: BooleanFunction) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(
        {
            " AND ".join(map(str, term)): BooleanFunction([term])(genotypes)
            for term in function.literal_terms
        },
        index=range(genotypes.n_samples),
    )


def tabulate(
    task: MarkerTask,
    screened: Screened,
    function: BooleanFunction,
    drawn: Draws,
    slots: list[list[Slot]],
    refitted: Refitted,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the tables of terms and of variants."""
    genotypes, y = task.study.genotypes, task.study.y
    terms = marker_table(
        screened.posterior, genotypes, y, function, drawn, slots,
        term_probabilities(drawn, genotypes, slots), odds_ratios(y, refitted.holds),
        refitted.refit,
    )  # fmt: skip
    singles = screened.screen.singles
    return terms, variant_table(genotypes, y, singles, variant_inclusion(drawn, genotypes))


def permute_outcomes(task: MarkerTask) -> NDArray[np.float64]:
    """Find the best single variant and the best pair under permutations of the outcome."""
    s = task.settings
    return family_wise(
        task.study.genotypes, task.study.y, permutations=s.permutations,
        random_state=task.streams.child(_PERMUTE), n_jobs=s.n_jobs,
        codings=with_negations(s.codings, s.negations), gap=s.gap, effect=s.effect,
        progress=stage_progress(task.progress, "permutations"),
    )  # fmt: skip


def tell(
    task: MarkerTask, screened: Screened, search: SearchResult, drawn: Draws, refitted: Refitted
) -> tuple[str, ...]:
    """Say what was read, left out and done, one sentence each."""
    n, kept = task.study.genotypes.n_variants, len(screened.screen.chosen)
    scanned = (
        f"All {n:,} variants and their {n * (n - 1) // 2:,} pairs were scored; "
        f"{kept:,} variants went on to the search."
        if kept < n
        else f"All {n:,} variants took part in the search."
    )
    sampled = (
        f"{drawn.n_chains} chains of {drawn.n_draws:,} draws over "
        f"{task.scoring.n_literals:,} literals ({drawn.settings['stopped']})."
    )
    return (*task.study.history, scanned, search_trust(search), sampled, *refitted.history)
