"""Bundled data sets: ``bayesdnf.datasets.load_mushroom()``."""

from __future__ import annotations

from .data.builtin import load_mushroom

__all__ = ["load_mushroom"]
