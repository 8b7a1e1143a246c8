"""Fuzz one target: ``python -m fuzz core -max_total_time=60 build/fuzz/corpus/core``.

Arguments after the target's name go to libFuzzer. A target takes bytes and returns, or raises an
error that its module lists as ``EXPECTED``. Anything else, a sanitizer's report, an input that
takes longer than ``-timeout`` or more memory than ``-rss_limit_mb`` is a finding, which libFuzzer
writes to a file. ``python -m fuzz core FILE`` tries such a file again.
"""

from __future__ import annotations

import importlib
import sys
import warnings

import atheris

TARGETS = ("core", "genotypes", "models")


def main() -> None:
    """Fuzz until the time is over or something is found."""
    if len(sys.argv) < 2 or sys.argv[1] not in TARGETS:
        sys.exit(f"usage: python -m fuzz {{{','.join(TARGETS)}}} [libFuzzer's options] [folders]")
    warnings.simplefilter("ignore")
    name = sys.argv.pop(1)
    sys.argv[0] = f"{sys.executable} -m fuzz {name}"  # how -merge=1 starts itself again, by a shell
    if name == "core":  # what is covered lies in C++
        target = importlib.import_module(f"fuzz.{name}")
    else:
        with atheris.instrument_imports(include=["bayesdnf"]):
            target = importlib.import_module(f"fuzz.{name}")

    def one_input(data: bytes) -> None:
        try:
            target.attempt(data)
        except target.EXPECTED:
            return

    more = {"custom_mutator": target.mutated} if hasattr(target, "mutated") else {}
    atheris.Setup(sys.argv, one_input, **more)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
