"""Pairs on a GPU: the same findings as on the CPU; without a GPU, what the kernels rely on.

The screen, the order of rows and the places of counts have twins here that run everywhere."""

import itertools

import numpy as np
import pytest

from bayesdnf import Effect, _native
from bayesdnf.errors import InputError, MissingExtraError, ParameterError
from bayesdnf.genomics import Genotypes, scan
from bayesdnf.genomics.scanning import cuda_pairs
from bayesdnf.gpu.device import cupy
from tests.fewer import first
from tests.genomics.scanning.paired import counted, study, table_of
from tests.gpu.present import needs_gpu


@pytest.mark.parametrize("p", [1, 2, 127, 128, 129, 255, 256, 257, 700])
def test_tasks_have_their_places(p):
    """Tile by tile, each beside the blocks that are not before it."""
    table = (
        table_of(*study(p, 30))
        if p > 2
        else table_of(Genotypes.from_copies([[0, 1]] * p), np.array([True, False]))
    )
    blocks = range(0, p, 128)
    wanted = [(tile, block) for tile in range(0, p, 256) for block in blocks if block >= tile]
    tasks = np.arange(table.n_tasks)
    assert table.places(tasks).tolist() == [list(place) for place in wanted]
    assert table.pairs_in(tasks) == p * (p - 1) // 2
    for task, (tile, block) in zip(tasks, wanted, strict=True):
        lanes, rows = range(block, min(block + 128, p)), range(tile, min(tile + 256, p))
        assert table.pairs_in(tasks[task : task + 1]) == sum(a < b for a in rows for b in lanes)
    assert table.blocks(tasks, 64).tolist() == [
        [row, block]
        for tile, block in wanted
        for row in range(tile, tile + 256, 64)
        if row < min(block + 128, p) - 1
    ]
    for task in (-1, table.n_tasks):
        with pytest.raises(ValueError, match="outside the scan"):
            table.places(np.array([task]))
    assert table.size_of(0, table.n_tasks) == p * (p - 1) // 2


