"""find_markers: from a study to the combinations of mutations that its cases share."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...boolean import BooleanFunction
from ...boolean.literal import CODINGS
from ...errors import ParameterError
from ...estimators.presentation import search_trust
from ...model.effect import Effect
from ...model.posterior import Posterior
from ...model.prior import Prior
from ...model.rates import Interval
from ...model.streams import Streams
from ...sampling.draws import Draws
from ...sampling.run import sample
from ...sampling.samplers import informed
from ...search.hunt import hunt
from ...search.result import SearchResult
from ..genotypes import Genotypes
from ..quality.structure import principal_components
from ..study import Study
from .credible import Slot, slots_of, term_probabilities
from .marker_tables import marker_table, pair_table, region_table, variant_inclusion, variant_table
from .permutations import family_wise
from .refit import odds_ratios, refit_terms
from .rivals import Rivals, find_rivals
from .scan import Scan, identity
from .scoring import Scoring
from .screening import Screen, StageProgress, offered, screen, told

if TYPE_CHECKING:
    import pandas as pd

_STARTS = 20  # findings of each scan that the search starts from
_LISTED = 100  # findings of each scan that the chains are offered
_THIN = 50  # steps for each draw
_HUNT, _SAMPLE, _PERMUTE = range(3)


@dataclass(frozen=True, eq=False)
class Markers:
    """What was found in a study.

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
    screen : Screen
        The scans, and the variants they chose.
    scoring : Scoring
        What a function on any variants of the study scores.
    study : Study
        What was searched.
    history : tuple of str
        What was read, left out and done, one sentence each.
    settings : dict
        How.
    seconds : dict
        How long each stage took.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf.genomics import Genotypes, Study, find_markers
    >>> rng = np.random.default_rng(2)
    >>> calls = rng.binomial(2, 0.3, (40, 800))
    >>> y = rng.random(800) < np.where((calls[3] >= 1) & (calls[7] >= 1), 0.7, 0.2)
    >>> found = find_markers(Study(Genotypes.from_copies(calls), y), draws=200, random_state=0)
    >>> found.null_probability
    0.0
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
    screen: Screen
    scoring: Scoring
    study: Study
    history: tuple[str, ...]
    settings: dict[str, Any]
    seconds: dict[str, float]

    @cached_property
    def rivals(self) -> Rivals:
        """Functions that the data can hardly tell from the best one."""
        return find_rivals(self)

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
    r_squared: float = 0.5,
    permutations: int = 0,
    draws: int = 1000,
    warmup: int = 500,
    chains: int = 4,
    time_limit: float | None = None,
    n_jobs: int = 1,
    random_state: int | np.random.SeedSequence | None = None,
    pairs: Scan | Sequence[Scan] | None = None,
    progress: StageProgress | None = None,
) -> Markers:
    """Find the OR of ANDs of genotypes that best tells cases from controls, and how sure it is.

    Every pair of variants is scored, and every triple of the most promising ones. The variants that
    do best go on to a search for the best function and to chains that sample the posterior; what
    the screen left out is still paid for in the prior. Probabilities are therefore those of
    functions on the chosen variants.

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
        Principal components of the genotypes to add to the covariates of the refit.
    r_squared : float, default=0.5
        From which squared correlation on a variant counts as a proxy.
    permutations : int, default=0
        Permutations for family-wise p values of single variants and pairs.
    draws, warmup, chains : int
        Of the sampler.
    time_limit : float, optional
        Seconds for the search, and again for the chains.
    n_jobs : int, default=1
        Threads; the result does not depend on their number.
    random_state : int or SeedSequence, optional
        Seed.
    pairs : Scan or sequence of Scan, optional
        Scans of all pairs that were made before, in parts for example: by AND, and with negations
        by genotype cells too. Those not given are made.
    progress : callable, optional
        Called as ``progress(what, done, total)``.

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
    _check(keep, triples, gap, components, permutations)
    genotypes, y = study.genotypes, study.y
    effect = effect or Effect()
    scoring = Scoring(genotypes, y, prior or Prior(), effect, tuple(codings), negations, gap)
    streams = Streams(random_state, "find_markers")
    made = [] if pairs is None else [pairs] if isinstance(pairs, Scan) else list(pairs)
    for before in made:
        before.require({**identity(genotypes, y, codings, gap, effect), "size": 2})
    clock = _Clock()
    chosen = screen(
        genotypes, y, keep=keep, triples=triples, codings=codings, cells=negations, gap=gap,
        effect=effect, n_jobs=n_jobs, progress=progress, pairs=made,
    )  # fmt: skip
    clock.note("scans")
    posterior = scoring.on(chosen.chosen)
    listed = [f for f in chosen.functions(_LISTED) if np.isfinite(posterior.log_score(f))]
    if progress is not None:
        progress("search", 0, 1)  # its first restart may take a while
    search = hunt(
        posterior,
        starts=listed[: _STARTS * (1 + len(chosen.scans))],
        time_limit=time_limit,
        n_jobs=n_jobs,
        random_state=streams.child(_HUNT),
        progress=told(progress, "search"),
    )
    function = search.function
    clock.note("search")
    drawn = sample(
        posterior,
        draws=draws,
        warmup=warmup,
        chains=chains,
        thin=_THIN,
        kernel=informed(posterior, listed),
        starts=_starts(posterior, function, listed, chains),
        time_limit=time_limit,
        n_jobs=n_jobs,
        random_state=streams.child(_SAMPLE),
        progress=None if progress is None else _chains(progress),
    )
    clock.note("chains")
    slots = slots_of(scoring, function, r_squared)
    covariates, history = _covariates(study, components)
    holds = _holding(genotypes, function)
    refitted = None
    if covariates is not None and len(slots):
        refitted = refit_terms(y, holds, covariates)
        history += refitted.history
    terms = marker_table(
        posterior, genotypes, y, function, drawn, slots,
        term_probabilities(drawn, genotypes, slots), odds_ratios(y, holds), refitted,
    )  # fmt: skip
    variants = variant_table(genotypes, y, chosen.singles, variant_inclusion(drawn, genotypes))
    clock.note("tables")
    if permutations:
        largest = family_wise(
            genotypes, y, permutations=permutations, random_state=streams.child(_PERMUTE),
            n_jobs=n_jobs, codings=offered(codings, negations), gap=gap, effect=effect,
            progress=told(progress, "permutations"),
        )  # fmt: skip
        _add_family_wise(terms, variants, function, largest)
        clock.note("permutations")
    other_risk, risk = posterior.rates(function).summary()
    history = (*study.history, *_told(scoring, chosen, search, drawn), *history)
    settings = {
        "prior": repr(scoring.prior), "effect": repr(effect), "codings": list(codings),
        "negations": negations, "keep": keep, "triples": triples, "gap": gap,
        "components": components, "r_squared": r_squared, "permutations": permutations,
        "draws": draws, "warmup": warmup, "chains": chains, "seed": streams.name,
    }  # fmt: skip
    return Markers(
        function=function,
        terms=terms,
        variants=variants,
        pairs=pair_table(drawn),
        regions=region_table(drawn, genotypes),
        null_probability=drawn.null_probability,
        risk=risk,
        other_risk=other_risk,
        slots=slots,
        posterior=posterior,
        draws=drawn,
        search=search,
        screen=chosen,
        scoring=scoring,
        study=study,
        history=history,
        settings=settings,
        seconds=clock.seconds,
    )


class _Clock:
    """Seconds that each stage took."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._since = time.monotonic()

    def note(self, stage: str) -> None:
        """Say that a stage has ended."""
        now = time.monotonic()
        self.seconds[stage], self._since = now - self._since, now


