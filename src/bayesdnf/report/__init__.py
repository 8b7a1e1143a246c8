"""Pictures of a posterior sample; they need matplotlib, which is loaded when one is drawn.

``chains`` shows how chains ran, ``inclusion`` and ``functions`` what they found, ``calibration``
what predictions are worth, ``prior`` what a prior expects; ``manhattan``, ``regional`` and
``marker_folder`` what was found in a study of genotypes. ``panels`` and ``labels`` make the axes
and the texts they share.
"""

from __future__ import annotations

from .calibration import plot_calibration
from .chains import plot_function_posterior, plot_rates, plot_trace
from .functions import plot_functions
from .inclusion import plot_coinclusion, plot_inclusion
from .manhattan import plot_manhattan
from .marker_folder import save_markers
from .marker_report import write_marker_report
from .prior import plot_prior
from .regional import plot_region

__all__ = [
    "plot_calibration",
    "plot_coinclusion",
    "plot_function_posterior",
    "plot_functions",
    "plot_inclusion",
    "plot_manhattan",
    "plot_prior",
    "plot_rates",
    "plot_region",
    "plot_trace",
    "save_markers",
    "write_marker_report",
]
