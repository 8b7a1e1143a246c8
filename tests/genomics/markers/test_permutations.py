"""Permutations of outcomes."""

from dataclasses import replace

import numpy as np
import pandas as pd

from bayesdnf import BooleanFunction
from bayesdnf.genomics.markers.permutations import add_family_wise
from bayesdnf.genomics.markers.steps import (
    permute_outcomes,
)
from tests.genomics.markers.stepped import SETTINGS


def test_family_wise_p_values_are_those_of_the_permutations(task):
    largest = permute_outcomes(replace(task, settings=replace(SETTINGS, permutations=3)))
    assert largest.shape == (3, 2)
    terms = pd.DataFrame({"LOG_BF": [5.0, 5.0, 5.0], "GAIN": [1.0, 3.0, 3.0]})
    variants = pd.DataFrame({"LOG_BF": [0.0, 9.0]})
    function = BooleanFunction.parse("(a dominant) OR (b dominant AND c dominant) OR "
                                     "(d dominant AND e dominant AND f dominant)")  # fmt: skip
    add_family_wise(terms, variants, function, np.array([[1.0, 2.0], [6.0, 3.0], [8.0, 1.0]]))
    assert variants["P_FWE"].tolist() == [1.0, 0.25]
    np.testing.assert_array_equal(terms["P_FWE"], [0.75, 0.5, np.nan])