def _starts(
    posterior: Posterior, best: BooleanFunction, listed: list[BooleanFunction], chains: int
) -> list[BooleanFunction]:
    """Start at the best function, at none where that is allowed, and at other findings."""
    null = BooleanFunction()
    starts = [best]
    if np.isfinite(posterior.log_score(null)):
        starts.append(null)
    others = [f for f in listed if f != best]
    starts += others[: max(0, chains - len(starts))]
    return [starts[i % len(starts)] for i in range(chains)]


def _chains(progress: StageProgress) -> Any:
    return lambda records, total: progress("chains", min(map(len, records)), total)


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


def _add_family_wise(
    terms: pd.DataFrame,
    variants: pd.DataFrame,
    function: BooleanFunction,
    largest: NDArray[np.float64],
) -> None:
    """Family-wise p values: of variants by their Bayes factor, of terms of two by their gain."""

    def p_value(value: float, column: int) -> float:
        return float((1 + (largest[:, column] >= value).sum()) / (1 + len(largest)))

    variants["P_FWE"] = [p_value(value, 0) for value in variants["LOG_BF"]]
    sizes = [len({x.attribute for x in term}) for term in function.literal_terms]
    terms["P_FWE"] = [
        p_value(factor, 0) if k == 1 else p_value(gain, 1) if k == 2 else np.nan
        for k, factor, gain in zip(sizes, terms["LOG_BF"], terms["GAIN"], strict=True)
    ]


def _told(scoring: Scoring, chosen: Screen, search: SearchResult, drawn: Draws) -> tuple[str, ...]:
    n = scoring.genotypes.n_variants
    kept = len(chosen.chosen)
    screened = (
        f"All {n:,} variants and their {n * (n - 1) // 2:,} pairs were scored; "
        f"{kept:,} variants went on to the search."
        if kept < n
        else f"All {n:,} variants took part in the search."
    )
    sampled = (
        f"{drawn.n_chains} chains of {drawn.n_draws:,} draws over {scoring.n_literals:,} literals "
        f"({drawn.settings['stopped']})."
    )
    return screened, search_trust(search), sampled


def _check(keep: int, triples: int, gap: int, components: int, permutations: int) -> None:
    for name, value, least in (
        ("keep", keep, 1), ("triples", triples, 0), ("gap", gap, 0),
        ("components", components, 0), ("permutations", permutations, 0),
    ):  # fmt: skip
        if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
            raise ParameterError.of(name, "find_markers", f"a whole number, {least} or more", value)
