"""Search, sweeps and sampling in turn, until no change of one literal scores higher."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...boolean import BooleanFunction, RuleList
from ...display.wording import count
from ...model.part_rates import part_risks
from ...model.posterior import Posterior
from ...model.rule import layers_of
from ...sampling.draws import Draws
from ...sampling.run import sample
from ...sampling.samplers import informed
from ...search.hunt import hunt
from ...search.result import SearchResult
from ..alleles import ambiguous
from .screening import Screen, StudyScans, screen, stage_progress
from .spelling import plain, plain_literal
from .sweep import Sweep, sweep
from .tasks import MarkerTask

if TYPE_CHECKING:
    import pandas as pd

_STARTS = 20  # findings of each scan used as starts of the search
_LISTED = 100  # findings of each scan proposed to the chains
_THIN = 50  # steps per draw
_HUNT, _SAMPLE, _LAYERS = 0, 1, 4  # numbers of the random streams; results depend on them
_NEAR = 7.0  # variants of functions within so many nats of the best one are added to the chains
_MOST_NEAR = 100  # maximum number of variants that a sweep adds
_ROUNDS = 10  # maximum rounds of search and sweeps; a round without improvement is the last
_CLIMBS = 50  # maximum number of sweeps in a row
_BETTER = 1e-6
_HOPELESS = 20.0  # nats below the best function


@dataclass(frozen=True, eq=False)
class Screened:
    """Variants of the search and the chains.

    Parameters
    ----------
    screen : Screen
        The scans, and the variants they chose.
    posterior : Posterior
        Posterior of functions on these variants.
    findings : list of BooleanFunction
        The best findings that the prior allows, taken from the scans in turn.
    """

    screen: Screen
    posterior: Posterior
    findings: list[BooleanFunction]


@dataclass(frozen=True, eq=False)
class Searched:
    """Result of search, sweeps and chains.

    Parameters
    ----------
    screened : Screened
        The final set of variants.
    search : SearchResult
        The last search.
    sweep : Sweep
        The last sweep, around its function.
    draws : Draws
        Draws of the chains.
    rounds : int
        Number of searches.
    gained : float
        Improvement by sweeps and chains over the first search, in nats.
    outside : float
        Share of the posterior on known functions with other variants: a lower bound of the share
        left out.
    """

    screened: Screened
    search: SearchResult
    sweep: Sweep
    draws: Draws
    rounds: int
    gained: float
    outside: float

    @property
    def function(self) -> BooleanFunction:
        """The best function."""
        assert isinstance(self.search.function, BooleanFunction)  # of one layer
        return self.search.function

    @property
    def sentences(self) -> tuple[str, ...]:
        """Sentences about the sweeps and the posterior left out, for the history."""
        n = self.sweep.n_variants
        if self.sweep.better is not None:
            first = (
                f"Search and sweeps stopped after {count(self.rounds, 'round')}: a change "
                f"of one literal among all {n:,} variants scores {self.sweep.gain:.1f} nats more."
            )
        else:
            first = f"No change of one literal among all {n:,} variants scores higher."
        if self.rounds > 1:
            first += (
                f" Sweeps and chains restarted the search {count(self.rounds - 1, 'time')}, which "
                f"added {self.gained:.1f} nats."
            )
        if len(self.screened.screen.chosen) == n:
            return (first,)
        share = "less than 0.001" if self.outside < 1e-3 else f"{self.outside:.2g}"
        return (
            first,
            f"Posterior probability found by sweeps and scans on variants left out of the search: "
            f"{share} or more.",
        )


def screen_variants(task: MarkerTask, scanned: StudyScans) -> Screened:
    """Choose the variants for the search, and the findings on them that the prior allows."""
    s = task.settings
    chosen = _screened(task, screen(scanned, s.keep, task.scoring.genotypes, s.r_squared))
    task.clock.note("screen")
    return chosen


def _screened(task: MarkerTask, chosen: Screen) -> Screened:
    posterior = task.scoring.on(chosen.chosen)
    allowed = [f for f in chosen.functions(_LISTED) if np.isfinite(posterior.log_score(f))]
    return Screened(chosen, posterior, allowed)


def search_and_sample(task: MarkerTask, screened: Screened) -> Searched:
    """Search, sweep all variants around the result, and sample, until nothing improves."""
    starts: list[BooleanFunction] = []
    first, rounds = None, 0
    while True:
        rounds += 1
        search = search_function(task, screened, starts)
        task.clock.note("search")
        first = search.log_posterior if first is None else first
        last = rounds >= _ROUNDS or search.stopped in ("time limit", "interrupted")
        assert isinstance(search.function, BooleanFunction)
        best, around, near = _climbed(task, search.function)
        screened = _joined_by(task, screened, near)
        task.clock.note("sweeps of all variants")
        # Sweeps change one literal at a time; a search from their end may improve further, so it is
        # repeated before the expensive chains.
        if around.score > search.log_posterior + _BETTER and not last:
            starts = [best]
            continue
        search = replace(search, function=best, log_posterior=around.score)
        draws = sample_functions(task, screened, best, near)
        task.clock.note("chains")
        drawn = _best_drawn(draws, search)
        if drawn is None or last:
            break
        starts = [best, drawn]
    outside = _outside(task, screened, around, draws)
    gained = search.log_posterior - first
    return Searched(screened, search, around, draws, rounds, gained, outside)


def _climbed(
    task: MarkerTask, function: BooleanFunction
) -> tuple[BooleanFunction, Sweep, list[BooleanFunction]]:
    """Repeat sweeps, taking the best change of one literal, until no change improves.

    Returns
    -------
    function : BooleanFunction
        The final function.
    around : Sweep
        The sweep around it.
    near : list of BooleanFunction
        The function itself, and functions with nearly the same score or visited on the way.
    """
    around = sweep(task.scoring, function)
    near: list[BooleanFunction] = []
    for _ in range(_CLIMBS):
        if around.better is None:
            break
        near.append(around.better)
        around = sweep(task.scoring, around.better)
    if (clear := _clearest(task, around)) is not None:
        around = sweep(task.scoring, clear)
    # The function first: its variants must be included.
    return around.function, around, [around.function, *around.within(_NEAR), *near]


@dataclass(frozen=True, eq=False)
class Layered:
    """The best list of layers, each part of which has its own risk.

    Parameters
    ----------
    rule : RuleList
        The list, the layer that is evaluated first on top.
    gain : float
        Its score minus that of the best function, a list of one layer, in nats.
    table : DataFrame
        A row for each part: ``PART``, ``RULE``, ``CASES``, ``CONTROLS``, ``RISK``, ``RISK_L95``,
        ``RISK_U95``.
    search : SearchResult
        Result of the search.
    """

    rule: RuleList
    gain: float
    table: pd.DataFrame
    search: SearchResult


def search_layers(task: MarkerTask, searched: Searched) -> Layered | None:
    """Search for lists on the final set of variants; None if only functions are requested."""
    import pandas as pd

    layers = task.settings.layers
    if layers == 1:
        return None
    posterior = task.scoring.on(searched.screened.screen.chosen, layers)
    # The search starts at the best function, as a list of one layer, so it cannot end below.
    own = RuleList(() if searched.function.is_null else [searched.function])
    found = hunt(
        posterior,
        starts=[own],
        time_limit=task.settings.time_limit,
        n_jobs=task.settings.n_jobs,
        random_state=task.streams.child(_LAYERS),
        progress=stage_progress(task.progress, "layers"),
        checkpoint=task.files("layers", posterior.fingerprint, own),
    )
    rule = found.function
    assert isinstance(rule, RuleList)
    names = task.study.genotypes.other_names
    cells = posterior.part_counts(rule)
    risks = part_risks(posterior.effect, cells)
    texts = ["else", *(str(plain(layer, names)) for layer in layers_of(rule))]
    table = pd.DataFrame(
        [
            (h, text, *cells[:, h].sum(axis=0).tolist(), *risk)
            for h, (text, risk) in enumerate(zip(texts, risks, strict=True))
        ][::-1],
        columns=["PART", "RULE", "CASES", "CONTROLS", "RISK", "RISK_L95", "RISK_U95"],
    )
    return Layered(rule, found.log_posterior - posterior.log_score(own), table, found)


def search_function(
    task: MarkerTask, screened: Screened, starts: Sequence[BooleanFunction] = ()
) -> SearchResult:
    """Search for the best function on the chosen variants, starting from the best findings."""
    if task.progress is not None:
        task.progress("search", 0, 1)  # its first restart may take a while
    n_lists = 1 + len(screened.screen.scans)  # single variants are a list too
    begun = [*starts, *screened.findings[: _STARTS * n_lists]]
    return hunt(
        screened.posterior,
        starts=begun,
        time_limit=task.settings.time_limit,
        n_jobs=task.settings.n_jobs,
        random_state=task.streams.child(_HUNT),
        progress=stage_progress(task.progress, "search"),
        checkpoint=task.files("search", screened.posterior.fingerprint, *begun),
    )


def sample_functions(
    task: MarkerTask,
    screened: Screened,
    best: BooleanFunction,
    near: Sequence[BooleanFunction] = (),
) -> Draws:
    """Draw functions on the chosen variants from their posterior."""
    s, posterior, progress = task.settings, screened.posterior, task.progress

    def slowest(records: Sequence[Any], total: int) -> None:
        assert progress is not None
        progress("chains", min(map(len, records)), total)

    offered = set(posterior.bits.table.attributes)
    listed = [f for f in near if offered.issuperset(f.attributes)]
    kernel = informed(posterior, [*screened.findings, *listed])
    begun = chain_starts(posterior, best, screened.findings, s.chains)
    drawn = sample(
        posterior,
        draws=s.draws,
        warmup=s.warmup,
        chains=s.chains,
        thin=_THIN,
        kernel=kernel,
        starts=begun,
        time_limit=s.time_limit,
        n_jobs=s.n_jobs,
        random_state=task.streams.child(_SAMPLE),
        progress=None if progress is None else slowest,
        checkpoint=task.files("chains", posterior.fingerprint, kernel.moves, *begun),
    )
    return drawn.writing(partial(plain_literal, other_names=task.study.genotypes.other_names))


def chain_starts(
    posterior: Posterior, best: BooleanFunction, findings: list[BooleanFunction], chains: int
) -> list[BooleanFunction]:
    """Return the starts of chains: the best function, the null function if allowed, and findings.

    Convergence diagnostics need overdispersed starts. With strata a function and its complement
    have the same likelihood with the risks exchanged, and a chain from the null function may stay
    at the complement, which has more terms and little posterior probability; so no chain starts at
    the null function if that is very improbable.
    """
    null = BooleanFunction()
    starts = [best]
    score = posterior.log_score(null)
    hopeless = not posterior.simple and score < posterior.log_score(best) - _HOPELESS
    if np.isfinite(score) and not hopeless:
        starts.append(null)
    others = [f for f in findings if f != best]
    starts += others[: max(0, chains - len(starts))]
    return [starts[i % len(starts)] for i in range(chains)]


def _joined_by(task: MarkerTask, screened: Screened, near: Sequence[BooleanFunction]) -> Screened:
    """Add the variants of some functions to the search, the first functions first."""
    place = task.study.genotypes.place
    there = set(screened.screen.chosen.tolist())
    fresh = dict.fromkeys(place[a] for f in near for a in f.attributes)
    new = [v for v in fresh if v not in there][:_MOST_NEAR]
    if not new:
        return screened
    chosen = np.array(sorted(there.union(new)), dtype=np.intp)
    return _screened(task, replace(screened.screen, chosen=chosen))


def _clearest(task: MarkerTask, around: Sweep) -> BooleanFunction | None:
    """Return a function with the same score that is easier to apply, if there is one.

    Functions with fewer strand-ambiguous variants (A/T, C/G) are preferred, then those that mark
    the higher risk, which strata leave open.
    """
    genotypes, scoring = task.study.genotypes, task.scoring
    alleles = genotypes.variants[["A1", "A2"]].astype(str)

    def trouble(function: BooleanFunction) -> tuple[int, bool]:
        rows = (alleles.iloc[genotypes.place[a]] for a in function.attributes)
        marked = scoring.count(scoring.words(function))
        return sum(ambiguous(*row) for row in rows), bool(scoring.raised(marked) < 0)

    if trouble(around.function) == (0, False):
        return None
    best = min([around.function, *around.within(_BETTER)], key=trouble)
    return best if trouble(best) < trouble(around.function) else None


def _best_drawn(draws: Draws, search: SearchResult) -> BooleanFunction | None:
    """Return the best function of the draws if it is better than that of the search."""
    best = int(np.argmax(draws.log_score))
    if draws.log_score[best] <= search.log_posterior + _BETTER:
        return None
    function = draws.function(best)
    assert isinstance(function, BooleanFunction)
    return function


def _outside(task: MarkerTask, screened: Screened, around: Sweep, draws: Draws) -> float:
    """Return the share of the posterior on known functions with variants left out of the search.

    The posterior inside is taken to be that of the functions that the chains visited.
    """
    place = task.study.genotypes.place
    there = set(screened.screen.chosen.tolist())
    wide = replace(screened.screen, chosen=np.arange(task.study.genotypes.n_variants))

    def outside(function: BooleanFunction) -> bool:
        return not there.issuperset(place[a] for a in function.attributes)

    listed = [f for f in dict.fromkeys(wide.functions(_LISTED)) if outside(f)]
    seen = dict(zip(around.others, around.scores.tolist(), strict=True))
    scores = [score for f, score in seen.items() if outside(f)]
    if fresh := [f for f in listed if f not in seen]:
        variants = sorted({place[a] for f in fresh for a in f.attributes})
        scores += task.scoring.on(variants).scores(fresh).log_score.tolist()
    if not scores:
        return 0.0
    inside = _log_sum(draws.log_score)
    # outside / (outside + inside) = 1 / (1 + exp(ln inside - ln outside)).
    return float(1 / (1 + np.exp(inside - _log_sum(np.array(scores)))))


def _log_sum(logs: NDArray[np.float64]) -> float:
    return float(np.logaddexp.reduce(logs))
