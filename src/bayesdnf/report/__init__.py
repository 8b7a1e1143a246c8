"""Reports: one HTML file about a rule, or a folder about the markers of a study."""

from __future__ import annotations

from .marker_folder import save_markers
from .marker_report import write_marker_report

__all__ = ["save_markers", "write_marker_report"]