def operand_row(row, first_row, first_column):
    """native/cuda/pairs.cu: (variant, level) of a row of a stage."""
    if row < 128:
        return divmod(2 * (first_row + row // 16 * 8 + row % 8) + row // 8 % 2, 2)
    return divmod(2 * first_column + row - 128, 2)


def test_a_thread_copies_every_32nd_row():
    """So that it needs two addresses, and a stride."""
    for row, i in itertools.product(range(32), range(1, 12)):
        variant, level = operand_row(row if i < 4 else 128 + row, 300, 500)
        step = i if i < 4 else i - 4
        assert operand_row(row + 32 * i, 300, 500) == (variant + 16 * step, level)


def test_the_four_products_of_a_pair_are_the_counts_of_one_thread():
    """Fragments of m16n8k256: counts 0, 1 at row lane / 4, columns 2 (lane % 4) and one more."""
    seen = set()
    for warp, lane, i, j in itertools.product(range(8), range(32), range(4), range(8)):
        top = warp % 2 * 64 + i * 16 + lane // 4
        left = 128 + warp // 2 * 64 + j * 8 + lane % 4 * 2
        a = warp % 2 * 32 + lane // 4 + i * 8
        b = 1000 + warp // 2 * 32 + lane % 4 + j * 4
        at = [(top + 8 * (k // 2), left + k % 2) for k in range(4)]
        rows = [(operand_row(r, 0, 1000), operand_row(c, 0, 1000)) for r, c in at]
        assert rows == [((a, u), (b, v)) for u in (0, 1) for v in (0, 1)]
        seen.add((a, b))
    assert seen == {(a, b) for a in range(64) for b in range(1000, 1128)}


@pytest.mark.parametrize("stage_bytes", [64, 128])
def test_eight_rows_are_read_from_other_banks(stage_bytes):
    """Eight threads at a time read the same piece, sixteen bytes, of rows that follow each other;
    and eight write neighbouring pieces."""

    def place(row, piece):
        turned = row % 8 if stage_bytes == 128 else row // 2 % 4
        return row * stage_bytes + (piece ^ turned) * 16

    pieces = stage_bytes // 16
    for row, piece in itertools.product(range(0, 128, 8), range(pieces)):
        assert len({place(row + r, piece) // 16 % 8 for r in range(8)}) == 8
    for thread in range(0, 256, 8):
        written = [place(t // pieces, t % pieces) for t in range(thread, thread + 8)]
        assert len({at // 16 % 8 for at in written}) == 8


def screened(table, counts, least, y, both):
    """Which pairs the kernel lists, by its own steps in single precision."""
    n_cases, n = int(y.sum()), len(y)
    levels, cuts = table.levels(least)[:, :-1], np.array(table.cuts, dtype=np.float32)
    share, beyond = np.float32(n_cases / n), np.float32(n + 1)
    listed = []
    for (a, b), (cases, controls) in counts.items():
        most = np.float32(0)
        for x, z in zip(nine(cases), nine(controls), strict=True):
            m = np.float32(x + z)
            off = np.float32(x) - share * m
            if not both:
                off = max(off, np.float32(0))
            level = max(levels[v, int((m >= cuts).sum())] for v in (a, b))
            with np.errstate(over="ignore"):
                most = max(most, off * off - m * (beyond - m) * level)
        if most > 0.01:
            listed.append((a, b))
    return listed


def nine(c):
    cc, ct, tc, tt = c
    return [cc, ct, cc - ct, tc, tt, tc - tt, cc - tc, ct - tt, cc - ct - tc + tt]


@pytest.mark.parametrize("ordered", [True, False])
def test_the_screen_lists_whatever_belongs_to_the_best(ordered):
    genotypes, y = study(30, 400, seed=3)
    table = table_of(genotypes, y, top=20, effect=Effect(ordered=ordered))
    best = _native.Findings(20)
    table.scan(0, table.n_tasks, 1, 1, _native.StopFlag(), best)
    every = counted(genotypes, y)
    counts = {(row[0], row[1]): (row[2:6], row[6:]) for row in every.tolist()}
    listed = screened(table, counts, best.least, y, table.both_directions)
    assert {tuple(pair) for pair in best.arrays()[0][:, :2].tolist()} <= set(listed)
    assert len(listed) < len(counts) / 2
    again = _native.Findings(20)
    table.score(every[[tuple(pair) in set(listed) for pair in every[:, :2].tolist()]], 1, again)
    np.testing.assert_array_equal(again.arrays()[0], best.arrays()[0])


@pytest.mark.parametrize("cases", first([0.1, 0.5, 0.9]))
def test_unions_of_cells_are_bounded_by_the_sum_over_cells(cases):
    """The kernel's first test of cells: by Cauchy and Schwarz, as off is 0 over all of them."""
    rng = np.random.default_rng(0)
    for _ in range(300):
        rows = rng.integers(0, 60, 9)
        a = rng.binomial(rows, np.clip(cases + rng.normal(0, 0.2, 9), 0, 1))
        n, share = rows.sum(), a.sum() / rows.sum()
        off = a - share * rows
        whole = (off**2 / np.maximum(rows, 1)).sum()
        for number in range(512):
            union = [k for k in range(9) if number >> k & 1]
            m = rows[union].sum()
            assert off[union].sum() ** 2 <= m * (n - m) / n * whole + 1e-6


# Choosing a device --------------------------------------------------------------------------------


def test_wrong_wishes_are_one_sentence():
    genotypes, y = study(5, 50)
    with pytest.raises(ParameterError, match="'device' parameter of scan"):
        scan(genotypes, y, device="gpu")
    with pytest.raises(InputError, match="pairs, not triples"):
        scan(genotypes, y, size=3, among=range(5), device="cuda")
    with pytest.raises(InputError, match="dominant, recessive, heterozygous only"):
        scan(genotypes, y, codings=["not dominant"], device="cuda")
    gaps, y = study(5, 50, missing=0.2)
    with pytest.raises(InputError, match="no call is missing"):
        scan(gaps, y, measure="cells", device="cuda")


def test_without_cupy_it_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "cupy", None)
    cupy.cache_clear()
    with pytest.raises(MissingExtraError, match="cuda12"):
        scan(*study(5, 50), device="cuda")
    cupy.cache_clear()


@needs_gpu
@pytest.mark.parametrize("n", [63, 64, 65, 1023, 1024, 1025, 3000])
@pytest.mark.parametrize("p", [3, 64, 65, 129, 400])
def test_the_gpu_finds_what_the_cpu_finds(p, n):
    for missing, measure, effect in (
        (0, "and", None), (0.05, "and", Effect(ordered=False)), (0, "cells", None),
    ):  # fmt: skip
        genotypes, y = study(p, n, seed=p + n, missing=missing)
        given = {"top": 30, "measure": measure, "effect": effect}
        here, there = (scan(genotypes, y, device=d, **given) for d in ("cpu", "cuda"))
        assert here.findings.equals(there.findings)
        assert here.settings == there.settings


@needs_gpu
def test_parts_on_the_gpu_are_parts_on_the_cpu():
    genotypes, y = study(900, 500)
    for part in ((1, 3), (2, 3), (3, 3)):
        here, there = (scan(genotypes, y, part=part, top=40, device=d) for d in ("cpu", "cuda"))
        assert here.findings.equals(there.findings)


@needs_gpu
@pytest.mark.parametrize("part", [(1, 1), (2, 3)])
def test_a_study_larger_than_the_memory_goes_through_in_panels(monkeypatch, part):
    genotypes, y = study(2000, 300)
    here = scan(genotypes, y, part=part, top=60, device="cpu")
    row = 2 * 2 * 128
    monkeypatch.setattr(cuda_pairs, "free_memory", lambda: (64 << 20) + 3 * 512 * row)
    there = scan(genotypes, y, part=part, top=60, device="cuda")
    assert here.findings.equals(there.findings)
    monkeypatch.setattr(cuda_pairs, "free_memory", lambda: (64 << 20) + 3 * 255 * row)
    with pytest.raises(InputError, match="768 variants at a time need"):
        scan(genotypes, y, device="cuda")


@needs_gpu
@pytest.mark.parametrize("part", [(1, 1), (2, 3)])
def test_pairs_of_pieces_are_scanned_while_others_are_brought(monkeypatch, part):
    monkeypatch.setattr(cuda_pairs, "_PIECE", 300 * 2 * 2 * 128)
    genotypes, y = study(2000, 300)
    here, there = (scan(genotypes, y, part=part, top=60, device=d) for d in ("cpu", "cuda"))
    assert here.findings.equals(there.findings)


def test_tasks_are_grouped_by_equal_numbers_in_their_order():
    numbers = np.array([[1, 0], [0, 2], [1, 0], [0, 1]])
    groups = cuda_pairs._grouped(numbers, np.array([4, 5, 6, 7]))
    assert [(pair, some.tolist()) for pair, some in groups] == [
        ((0, 1), [7]), ((0, 2), [5]), ((1, 0), [4, 6]),
    ]  # fmt: skip
    assert list(cuda_pairs._grouped(numbers[:0], np.array([], dtype=np.int64))) == []


@needs_gpu
def test_more_pairs_than_there_is_room_for(monkeypatch):
    monkeypatch.setattr(cuda_pairs, "_CAPACITY", 64)
    genotypes, y = study(700, 200)
    here, there = (scan(genotypes, y, top=500, device=d) for d in ("cpu", "cuda"))
    assert here.findings.equals(there.findings)
