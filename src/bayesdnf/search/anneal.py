"""anneal: the paper's simulated annealing, as in its author's code (Hubert 2020).

It is kept to reproduce the paper; ``hunt`` finds better functions faster.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .. import _native
from ..boolean import BooleanFunction
from ..checks import MOST_64, is_finite, seconds, whole
from ..errors import InputError, ParameterError
from ..model.posterior import Posterior
from ..model.streams import NumberedRuns, Streams
from .result import SearchProgress, SearchResult


class ChainEnd(NamedTuple):
    """The state that a chain of annealing ended in, or its best."""

    function: BooleanFunction
    pi0: float
    pi1: float
    objective: float
    """Log prior of the list of terms + log likelihood at the rates + log densities of the rates."""
    move_probabilities: tuple[float, ...]
    """Of the seven moves when it ended: as given or, with ``adaptive=True``, as learned."""


@dataclass(frozen=True, kw_only=True)
class AnnealResult(SearchResult):
    """Result of :func:`anneal`: the chain with the highest objective, and all chains.

    Attributes
    ----------
    pi0, pi1 : float
        Rates of unmarked and marked rows in the best chain's state.
    objective : float
        The quantity that the annealing maximises, at that state: log prior, log likelihood at
        these rates and, unless they are known, their log densities. ``log_posterior`` is the
        collapsed score of the function, comparable with other searches.
    move_probabilities : tuple of seven floats
        Final move probabilities of the best chain; see ``adaptive``.
    chains : tuple of ChainEnd
        Final states of the chains, by number.
    """

    pi0: float
    pi1: float
    objective: float
    move_probabilities: tuple[float, ...]
    chains: tuple[ChainEnd, ...]


def anneal(
    posterior: Posterior,
    *,
    chains: int = 20,
    steps: int = 10_000,
    start_terms: int = 1,
    pi_moves: str = "mean",
    # The seven moves of Hubert (2020), "Simulated annealing for boolean function learning", in its
    # order.
    move_probabilities: Sequence[float] = (0.05, 0.05, 0.4, 0.4, 0.05, 0.04, 0.01),
    adaptive: bool = False,
    log_lambda: float = 1000.0,
    cooling: float = 0.9,
    keep: str = "last",
    n_jobs: int = 1,
    time_limit: float | None = None,
    random_state: int | np.random.SeedSequence | None = None,
    progress: SearchProgress | None = None,
) -> AnnealResult:
    """Run the simulated annealing of Hubert (2020).

    Parameters
    ----------
    posterior : Posterior
        The data and the priors; ``Prior.paper(theta, p_geom)`` is the paper's. The rates are
        explicit and their order is not used, whatever the effect says of it; known ones stay as
        they are.
    chains : int, default=20
        Independent chains (the paper's L).
    steps : int, default=10_000
        Steps of each.
    start_terms : int, default=1
        Random rows that a chain starts from as terms (the paper's m0). Rows on which no literal
        holds give no term.
    pi_moves : {"mean", "draw"}, default="mean"
        Set a rate to its conditional mean, as the author's code does, or draw it from its Beta,
        as the paper says.
    move_probabilities : seven floats
        Of: set π0, set π1, drop a literal, add a literal, add a positive row as a term, replace
        two terms by what they share, drop a term.
    adaptive : bool, default=False
        Whether each chain learns its move probabilities in the first quarter of its steps and
        keeps them from then on. The paper suggests this and does not specify it. Here the total
        probability of the five moves that change terms is redistributed: one fifth as given, the
        rest in proportion to each move's probability times the share of its attempts that raised
        the posterior. docs/paper.md has measurements.
    log_lambda : float, default=1000
        Logarithm of the factor λ in favour of adding a term, at the start.
    cooling : float, default=0.9
        Factor applied to this logarithm at every attempt to change the number of terms.
    keep : {"last", "best"}, default="last"
        Which state of a chain is its result: the last, as in the paper, or the best one visited.
    n_jobs : int, default=1
        Threads; the result does not depend on their number.
    time_limit : float, optional
        Seconds after which to return the best so far.
    random_state : int or SeedSequence, optional
        Seed of the chains' random streams.
    progress : callable, optional
        Called as ``progress(done, most, best)`` after each chain, ``best`` the best objective.

    Returns
    -------
    AnnealResult
        The state with the highest objective, the first of equals; ``agreement`` counts the chains
        that ended in its function. Ctrl-C returns the best so far.

    Raises
    ------
    InputError
        When no chain ends at a function that the prior allows.

    Notes
    -----
    If the prior has constraints (``Prior.paper`` has none), proposals that violate them are
    rejected, and a row becomes a term without the literals that are implied by its other literals.
    A chain that starts outside of the support, for example from a row with more literals than
    ``max_literals``, shrinks until it is inside. Equal rows are drawn in turn.

    Examples
    --------
    >>> from bayesdnf import BitMatrix, Posterior, Prior, anneal, simulate
    >>> X, y, truth = simulate(1000, 20, random_state=2)
    >>> posterior = Posterior(BitMatrix.from_table(X), y, Prior.paper(2, 0.9))
    >>> found = anneal(posterior, random_state=0)
    >>> found.function == truth, round(found.pi0, 2), round(found.pi1, 2)
    (True, 0.09, 0.9)
    """
    _check(posterior, locals())
    stop = _native.StopFlag()
    if time_limit is not None:
        stop.set_deadline(time_limit)
    problem = _native.AnnealProblem(
        posterior.native, posterior.effect.native(), posterior.individuals
    )
    streams = Streams(random_state, "anneal")

    def run(number: int) -> _Outcome | None:
        # The first chain always runs: there is a state to return, however short the time.
        if number > 0 and stop():
            return None
        chain = _native.AnnealChain(
            problem,
            streams[number],
            start_terms,
            pi_moves == "draw",
            [float(p) for p in move_probabilities],
            log_lambda,
            cooling,
            keep == "best",
            steps // 4 if adaptive else 0,
        )
        done = chain.advance(steps, stop)
        return _Outcome(*chain.result, tuple(chain.probabilities), done == steps)

    runs = NumberedRuns(run, stop)
    ends: list[_Outcome] = []
    stopped = "restarts"
    try:
        for outcome in runs.in_order(range(chains), n_jobs):
            if outcome is not None:
                ends.append(outcome)
            if outcome is None or not outcome.finished:
                stopped = "time limit"
                ends.extend(o for o in runs.unfinished() if o is not None)
                break
            if progress is not None:
                progress(len(ends), chains, max(e.objective for e in ends))
    except KeyboardInterrupt:
        stopped = "interrupted"
        ends.extend(o for o in runs.unfinished() if o is not None)
    finally:
        stop.stop()
    return _result(posterior, ends, stopped)


class _Outcome(NamedTuple):
    terms: list[list[int]]
    pi0: float
    pi1: float
    objective: float
    move_probabilities: tuple[float, ...]
    finished: bool


def _result(posterior: Posterior, outcomes: list[_Outcome], stopped: str) -> AnnealResult:
    table = posterior.bits.table
    ends = tuple(
        ChainEnd(
            BooleanFunction([[table[i] for i in term] for term in o.terms]),
            o.pi0,
            o.pi1,
            o.objective,
            o.move_probabilities,
        )
        for o in outcomes
    )
    best = max(ends, key=lambda end: end.objective)  # the first of equals
    if best.objective == -math.inf:
        raise InputError(
            f"None of the {len(ends):,} chains of the annealing reached a function that the prior "
            "allows; give it more steps, more start_terms or a wider prior, or use hunt."
        )
    return AnnealResult(
        function=best.function,
        log_posterior=posterior.log_score(best.function),
        stopped=stopped,
        agreement=sum(end.function == best.function for end in ends),
        restarts=len(ends),
        pi0=best.pi0,
        pi1=best.pi1,
        objective=best.objective,
        move_probabilities=best.move_probabilities,
        chains=ends,
    )


def _check(posterior: Posterior, given: dict[str, Any]) -> None:
    """Refuse invalid parameters."""

    def require(name: str, fine: bool, must: str) -> None:
        if not fine:
            raise ParameterError.of(name, "anneal", must, given[name])

    def number(value: object) -> bool:
        return is_finite(value) and not isinstance(value, bool)

    for name in ("chains", "start_terms", "n_jobs"):
        whole(name, "anneal", given[name], 1)
    whole("steps", "anneal", given["steps"], 1, MOST_64)
    require(
        "start_terms",
        given["start_terms"] <= posterior.n,
        f"at most {posterior.n:,}, the number of rows",
    )
    require("pi_moves", given["pi_moves"] in ("mean", "draw"), "'mean' or 'draw'")
    require("keep", given["keep"] in ("last", "best"), "'last' or 'best'")
    require("adaptive", isinstance(given["adaptive"], bool), "True or False")
    probabilities = given["move_probabilities"]
    fine = (
        isinstance(probabilities, Sequence | np.ndarray)
        and len(probabilities) == 7
        and all(number(p) and p >= 0 for p in probabilities)
        and abs(math.fsum(probabilities) - 1) < 1e-9
    )
    require("move_probabilities", fine, "seven numbers, none negative, that sum to 1")
    log_lambda, cooling, limit = (given[k] for k in ("log_lambda", "cooling", "time_limit"))
    require("log_lambda", number(log_lambda) and log_lambda >= 0, "a finite number, 0 or more")
    require("cooling", number(cooling) and 0 < cooling <= 1, "above 0 and at most 1")
    seconds("time_limit", "anneal", limit)
