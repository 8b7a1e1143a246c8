"""find_markers: combinations of variants associated with the outcome of a study."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ...boolean import BooleanFunction
from ...boolean.literal import CODINGS
from ...model.effect import Effect
from ...model.part_rates import part_risks
from ...model.posterior import Posterior
from ...model.prior import Prior
from ...model.rates import Interval
from ...sampling.draws import Draws
from ...search.result import SearchResult
from ..association.adjustment import Adjustment
from ..scanning.scan_result import Scan
from ..study import Study
from .credible import Slot, slots_of
from .marker_tables import pair_table, region_table
from .permutations import add_family_wise
from .rivals import Rivals, find_rivals
from .scoring import Scoring
from .screening import Screen, StageProgress
from .searching import Layered, Searched, screen_variants, search_and_sample, search_layers
from .spelling import plain
from .steps import (
    add_held_out,
    check_scans,
    permute_outcomes,
    refit_function,
    scan_variants,
    tabulate,
    tell,
)
from .tasks import MarkerSettings, MarkerTask

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Markers:
    """Markers found in a study, with their posterior probabilities.

    Parameters
    ----------
    function : BooleanFunction
        The best function found; the null function when nothing beats "no marker".
    terms : DataFrame
        One row per term: carriers among cases and controls, risk, odds ratio, probability, log
        Bayes factor, gain over the best sub-term, proxies, and the refit with covariates.
    variants : DataFrame
        One row per variant, with its inclusion probability ``PIP``.
    pairs, regions : DataFrame
        Inclusion of pairs of variants in one term, and of stretches of a million base pairs.
    null_probability : float
        Posterior probability that there is no marker.
    risk, other_risk : Interval
        Risk where the function holds and where it does not; population risks if the prevalence is
        known.
    slots : list
        The slots of each term, with the variants that could fill them.
    posterior : Posterior
        Posterior of functions on the screened variants.
    draws : Draws
        Draws from it.
    search : SearchResult
        Result of the last search.
    searched : Searched
        The search with its sweeps over all variants.
    layered : Layered or None
        The best list of layers, if requested.
    screen : Screen
        The scans, and the final set of variants.
    scoring : Scoring
        Scores of functions on all variants of the study.
    adjustment : Adjustment
        Covariates, strata, and inflation of tests.
    study : Study
        The data.
    history : tuple of str
        The steps of the analysis, one sentence each.
    settings : dict
        The settings of the analysis.
    seconds : dict
        Duration of each step.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf.genomics import Genotypes, Study, find_markers
    >>> rng = np.random.default_rng(2)
    >>> calls = rng.binomial(2, 0.3, (40, 800))
    >>> y = rng.random(800) < np.where((calls[3] >= 1) & (calls[7] >= 1), 0.7, 0.2)
    >>> found = find_markers(Study(Genotypes.from_copies(calls), y), draws=200, random_state=0)
    >>> found.null_probability < 0.001
    True
    >>> found.risk.mean > found.other_risk.mean
    True
    """

    function: BooleanFunction
    terms: pd.DataFrame
    variants: pd.DataFrame
    pairs: pd.DataFrame
    regions: pd.DataFrame
    null_probability: float
    risk: Interval
    other_risk: Interval
    slots: list[list[Slot]]
    posterior: Posterior
    draws: Draws
    search: SearchResult
    searched: Searched
    layered: Layered | None
    screen: Screen
    scoring: Scoring
    adjustment: Adjustment
    study: Study
    history: tuple[str, ...]
    settings: dict[str, Any]
    seconds: dict[str, float]

    @cached_property
    def rivals(self) -> Rivals:
        """Functions that the data hardly distinguish from the best one."""
        return find_rivals(self)

    @cached_property
    def plain(self) -> BooleanFunction:
        """The function with negations named by the other allele, if it has a simple name."""
        return plain(self.function, self.study.genotypes.other_names)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about the result: inflated tests, sex, filters, relatives."""
        return (*self.adjustment.warnings, *self.study.warnings)

    @property
    def strata_cost(self) -> float:
        """Reduction of the function's log Bayes factor by strata, in nats; 0 without strata."""
        if self.posterior.simple or self.function.is_null:
            return 0.0
        # Each against its own null model: with strata the null model has a rate in each stratum.
        null, pooled = BooleanFunction(), self.posterior.of_classes[0]
        before = pooled.log_likelihood(self.function) - pooled.log_likelihood(null)
        after = self.posterior.log_likelihood(self.function) - self.posterior.log_likelihood(null)
        return before - after

    def __str__(self) -> str:
        from .summary import summary

        return summary(self)


