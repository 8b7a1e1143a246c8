"""Plots; each function returns its Axes. matplotlib is loaded on the first call.

``chains`` shows the course of chains; ``membership``, ``dots`` and ``parts`` show their functions;
``attributes`` shows importance and partial dependence; ``reliability`` shows calibration;
``expected`` shows a prior; ``genome``, ``regional`` and ``quantiles`` show results of a study of
genotypes. ``panels`` and ``labels`` make shared axes and texts.
"""

from __future__ import annotations

from .attributes import importance, risk_along
from .chains import function_posterior, rates, trace
from .dots import functions
from .expected import prior
from .genome import manhattan
from .membership import coinclusion, inclusion
from .parts import part_rates
from .quantiles import qq
from .regional import region
from .reliability import calibration

__all__ = [
    "calibration",
    "coinclusion",
    "function_posterior",
    "functions",
    "importance",
    "inclusion",
    "manhattan",
    "part_rates",
    "prior",
    "qq",
    "rates",
    "region",
    "risk_along",
    "trace",
]
