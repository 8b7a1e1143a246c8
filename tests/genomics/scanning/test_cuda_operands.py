"""Operands on a GPU: what kernels are told of them, and the samples of each segment."""

import numpy as np
import pytest

from bayesdnf.genomics.scanning.cuda_operands import SEGMENT, Operands, Pass, segments_of
from tests.genomics.scanning.paired import study
from tests.gpu.present import needs_gpu


class Array:
    """What segments ask of an array on a GPU."""

    def __init__(self, address, words):
        self.data, self.shape = type("Pointer", (), {"ptr": address}), (7, 3, words)


def test_segments_are_described_as_the_kernels_read_them():
    assert SEGMENT.itemsize == 40  # two addresses, a size, four numbers of planes
    rows, columns = (Array(100, 16), Array(200, 32)), (Array(300, 16), Array(400, 32))
    made = segments_of(rows, columns, [Pass((1, 2), (1, 2)), Pass((0, 1), (0, 2))])
    assert made["rows"].tolist() == [100, 100, 200, 200]
    assert made["columns"].tolist() == [300, 300, 400, 400]
    assert made["bytes"].tolist() == [128, 128, 256, 256]
    assert made["row_planes"].tolist() == [[1, 2], [0, 1]] * 2
    assert made["column_planes"].tolist() == [[1, 2], [0, 2]] * 2


@needs_gpu
@pytest.mark.parametrize("known", [False, True])
def test_operands_have_the_samples_of_each_segment(known):
    import cupy as cp

    genotypes, y = study(9, 1300, missing=0.1)
    third = np.arange(1300) % 3 == 0
    segments = [y & third, y & ~third, ~y & third, ~y & ~third, np.zeros(1300, bool)]
    operands = Operands(genotypes, segments, known)
    panel = operands.empty(12)
    operands.load(panel, 2, 3, 9, cp.cuda.Stream(non_blocking=True))
    calls = genotypes.copies(range(9))
    for who, array in zip(segments, panel, strict=True):
        bits = np.unpackbits(array.get().view(np.uint8), axis=2, bitorder="little")
        for at in range(12):
            for plane, level in enumerate([0, 1, 2][0 if known else 1 :]):
                wanted = np.zeros(bits.shape[2])
                if 1 <= at < 7:
                    wanted[: who.sum()] = (calls[at + 2] >= level)[who]
                np.testing.assert_array_equal(bits[at, plane], wanted)
