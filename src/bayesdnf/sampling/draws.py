"""Draws: the draws of all chains of a run, posterior summaries, and diagnostics."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..display import draws_html
from ..errors import MissingExtraError
from ..model.rule import as_rule, one_line, renamed
from .drawn import draws_file, draws_tree
from .drawn.probabilities import Probabilities, from_scores
from .drawn.shares import Answers, ChainShares, answers_of, inclusion_by_chain, top
from .drawn.stored_draws import StoredDraws
from .judging.chain_limits import counted_chains
from .judging.diagnostics import Diagnosis, diagnose
from .judging.verdict import Level

if TYPE_CHECKING:
    import os

    import pandas as pd
    import xarray as xr

    from ..boolean import Literal
    from ..model.posterior import Posterior

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Draws(StoredDraws):
    """Functions, or lists of layers, and rates drawn by several chains.

    A list counts as a function here wherever nothing else is said.

    Made by :func:`~bayesdnf.sampling.run.sample`. Of equal columns the first stands for all.

    Parameters
    ----------
    literals : tuple of Literal
        The literals in use; functions refer to them by number.
    equal : tuple of tuples of Literal
        For each of them the literals whose columns are equal to its own.
    functions : FlatFunctions
        Distinct functions, most frequent first, with the layer of each term.
    log_prior, log_likelihood : ndarray
        By function.
    cells : ndarray of shape (n_functions, n_strata, n_parts, n_classes)
        Positives and negatives of each part in each stratum, or the rows of each of more classes;
        part 1 is what a function marks. -1 in part 0 of draws from a file of version 1, which does
        not say.
    rows : ndarray of shape (n_functions, 2)
        Hash of the partition of the rows by a function.
    index : ndarray of shape (n_chains, n_draws)
        Number of the function of each draw.
    rates : ndarray of shape (n_chains, n_draws, n_strata, n_parts)
        The rates drawn with it; NaN for parts that a list does not have. With more than two classes
        a last axis has the share of each.
    likelihoods : ndarray of shape (n_chains, n_draws, n_temperatures)
        Log likelihood at each temperature.
    betas : tuple of float
        Inverse temperatures, 1 first.
    tried, changed : ndarray of shape (n_chains, n_moves)
        How often each kind of move was tried and changed the function, warm-up included.
    exchanges_tried, exchanged : ndarray of shape (n_chains, n_temperatures - 1)
        The same for exchanges between neighbouring temperatures.
    log_copies : ndarray
        By function: logarithm of the prior mass of its copies on equal columns over its own; NaN
        where it is not known.
    log_null : float
        Log score of the null function, drawn or not; -inf where it is not possible, NaN where it
        is not known.
    undrawn : tuple of (str, float)
        Functions that a search found or a chain started from and no chain drew, without the null
        function, and their log scores with those of their copies.
    settings : dict
        How they were drawn: kernel, seed, warm-up, thinning, why it stopped, a hash of the data.
    strata : tuple
        The labels of the strata; empty without strata.
    write : callable
        Called with a literal, returns it as texts name it; see :meth:`writing`.

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

    @cached_property
    def exact(self) -> Probabilities:
        """Probabilities by exact scores, with the overlap of the chains' draws."""
        known = [mass for _, mass in self.undrawn]
        # The null function's score is known even if it was never drawn, so it is part of the known
        # mass, a lower bound of the evidence.
        if not (self.n_terms == 0).any() and math.isfinite(self.log_null):
            known.append(self.log_null)
        return from_scores(self.averaged.index, self.log_mass, np.array(known))

    @cached_property
    def counted(self) -> Ints:
        """The chains that count in averages, by number.

        Excluded are chains stuck in a region with less than a thousandth of the known mass.
        """
        return counted_chains(self)

    @cached_property
    def averaged(self) -> Draws:
        """The draws of the counted chains, over which averages are taken."""
        if len(self.counted) == self.n_chains:
            return self
        by_chain = ("index", "rates", "likelihoods", "tried", "changed", "exchanges_tried")
        # Functions that only excluded chains drew stay: their exact scores are part of the known
        # mass, and the numbers of functions do not change.
        kept = {name: getattr(self, name)[self.counted] for name in (*by_chain, "exchanged")}
        return replace(self, **kept)

    @property
    def log_mass(self) -> Floats:
        """Log score by function, those of its copies on equal columns added."""
        return self.log_score + self.log_copies

    @cached_property
    def probability(self) -> Floats:
        """Probability of each function: by its exact score if possible, else its frequency.

        They add up to 1 with the functions that were never drawn.
        """
        found = self.exact.of(self.log_mass)
        return self.frequency if np.isnan(found).any() else found

    @property
    def at_most(self) -> Floats:
        """Upper bound of the probability by function, valid whatever the chains missed."""
        return np.nan_to_num(self.exact.at_most(self.log_mass), nan=1.0)

    @property
    def weights(self) -> Floats:
        """Share of each function in averages over the posterior; they add up to 1."""
        return np.asarray(self.exact.weights.mean(axis=0))

    @property
    def never_drawn(self) -> float:
        """Estimated probability of all functions that were never drawn."""
        # The error of the estimated evidence can make a small remainder negative.
        return max(0.0, 1.0 - float(self.probability.sum()))

    @property
    def only_null(self) -> bool:
        """Whether only the null function was drawn."""
        return not self.n_terms.any()

    @property
    def unseen(self) -> float:
        """Mean share of a chain's draws that no other chain drew."""
        return self.exact.unseen

    @property
    def null_frequency(self) -> float:
        """Share of draws of the null function."""
        return float(self.frequency[self.n_terms == 0].sum())

    @property
    def null_probability(self) -> float:
        """Probability of the null function, drawn or not: no marker at all."""
        found = float(self.exact.of(self.log_null))
        return self.null_frequency if math.isnan(found) else found

    @property
    def null_at_most(self) -> float:
        """Upper limit of the probability of the null function."""
        return float(np.nan_to_num(self.exact.at_most(self.log_null), nan=1.0))

    @cached_property
    def answers(self) -> Answers:
        """What to show, most probable first.

        Each function; of lists one for all that partition the rows in the same way.
        """
        return answers_of(self, merged=self.layers > 1)

    def top(self, most: int | None = None, *, merged: bool | None = None) -> pd.DataFrame:
        """Return the most probable functions or lists.

        Parameters
        ----------
        most : int, optional
            Maximum number of rows; all by default.
        merged : bool, optional
            Whether to show one row for all with the same partition of the rows of the table, which
            the data cannot distinguish. By default lists are merged and functions are not.

        Returns
        -------
        DataFrame
            ``function``, ``probability`` (by its exact score), ``at_most`` (its upper limit),
            ``frequency`` (share of draws), ``log_posterior`` (log prior plus log likelihood),
            ``terms``, ``literals``, for lists ``layers``, and ``same_rows``, the
            probability of all functions that mark the same rows, or of all lists that
            partition the rows in the same way. Merged, a row is the most probable of those, with
            ``same_rows`` before ``probability``, and highest first.

        Examples
        --------
        >>> from bayesdnf import BitMatrix, Posterior, sample, simulate
        >>> X, y, truth = simulate(300, 10, random_state=0)
        >>> posterior = Posterior(BitMatrix.from_table(X), y, layers=2)
        >>> drawn = sample(posterior, draws=200, warmup=100, random_state=0)
        >>> list(drawn.top().columns)  # doctest: +NORMALIZE_WHITESPACE
        ['function', 'same_rows', 'probability', 'at_most', 'frequency', 'log_posterior', 'terms',
        'literals', 'layers']
        >>> len(drawn.top()) < len(drawn.top(merged=False)) == drawn.n_functions
        True
        """
        return top(self, most, self.layers > 1 if merged is None else merged)

    def writing(self, write: Callable[[Literal], Literal]) -> Draws:
        """Return the same draws with other names of literals in all texts.

        Parameters
        ----------
        write : callable
            Called with a literal, returns it as texts should name it.

        Examples
        --------
        >>> from bayesdnf import BitMatrix, Posterior, sample, simulate
        >>> from bayesdnf.boolean import Literal
        >>> X, y, truth = simulate(300, 10, random_state=0)
        >>> posterior = Posterior(BitMatrix.from_table(X), y)
        >>> drawn = sample(posterior, draws=200, warmup=100, random_state=0)
        >>> drawn.writing(lambda x: Literal(x.attribute.upper(), x.operator)).text(0)
        '(X0 AND X1) OR (X2 AND X3)'
        """
        undrawn = [(as_rule(text), mass) for text, mass in self.undrawn]
        texts = [(one_line(renamed(rule, write)), mass) for rule, mass in undrawn]
        return replace(self, write=write, undrawn=tuple(texts))

    def inclusion(self, kind: str, least: float = 0.0) -> pd.DataFrame:
        """Return inclusion probabilities of literals, attributes, terms or pairs.

        Parameters
        ----------
        kind : {"literal", "attribute", "term", "pair", "attribute pair"}
            A pair is two literals of one term, or their attributes.
        least : float, default=0
            Leave out what is less probable.

        Returns
        -------
        DataFrame
            ``kind``, ``what``, ``probability``, most probable first, ``frequency`` (share of
            draws), and ``equal``, for a literal the literals whose columns are equal to its own,
            any of which it may stand for.
        """
        import pandas as pd

        shares = self.inclusion_by_chain(kind)
        probability, frequency = shares.probability, shares.frequency.mean(axis=0)
        order = np.argsort(-probability, kind="stable")
        order = order[probability[order] >= least]
        return pd.DataFrame(
            {
                "kind": kind,
                "what": [shares.names[i] for i in order],
                "probability": probability[order],
                "frequency": frequency[order],
                "equal": [shares.equal[i] for i in order],
            }
        )

    def inclusion_by_chain(self, kind: str) -> ChainShares:
        """Return the same with the share of each chain's draws."""
        return inclusion_by_chain(self, kind)

    def _repr_html_(self) -> str:
        return draws_html.as_html(self)

    # Judged, and elsewhere ------------------------------------------------------------------------

    def diagnose(self) -> Diagnosis:
        """Diagnose the chains: R-hat, effective sample sizes, agreement, acceptance rate, verdict.

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
        Too few draws to diagnose: 50 of each chain; at least 100 are needed. Run longer.
        """
        return self._diagnosis

    @cached_property
    def _diagnosis(self) -> Diagnosis:
        return diagnose(self)

    @property
    def level(self) -> Level | None:
        """Level of the verdict; None without ArviZ, which computes the diagnostics."""
        try:
            return self.diagnose().level
        except MissingExtraError:
            return None

    @property
    def doubt(self) -> str:
        """Reason not to use the draws; empty if there is none, or it is unknown."""
        return "" if self.level in (None, Level.FINE) else self.diagnose().verdict

    @property
    def settled(self) -> bool:
        """Whether probabilities can be shown, and not only upper bounds and odds."""
        return self.level != Level.APART

    def to_dataframe(self) -> pd.DataFrame:
        """Return one row for each draw.

        Returns
        -------
        DataFrame
            ``chain`` and ``draw``, counted from 1, ``function`` (its text, that of a list on one
            line), ``terms``, ``literals``, for lists ``layers``, for functions without strata
            ``pi0`` and ``pi1``, and ``log_posterior``.

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
        self,
        posterior: Posterior | None = None,
        log_likelihood: bool = False,
        predictive: bool = False,
    ) -> xr.DataTree:
        """Convert the draws to an ArviZ DataTree.

        Parameters
        ----------
        posterior : Posterior, optional
            The sampled posterior, for the observed outcome and the log likelihood of each row.
        log_likelihood : bool, default=False
            Whether to add log P(y | function, rates) of every row at every draw, for LOO. Needs
            the posterior, and 8 bytes for each row of each draw.
        predictive : bool, default=False
            Whether to add outcomes drawn for every row at every draw, and sizes of functions drawn
            from the prior. Needs the posterior, and a byte for each row of each draw.

        Returns
        -------
        DataTree
            Groups ``posterior`` (``pi0``, ``pi1``, ``terms``, ``literals``, ``log_posterior``, and
            ``inclusion`` of each ``literal``; for lists also ``layers``, for lists or with strata
            ``rates`` by ``stratum`` and ``part`` in place of ``pi0`` and ``pi1``, NaN for parts
            that a list does not have), ``sample_stats`` (``function``, the number of the function;
            ``lp``; ``moved``, whether the function is another than that of the draw before;
            ``likelihoods``, the log likelihood at each ``inverse_temperature``), with a posterior
            ``observed_data`` (``y``, 1 for positive), and if asked for ``log_likelihood``, or
            ``posterior_predictive`` (``y``) and ``prior`` (``terms``, ``literals``, for lists
            ``layers``). Chains and draws are counted from 1.

        Raises
        ------
        InputError
            When the posterior is not the one that was sampled, or has no likelihood row by row.
        OutOfMemoryError
            When the log likelihoods would not fit in memory.

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
        return draws_tree.to_datatree(self, posterior, log_likelihood, predictive)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the draws to one NetCDF file, atomically; ArviZ reads it too.

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
        """Read draws that :meth:`save` wrote, in this or an earlier version.

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
