"""Triples on a GPU: the same findings as on the CPU; without a GPU, which blocks are counted."""

import itertools

import numpy as np
import pytest

from bayesdnf import Effect
from bayesdnf.errors import InputError
from bayesdnf.genomics import scan
from bayesdnf.genomics.scanning import cuda_triples
from bayesdnf.genomics.scanning.cuda_triples import CudaTriples
from tests.genomics.scanning.paired import study
from tests.gpu.present import needs_gpu


@pytest.mark.parametrize("size", [3, 63, 64, 65, 128, 129, 200])
def test_blocks_hold_every_triple_once(size):
    """As the kernel reads them: pairs of a block that come after the first variant, and rise."""
    triples = object.__new__(CudaTriples)
    triples._size, triples._room = size, -(-size // 128) * 128
    for first in {0, 1, size // 2, size - 3, 62, 63, 64} & set(range(size - 2)):
        items = triples._items(5, first)
        assert (items[:, 0] - items[:, 2]).max() + 63 < triples._room
        assert items[:, 1].max() + 127 < triples._room
        found = [
            (x - z, y)
            for row, column, z, w in items.tolist()
            for x, y in itertools.product(range(row, row + 64), range(column, column + 128))
            if y < size and x - z < y and x - z > w
        ]
        assert set(items[:, 2]) == {5 * triples._room}
        assert set(items[:, 3]) == {first}
        assert sorted(found) == list(itertools.combinations(range(first + 1, size), 2))


@needs_gpu
@pytest.mark.parametrize(
    ("p", "n", "n_strata"),
    [
        (3, 64, 3),
        (65, 700, 1),
        *(pytest.param(*x, marks=pytest.mark.long) for x in ((65, 700, 3), (200, 1025, 3))),
    ],
)
@pytest.mark.parametrize("missing", [0, 0.05])
def test_the_gpu_finds_the_triples_that_the_cpu_finds(p, n, missing, n_strata):
    genotypes, y = study(p + 4, n, seed=p, missing=missing)
    among = np.delete(np.arange(p + 4), [0, 1, 3, p // 2 + 3])
    strata = np.random.default_rng(1).integers(0, n_strata, n)
    strata[:n_strata] = np.arange(n_strata)
    for given in ({}, {"codings": ["recessive", "dominant"], "rank": "bayes factor"}):
        if n_strata > 1:
            given = {**given, "strata": strata}
        elif "rank" in given:
            given = {**given, "effect": Effect(ordered=False)}
        here, there = (
            scan(genotypes, y, size=3, among=among, top=40, device=d, **given)
            for d in ("cpu", "cuda")
        )
        assert here.findings.equals(there.findings), given


@needs_gpu
def test_triples_in_parts_and_in_little_memory(monkeypatch):
    genotypes, y = study(150, 400)
    monkeypatch.setattr(cuda_triples, "_TRIPLES", 1e6)
    given = {"size": 3, "among": range(150), "top": 50}
    for part in ((1, 2), (2, 2)):
        here, there = (scan(genotypes, y, part=part, device=d, **given) for d in ("cpu", "cuda"))
        assert here.findings.equals(there.findings)
    monkeypatch.setattr(cuda_triples, "free_memory", lambda: (64 << 20) + 100_000)
    with pytest.raises(InputError, match="Triples of 150 variants need"):
        scan(genotypes, y, device="cuda", **given)
