"""Names of chromosomes, and variants in the order of their places."""

import numpy as np
import pandas as pd
import pytest

from bayesdnf.genomics import canonical_chromosome, chromosome_order
from bayesdnf.genomics.chromosomes import place_order


@pytest.mark.parametrize(
    ("spelled", "name"),
    [
        (1, "1"), ("chr1", "1"), ("01", "1"), ("CHR22", "22"), (" 7 ", "7"), ("x", "X"),
        ("chrX", "X"), (23, "X"), ("24", "Y"), ("chrY", "Y"), ("25", "XY"), ("XY", "XY"),
        ("PAR1", "XY"), ("M", "MT"), ("chrM", "MT"), ("MT", "MT"), ("26", "MT"), ("0", "0"),
        ("GL000192.1", "GL000192.1"), ("chrUn_KI270742v1", "chrUn_KI270742v1"), ("29", "29"),
    ],
)  # fmt: skip
def test_spellings(spelled, name):
    assert canonical_chromosome(spelled) == name


def test_order():
    names = ["MT", "chr10", "2", "scaffold9", "Y", "X", 23, "XY", "chr2"]
    numbers = chromosome_order(names)
    assert numbers.tolist() == [5, 1, 0, 6, 3, 2, 2, 4, 0]


def test_variants_are_sorted_by_chromosome_and_position():
    variants = pd.DataFrame({"CHR": ["10", "chr2", "X", "2"], "POS": [5, 90, 1, 7]})
    order, chromosome, position = place_order(variants)
    assert order.tolist() == [3, 1, 0, 2]
    assert chromosome.tolist() == [0, 0, 1, 2]
    assert position.tolist() == [7, 90, 5, 1]
    assert position.dtype == np.int64
