"""Power to find markers of two and three mutations, beside PLINK 1.9 on the same files.

A marker is an AND of carriers. The risk is .05 without it, and with it what makes the marker
explain h2 of the outcome's variance in the population: h2 = t (1 - t) (p1 - p0)^2 / (K (1 - K)),
t being the share of carriers of the marker and K the prevalence. 1000 cases and 1000 controls are
then drawn, with 500 variants in all; the others' minor allele frequencies are uniform on .05 to .5.
Every set is written as a PLINK file, and every method reads that file.

``make power`` measures 20 sets a cell, 100 with FULL=1, and writes docs/power.md. Every result is
a line of benchmarks/results/power.jsonl as soon as it is there, with the commit of the code, so
that an interrupted run goes on where it stopped; a run with other code wants that file removed
first.
"""

from __future__ import annotations

import math
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesdnf import Poisson, Prior
from bayesdnf.genomics import Genotypes, Study, find_markers, read_study, scan, write_plink

from .writing import RESULTS, append_lines, arguments, commit, read_lines

LINES = RESULTS / "power.jsonl"
PLINK = "plink1.9"
P0 = 0.05
N_VARIANTS, N_CASES, N_CONTROLS = 500, 1000, 1000
CHAINS: dict[str, Any] = {"draws": 250, "warmup": 100, "chains": 2}
"""Short chains, so that hundreds of sets end in time."""

MARKERS = "negations=False"
SETTINGS: dict[str, dict[str, Any]] = {
    MARKERS: {"negations": False},
    "negations=False, Poisson(2), keep=60": {"negations": False, "keep": 60},
    "negations=False, Poisson(1), keep=60": {
        "negations": False,
        "keep": 60,
        "prior": Prior(size=Poisson(1)),
    },
    "negations=True, Poisson(2), keep=60": {"negations": True, "keep": 60},
    "negations=True, Poisson(1), keep=60": {
        "negations": True,
        "keep": 60,
        "prior": Prior(size=Poisson(1)),
    },
}
"""What find_markers is given; the first on every set, the others on a few of each cell."""


class Cell(NamedTuple):
    """A kind of simulated set: how many variants act, what they explain, how frequent they are."""

    size: int
    h2: float
    maf: float

    @property
    def name(self) -> str:
        """What the cell is called in the file of results."""
        return f"{self.size} variants, h2 {self.h2}, MAF {self.maf}" if self.size else "null"

    @property
    def carriers(self) -> float:
        """Share of the population that carries all its variants."""
        return float((1 - (1 - self.maf) ** 2) ** self.size)

    @property
    def risk(self) -> float:
        """Risk of carriers: the root above P0 of the equation for h2. Above 1: out of reach."""
        if not self.size:
            return P0
        t = self.carriers
        a = t * (1 - t) + self.h2 * t**2
        b = -self.h2 * t * (1 - 2 * P0)
        c = -self.h2 * P0 * (1 - P0)
        return P0 + (-b + math.sqrt(b**2 - 4 * a * c)) / (2 * a)


NULL = Cell(0, 0.0, 0.0)
WEAK = [Cell(k, h, 0.25) for k in (2, 3) for h in (0.005, 0.01)]
"""Where finding anything is in doubt, so that settings make a difference."""
CELLS = [
    *WEAK,
    *(Cell(k, h, q) for k in (2, 3) for h in (0.02, 0.05, 0.1) for q in (0.1, 0.25, 0.4)),
]


def compared(cell: Cell) -> int:
    """Return the number of sets of a cell on which all settings of find_markers are measured."""
    return 10 if cell in WEAK else 2


class Simulated(NamedTuple):
    """A set: calls, cases, and the variants that act."""

    copies: NDArray[np.int8]
    y: NDArray[np.bool_]
    truth: frozenset[int]


def simulate(cell: Cell, number: int) -> Simulated:
    """Draw people until there are enough cases and controls; what acts stands in random places."""
    rng = np.random.default_rng([number, *(round(100 * x) for x in cell)])
    y = np.arange(N_CASES + N_CONTROLS) < N_CASES
    maf = rng.uniform(0.05, 0.5, N_VARIANTS)
    copies = rng.binomial(2, maf[:, None], (N_VARIANTS, len(y))).astype(np.int8)
    truth = rng.choice(N_VARIANTS, cell.size, replace=False)
    if cell.size:
        people = [_people(cell, rng) for _ in range(5)]
        while sum(int(sick.sum()) for _, sick in people) < N_CASES:
            people.append(_people(cell, rng))
        acting = np.concatenate([calls for calls, _ in people], axis=1)
        sick = np.concatenate([sick for _, sick in people])
        rows = [*np.flatnonzero(sick)[:N_CASES], *np.flatnonzero(~sick)[:N_CONTROLS]]
        copies[truth] = acting[:, rows]
    return Simulated(copies, y, frozenset(int(v) for v in truth))


def _people(cell: Cell, rng: np.random.Generator) -> tuple[NDArray[np.int8], NDArray[np.bool_]]:
    calls = rng.binomial(2, cell.maf, (cell.size, 5000)).astype(np.int8)
    marked = (calls >= 1).all(axis=0)
    return calls, rng.random(5000) < np.where(marked, cell.risk, P0)


