"""Which of many cases the gate takes."""

import pytest


def first(values, n=1):
    """Return parameters of which ``make test`` takes ``n``, and ``make calibrate`` the others."""
    values = list(values)
    return values[:n] + [pytest.param(value, marks=pytest.mark.long) for value in values[n:]]
