"""Draws: what the chains of a run drew, each distinct function stored once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import _native
from ..boolean import BooleanFunction, Literal
from ..display import draws_html
from ..errors import ParameterError
from ..model.flat_functions import FlatFunctions
from . import draws_file, draws_tree
from .diagnostics import Diagnosis, diagnose

if TYPE_CHECKING:
    import os

    import pandas as pd
    import xarray as xr

    from ..model.posterior import Posterior

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Draws:
    """Functions and rates drawn by several chains.

    Made by :func:`~bayesdnf.sampling.run.sample`. Of equal columns the first stands for all.

    Parameters
    ----------
    literals : tuple of Literal
        The literals in use; functions refer to them by number.
    equal : tuple of tuples of Literal
        For each of them the literals whose columns are equal to its own.
    functions : FlatFunctions
        Distinct functions, most frequent first.
    log_prior, log_likelihood : ndarray
        By function.
    marked : ndarray of shape (n_functions, 2)
        Marked positives and marked negatives.
    rows : ndarray of shape (n_functions, 2)
        Hash of the rows that a function marks.
    index : ndarray of shape (n_chains, n_draws)
        Number of the function of each draw.
    pi0, pi1 : ndarray of shape (n_chains, n_draws)
        The rates drawn with it.
    likelihoods : ndarray of shape (n_chains, n_draws, n_temperatures)
        Log likelihood at each temperature.
    betas : tuple of float
        Inverse temperatures, 1 first.
    tried, changed : ndarray of shape (n_chains, n_moves)
        How often each kind of move was tried and changed the function, warm-up included.
    exchanges_tried, exchanged : ndarray of shape (n_chains, n_temperatures - 1)
        The same for exchanges between neighbouring temperatures.
    settings : dict
        How they were drawn: kernel, seed, warm-up, thinning, why it stopped, a hash of the data.

    Examples
    --------
    >>> from bayesdnf import BitMatrix, Posterior, sample, simulate
    >>> X, y, truth = simulate(300, 10, random_state=0)
    >>> posterior = Posterior(BitMatrix.from_table(X), y)
    >>> drawn = sample(posterior, draws=200, warmup=100, random_state=0)
    >>> print(drawn.function(0))
    (x0 AND x1) OR (x2 AND x3)
    >>> drawn.inclusion("attribute", least=0.5)["what"].tolist()
    ['x0', 'x1', 'x2', 'x3']
    """

    literals: tuple[Literal, ...]
    equal: tuple[tuple[Literal, ...], ...]
    functions: FlatFunctions
    log_prior: Floats
    log_likelihood: Floats
    marked: Ints
    rows: NDArray[np.uint64]
    index: Ints
    pi0: Floats
    pi1: Floats
    likelihoods: Floats
    betas: tuple[float, ...]
    tried: Ints
    changed: Ints
    exchanges_tried: Ints
    exchanged: Ints
    settings: dict[str, Any] = field(default_factory=dict)

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
        """Number of distinct functions."""
        return len(self.log_prior)

    @cached_property
    def counts(self) -> Ints:
        """How often each chain drew each function: shape (n_chains, n_functions)."""
        return np.stack([np.bincount(row, minlength=self.n_functions) for row in self.index])

    @cached_property
    def probability(self) -> Floats:
        """Share of all draws, by function."""
        return np.asarray(self.counts.sum(axis=0) / self.index.size)

    @cached_property
    def n_terms(self) -> Ints:
        """Number of terms m, by function."""
        return np.diff(self.functions.term_starts)

    @cached_property
    def n_literals(self) -> Ints:
        """Total number of literals Σk, by function."""
        ends = self.functions.literal_starts[self.functions.term_starts]
        return np.diff(ends)

    @property
    def log_score(self) -> Floats:
        """Log posterior up to the evidence, by function."""
        return self.log_prior + self.log_likelihood

    def function(self, number: int) -> BooleanFunction:
        """Spell out a function."""
        return self.functions.spelt(number, self.literals)

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

    @property
    def null_probability(self) -> float:
        """Share of draws of the null function: no marker at all."""
        return float(self.probability[self.n_terms == 0].sum())

    def scalars(self) -> dict[str, Floats]:
        """Return what a draw comes to in numbers, each of shape (n_chains, n_draws)."""
        return {
            "log_posterior": self.log_score[self.index],
            "terms": self.n_terms[self.index].astype(np.float64),
            "literals": self.n_literals[self.index].astype(np.float64),
            "pi0": self.pi0,
            "pi1": self.pi1,
        }

    def top(self, most: int | None = None) -> pd.DataFrame:
        """Return the most probable functions.

        Parameters
        ----------
        most : int, optional
            How many; all by default.

        Returns
        -------
        DataFrame
            ``function``, ``probability`` (share of draws), ``log_posterior`` (log prior plus log
            likelihood), ``terms``, ``literals``, and ``same_rows``, the probability of all
            functions that mark the same rows of the table: the data cannot tell those apart.
        """
        import pandas as pd

        _, group = np.unique(self.rows, axis=0, return_inverse=True)
        together = np.bincount(group.ravel(), weights=self.probability)[group.ravel()]
        shown = range(self.n_functions if most is None else min(most, self.n_functions))
        n = len(shown)
        return pd.DataFrame(
            {
                "function": [self.function(i) for i in shown],
                "probability": self.probability[:n],
                "log_posterior": self.log_score[:n],
                "terms": self.n_terms[:n],
                "literals": self.n_literals[:n],
                "same_rows": together[:n],
            }
        )

    def inclusion(self, kind: str, least: float = 0.0) -> pd.DataFrame:
        """Return how probable it is that a function holds a literal, an attribute, a term, a pair.

        Parameters
        ----------
        kind : {"literal", "attribute", "term", "pair"}
            A pair is two literals that stand in one term.
        least : float, default=0
            Leave out what is less probable.

        Returns
        -------
        DataFrame
            ``kind``, ``what``, ``probability``, most probable first; and ``equal``, for a literal
            the literals whose columns are equal to its own, any of which it may stand for.
        """
        import pandas as pd

        shares = self.inclusion_by_chain(kind)
        probability = shares.probability.mean(axis=0)
        order = np.argsort(-probability, kind="stable")
        order = order[probability[order] >= least]
        return pd.DataFrame(
            {
                "kind": kind,
                "what": [shares.names[i] for i in order],
                "probability": probability[order],
                "equal": [shares.equal[i] for i in order],
            }
        )

    def inclusion_by_chain(self, kind: str) -> ChainShares:
        """Return the same for each chain."""
        function, item, names, equal = self._items(kind)
        # An item counts once for a function, however many of its terms hold it.
        pairs = np.unique(function * max(1, len(names)) + item)
        function, item = np.divmod(pairs, max(1, len(names)))
        shares = np.stack(
            [
                np.bincount(item, weights=row[function], minlength=len(names)) / self.n_draws
                for row in self.counts.astype(np.float64)
            ]
        )
        return ChainShares(names, equal, shares)

    def _items(self, kind: str) -> tuple[Ints, Ints, list[str], list[str]]:
        """List (function, item) pairs, and the items' names and equals."""
        term_of = np.repeat(
            np.arange(len(self.functions.literal_starts) - 1),
            np.diff(self.functions.literal_starts),
        )
        function_of_term = np.repeat(np.arange(self.n_functions), self.n_terms)
        literal = self.functions.literals.astype(np.int64)
        texts = [str(x) for x in self.literals]
        if kind == "literal":
            equal = [", ".join(map(str, others)) for others in self.equal]
            return function_of_term[term_of], literal, texts, equal
        if kind == "attribute":
            names = sorted({x.attribute for x in self.literals})
            number = {name: i for i, name in enumerate(names)}
            attribute = np.array([number[x.attribute] for x in self.literals], dtype=np.int64)
            return function_of_term[term_of], attribute[literal], names, [""] * len(names)
        if kind == "term":
            catalogue = _native.Catalogue()
            alone = np.arange(len(self.functions.literal_starts), dtype=np.int64)
            item = catalogue.number(alone, self.functions.literal_starts, self.functions.literals)
            _, starts, held = catalogue.flat
            names = [
                " AND ".join(sorted(texts[i] for i in held[starts[t] : starts[t + 1]]))
                for t in range(len(starts) - 1)
            ]
            return function_of_term, item, names, [""] * len(names)
        if kind == "pair":
            first, second = pairs_within(self.functions.literal_starts)
            low = np.minimum(literal[first], literal[second])
            high = np.maximum(literal[first], literal[second])
            kinds, item = np.unique(low * len(texts) + high, return_inverse=True)
            names = [" AND ".join((texts[k // len(texts)], texts[k % len(texts)])) for k in kinds]
            return function_of_term[term_of[first]], item, names, [""] * len(names)
        raise ParameterError.of(
            "kind", "Draws.inclusion", "'literal', 'attribute', 'term' or 'pair'", kind
        )

    def _repr_html_(self) -> str:
        return draws_html.as_html(self)

    # Judged, and elsewhere ------------------------------------------------------------------------

    def diagnose(self) -> Diagnosis:
        """Judge the chains: R-hat, effective sizes, agreement, acceptance, and a verdict in words.

        Returns
        -------
        Diagnosis
            Print it to read it; ``quantities``, ``agreement``, ``acceptance``, ``ok`` and
            ``verdict`` hold its parts.

        Examples
        --------
        >>> from bayesdnf import BitMatrix, Posterior, sample, simulate
        >>> X, y, truth = simulate(300, 10, random_state=0)
        >>> posterior = Posterior(BitMatrix.from_table(X), y)
        >>> drawn = sample(posterior, draws=50, warmup=50, random_state=0)
        >>> print(drawn.diagnose().verdict)
        Too few draws to judge by: 50 of each chain, where 100 are the least. Run longer.
        """
        return diagnose(self)

    def to_dataframe(self) -> pd.DataFrame:
        """Return one row for each draw.

        Returns
        -------
        DataFrame
            ``chain`` and ``draw``, counted from 1, ``function`` (its text), ``terms``,
            ``literals``, ``pi0``, ``pi1`` and ``log_posterior``.

        Examples
        --------
        >>> from bayesdnf import BitMatrix, Posterior, sample, simulate
        >>> X, y, truth = simulate(300, 10, random_state=0)
        >>> posterior = Posterior(BitMatrix.from_table(X), y)
        >>> drawn = sample(posterior, draws=100, warmup=100, random_state=0)
        >>> table = drawn.to_dataframe()
        >>> table["function"].mode()[0]
        '(x0 AND x1) OR (x2 AND x3)'
        """
        return draws_tree.to_dataframe(self)

    def to_datatree(
        self, posterior: Posterior | None = None, log_likelihood: bool = False
    ) -> xr.DataTree:
        """Return the draws as ArviZ takes them.

        Parameters
        ----------
        posterior : Posterior, optional
            What was sampled, for the observed outcome and the log likelihood of each row.
        log_likelihood : bool, default=False
            Whether to add log P(y | function, π0, π1) of every row at every draw, for LOO. Needs
            the posterior, and 8 bytes for each row of each draw.

        Returns
        -------
        DataTree
            Groups ``posterior``, ``sample_stats`` and, with a posterior, ``observed_data`` and
            ``log_likelihood``; chains and draws are counted from 1.

        Examples
        --------
        >>> from bayesdnf import BitMatrix, Posterior, sample, simulate
        >>> X, y, truth = simulate(300, 10, random_state=0)
        >>> posterior = Posterior(BitMatrix.from_table(X), y)
        >>> drawn = sample(posterior, draws=100, warmup=100, random_state=0)
        >>> tree = drawn.to_datatree(posterior, log_likelihood=True)
        >>> sorted(tree.children)
        ['log_likelihood', 'observed_data', 'posterior', 'sample_stats']
        >>> tree["log_likelihood"]["y"].shape
        (4, 100, 300)
        """
        return draws_tree.to_datatree(self, posterior, log_likelihood)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the draws to one NetCDF file, whole or not at all; ArviZ reads it too.

        Parameters
        ----------
        path : path
            The file.

        Examples
        --------
        >>> import tempfile, pathlib
        >>> from bayesdnf import BitMatrix, Draws, Posterior, sample, simulate
        >>> X, y, truth = simulate(300, 10, random_state=0)
        >>> posterior = Posterior(BitMatrix.from_table(X), y)
        >>> drawn = sample(posterior, draws=100, warmup=100, random_state=0)
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "draws.nc"
        >>> drawn.save(path)
        >>> bool((Draws.load(path).pi1 == drawn.pi1).all())
        True
        """
        draws_file.save(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Draws:
        """Read the draws that :meth:`save` wrote, exactly as they were.

        Raises
        ------
        InputError
            When the file is damaged, holds something else, or was written by a later version.

        Examples
        --------
        >>> from bayesdnf import Draws
        >>> Draws.load("no such file.nc")
        Traceback (most recent call last):
            ...
        bayesdnf.errors.InputError: Cannot read no such file.nc: No such file or directory.
        """
        return cls(**draws_file.read(path)[0])


@dataclass(frozen=True)
class ChainShares:
    """How often each chain's functions held each of some items."""

    names: Sequence[str]
    equal: Sequence[str]
    probability: Floats
    """Of shape (n_chains, n_items)."""


def pairs_within(starts: Ints) -> tuple[Ints, Ints]:
    """Every pair of places i < j that lie in one run, runs given by their starts."""
    sizes = np.diff(starts)
    ahead = np.repeat(starts[1:], sizes) - np.arange(starts[-1]) - 1  # later places in the run
    first = np.repeat(np.arange(starts[-1]), ahead)
    offset = np.arange(len(first)) - np.repeat(np.cumsum(ahead) - ahead, ahead)
    return first, first + 1 + offset