def measure_scan(study: Study, truth: frozenset[int]) -> dict[str, Any]:
    """Take the best pair of our scans: by its gain, by its Bayes factor, by genotype cells."""
    found = {}
    for name, given in {
        "gain": {},
        "bayes factor": {"rank": "bayes factor"},
        "cells": {"measure": "cells"},
    }.items():
        best = scan(study.genotypes, study.y, top=1, **given).findings  # type: ignore[arg-type]
        found[name] = _judged(best[["place_1", "place_2"]].to_numpy()[0], truth)
    return found


def measure_plink(prefix: Path, truth: frozenset[int]) -> dict[str, Any]:
    """Take PLINK's best pair by BOOST, and by its test of joint effects, with its p-value."""
    found = {}
    for test in ("boost", "joint-effects"):
        out = prefix.with_name(test)
        command = [
            PLINK, "--bfile", str(prefix), "--fast-epistasis", test, "--epi1", "0.001",
            "--threads", "1", "--allow-no-sex", "--out", str(out),
        ]  # fmt: skip
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        rows = [line.split() for line in Path(f"{out}.epi.cc").read_text().splitlines()]
        place = {name: i for i, name in enumerate(rows[0])}
        if len(rows) == 1:
            found[test] = {"true": 0, "false": 0, "p": 1.0}
            continue
        best = min(rows[1:], key=lambda row: (float(row[place["P"]]), -float(row[place["STAT"]])))
        pair = [int(best[place[name]].removeprefix("v")) - 1 for name in ("SNP1", "SNP2")]
        found[test] = {**_judged(pair, truth), "p": float(best[place["P"]])}
    return found


def measure_markers(study: Study, truth: frozenset[int], given: dict[str, Any]) -> dict[str, Any]:
    """Judge the terms of the best function, and the best triple of the screen."""
    start = time.perf_counter()
    found = find_markers(study, random_state=0, **CHAINS, **given)
    seconds = time.perf_counter() - start
    triples = found.screen.scans[-1].findings
    places = triples[["place_1", "place_2", "place_3"]].to_numpy()
    place = {name: i for i, name in enumerate(study.genotypes.names)}
    terms = [
        {**_judged({place[x.attribute] for x in term}, truth), "probability": float(probability)}
        for term, probability in zip(
            found.function.literal_terms, found.terms["PROB"], strict=True
        )
    ]  # fmt: skip
    return {
        "triple": _judged(places[0], truth) if len(places) else None,
        "function": str(found.function),
        "terms": terms,
        "null_probability": found.null_probability,
        "seconds": seconds,
    }


def _judged(variants: Any, truth: frozenset[int]) -> dict[str, int]:
    true = len(truth.intersection(int(v) for v in variants))
    return {"true": true, "false": len(set(map(int, variants))) - true}


Method = Callable[[Study, Path, frozenset[int]], dict[str, Any]]


def methods(cell: Cell, number: int) -> dict[str, Method]:
    """Return the measurements of a set of a cell, by its number."""
    found: dict[str, Method] = {
        "scan": lambda study, prefix, truth: measure_scan(study, truth),
        "plink": lambda study, prefix, truth: measure_plink(prefix, truth),
    }
    for name, given in SETTINGS.items():
        if name == MARKERS or number < compared(cell):
            found[name] = lambda study, prefix, truth, given=given: (  # type: ignore[misc]
                measure_markers(study, truth, given)
            )
    if shutil.which(PLINK) is None:
        del found["plink"]
    return found


def measure(sets: int) -> Iterator[dict[str, Any]]:
    """Measure what is missing, a set of every cell in turn."""
    have = {(line["cell"], line["set"], line["method"]) for line in read_lines(LINES)}
    for number in range(sets):
        for cell in [NULL, *CELLS]:
            missing = {
                name: method
                for name, method in methods(cell, number).items()
                if (cell.name, number, name) not in have
            }
            if cell.risk > 1 or not missing:
                continue
            drawn = simulate(cell, number)
            with tempfile.TemporaryDirectory() as folder:
                prefix = Path(folder) / "study"
                write_plink(Genotypes.from_copies(drawn.copies), prefix, drawn.y)
                study = read_study(prefix)
                for name, method in missing.items():
                    found = method(study, prefix, drawn.truth)
                    key = {"cell": cell.name, "set": number, "method": name}
                    yield {**key, **found, "commit": commit()}


def main() -> None:
    """Measure what is missing, append it, write the page."""
    options = arguments(__doc__).parse_args()
    if shutil.which(PLINK) is None:
        print(f"{PLINK} is not there (Debian: apt-get install plink1.9); its columns stay empty.")
    sets = options.sets or (1 if options.quick else 20)
    for line in measure(sets):
        append_lines(LINES, [line])
        print(f"{line['cell']}, set {line['set']}, {line['method']}", flush=True)
    if not options.quick:
        from .power_page import write_page

        write_page()


if __name__ == "__main__":
    main()