def find_markers(
    study: Study,
    *,
    prior: Prior | None = None,
    effect: Effect | None = None,
    codings: Sequence[str] = tuple(CODINGS),
    negations: bool = True,
    keep: int = 200,
    triples: int = 60,
    gap: int = 0,
    components: int = 0,
    strata: Sequence[str] = (),
    adjust: bool = True,
    build: str | None = None,
    r_squared: float = 0.5,
    layers: int = 1,
    permutations: int = 0,
    holdout: float = 0.0,
    draws: int = 1000,
    warmup: int = 500,
    chains: int = 4,
    time_limit: float | None = None,
    n_jobs: int = 1,
    device: str = "auto",
    random_state: int | np.random.SeedSequence | None = None,
    pairs: Scan | Sequence[Scan] | None = None,
    progress: StageProgress | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
) -> Markers:
    """Find the most probable OR of ANDs of genotypes for cases against controls.

    Every pair of variants is scored, and every triple of the best ones. The best variants, one of
    each set of linked ones, are used in a search for the best function; then every change of one
    literal is tried over all variants, and the search is repeated with the variants of the
    improvements, until nothing scores higher. Chains sample the posterior of functions on these
    variants; the prior counts all variants of the study.

    Parameters
    ----------
    study : Study
        Genotypes, outcome and covariates, filtered (see :class:`Filters`).
    prior, effect : Prior, Effect, optional
        The priors; ``Effect(prevalence=0.01, sampling="case-control")`` gives population risks.
    codings : sequence of str
        Literals of each variant: dominant, recessive, heterozygous.
    negations : bool, default=True
        Whether to include their negations, and to score genotype cells of pairs, which detect
        XOR-like interactions.
    keep : int, default=200
        Number of variants to keep after the screen.
    triples : int, default=60
        Number of best variants of which all triples are scored; below 3, no triples.
    gap : int, default=0
        Minimum distance in base pairs of two variants of one chromosome in a term.
    components : int, default=0
        Number of principal components of the genotypes to add to the covariates.
    strata : sequence of str
        Covariates each value of which is a stratum with its own risks.
    adjust : bool, default=True
        Whether the other covariates and the components make strata too, by :func:`risk_strata`:
        scans, search and chains then score markers within strata. Otherwise they are used only in
        the refit of terms.
    build : {"GRCh37", "GRCh38"}, optional
        Genome build, for excluding regions of long-range linkage from components; without it
        regions with outlying loadings are excluded.
    r_squared : float, default=0.5
        Minimum squared correlation of a proxy.
    layers : int, default=1
        Above 1, search also for the best list of at most this many layers on the final set of
        variants; each part of a list has its own risk.
    permutations : int, default=0
        Permutations for family-wise p values of single variants and pairs, within strata and
        families.
    holdout : float, default=0
        Share of cases and controls to hold out for testing the terms found on the others.
    draws, warmup, chains : int
        Draws, warmup steps and chains of the sampler.
    time_limit : float, optional
        Seconds for the search, and again for the chains.
    n_jobs : int, default=1
        Threads; the result does not depend on their number.
    device : {"auto", "cpu", "cuda"}, default="auto"
        Device for counting pairs and triples in the scans; see :func:`scan`.
    random_state : int or SeedSequence, optional
        Seed.
    pairs : Scan or sequence of Scan, optional
        Earlier scans of all pairs, for example made in parts: by AND, and with negations also by
        genotype cells. Missing ones are computed.
    progress : callable, optional
        Called as ``progress(what, done, total)``.
    checkpoint : path, optional
        Folder for the states of scans, searches, chains and permutations; the same call resumes
        from them, with the same result.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf.genomics import Genotypes, Study, find_markers
    >>> rng = np.random.default_rng(2)
    >>> calls = rng.binomial(2, 0.3, (40, 800))
    >>> y = rng.random(800) < np.where((calls[3] >= 1) & (calls[7] >= 1), 0.7, 0.2)
    >>> found = find_markers(Study(Genotypes.from_copies(calls), y), draws=200, random_state=0)
    >>> print(found.function)
    (v4_B dominant AND v8_B dominant)
    """
    settings = MarkerSettings(
        prior=prior or Prior(), effect=effect or Effect(), codings=tuple(codings),
        negations=negations, keep=keep, triples=triples, gap=gap, components=components,
        strata=tuple(strata), adjust=adjust, build=build, r_squared=r_squared,
        layers=layers, permutations=permutations, holdout=holdout,
        draws=draws, warmup=warmup, chains=chains,
        time_limit=time_limit, n_jobs=n_jobs, device=device,
    )  # fmt: skip
    task = MarkerTask.of(study, settings, random_state, progress, checkpoint)
    made = check_scans(task, pairs)
    clock = task.clock
    searched = search_and_sample(task, screen_variants(task, scan_variants(task, made)))
    layered = search_layers(task, searched)
    if layered is not None:
        clock.note("layers")
    slots = slots_of(task.scoring, searched.function, r_squared)
    refitted = refit_function(task, searched.function)
    terms, variants = tabulate(task, searched, slots, refitted)
    clock.note("tables")
    if permutations:
        add_family_wise(terms, variants, searched.function, permute_outcomes(task))
        clock.note("permutations")
    if task.held is not None:
        add_held_out(terms, task.held, task.settings, searched.function, task.adjustment.columns)
        clock.note("held-out samples")
    history = tell(task, searched, refitted)
    return _markers(task, searched, layered, slots, terms, variants, history, clock.seconds)


def _markers(
    task: MarkerTask,
    searched: Searched,
    layered: Layered | None,
    slots: list[list[Slot]],
    terms: pd.DataFrame,
    variants: pd.DataFrame,
    history: tuple[str, ...],
    seconds: dict[str, float],
) -> Markers:
    """Assemble the results of the steps."""
    posterior, drawn = searched.screened.posterior, searched.draws
    risks = part_risks(posterior.effect, posterior.part_counts(searched.function), posterior.simple)
    return Markers(
        function=searched.function,
        terms=terms,
        variants=variants,
        pairs=pair_table(drawn),
        regions=region_table(drawn, task.study.genotypes),
        null_probability=drawn.null_probability,
        risk=risks[-1],
        other_risk=risks[0],
        slots=slots,
        posterior=posterior,
        draws=drawn,
        search=searched.search,
        searched=searched,
        layered=layered,
        screen=searched.screened.screen,
        scoring=task.scoring,
        adjustment=task.adjustment,
        study=task.study,
        history=history,
        settings=task.settings.recorded(task.streams.name),
        seconds=seconds,
    )
