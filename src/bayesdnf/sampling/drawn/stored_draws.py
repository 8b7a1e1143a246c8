"""The draws of chains as arrays, and quantities that follow from the arrays alone."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...boolean import Literal
from ...boolean.literal import Value
from ...errors import InputError
from ...model.flat_functions import FlatFunctions
from ...model.posterior import marked_rows
from ...model.rule import Rule, layers_of, one_line

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def _as_it_is(literal: Literal) -> Literal:
    """Return the literal itself: texts name literals as they are."""
    return literal


@dataclass(frozen=True, eq=False)
class StoredDraws:
    """The arrays of a run, each distinct function or list stored once.

    :class:`~bayesdnf.Draws` describes each field, and adds probabilities, a diagnosis and files.
    """

    literals: tuple[Literal, ...]
    equal: tuple[tuple[Literal, ...], ...]
    functions: FlatFunctions
    log_prior: Floats
    log_likelihood: Floats
    cells: Ints
    rows: NDArray[np.uint64]
    index: Ints
    rates: Floats
    likelihoods: Floats
    betas: tuple[float, ...]
    tried: Ints
    changed: Ints
    exchanges_tried: Ints
    exchanged: Ints
    log_copies: Floats
    log_null: float = math.nan
    undrawn: tuple[tuple[str, float], ...] = ()
    settings: dict[str, Any] = field(default_factory=dict)
    strata: tuple[Value, ...] = ()
    write: Callable[[Literal], Literal] = _as_it_is

    @property
    def n_chains(self) -> int:
        """Number of chains."""
        return len(self.index)

    @property
    def n_draws(self) -> int:
        """Draws of each chain."""
        return int(self.index.shape[1])

    @property
    def n_functions(self) -> int:
        """Number of distinct functions or lists."""
        return len(self.log_prior)

    @cached_property
    def counts(self) -> Ints:
        """How often each chain drew each function: shape (n_chains, n_functions)."""
        return np.stack([np.bincount(row, minlength=self.n_functions) for row in self.index])

    @cached_property
    def frequency(self) -> Floats:
        """Share of all draws, by function."""
        return np.asarray(self.counts.sum(axis=0) / self.index.size)

    @cached_property
    def n_terms(self) -> Ints:
        """Number of terms m, by function."""
        return self.functions.n_terms

    @cached_property
    def n_literals(self) -> Ints:
        """Total number of literals Σk, by function."""
        return self.functions.n_literals

    @property
    def log_score(self) -> Floats:
        """Log posterior up to the evidence, by function."""
        return self.log_prior + self.log_likelihood

    @property
    def layers(self) -> int:
        """Maximum number of layers of a list; 1 for functions."""
        return int(self.cells.shape[2]) - 1

    @property
    def noun(self) -> str:
        """Noun for what is drawn: "function", or "list" if several layers are allowed."""
        return "function" if self.layers == 1 else "list"

    @cached_property
    def n_layers(self) -> Ints:
        """Number of layers G, by function or list."""
        return self.functions.n_layers.astype(np.int64)

    @property
    def simple(self) -> bool:
        """Whether there are two rates: one layer, no strata and two classes."""
        return self.layers == 1 and self.cells.shape[1::2] == (1, 2)

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return int(self.cells.shape[3])

    @property
    def marked(self) -> Ints:
        """Rows of each class that a function marks, or any layer of a list."""
        return marked_rows(self.cells)

    @property
    def pi0(self) -> Floats:
        """The drawn rates of unmarked rows, of functions without strata."""
        return self._rate(0)

    @property
    def pi1(self) -> Floats:
        """The drawn rates of marked rows, of functions without strata."""
        return self._rate(1)

    def _rate(self, part: int) -> Floats:
        if not self.simple:
            raise InputError("Lists, strata and classes have more than two rates; see Draws.rates.")
        return self.rates[:, :, 0, part]

    def function(self, number: int) -> Rule:
        """Convert a drawn function or list, given by its number, to an object."""
        if self.layers > 1:
            return self.functions.spelt_list(number, self.literals)
        return self.functions.spelt(number, self.literals)

    def numbers_of(self, rule: Rule) -> list[int]:
        """Return the numbers of a function or list among those drawn; empty if it was not."""
        n_terms = sum(map(len, layers_of(rule)))
        alike = (self.n_terms == n_terms) & (self.n_literals == rule.n_literals)
        # Compare sizes first: converting functions to objects is slow.
        return [i for i in np.flatnonzero(alike).tolist() if self.function(i) == rule]

    def text(self, number: int) -> str:
        """Format a drawn function or list on one line."""
        spell = self.functions.spelt_list if self.layers > 1 else self.functions.spelt
        return one_line(spell(number, self.written))

    @cached_property
    def written(self) -> tuple[Literal, ...]:
        """The literals as texts name them."""
        return tuple(map(self.write, self.literals))

    def holding(self, literals: Sequence[int] | Ints) -> NDArray[np.bool_]:
        """Return which functions hold each of some literals.

        Parameters
        ----------
        literals : ndarray of int
            Their numbers in ``literals``.

        Returns
        -------
        ndarray of bool, shape (len(literals), n_functions)

        Examples
        --------
        >>> from bayesdnf import BitMatrix, Posterior, sample, simulate
        >>> X, y, truth = simulate(300, 10, random_state=0)
        >>> posterior = Posterior(BitMatrix.from_table(X), y)
        >>> drawn = sample(posterior, draws=100, warmup=100, random_state=0)
        >>> drawn.holding([drawn.literals.index(truth.literals[0])])[0, 0]
        np.True_
        """
        place = np.full(len(self.literals), -1, dtype=np.int64)
        place[literals] = np.arange(len(literals))
        holder = np.repeat(np.arange(self.n_functions), self.n_literals)
        row = place[self.functions.literals]
        held = np.zeros((len(literals), self.n_functions), dtype=np.bool_)
        held[row[row >= 0], holder[row >= 0]] = True
        return held

    def scalars(self) -> dict[str, Floats]:
        """Return scalar quantities of the draws, each of shape (n_chains, n_draws)."""
        found = {
            "log_posterior": self.log_score[self.index],
            "terms": self.n_terms[self.index].astype(np.float64),
            "literals": self.n_literals[self.index].astype(np.float64),
        }
        if self.layers > 1:
            found["layers"] = self.n_layers[self.index].astype(np.float64)
        # No rates for lists and strata: equivalent lists can exchange parts, and the null function
        # lacks some, so a trace of one part's rate has no fixed meaning.
        return found | {"pi0": self.pi0, "pi1": self.pi1} if self.simple else found
