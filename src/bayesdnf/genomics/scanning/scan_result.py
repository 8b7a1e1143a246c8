"""The result of a scan: a table of markers, saved, read and merged from parts."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...boolean import BooleanFunction
from ...checks import is_whole
from ...errors import InputError
from ...files.atomic import atomic_path

if TYPE_CHECKING:
    import pandas as pd

_FORMAT = "bayesdnf scan 1"
MEASURES, RANKS = ("and", "cells"), ("gain", "bayes factor")


@dataclass(frozen=True, eq=False)
class Scan:
    """Result of a scan.

    Parameters
    ----------
    findings : DataFrame
        Best first: ``marker`` (a function in words), ``variant_1``, ``variant_2`` …, ``cases`` and
        ``controls`` that it marks, ``log_bayes_factor`` against no marker, and ``gain`` over the
        best marker on fewer of the variants. Cells are counted on samples whose calls are all
        known.
    settings : dict
        Data and options of the scan.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf.genomics import Genotypes, scan
    >>> rng = np.random.default_rng(0)
    >>> calls = Genotypes.from_copies(rng.binomial(2, 0.3, (10, 200)))
    >>> found = scan(calls, rng.random(200) < 0.5, top=3)
    >>> found.findings[["variant_1", "variant_2"]].shape
    (3, 2)
    """

    findings: pd.DataFrame
    settings: dict[str, Any]

    @property
    def functions(self) -> list[BooleanFunction]:
        """The findings as functions."""
        return [BooleanFunction.parse(text) for text in self.findings["marker"]]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the findings to a tab-separated file, the settings in its first line."""
        with atomic_path(path) as part, part.open("w", encoding="utf-8") as out:
            out.write(f"# {_FORMAT} {json.dumps(self.settings, sort_keys=True)}\n")
            # 17 significant digits round-trip every float64, so merged parts rank like one scan.
            self.findings.to_csv(out, sep="\t", index=False, float_format="%.17g")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Scan:
        """Load a file written by :meth:`save`."""
        import pandas as pd

        try:
            with Path(path).open(encoding="utf-8") as lines:
                first = lines.readline()
                if not first.startswith(f"# {_FORMAT} "):
                    raise InputError(f"{path}, line 1: not a file of a scan by bayesdnf.")
                settings = json.loads(first.removeprefix(f"# {_FORMAT} "))
                findings = pd.read_csv(
                    lines,
                    sep="\t",
                    dtype={f"variant_{i}": str for i in (1, 2, 3)},
                    keep_default_na=False,  # a scan writes no empty cell
                )
        except OSError as error:
            raise InputError(f"Cannot read {path}: {error.strerror}.") from error
        except (ValueError, UnicodeDecodeError) as error:
            if isinstance(error, InputError):
                raise
            raise InputError(f"{path}: not a file of a scan, or a damaged one.") from error
        if not _can_be(settings, findings):
            raise InputError(f"{path}: not a file of a scan, or a damaged one.")
        return cls(findings, settings)

    def require(self, wanted: dict[str, Any]) -> None:
        """Raise an error if the scan has other data or options, or is incomplete.

        Parameters
        ----------
        wanted : dict
            The required settings.
        """
        part = self.settings.get("part")
        if part != [1, 1]:
            which = "{} of {}".format(*part) if isinstance(part, list) and len(part) == 2 else part
            raise InputError(f"The scan given is part {which} of a scan; merge all parts.")
        for name, value in wanted.items():
            if self.settings.get(name) != value:
                raise InputError(
                    f"The scan given is not one of this study: its {name} is "
                    f"{self.settings.get(name)!r}, and here it is {value!r}; make it with the "
                    "same files, filters and options."
                )


def merge(scans: Sequence[Scan]) -> Scan:
    """Join the parts of a scan.

    Parameters
    ----------
    scans : sequence of Scan
        Every part, in any order.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf.genomics import Genotypes, merge, scan
    >>> rng = np.random.default_rng(0)
    >>> calls = Genotypes.from_copies(rng.binomial(2, 0.3, (50, 200)))
    >>> y = rng.random(200) < 0.5
    >>> parts = [scan(calls, y, part=(k, 3)) for k in (1, 2, 3)]
    >>> merge(parts).findings.equals(scan(calls, y).findings)
    True
    """
    import pandas as pd

    if not scans:
        raise InputError("There are no parts of a scan to merge.")
    plain = [{k: v for k, v in s.settings.items() if k != "part"} for s in scans]
    for other in plain[1:]:
        for key in plain[0]:
            if other.get(key) != plain[0][key]:
                raise InputError(
                    f"The parts are of different scans: {key} is {plain[0][key]!r} in one "
                    f"and {other.get(key)!r} in another."
                )
    have = sorted(tuple(s.settings["part"]) for s in scans)
    parts = have[0][1]
    missing = next((k for k in range(1, parts + 1) if (k, parts) not in have), None)
    if missing is not None or len(have) != parts:
        what = "a part is repeated" if missing is None else f"part {missing} of {parts} is missing"
        raise InputError(f"The parts do not make up a whole scan: {what}.")
    key = "gain" if plain[0]["rank"] == "gain" else "log_bayes_factor"
    found = [s.findings for s in scans if len(s.findings)] or [scans[0].findings]
    joined = pd.concat(found, ignore_index=True)
    # Ties are ordered as one scan orders them: by the variants' places.
    places = [joined[f"place_{i}"] for i in range(plain[0]["size"], 0, -1)]
    order = np.lexsort((*places, -joined[key]))
    findings = joined.iloc[order[: plain[0]["top"]]].reset_index(drop=True)
    return Scan(findings, {**plain[0], "part": [1, 1]})


def _can_be(settings: Any, findings: pd.DataFrame) -> bool:
    """Return whether settings and findings are possible results of :func:`scan`."""
    size: Any
    n: Any
    if not isinstance(settings, dict):
        return False
    size, n, top, part = (settings.get(key) for key in ("size", "variants", "top", "part"))
    if not (
        is_whole(size, 1, 3) and is_whole(n, 1) and is_whole(top, 1)
        and isinstance(part, list) and len(part) == 2
        and is_whole(part[1], 1) and is_whole(part[0], 1, part[1])
        and settings.get("rank") in RANKS and settings.get("measure") in MEASURES
    ):  # fmt: skip
        return False
    which = range(1, size + 1)
    places = [f"place_{i}" for i in which]
    texts = ["marker", *(f"variant_{i}" for i in which)]
    numbers = ["cases", "controls", "log_bayes_factor", "gain", *places]
    if sorted(findings.columns) != sorted([*texts, *numbers]):
        return False
    if findings.empty:
        return True
    return (
        not findings.isna().any(axis=None)
        and all(findings[name].dtype.kind in "iuf" for name in numbers)
        and all(findings[name].dtype.kind in "iu" for name in places)
        and bool(findings[places].ge(0).all(axis=None) and findings[places].lt(n).all(axis=None))
    )
