"""The interface of every sampler: ``init`` and ``advance`` on small states.

``init`` turns a function into a :class:`Snapshot`; ``advance`` takes a snapshot and a number of
steps to the next snapshot and an :class:`Info`. Both are plain data without hidden state: a chain
that resumes from a snapshot continues as if it had not stopped, and the division of steps into
calls has no effect.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from .. import _native
from ..errors import InputError
from ..model.flat_functions import FlatFunctions
from ..model.posterior import Posterior
from ..model.rule import Rule

Terms = tuple[tuple[int, ...], ...]


class Snapshot(NamedTuple):
    """State of a chain: everything that its next steps depend on, except the data."""

    functions: tuple[Terms, ...]
    """Terms at each temperature, the posterior's own first; in the chain's order."""
    layers: tuple[tuple[int, ...], ...]
    """The layer of each of these terms."""
    key: tuple[int, int]
    counter: tuple[int, int, int, int]
    used: int
    """The random stream: Philox key, counter, and numbers used of the current block."""
    step: int
    known: tuple[tuple[Terms, tuple[int, ...]], ...] = ()
    """Functions to jump between, each as terms and their layers."""


@dataclass(frozen=True)
class Info:
    """Result of a number of steps of a chain."""

    functions: FlatFunctions
    """Each distinct function that was drawn, once."""
    log_prior: NDArray[np.float64]
    log_likelihood: NDArray[np.float64]
    cells: NDArray[np.int64]
    """By function, stratum, part and class: rows, positives first."""
    rows: NDArray[np.uint64]
    """By function: a hash of its partition of the rows."""
    draws: NDArray[np.int64]
    """By draw: the number of its function."""
    likelihoods: NDArray[np.float64]
    """By draw and temperature: the log likelihood there."""
    tried: NDArray[np.int64]
    changed: NDArray[np.int64]
    """By kind of move, as in ``MOVES``: how often it was tried, and changed the function."""
    exchanges_tried: NDArray[np.int64]
    exchanged: NDArray[np.int64]
    """The same for exchanges between neighbouring temperatures."""


MOVES: tuple[str, ...] = tuple(_native.move_names())
"""Kinds of move, in the order of :attr:`Info.tried`."""


class Kernel(Protocol):
    """Protocol of a sampler."""

    name: str
    posterior: Posterior
    betas: tuple[float, ...]
    """Inverse temperatures of the likelihood, 1 first."""

    @property
    def moves(self) -> str:
        """A hash of how steps are made: equal for kernels that take the same steps."""

    def init(self, function: Rule, stream: _native.Philox, known: Sequence[Rule] = ()) -> Snapshot:
        """Return the state of a chain that starts at a function or list, at every temperature.

        ``known`` are functions found by a search, between which the chain may jump.
        """

    def advance(
        self, snapshot: Snapshot, steps: int, every: int, stop: _native.StopFlag
    ) -> tuple[Snapshot, Info]:
        """Advance the chain; every step whose number is divisible by ``every`` is a draw.

        If ``stop`` is set, it ends early, between two steps.
        """


class MoveKernel:
    """A mix of moves, at one temperature or several.

    Parameters
    ----------
    name : str
        Its name in settings and output.
    posterior : Posterior
        The posterior to sample.
    mix : mapping
        Probability of each kind of move; those not named are not used.
    betas : sequence of float, default=(1.0,)
        Inverse temperatures of the likelihood, 1 first.
    exchange_every : int, default=10
        Steps between exchanges of neighbouring temperatures.
    empty_base, whole_base : float
        Redraws: probability of removing no term, and of removing a whole term.
    growth : sequence of float
        Grown births: powers of the posterior in the choice of the next literal; one of them is
        drawn for each birth.
    listed : mapping, optional
        Listed births: candidate terms, as sorted literal numbers, and their weights.
    """

    def __init__(
        self,
        name: str,
        posterior: Posterior,
        mix: Mapping[str, float],
        *,
        betas: Sequence[float] = (1.0,),
        exchange_every: int = 10,
        empty_base: float = 0.2,
        whole_base: float = 0.4,
        growth: Sequence[float] = (0.5, 1.0),
        listed: Mapping[tuple[int, ...], float] | None = None,
    ) -> None:
        self.name = name
        self.posterior = posterior
        self.mix = dict(mix)
        self.betas = tuple(betas)
        self.exchange_every = exchange_every
        self.empty_base = empty_base
        self.whole_base = whole_base
        self.growth = tuple(growth)
        self.listed = dict(listed or {})
        self._problem = _native.ChainProblem(posterior.native, posterior.individuals)

    @property
    def moves(self) -> str:
        """A hash of how steps are made."""
        # Sorted: a chain's steps do not depend on the order in which moves or terms were named.
        weights = sorted(self.mix.items()), sorted(self.listed.items())
        bases = self.exchange_every, self.empty_base, self.whole_base, self.growth
        return hashlib.sha256(repr((weights, bases)).encode()).hexdigest()

    def init(self, function: Rule, stream: _native.Philox, known: Sequence[Rule] = ()) -> Snapshot:
        """Return the state of a chain that starts at a function or list."""
        reason = self.posterior.support.reason(function)
        if reason is None and not np.isfinite(self.posterior.log_prior(function)):
            reason = "its prior probability is 0"
        if reason is not None:
            raise InputError(f"A chain cannot start at {function}: {reason}.")
        terms, layers = self._placed(function)
        n = len(self.betas)
        # A snapshot has everything that the next steps depend on; only jumps use known functions.
        places = tuple(self._placed(rule) for rule in known) if "jump" in self.mix else ()
        return Snapshot((terms,) * n, (layers,) * n, *_as_tuples(stream.state), 0, places)

    def _placed(self, function: Rule) -> tuple[Terms, tuple[int, ...]]:
        ids = self.posterior.support.layered_ids(function)
        return tuple(tuple(term) for _, term in ids), tuple(g for g, _ in ids)

    def advance(
        self, snapshot: Snapshot, steps: int, every: int, stop: _native.StopFlag
    ) -> tuple[Snapshot, Info]:
        """Advance the chain; every step whose number is divisible by ``every`` is a draw."""
        chain = self.chain(snapshot)
        record = chain.advance(steps, every, stop)
        functions = tuple(tuple(tuple(term) for term in terms) for terms in chain.terms)
        layers = tuple(map(tuple, chain.layers))
        stream = _as_tuples(chain.stream)
        then = Snapshot(functions, layers, *stream, chain.step, snapshot.known)
        record["functions"] = FlatFunctions(*record["functions"])
        return then, Info(**record)

    def chain(self, snapshot: Snapshot) -> _native.Chain:
        """Build the native chain that continues from a snapshot."""
        return _native.Chain(
            self._problem,
            self.mix,
            self.empty_base,
            self.whole_base,
            list(self.growth),
            [list(term) for term in self.listed],
            list(self.listed.values()),
            list(self.betas),
            self.exchange_every,
            [[list(term) for term in terms] for terms in snapshot.functions],
            [list(layers) for layers in snapshot.layers],
            _native.Philox.resume(snapshot.key, snapshot.counter, snapshot.used),
            snapshot.step,
            [[list(term) for term in terms] for terms, _ in snapshot.known],
            [list(layers) for _, layers in snapshot.known],
        )


def _as_tuples(
    state: tuple[Sequence[int], Sequence[int], int],
) -> tuple[tuple[int, int], tuple[int, int, int, int], int]:
    (k0, k1), (c0, c1, c2, c3), used = state
    return (k0, k1), (c0, c1, c2, c3), used
