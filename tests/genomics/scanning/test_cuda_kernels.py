"""What the kernels are told: passes over planes, and the order of a screen's settings."""

import itertools
from types import SimpleNamespace

import numpy as np
import pytest

from bayesdnf.errors import InputError
from bayesdnf.genomics import scan
from bayesdnf.genomics.scanning import cuda_kernels
from bayesdnf.genomics.scanning.cuda_kernels import LaunchSlot, ScanKernel
from bayesdnf.genomics.scanning.cuda_operands import SEGMENT
from bayesdnf.genomics.scanning.on_gpu import _MOST_STRATA
from tests.fewer import first
from tests.genomics.scanning.paired import study, table_of
from tests.gpu.present import needs_gpu


def test_three_passes_count_all_levels():
    """native/cuda/segments.cu takes each level from one of them."""
    counts = [
        [(u, v) for u, v in itertools.product(one.rows, one.columns)] for one in cuda_kernels._NINE
    ]
    low, high = counts[1], counts[2]
    levels = [low[0], high[1], low[1], low[2], counts[0][0], counts[0][1]]
    levels += [high[2], counts[0][2], counts[0][3]]
    assert levels == list(itertools.product(range(3), range(3)))


@pytest.mark.parametrize("n_strata", [1, 2, 5])
def test_bounds_of_strata_are_as_the_kernel_reads_them(n_strata):
    """Its struct Stratum: five numbers, four tables of sixteen, two numbers."""
    genotypes, y = study(4, 300)
    strata = np.arange(300) % n_strata
    table = table_of(genotypes, y, strata=strata)
    bounds = table.stratum_bounds()
    assert bounds.shape == ((n_strata, 5 + 4 * 16 + 2) if n_strata > 1 else (0, 71))
    for s, (share, beyond, *_, none, every) in enumerate(bounds):
        own = y[strata == s]
        assert share == np.float32(own.mean())
        assert beyond == len(own) + 1
        # Without an order of the rates marking nobody, or everybody, is the null function.
        np.testing.assert_allclose([none, every], 0.01, atol=1e-6)
    margins = table.margins_by_segment()
    copies = genotypes.copies(range(4))
    for case, s, v in itertools.product((0, 1), range(n_strata), range(4)):
        own = copies[v][(strata == s) & (y == (case == 0))]
        assert margins[v, case * n_strata + s].tolist() == [(own >= k).sum() for k in range(3)]


@pytest.mark.parametrize("n_strata", [1, 2, _MOST_STRATA])
def test_rules_and_segments_have_room_in_shared_memory(n_strata):
    """native/cuda/segments.cu keeps its struct Rules and all segments there."""
    genotypes, y = study(4, 20 * n_strata)
    table = table_of(genotypes, y, strata=np.arange(20 * n_strata) % n_strata)
    groups = 2 * n_strata
    rules = 4 * (2 + groups + len(table.cuts) + table.stratum_bounds().size)
    segments = groups * len(cuda_kernels._NINE) * SEGMENT.itemsize
    alignment = 128  # of what follows
    assert rules + segments + alignment <= cuda_kernels._MOST_OWN
    if n_strata == 1:  # pairs.cu
        assert rules + groups * SEGMENT.itemsize + alignment <= 512


class OnGpu(list):
    """Numbers that say by which stream they were copied."""

    def __getitem__(self, at):
        return OnGpu(super().__getitem__(at))

    def get(self, stream=None):
        assert stream == "copies"
        return list(self)


def test_what_a_launch_left_is_copied_beside_the_next_launch():
    slot = object.__new__(LaunchSlot)
    waited = []
    slot.done = SimpleNamespace(synchronize=lambda: waited.append(True))
    slot._copies, slot.n_found, slot.found = "copies", OnGpu([2]), OnGpu([7, 8, 9])
    assert slot.listed() == [7, 8]
    slot.n_found = OnGpu([4])
    assert slot.listed() is None
    assert len(waited) == 2


@needs_gpu
def test_a_launch_says_that_there_was_no_room():
    genotypes, y = study(10, 100)
    from bayesdnf.genomics.scanning.scan_parts import ScanOptions

    kernel = ScanKernel(table_of(genotypes, y), ScanOptions(), [y, ~y])
    slot = LaunchSlot(kernel)
    slot.done.record()
    assert len(slot.listed()) == 0
    slot.n_found.fill(kernel.capacity + 1)
    slot.done.record()
    assert slot.listed() is None


def test_products_of_bytes_count_the_bits_that_words_share():
    """native/cuda/products.cu: bit s of the bytes of A beside bit 7 - s of those of B reversed."""
    a, b = np.random.default_rng(0).integers(0, 2**32, (2, 1000, 1), dtype=np.uint32)
    a, b = a.view(np.uint8).astype(int), b.view(np.uint8)
    reversed_b = np.packbits(np.unpackbits(b, axis=1, bitorder="little"), axis=1).astype(int)
    total = sum(((a & 1 << s) * (reversed_b & 128 >> s)).sum(axis=1) for s in range(8))
    shared = np.unpackbits((a & b).astype(np.uint8), axis=1).sum(axis=1)
    np.testing.assert_array_equal(total, 128 * shared)


def test_products_are_of_bits_or_bytes(monkeypatch):
    by_capability = {c: cuda_kernels.products_of_bytes(c) for c in (80, 86, 89, 90, 100, 120)}
    assert by_capability == {80: 0, 86: 0, 89: 0, 90: 0, 100: 1, 120: 1}
    monkeypatch.setenv("BAYESDNF_PRODUCTS", "bytes")
    assert cuda_kernels.products_of_bytes(90)
    monkeypatch.setenv("BAYESDNF_PRODUCTS", "bits")
    assert not cuda_kernels.products_of_bytes(100)
    monkeypatch.setenv("BAYESDNF_PRODUCTS", "words")
    with pytest.raises(InputError, match="must be 'bits' or 'bytes'"):
        cuda_kernels.products_of_bytes(90)


@needs_gpu
@pytest.mark.parametrize("n", first([700, 3000]))
def test_products_of_bytes_find_the_same(monkeypatch, n):
    genotypes, y = study(70, n, missing=0.02)
    strata = np.arange(n) % 3
    for given in ({}, {"measure": "cells"}, {"strata": strata}, {"size": 3, "among": range(9)}):
        found = []
        for products in ("bits", "bytes"):
            monkeypatch.setenv("BAYESDNF_PRODUCTS", products)
            found.append(scan(genotypes, y, device="cuda", top=30, **given).findings)
        assert found[0].equals(found[1])
