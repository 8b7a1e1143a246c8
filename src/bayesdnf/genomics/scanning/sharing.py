"""Studies on workers: a packed study that workers memory-map, and the arrays of one run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from ...files.packed import PackedFile, place_of, write_packed
from ...remote.clusters import Cluster
from ...remote.on_worker import PackedReference, once, open_packed
from ...remote.spilling import spill_folder, spilled
from ..chromosomes import chromosome_order
from ..genotypes import Genotypes
from ..packing import KIND, genotypes_of, save_study
from ..study import Study

_RUN = "run on a study"


class SharedCalls(NamedTuple):
    """References to genotypes and outcomes in packed files, for tasks."""

    study: PackedReference
    run: PackedReference
    """Outcomes, places of variants, and whatever else this run needs of each sample."""

    @classmethod
    @contextmanager
    def of(
        cls, genotypes: Genotypes, y: NDArray[np.bool_], cluster: Cluster, **more: NDArray[Any]
    ) -> Iterator[SharedCalls]:
        """Share genotypes for the duration of a ``with`` block; packed studies stay in their file.

        Parameters
        ----------
        genotypes, y
            The data to share.
        cluster : Cluster
            The cluster whose workers use them.
        **more
            Further arrays.
        """
        place = place_of(genotypes.planes)
        if place is not None and (place.kind, place.name) == (KIND, "planes"):
            study = PackedReference(place.path, place.kind, place.sha256)
        else:
            whole = Study(genotypes, y)
            study = spilled(genotypes, KIND, lambda path: save_study(whole, path), cluster)
        path = spill_folder(cluster) / f"bayesdnf-{uuid4().hex[:16]}.pack"
        try:
            arrays = {
                "y": y,
                "chromosome": chromosome_order(genotypes.variants["CHR"]),
                "position": genotypes.variants["POS"].to_numpy(dtype=np.int64),
                **more,
            }
            sha256 = write_packed(path, _RUN, {}, arrays)
            yield cls(study, PackedReference(str(path), _RUN, sha256))
        finally:
            path.unlink(missing_ok=True)

    def open(self) -> PackedFile:
        """Open the arrays of this run on a worker."""
        return open_packed(self.run)

    def planes(self) -> NDArray[np.uint64]:
        """Return the calls on a worker, memory-mapped from the file."""
        return open_packed(self.study)["planes"]

    def genotypes(self) -> Genotypes:
        """Return the calls with the names of samples and variants on a worker."""
        return once((self.study, "genotypes"), lambda: genotypes_of(open_packed(self.study)))
