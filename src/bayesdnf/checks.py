"""Checks of parameters that many functions take."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any, TypeGuard

from .errors import ParameterError

MOST = 2**31 - 1
"""The largest whole number of a parameter: what every part of the library can count up to."""
MOST_64 = 2**62
"""The same of steps and rows, which are counted in 64 bits."""


def is_whole(value: object, least: int | None = None, most: int | None = None) -> bool:
    """Whether a value is a whole number of any library, no bool, within bounds.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf.checks import is_whole
    >>> is_whole(np.int32(3), least=1), is_whole(True), is_whole(2.0)
    (True, False, False)
    """
    # True is an Integral, and is a mistake where a number is asked for.
    if not isinstance(value, Integral) or isinstance(value, bool):
        return False
    number = int(value)
    return (least is None or number >= least) and (most is None or number <= most)


def whole(
    name: str,
    owner: str,
    value: Any,
    least: int,
    most: int = MOST,
    *,
    besides: str = "",
) -> int:
    """Return a whole number as an int; ParameterError for anything else.

    Parameters
    ----------
    name, owner : str
        The parameter, and the function or class that takes it.
    value : object
        What was given.
    least, most : int
        The bounds, both allowed.
    besides : str
        What else the caller accepts, for the error, such as "or None".

    Examples
    --------
    >>> from bayesdnf.checks import whole
    >>> whole("draws", "sample", 200, 1)
    200
    >>> whole("draws", "sample", True, 1)
    Traceback (most recent call last):
        ...
    bayesdnf.errors.ParameterError: The 'draws' parameter of sample must be a whole number, 1 or
    more. Got True instead.
    """
    if is_whole(value, least, most):
        return int(value)
    small = most in (MOST, MOST_64) and not is_whole(value, most + 1)
    bounds = f"{least} or more" if small else f"from {least} to {most:,}"
    must = f"a whole number, {bounds}" + (f", {besides}" if besides else "")
    raise ParameterError.of(name, owner, must, value)


def is_finite(value: object) -> TypeGuard[float]:
    """Whether a value is a finite number of any library, within the range of floats.

    Examples
    --------
    >>> from bayesdnf.checks import is_finite
    >>> is_finite(0.5), is_finite(float("nan")), is_finite(10**400), is_finite("1")
    (True, False, False, False)
    """
    try:
        return isinstance(value, Real) and math.isfinite(value)
    except OverflowError:
        return False


def is_number(text: str) -> bool:
    """Whether a text is a number as Python writes them, NaN and infinity included."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def seconds(name: str, owner: str, value: Any, *, besides: str = "or None") -> None:
    """Refuse a length of time that is no finite number above 0.

    Parameters
    ----------
    name, owner : str
        The parameter, and the function or class that takes it.
    value : object
        What was given.
    besides : str
        What else the caller accepts, for the error.

    Examples
    --------
    >>> from bayesdnf.checks import seconds
    >>> seconds("time_limit", "hunt", 0.5)
    >>> seconds("time_limit", "hunt", float("inf"))
    Traceback (most recent call last):
        ...
    bayesdnf.errors.ParameterError: The 'time_limit' parameter of hunt must be a finite number of
    seconds above 0, or None. Got inf instead.
    """
    if value is None and besides:
        return
    if not is_finite(value) or not value > 0 or isinstance(value, bool):
        must = "a finite number of seconds above 0" + (f", {besides}" if besides else "")
        raise ParameterError.of(name, owner, must, value)
