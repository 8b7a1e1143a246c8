"""Scores of functions on some variants of a study, with the prior cost of all its variants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...boolean import BooleanFunction
from ...data.planes.plane_layout import Words
from ...model.effect import Effect
from ...model.posterior import Posterior
from ...model.prior import Prior
from ..chromosomes import chromosome_order
from ..genotypes import Genotypes
from .spelling import literal_counts, literal_words

Floats = NDArray[np.float64]

_STRETCH = 1 << 12  # variants per batch


@dataclass(frozen=True, eq=False)
class Scoring:
    """Scores of functions on any variants of a study.

    Parameters
    ----------
    genotypes : Genotypes
        All variants that a marker may use; the prior's p is the number of their literals.
    y : ndarray of bool
        Cases.
    prior, effect : Prior, Effect
        The priors on functions and on rates.
    codings : tuple of str
        Literals of each variant.
    negations : bool
        Whether to include their negations.
    gap : int
        Minimum distance in base pairs of two variants of one chromosome in a term.
    strata : ndarray of int, optional
        The stratum of each sample; each stratum has its own rates.
    """

    genotypes: Genotypes
    y: NDArray[np.bool_]
    prior: Prior
    effect: Effect
    codings: tuple[str, ...]
    negations: bool
    gap: int = 0
    strata: NDArray[np.intp] | None = None

    @property
    def n_literals(self) -> int:
        """Total number of literals."""
        return self.genotypes.n_variants * len(self.codings) * (2 if self.negations else 1)

    @property
    def n_strata(self) -> int:
        """Number of strata; 1 without strata."""
        return 1 if self.strata is None else int(self.strata.max()) + 1

    def on(self, variants: Sequence[int] | NDArray[np.intp], layers: int = 1) -> Posterior:
        """Return the posterior of functions on some variants, or of lists of layers.

        Parameters
        ----------
        variants : sequence of int
            Their numbers.
        layers : int, default=1
            Maximum number of layers of a list; 1 for functions.
        """
        some = self.take(variants)
        prior = self.prior
        if self.gap > 0 and (near := self._near(some)):
            apart = [*(prior.apart or ()), *near]
            prior = Prior(**{**prior.get_params(deep=False), "apart": apart})
        bits = some.bits(self.codings, self.negations)
        # The prior counts the literals of the whole study, so screening does not change it.
        return Posterior(
            bits, self.y, prior, self.effect, among=self.n_literals, layers=layers,
            strata=self.strata,
        )  # fmt: skip

    def take(self, variants: Sequence[int] | NDArray[np.intp]) -> Genotypes:
        """Return some of the variants, with their names in the whole study."""
        where = np.asarray(variants, dtype=np.intp)
        names = self.genotypes.names
        return self.genotypes.take(variants=where).renamed([names[v] for v in where])

    def _near(self, some: Genotypes) -> list[list[str]]:
        chromosome = chromosome_order(some.variants["CHR"])
        position = some.variants["POS"].to_numpy(dtype=np.int64)
        names = some.names
        first, second = np.triu_indices(some.n_variants, 1)
        close = chromosome[first] == chromosome[second]
        close &= np.abs(position[first] - position[second]) < self.gap
        return [[names[i], names[j]] for i, j in zip(first[close], second[close], strict=True)]

    # Counts of all variants at once ---------------------------------------------------------------

    @cached_property
    def classes(self) -> list[Words]:
        """Cases of each stratum, then controls of each, as packed masks of samples."""
        number = np.zeros(len(self.y), dtype=np.intp) if self.strata is None else self.strata
        return [
            self.genotypes.mask((number == s) & (self.y == case))
            for case in (True, False)
            for s in range(self.n_strata)
        ]

    @cached_property
    def class_sizes(self) -> NDArray[np.int64]:
        """Number of samples in each of ``classes``."""
        return self.count(np.full_like(self.classes[0], ~np.uint64(0)))

    def count(self, marked: Words) -> NDArray[np.int64]:
        """Count marked samples, packed as words, by class on the last axis."""
        return np.stack(
            [np.bitwise_count(marked & own).sum(axis=-1, dtype=np.int64) for own in self.classes],
            axis=-1,
        )

    def words(self, function: BooleanFunction) -> Words:
        """Pack the samples that a function marks."""
        marked = np.zeros_like(self.classes[0])
        for term in function.literal_terms:
            held = np.full_like(marked, ~np.uint64(0))
            for literal in term:
                planes = self.genotypes.planes[self.genotypes.place[literal.attribute]]
                held &= literal_words(planes, literal.operator)
            marked |= held
        return marked

    def literal_factors(
        self, samples: Words, codes: Sequence[str], marked: NDArray[np.int64]
    ) -> Floats:
        """Return log Bayes factors, by variant and coding, of adding a literal within samples.

        Parameters
        ----------
        samples : ndarray of uint64
            The samples that the literal may mark in addition, packed.
        codes : sequence of str
            Literals of each variant.
        marked : ndarray of int
            Number of other marked samples, by class.
        """
        masks = [samples & own for own in self.classes]
        factors = np.empty((self.genotypes.n_variants, len(codes)))
        # In batches: counts by coding and class take more memory than the calls.
        for start in range(0, len(factors), _STRETCH):
            some = slice(start, start + _STRETCH)
            counts = self.genotypes.between(start, start + _STRETCH).counts_in(masks)
            added = np.moveaxis(literal_counts(counts, codes), 0, -1)
            factors[some] = self.log_factors(added + marked)
        return factors

    def log_factors(self, marked: NDArray[np.int64]) -> Floats:
        """Return log Bayes factors against no marker from counts of marked samples by class.

        They are exact with strata. Without strata, if the rates are ordered, the factor of the
        order is replaced by 1 if marked samples have more cases, else by 0.
        """
        from scipy.special import betaln

        e, s = self.effect, self.n_strata
        cases, controls = marked[..., :s], marked[..., s:]
        n_cases, n_controls = self.class_sizes[:s], self.class_sizes[s:]
        # Beta-binomial marginal likelihoods, B(a + cases, b + controls) / B(a, b), of marked and
        # unmarked samples, multiplied over strata (docs/model.md, "Likelihood").
        null = (betaln(e.a + n_cases, e.b + n_controls) - betaln(e.a, e.b)).sum()
        if e.pi0 is not None and e.pi1 is not None:
            log = [np.log(r) for r in (e.pi1, 1 - e.pi1, e.pi0, 1 - e.pi0)]
            value = cases * log[0] + controls * log[1]
            value = value + (n_cases - cases) * log[2] + (n_controls - controls) * log[3]
        else:
            value = betaln(e.a1 + cases, e.b1 + controls) - betaln(e.a1, e.b1)
            value += betaln(e.a0 + n_cases - cases, e.b0 + n_controls - controls)
            value -= betaln(e.a0, e.b0)
        factors = value.sum(axis=-1) - null
        if s == 1 and e.ordered is not False:
            # The factor of the order is nearly constant if marked samples have more cases and near
            # 0 otherwise (docs/model.md, "Order"); for ranking, the sign is enough.
            factors = np.where(self.raised(marked) >= 0, factors, -np.inf)
        return np.asarray(factors)

    def raised(self, marked: NDArray[np.int64]) -> Floats:
        """Return the Mantel-Haenszel difference: above 0 if marked samples have more cases."""
        s = self.n_strata
        a, b = marked[..., :s], marked[..., s:]
        c, d = self.class_sizes[:s] - a, self.class_sizes[s:] - b
        return np.asarray(((a * d - b * c) / np.maximum(1, a + b + c + d)).sum(axis=-1))
