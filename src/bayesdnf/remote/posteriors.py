"""Posteriors on workers: a packed table and a few numbers instead of the data."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from ..data.bits import BitMatrix
from ..model.effect import Effect
from ..model.posterior import Posterior
from ..model.prior import Prior
from .clusters import Cluster
from .on_worker import PackedReference, once, open_packed
from .spilling import spilled

_TABLE = "table"


class SharedPosterior(NamedTuple):
    """Posterior as tasks carry it: a worker builds it from these fields."""

    fingerprint: str
    table: PackedReference
    """Canonical rows."""
    pooled: tuple[PackedReference, ...]
    """The same without strata and with two classes, where that differs: ``of_classes``."""
    prior: Prior
    effect: Effect
    layers: int
    n_strata: int
    n_classes: int
    among: int

    @classmethod
    def of(cls, posterior: Posterior, cluster: Cluster) -> SharedPosterior:
        """Pack a posterior's table into a file that workers can read, once.

        Parameters
        ----------
        posterior : Posterior
            The posterior.
        cluster : Cluster
            With whose workers.
        """
        pooled: tuple[PackedReference, ...] = ()
        if posterior.n_strata > 1 or posterior.n_classes > 2:
            pooled = tuple(_packed(own, cluster) for own in posterior.of_classes)
        return cls(
            posterior.fingerprint, _packed(posterior, cluster), pooled, posterior.prior,
            posterior.effect, posterior.layers, posterior.n_strata, posterior.n_classes,
            posterior.among,
        )  # fmt: skip

    def open(self) -> Posterior:
        """Return the posterior, on a worker; its table stays in the file."""
        return once((self.table, self.fingerprint), self._made)

    def _made(self) -> Posterior:
        posterior = Posterior.of_canonical(
            _bits(self.table), self.prior, self.effect, self.among, self.layers, self.n_strata,
            self.n_classes,
        )  # fmt: skip
        if self.pooled:
            # Set the cached property: it is computed from the raw rows, which stay on the client.
            posterior.of_classes = tuple(
                Posterior.of_canonical(_bits(own), self.prior, self.effect, self.among)
                for own in self.pooled
            )
        return posterior


def _packed(posterior: Posterior, cluster: Cluster) -> PackedReference:
    bits = posterior.bits
    # Searches and chains do not need the map from samples to rows.
    rows = BitMatrix(bits.planes, bits.table, bits.segments, counts=bits.counts)

    def write(path: Path) -> str:
        return rows.save(path)

    return spilled(posterior, _TABLE, write, cluster)


def _bits(reference: PackedReference) -> BitMatrix:
    return BitMatrix.of_packed(open_packed(reference))
