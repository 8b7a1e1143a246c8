"""Accuracy of the verdict on draws: on chains that mix well, and on chains with a fault.

Chains are drawn from posteriors that are known in full: enumerated ones, and wide ones that are
made up. Each is drawn independently, or stays at a function for a while. Of the faults, one of four
chains is stuck at a function that has nine tenths of the mass at most, or never enters a set of
functions that has a tenth of it or more: those that hold one literal, or some of the enumerated.

Run as ``python -m benchmarks.verdicts [--sets 100]``; the table goes to docs/verdicts.md, with a
picture of it.
"""

from __future__ import annotations

import argparse
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from typing import NamedTuple

import numpy as np

from bayesdnf import BitMatrix, Draws, Posterior, simulate
from bayesdnf.model.flat_functions import as_flat
from bayesdnf.sampling.kernel import MOVES

from .writing import DOCS, stamp

LENGTHS = [(100, 0.0), (100, 0.5), (300, 0.0), (300, 0.8), (1000, 0.0), (1000, 0.8), (5000, 0.5)]
"""Draws of each chain, and the probability of staying at a function."""
FAULTS = ["none", "stuck", "misses a literal", "misses functions"]
LEVELS = ["fine", "short", "apart"]
CHAINS = 4


class Known(NamedTuple):
    """A posterior known in full: functions as terms of literal numbers, and their shares."""

    terms: list[list[tuple[int, list[int]]]]
    share: np.ndarray
    n_literals: int


@cache
def posteriors() -> dict[str, Known]:
    """Posteriors of several shapes."""
    found = {}
    for name, n, risks in (
        ("noise", 60, (0.5, 0.5)),
        ("weak", 120, (0.35, 0.65)),
        ("strong", 300, (0.2, 0.8)),
    ):
        X, y, _ = simulate(n, 4, terms=(2,), pi0=risks[0], pi1=risks[1], random_state=0)
        posterior = Posterior(BitMatrix.from_table(X), y)
        table = posterior.enumerate()
        terms = [posterior.support.layered_ids(f) for f in table["function"]]
        found[f"enumerated, {name}"] = Known(terms, table["probability"].to_numpy(), 4)
    rng = np.random.default_rng(0)
    for name, n, shape in (("wide", 300, 1.0), ("vast", 20_000, 0.5)):
        chosen: dict[tuple[tuple[int, ...], ...], None] = {}
        while len(chosen) < n:
            sizes = rng.integers(1, 4, size=rng.integers(1, 4))
            new = {tuple(sorted(rng.choice(12, size=k, replace=False).tolist())) for k in sizes}
            chosen[tuple(sorted(new))] = None
        terms = [[(1, list(term)) for term in function] for function in chosen]
        mass = rng.gamma(shape, size=n)
        found[f"made up, {name}"] = Known(terms, mass / mass.sum(), 12)
    return found


def drawn(known: Known, n: int, stay: float, fault: str, rng: np.random.Generator) -> np.ndarray:
    """Chains of function numbers, one of them with a fault; the fault may be impossible."""
    stays = rng.random((CHAINS, n)) < stay
    stays[:, 0] = False
    source = np.maximum.accumulate(np.where(stays, 0, np.arange(n)), axis=1)
    fresh = rng.choice(len(known.share), size=(CHAINS, n), p=known.share)
    if fault == "stuck":
        fresh[-1] = rng.choice(np.flatnonzero(known.share <= 0.9), p=_renormalised(known.share))
    elif fault != "none":
        missed = _mode(known, fault, rng)
        rest = np.where(missed, 0, known.share)
        fresh[-1] = rng.choice(len(rest), size=n, p=rest / rest.sum())
    return np.take_along_axis(fresh, source, axis=1)


def _renormalised(share: np.ndarray) -> np.ndarray:
    kept = share[share <= 0.9]
    return np.asarray(kept / kept.sum())


def _mode(known: Known, fault: str, rng: np.random.Generator) -> np.ndarray:
    """Choose functions of a tenth of the mass or more, and of less than all of it."""
    if fault == "misses a literal":
        holds = np.array(
            [
                [any(literal in term for _, term in function) for function in known.terms]
                for literal in range(known.n_literals)
            ]
        )
        mass = holds @ known.share
        some = np.flatnonzero((mass >= 0.1) & (mass < 0.9))
        return holds[rng.choice(some)]
    while True:
        order = rng.permutation(len(known.share))
        missed = np.zeros(len(known.share), dtype=bool)
        missed[order[: np.searchsorted(np.cumsum(known.share[order]), 0.1) + 1]] = True
        if known.share[missed].sum() < 0.9:
            return missed


