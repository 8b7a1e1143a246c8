"""Studies without a marker: how often find_markers names one all the same.

Four kinds of study, 1,000 samples and 600 variants each: one population; two of Fst .05 with 70 and
30 % cases; three with admixture, risk following the share of one of them; sibships of three with a
risk that sibs share. A fifth has a covariate that moves both the risk and the frequencies of fifty
variants; in a sixth two loci add up on the logit, and "additive" is the right answer. What is asked
for is what a geneticist would: components, the covariate, or a kinship cutoff.

``make null-studies`` measures 100 sets of each kind and writes a page of docs/.
Every result is a line of benchmarks/results/null_studies.jsonl as soon as it is there, with the
commit of the code, so that an interrupted run goes on where it stopped; a run with other code wants
that file removed first.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bayesdnf.files.atomic import atomic_path
from bayesdnf.genomics import Genotypes, Study, find_markers
from bayesdnf.model.rates import jeffreys

from .writing import RESULTS, append_lines, arguments, commit, read_lines, stamp

LINES = RESULTS / "null_studies.jsonl"
PAGE = RESULTS.parents[1] / "docs" / "null-studies.md"
N, P, FST = 1000, 600, 0.05
CHAINS: dict[str, Any] = {"draws": 250, "warmup": 250, "chains": 2, "random_state": 0}
LIKELY = 0.5  # terms from this posterior probability on count as named

Rng = np.random.Generator
Made = tuple[NDArray[np.integer], NDArray[np.bool_], pd.DataFrame | None]


def frequencies(rng: Rng, populations: int) -> NDArray[np.float64]:
    """Draw allele frequencies of populations at Fst (Balding and Nichols 1995)."""
    ancestral = rng.uniform(0.1, 0.9, P)
    spread = (1 - FST) / FST
    return rng.beta(ancestral * spread, (1 - ancestral) * spread, (populations, P))


def one_population(rng: Rng) -> Made:
    """Nothing moves the risk."""
    calls = rng.binomial(2, rng.uniform(0.05, 0.5, (P, 1)), (P, N))
    return calls, rng.random(N) < 0.5, None


def two_populations(rng: Rng) -> Made:
    """Two populations, 70 and 30 % cases."""
    group = np.repeat([0, 1], N // 2)
    calls = rng.binomial(2, frequencies(rng, 2)[group].T)
    return calls, rng.random(N) < np.where(group == 0, 0.7, 0.3), None


def three_admixed(rng: Rng) -> Made:
    """Three populations in all shares, risk 20 to 80 % by the share of the first."""
    shares = rng.dirichlet([0.4] * 3, N)
    calls = rng.binomial(2, (shares @ frequencies(rng, 3)).T)
    return calls, rng.random(N) < 0.2 + 0.6 * shares[:, 0], None


def sibships(rng: Rng) -> Made:
    """Sibships of three whose risk differs from family to family."""
    families = N // 3
    parents = rng.random((2, 2, P, families)) < rng.uniform(0.1, 0.5, (P, 1))
    sibs = []
    for _ in range(3):
        passed = rng.random((2, P, families)) < 0.5
        sibs.append(np.where(passed, parents[:, 0], parents[:, 1]).sum(axis=0))
    risk = 1 / (1 + np.exp(-1.5 * rng.normal(size=families)))
    return np.hstack(sibs), np.hstack([rng.random(families) < risk for _ in range(3)]), None


def additive(rng: Rng) -> Made:
    """Two loci, each copy of either adding .6 to the log odds."""
    calls, _, _ = one_population(rng)
    calls[:2] = rng.binomial(2, 0.35, (2, N))
    return calls, rng.random(N) < 1 / (1 + np.exp(0.9 - 0.6 * calls[:2].sum(axis=0))), None


def confounded(rng: Rng) -> Made:
    """Let a covariate move the risk, and the frequencies of fifty variants."""
    site = rng.integers(0, 2, N)
    base = rng.uniform(0.1, 0.4, (P, 1)) + np.where(np.arange(P)[:, None] < 50, 0.15, 0) * site
    table = pd.DataFrame({"site": np.where(site == 1, "south", "north")})
    return rng.binomial(2, base), rng.random(N) < np.where(site == 1, 0.65, 0.35), table


KINDS: dict[str, tuple[Callable[[Rng], Made], dict[str, Any], float | None]] = {
    "one population": (one_population, {"components": 5}, None),
    "two populations": (two_populations, {"components": 5}, None),
    "three, admixed": (three_admixed, {"components": 5}, None),
    "sibships": (sibships, {}, 0.0884),
    "confounded": (confounded, {}, None),
    "two additive loci": (additive, {}, None),
}
NULL = list(KINDS)[:5]


def study_of(kind: str, number: int) -> Study:
    """Make set ``number`` of a kind, and leave relatives out where that is asked for."""
    make, _, cutoff = KINDS[kind]
    calls, y, covariates = make(np.random.default_rng([number, list(KINDS).index(kind)]))
    packed = Genotypes.from_copies(calls)
    packed.variants["CHR"] = [str(1 + 20 * v // P) for v in range(P)]
    packed.variants["POS"] = 1_000_000 * np.arange(P)
    study = Study(packed, y, covariates)
    return study if cutoff is None else study.without_relatives(cutoff)


def measure(kind: str, number: int) -> dict[str, Any]:
    """Look for markers in one set."""
    study = study_of(kind, number)
    began = time.process_time()
    found = find_markers(study, **KINDS[kind][1], **CHAINS)
    within = found.adjustment.stratified_inflation
    return {
        "kind": kind,
        "set": number,
        "samples": len(study.y),
        "rule": str(found.plain),
        "probable": [float(p) for p in found.terms["PROB"] if p >= LIKELY],
        "acts": found.terms["ACTS"].tolist(),
        "null": found.null_probability,
        "inflation": found.adjustment.inflation.value,
        "within": None if within is None else within.value,
        "strata": 1 if found.adjustment.strata is None else len(found.adjustment.strata),
        "seconds": time.process_time() - began,
        "commit": commit(),
    }


def run(sets: int) -> Iterator[dict[str, Any]]:
    """Measure what is missing, and append each result to the file."""
    known = {(line["kind"], line["set"]): line for line in read_lines(LINES)}
    for number in range(sets):
        for kind in KINDS:
            if (kind, number) not in known:
                line = measure(kind, number)
                append_lines(LINES, [line])
                known[kind, number] = line
            yield known[kind, number]


def page(lines: list[dict[str, Any]]) -> str:
    """Write the page from all results."""
    rows, named_in_all, sets_in_all = [], 0, 0
    for kind in KINDS:
        own = [line for line in lines if line["kind"] == kind]
        if not own:
            continue
        named = sum(bool(line["probable"]) for line in own)
        if kind in NULL:
            named_in_all, sets_in_all = named_in_all + named, sets_in_all + len(own)
        _, low, high = jeffreys(named, len(own))
        plain, within = (
            [line[key] for line in own if line[key] is not None] for key in ("inflation", "within")
        )
        shown = f"{np.median(within):.2f} ({len(within)} sets)" if within else "no strata"
        rows.append(
            f"| {kind} | {named} of {len(own)} [{low:.2f}, {high:.2f}] | "
            f"{np.median(plain):.2f} | {shown} | {np.median([x['seconds'] for x in own]):.0f} |"
        )
    joint = [x for x in lines if x["kind"] == "two additive loci"]
    together = sum(any(a.startswith("acts together") for a in line["acts"]) for line in joint)
    _, low, high = jeffreys(named_in_all, sets_in_all)
    return "\n".join(
        [
            "# Studies without a marker",
            "",
            "The table shows how often `find_markers` names a term with a posterior probability of",
            f"one half or more, in simulated studies of {N:,} samples (one of each sibship) and",
            f"{P} variants. Measured by `make null-studies`, which writes this page. Chains are",
            f"short (draws {CHAINS['draws']}, warmup {CHAINS['warmup']}, chains "
            f"{CHAINS['chains']}); all other settings are",
            "the defaults, with five principal components for one or more populations, the",
            "covariate for confounded studies, and a kinship cutoff of 0.0884 for sibships.",
            "In brackets the 95 % Jeffreys interval of the share; λ is the median over sets.",
            "",
            "| study | a term of P >= 0.5 | λ | λ within strata | CPU seconds |",
            "|---|---|---|---|---|",
            *rows,
            "",
            f"Without a marker a term was named in {named_in_all} of {sets_in_all} sets",
            f"[{low:.2f}, {high:.2f}]. Two additive loci have an effect, so naming them is not a",
            f"false positive; in {together} of {len(joint)} sets the result said that they act",
            "together (an interaction).",
            "",
        ]
    )


def main() -> None:
    """Measure, and write the page."""
    parser = arguments(__doc__)
    parser.set_defaults(sets=100)
    for line in run(parser.parse_args().sets):
        print(line["kind"], line["set"], line["rule"], line["probable"], flush=True)
    lines = read_lines(LINES)
    with atomic_path(PAGE) as part:
        part.write_text(page(lines), encoding="utf-8")
    stamp(PAGE, "make null-studies", lines)


if __name__ == "__main__":
    main()
