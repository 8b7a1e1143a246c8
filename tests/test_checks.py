"""Checks of parameters."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from bayesdnf.checks import MOST, MOST_64, is_finite, is_whole, seconds, whole
from bayesdnf.errors import ParameterError


@pytest.mark.parametrize("value", [0, 7, np.int8(7), np.uint64(7), -3, 10**30])
def test_whole_numbers_of_any_library(value):
    assert is_whole(value)


@pytest.mark.parametrize("value", [True, np.True_, 2.0, np.float64(2), "2", None, Decimal(2)])
def test_what_is_no_whole_number(value):
    assert not is_whole(value)
    with pytest.raises(ParameterError, match=r"'n' parameter of f must be a whole number, 1 or"):
        whole("n", "f", value, 1)


def test_bounds_are_allowed_and_one_beyond_is_not():
    assert [is_whole(x, 2, 4) for x in (1, 2, 4, 5)] == [False, True, True, False]
    assert whole("n", "f", np.int16(4), 2, 4) == 4
    assert type(whole("n", "f", np.int16(4), 2)) is int
    with pytest.raises(ParameterError, match=r"from 2 to 4, or None\. Got 5 instead"):
        whole("n", "f", 5, 2, 4, besides="or None")


@pytest.mark.parametrize("most", [MOST, MOST_64])
def test_the_largest_number_is_named_only_to_those_who_pass_it(most):
    assert whole("n", "f", most, 0, most) == most
    with pytest.raises(ParameterError, match=f"from 0 to {most:,}"):
        whole("n", "f", most + 1, 0, most)
    with pytest.raises(ParameterError, match="0 or more"):
        whole("n", "f", -1, 0, most)


def test_finite_numbers():
    assert all(map(is_finite, (0, -2.5, np.float32(1), Fraction(1, 3))))
    assert not any(map(is_finite, (np.inf, np.nan, 10**400, "1", None, 1j)))


def test_seconds():
    for value in (0.001, 5, np.float64(2)):
        seconds("time_limit", "hunt", value)
    seconds("time_limit", "hunt", None)
    for value in (0, -1, np.inf, np.nan, True, "5"):
        with pytest.raises(ParameterError, match=r"'time_limit' parameter of hunt.*or None"):
            seconds("time_limit", "hunt", value)
    with pytest.raises(ParameterError, match=r"above 0\. Got None instead"):
        seconds("every", "sample", None, besides="")