def draws_of(known: Known, chains: np.ndarray, rng: np.random.Generator) -> Draws:
    """Put numbers of functions as a run of chains would give them."""
    used, index = np.unique(chains, return_inverse=True)
    flat = as_flat([known.terms[i] for i in used])
    n, shape = len(used), chains.shape
    literals = tuple(BitMatrix.from_table(np.eye(known.n_literals, dtype=int)).table)
    moves = np.ones((CHAINS, len(MOVES)), dtype=np.int64)
    none = np.zeros((CHAINS, 0), dtype=np.int64)
    null = [i for i, terms in enumerate(known.terms) if not terms]
    return Draws(
        literals=literals,
        equal=tuple(() for _ in literals),
        functions=flat,
        log_prior=np.zeros(n),
        log_likelihood=np.log(known.share[used]),
        cells=np.zeros((n, 1, 2, 2), dtype=np.int64),
        rows=np.arange(2 * n, dtype=np.uint64).reshape(n, 2),
        index=index.reshape(shape),
        rates=rng.random((*shape, 1, 2)),
        likelihoods=np.log(known.share)[chains][:, :, None],
        betas=(1.0,),
        tried=moves,
        changed=moves,
        exchanges_tried=none,
        exchanged=none,
        log_copies=np.zeros(n),
        log_null=float(np.log(known.share[null[0]])) if null else -np.inf,
        settings={"kernel": "informed"},
    )


def levels(task: tuple[str, int, float, str, int]) -> Counter[str]:
    """Judge some sets of chains of one kind."""
    name, n, stay, fault, sets = task
    known, seen = posteriors()[name], Counter[str]()
    for number in range(sets):
        rng = np.random.default_rng([number, n, int(10 * stay), FAULTS.index(fault)])
        chains = drawn(known, n, stay, fault, rng)
        seen[str(draws_of(known, chains, rng).diagnose().level)] += 1
    return seen


def possible(name: str, fault: str) -> bool:
    """Whether a posterior has such a set: not where one function has nearly all of the mass."""
    if name == "enumerated, strong":
        return fault in ("none", "stuck")
    return fault != "misses functions" or name.startswith("enumerated")


def main() -> None:
    """Judge all kinds, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=40)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    tasks = [
        (name, n, stay, fault, options.sets)
        for fault in FAULTS
        for n, stay in LENGTHS
        for name in posteriors()
        if possible(name, fault)
    ]
    with ProcessPoolExecutor(options.jobs) as pool:
        seen = dict(zip(tasks, pool.map(levels, tasks), strict=True))
    write(seen, options.sets)


def write(seen: dict[tuple[str, int, float, str, int], Counter[str]], sets: int) -> None:
    """Write the picture, and the table that docs/trust.md includes."""
    import matplotlib.pyplot as plt

    lines = ["| one of four chains | draws | effective | fine | too short | do not agree |"]
    lines.append("|---|--:|--:|--:|--:|--:|")
    together = {}
    for (_, n, stay, fault, _), levels_seen in seen.items():
        together.setdefault((fault, n, stay), Counter()).update(levels_seen)
    for (fault, n, stay), counts in together.items():
        size = n * (1 - stay) / (1 + stay)
        shares = [f"{counts[level] / counts.total():.1%}" for level in LEVELS]
        lines.append(f"| {fault} | {n:,} | {size:,.0f} | {' | '.join(shares)} |")
    sound = [counts for (fault, *_), counts in together.items() if fault == "none"]
    apart = sum(counts["apart"] for counts in sound)
    lines += [
        "",
        f"Each row has {sets} sets of four chains from each of up to five posteriors.",
        f"Of {sum(c.total() for c in sound):,} sets without a fault, {apart} were reported as not",
        "agreeing.",
    ]
    (DOCS / "verdicts.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    stamp(DOCS / "trust.md", "python -m benchmarks.verdicts")
    fig, axes = plt.subplots(1, len(FAULTS), figsize=(11, 3.2), sharey=True, layout="constrained")
    colors = ["#4c9f70", "#d8d8d8", "#c44e52"]
    for ax, fault in zip(axes, FAULTS, strict=True):
        rows = [(n, stay) for n, stay in LENGTHS]
        left = np.zeros(len(rows))
        for level, color in zip(LEVELS, colors, strict=True):
            share = np.array(
                [together[fault, *r][level] / together[fault, *r].total() for r in rows]
            )
            ax.barh(range(len(rows)), share, left=left, color=color, label=level)
            left += share
        ax.set_title("no fault" if fault == "none" else fault, fontsize="medium")
        names = [f"{n:,} draws, {n * (1 - s) / (1 + s):,.0f} effective" for n, s in rows]
        ax.set_yticks(range(len(rows)), names)
        ax.set_xlim(0, 1)
        ax.set_xlabel("share of verdicts")
    axes[0].invert_yaxis()
    fig.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=len(LEVELS))
    fig.savefig(DOCS / "verdicts.svg", metadata={"Date": None})
    print("\n".join(lines))
    print(f"{sets} sets of each kind.")


if __name__ == "__main__":
    main()
