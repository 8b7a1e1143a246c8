"""Checks of parameters that functions all over the library take."""

from __future__ import annotations

from numbers import Integral
from typing import Any

from .errors import ParameterError


def is_whole(value: object, least: int | None = None, most: int | None = None) -> bool:
    """Whether a value is a whole number of any library, no bool, within bounds.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf.checks import is_whole
    >>> is_whole(np.int32(3), least=1), is_whole(True), is_whole(2.0)
    (True, False, False)
    """
    if not isinstance(value, Integral) or isinstance(value, bool):
        return False
    number = int(value)
    return (least is None or number >= least) and (most is None or number <= most)


def whole(
    name: str,
    owner: str,
    value: Any,
    least: int,
    most: int | None = None,
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
        The bounds, both allowed; None means that there is no upper one.
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
    bounds = f"{least} or more" if most is None else f"from {least} to {most:,}"
    must = f"a whole number, {bounds}" + (f", {besides}" if besides else "")
    raise ParameterError.of(name, owner, must, value)
