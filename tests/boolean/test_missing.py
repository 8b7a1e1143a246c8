"""Which values count as missing."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from bayesdnf.boolean.missing import is_missing, is_missing_value, named_missing
from bayesdnf.errors import ParameterError

GONE = [
    Decimal("NaN"),
    None,
    np.nan,
    np.float32("nan"),
    pd.NA,
    pd.NaT,
    np.datetime64("NaT"),
    np.timedelta64("NaT"),
]


def test_values_that_libraries_call_missing():
    there = [Decimal("Infinity"), 0, 0.0, False, "nan", "NA", np.inf, np.datetime64("2020-01-02")]
    assert [is_missing_value(value) for value in GONE + there] == [True] * 8 + [False] * 8
    values = np.empty(16, dtype=object)
    values[:] = GONE + there
    assert is_missing(values).tolist() == [True] * 8 + [False] * 8
    for values in (np.array([1.5, np.nan]), np.array(["2020", "NaT"], dtype="datetime64[s]")):
        assert is_missing(values).tolist() == [False, True]
    assert not is_missing(np.array([0, 1])).any()


def test_named_values_are_plain():
    named = named_missing([np.int64(-9), np.str_("?"), 1.5, np.nan, None], "A")
    assert named == {-9, "?", 1.5}
    assert {type(value) for value in named} == {int, str, float}


@pytest.mark.parametrize("missing_values", ["?", 3, None, [["?"]], [np.inf], {"?": 1}])
def test_bad_missing_values(missing_values):
    message = "The 'missing_values' parameter of A must be a list of texts and finite"
    with pytest.raises(ParameterError, match=message):
        named_missing(missing_values, "A")
