"""Pictures of a posterior sample; they need matplotlib, which is loaded when one is drawn.

``chains`` shows how chains ran, ``inclusion`` and ``functions`` what they found, ``calibration``
what predictions are worth, ``prior`` what a prior expects; ``panels`` and ``labels`` make the axes
and the texts they share.
"""

from __future__ import annotations

from .calibration import plot_calibration
from .chains import plot_function_posterior, plot_rates, plot_trace
from .functions import plot_functions
from .inclusion import plot_coinclusion, plot_inclusion
from .marker_report import write_marker_report
from .prior import plot_prior

__all__ = [
    "plot_calibration",
    "plot_coinclusion",
    "plot_function_posterior",
    "plot_functions",
    "plot_inclusion",
    "plot_prior",
    "plot_rates",
    "plot_trace",
    "write_marker_report",
]
