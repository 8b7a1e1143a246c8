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
        Risk where the function holds and where not, of the population if its prevalence is known.
    slots : list
        For each term its slots, with the variants that could fill them.
    posterior : Posterior
        Of functions on the variants that the screen chose.
    draws : Draws
        What was drawn from it.
    search : SearchResult
        How the best function was found.
    searched : Searched
        The same with its sweeps over all variants.
    layered : Layered or None
        The best list of layers, where one was asked for.
    screen : Screen
        The scans, and the variants that took part in the end.
    scoring : Scoring
        What a function on any variants of the study scores.
    adjustment : Adjustment
        Covariates and strata, and the inflation of tests.
    study : Study
        What was searched.
    history : tuple of str
        What was read, left out and done, one sentence each.
    settings : dict
        How.
    seconds : dict
        How long each step took.

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
    def strata_cost(self) -> float:
        """Nats of the function's log Bayes factor that strata took; 0 without any."""
        if self.posterior.simple or self.function.is_null:
            return 0.0
        # Each over its own null: with strata the null, too, has a rate in every stratum.
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

    Every pair of variants is scored, and every triple of the most promising ones. The variants that
    do best, one of each set of linked ones, go on to a search for the best function; then every
    change of one literal is tried over all variants, and the search begins again with what that
    brings, until nothing scores higher. Chains sample the posterior of functions on these variants;
    what was left out is still paid for in the prior.

    Parameters
    ----------
    study : Study
        Genotypes, outcome and covariates, filtered (see :class:`Filters`).
    prior, effect : Prior, Effect, optional
        As everywhere; ``Effect(prevalence=0.01, sampling="case-control")`` gives risks of the
        population.
    codings : sequence of str
        Literals on offer: dominant, recessive, heterozygous.
    negations : bool, default=True
        Offer their negations too, and score genotype cells of pairs, which is how XOR-like markers
        show themselves.
    keep : int, default=200
        Variants to go on with after the screen.
    triples : int, default=60
        Most promising variants of which all triples are scored; below 3 none are.
    gap : int, default=0
        Variants of one chromosome closer than so many base pairs never stand in one term.
    components : int, default=0
        Principal components of the genotypes to add to the covariates.
    strata : sequence of str
        Covariates each value of which is a stratum with risks of its own.
    adjust : bool, default=True
        Whether the other covariates and the components make strata too, by :func:`risk_strata`:
        scans, search and chains then judge markers within them. Otherwise they are used where
        terms are refitted, and nowhere else.
    build : {"GRCh37", "GRCh38"}, optional
        Genome build, for regions of long-range linkage that components leave out; without it
        stretches with outlying loadings are left out.
    r_squared : float, default=0.5
        From which squared correlation on a variant counts as a proxy.
    layers : int, default=1
        With more than 1 look for the best list of so many layers at most as well, each part of
        which has a risk of its own, on the variants that took part in the end.
    permutations : int, default=0
        Permutations for family-wise p values of single variants and pairs, within strata and
        families.
    holdout : float, default=0
        Share of cases and controls to set aside: the terms found without them are tested on them.
    draws, warmup, chains : int
        Of the sampler.
    time_limit : float, optional
        Seconds for the search, and again for the chains.
    n_jobs : int, default=1
        Threads; the result does not depend on their number.
    device : {"auto", "cpu", "cuda"}, default="auto"
        What counts pairs and triples in the scans; see :func:`scan`.
    random_state : int or SeedSequence, optional
        Seed.
    pairs : Scan or sequence of Scan, optional
        Scans of all pairs that were made before, in parts for example: by AND, and with negations
        by genotype cells too. Those not given are made.
    progress : callable, optional
        Called as ``progress(what, done, total)``.
    checkpoint : path, optional
        Folder in which scans, searches, chains and permutations keep their states; the same call
        goes on from them, to the same result.

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
        add_held_out(terms, task.held, task.settings, searched.function)
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
    """Put together what the steps found, with what follows from it."""
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
