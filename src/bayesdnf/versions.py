"""Versions of the installed libraries, for bug reports."""

from __future__ import annotations

import platform
import sys
from importlib.metadata import PackageNotFoundError, version

from . import __version__, _native

_PACKAGES = ("numpy", "scipy", "scikit-learn", "narwhals", "pandas", "polars", "typer", "rich")


def versions() -> dict[str, str]:
    """Return versions of bayesdnf, Python and its libraries, and the core's instruction set."""
    found = {
        "bayesdnf": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "simd": f"{_native.simd()} (available: {', '.join(_native.available_simd())})",
    }
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found


def show_versions() -> None:
    """Print versions and the instruction set in use; paste it into a bug report.

    Examples
    --------
    >>> import bayesdnf
    >>> bayesdnf.show_versions()
    bayesdnf      ...
    simd          ...
    """
    lines = [f"{name:<13} {value}" for name, value in versions().items()]
    sys.stdout.write("\n".join(lines) + "\n")
