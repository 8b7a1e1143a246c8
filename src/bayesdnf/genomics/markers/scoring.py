"""Scores of functions on some variants of a study, at the prices of the whole of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...model.effect import Effect
from ...model.posterior import Posterior
from ...model.prior import Prior
from ..chromosomes import chromosome_order
from ..genotypes import Genotypes


@dataclass(frozen=True, eq=False)
class Scoring:
    """What a function on any of a study's variants scores.

    Parameters
    ----------
    genotypes : Genotypes
        Every variant that a marker may use: their literals are the p of the prior.
    y : ndarray of bool
        Cases.
    prior, effect : Prior, Effect
        As everywhere.
    codings : tuple of str
        Literals on offer of each variant.
    negations : bool
        Whether their negations are on offer.
    gap : int
        Variants of one chromosome closer than so many base pairs never stand in one term.
    """

    genotypes: Genotypes
    y: NDArray[np.bool_]
    prior: Prior
    effect: Effect
    codings: tuple[str, ...]
    negations: bool
    gap: int = 0

    @property
    def n_literals(self) -> int:
        """Literals on offer in all."""
        return self.genotypes.n_variants * len(self.codings) * (2 if self.negations else 1)

    def on(self, variants: Sequence[int] | NDArray[np.intp]) -> Posterior:
        """Return the posterior of functions on some variants.

        Parameters
        ----------
        variants : sequence of int
            Their numbers.
        """
        some = self.take(variants)
        prior = self.prior
        if self.gap > 0 and (near := self._near(some)):
            apart = [*(prior.apart or ()), *near]
            prior = Prior(**{**prior.get_params(deep=False), "apart": apart})
        bits = some.bits(self.codings, self.negations)
        # The prior counts the literals of the whole study: a screen makes no function cheaper.
        return Posterior(bits, self.y, prior, self.effect, among=self.n_literals)

    def take(self, variants: Sequence[int] | NDArray[np.intp]) -> Genotypes:
        """Return some of the variants, under the names that they have among all."""
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
