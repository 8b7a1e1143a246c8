"""Pictures; each returns its Axes. They need matplotlib, which is loaded when one is drawn.

``chains`` shows how chains ran, ``membership``, ``dots`` and ``parts`` what they found,
``attributes`` what attributes do to averaged risks,
``reliability`` what predictions are worth, ``expected`` what a prior expects; ``genome``,
``regional`` and ``quantiles`` what was found in a study of genotypes. ``panels``, ``labels``
and ``fonts`` make the axes and the texts they share.
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
