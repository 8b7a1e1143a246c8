"""Pairs on a GPU: the same findings as on the CPU; without a GPU, what the kernels rely on.

The order of rows and the places of counts have twins here that run everywhere; the screens are
compiled for the CPU by native/tests/test_cuda_screens.cpp."""

import itertools

import numpy as np
import pytest

from bayesdnf import Effect
from bayesdnf.errors import InputError
from bayesdnf.genomics import Genotypes, scan
from bayesdnf.genomics.scanning import cuda_kernels, cuda_pairs
from bayesdnf.genomics.scanning.scan_parts import CODES
from tests.genomics.scanning.paired import study, table_of
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
@pytest.mark.parametrize(
    ("p", "n"), [(3, 64), (130, 700), pytest.param(400, 3000, marks=pytest.mark.long)]
)
@pytest.mark.parametrize("missing", [0, 0.05])
@pytest.mark.parametrize("n_strata", [1, 2, 5])
def test_the_gpu_counts_known_calls_and_strata(p, n, missing, n_strata):
    genotypes, y = study(p, n, seed=p + n_strata, missing=missing)
    strata = np.random.default_rng(0).integers(0, n_strata, n)
    strata[:n_strata] = np.arange(n_strata)
    for given in (
        {}, {"measure": "cells"}, {"codings": ["not dominant", "recessive"]},
        {"codings": CODES}, {"effect": Effect(ordered=False), "measure": "cells"},
        {"effect": Effect(a1=2, b0=3), "measure": "cells", "rank": "bayes factor"},
    ):  # fmt: skip
        if n_strata > 1:
            given = {**given, "strata": strata}
        here, there = (scan(genotypes, y, device=d, top=25, **given) for d in ("cpu", "cuda"))
        assert here.findings.equals(there.findings), given


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
    monkeypatch.setattr(cuda_kernels, "_MOST_FOUND", 64)
    genotypes, y = study(700, 200)
    here, there = (scan(genotypes, y, top=500, device=d) for d in ("cpu", "cuda"))
    assert here.findings.equals(there.findings)
