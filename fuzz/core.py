"""The bindings: arguments of every function and class of the C++ core.

Nothing behind the bindings checks what it is given, so no arguments may get past them that read or
write outside of memory, overflow or never end. Chains and searches get few steps and a deadline:
that more of them take longer is no finding.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesdnf import _native as native

from .values import Values

EXPECTED = (ValueError, TypeError, MemoryError, OverflowError, IndexError)


def attempt(data: bytes) -> None:
    """Choose a part of the core by the first bytes, and its arguments by the others."""
    values = Values(data)
    values.pick(*PARTS)(values)


def bits(v: Values) -> None:
    """Try loops over packed bits and rows."""
    n_words = v.within(0, 5)
    a, b = v.words(n_words), v.words(n_words)
    simd = v.pick(None, "portable", "avx2", "none such")
    v.pick(native.bits_and, native.bits_or, native.bits_and_not)(a, b, simd)
    native.popcount(a, simd)
    native.and_popcount(a, b, v.within(0, 3), simd)
    planes = v.words(3, n_words)
    n_rows = v.whole(0, 64 * n_words)
    native.hash_rows(planes, n_rows)
    rows, offsets = segments(v, n_words)
    out = v.words(3, n_words)
    n_sources = max(0, min(sum(rows), 64 * n_words))  # wild rows: no list could be as long
    native.gather_rows(planes, n_rows, v.array(np.int64, n_sources, 0, n_rows), rows, offsets, out)
    native.append_rows(out, v.whole(0, 64), planes, n_rows)


def segments(v: Values, n_words: int) -> tuple[list[int], list[int]]:
    """Draw rows of each segment, and the words at which segments begin and end."""
    n = v.within(1, 3)
    ends = sorted(v.within(0, n_words) for _ in range(n - 1))
    offsets = [0, *ends, n_words]
    most = [64 * (b - a) for a, b in itertools.pairwise(offsets)]
    rows = [v.within(max(0, m - 70), m) for m in most]
    if v.wild():
        offsets = v.wholes(n + 1, 0, n_words)
    return ([v.whole(0, 64) for _ in rows] if v.wild() else rows), offsets


def view_of(v: Values) -> tuple[Any, list[int], list[int]]:
    """Make a table of packed bits with literals."""
    n_words, n_planes, n_literals = v.within(0, 4), v.within(1, 4), v.within(0, 6)
    rows, offsets = segments(v, n_words)
    planes = v.words(n_planes, n_words)
    weights = v.words(v.within(0, 3), n_words) if v.yes() else None
    plane = v.array(np.int32, n_literals, 0, n_planes - 1)
    complement = v.array(np.uint8, n_literals, 0, 1)
    valid = v.array(np.int32, n_literals, -1, n_planes - 1)
    if not v.wild():
        make_consistent(
            planes, rows, offsets, list(zip(plane.tolist(), valid.tolist(), strict=False))
        )
    simd = v.pick(None, "portable", "avx2")
    view = native.BitView(planes, rows, offsets, weights, plane, complement, valid, simd)
    return view, rows, offsets


def make_consistent(
    planes: NDArray[np.uint64], rows: list[int], offsets: list[int], pairs: list[tuple[int, int]]
) -> None:
    """Clear bits that no row stands for, and values that are not known: most would be refused."""
    n_planes, n_words = planes.shape
    kept = np.zeros(n_words, dtype=np.uint64)
    for (first, end), n in zip(itertools.pairwise(offsets), rows, strict=False):
        for w in range(max(0, min(first, n_words)), max(0, min(end, n_words))):
            kept[w] = (1 << min(64, max(0, n - 64 * (w - first)))) - 1
    planes &= kept
    for j, k in pairs * n_planes:  # a plane may say where the values of another are known
        if 0 <= j < n_planes and 0 <= k < n_planes:
            planes[j] &= planes[k]


def table(v: Values) -> None:
    """Count over a table, and find parts of its rows."""
    view, rows, _ = view_of(v)
    masks = v.words(v.within(0, 3), view.n_words)
    view.sweep(masks, v.within(0, 2))
    view.literal_counts(masks)
    view.count(masks)
    view.all_rows()
    view.hash_literals()
    lists = v.flat(v.within(0, 3), view.n_literals)
    view.term_masks(lists[1], lists[2])
    native.part_of_rows(view, *lists)
    n_parts = v.within(0, 5)
    native.part_counts(view, *lists, n_parts)
    n_lists = len(lists[0]) - 1
    values = v.floats(max(0, n_lists) * len(rows) * n_parts, -1, 1)
    if len(values) == n_lists * len(rows) * n_parts:
        native.part_sums(view, *lists, values.reshape(n_lists, len(rows), n_parts))


def streams(v: Values) -> None:
    """Draw random numbers."""
    rng = stream(v)
    n = v.within(0, 40)
    rng.raw(n)
    rng.uniform(n)
    rng.normal(n)
    rng.below(v.whole(1, 10), n)
    rng.beta(v.real(1e-3, 10), v.real(1e-3, 10), n)
    native.draw_beta_pairs(*(v.floats(n, 1e-3, 10) for _ in range(4)), v.yes(), rng)
    native.Philox.resume(*rng.state)


def stream(v: Values) -> Any:
    """Make a stream, also one that somebody forged."""
    if v.wild():
        return native.Philox.resume(v.wholes(2, 0, 9), v.wholes(4, 0, 9), v.whole(0, 4))
    return native.Philox(v.wholes(2, 0, 9), v.wholes(4, 0, 9))


def effect_of(v: Values) -> Any:
    """Make what is known of rates."""
    known = [v.real(0.01, 0.99), v.real(0.01, 0.99)] if v.wild() else [None, None]
    return native.Effect(*v.reals(6, 1e-3, 10), v.pick(False, False, True), *known)


def mathematics(v: Values) -> None:
    """Work out functions of counts and of Beta distributions."""
    n_positive, n_negative = v.whole(0, 99), v.whole(0, 99)
    likelihood = native.Likelihood(effect_of(v), n_positive, n_negative)
    a, b = v.whole(0, min(99, max(0, n_positive))), v.whole(0, min(99, max(0, n_negative)))
    likelihood(a, b)
    likelihood.order_factor(a, b)
    native.log_order_probability(*v.reals(4, 1e-3, 100))
    native.log_beta_cdf(v.floats(3, -50, 50), v.real(1e-3, 100), v.real(1e-3, 100))
    n = v.within(0, 9)
    native.log_elementary_symmetric(v.floats(n, -9, 9), v.whole(0, n))


def support_of(v: Values, n: int) -> Any:
    """Make meanings of literals and rules for functions."""
    entries = [[v.wholes(v.within(0, 3), 0, max(0, n - 1)) for _ in range(2)] for _ in range(3)]
    return native.Support(
        v.array(np.int32, n, 0, 4),
        v.array(np.int32, n, 0, 3),
        v.array(np.uint8, n, 0, 3),
        v.array(np.int32, n, 0, max(0, n - 1)),
        *(v.yes() for _ in range(3)),
        v.whole(0, 3),
        v.pick(None, v.whole(0, 4)),
        v.pick(None, v.whole(0, 6)),
        v.whole(1, 3),
        *((entries[0], []) if v.yes() else ([], [entries[1]])),
    )  # fmt: skip


def rules(v: Values) -> None:
    """Ask the support."""
    n = v.within(0, 6)
    support = support_of(v, n)
    support.implies(v.whole(0, n), v.whole(0, n))
    support.excludes(v.whole(0, n), v.whole(0, n))
    terms = v.terms(v.within(0, 3), n)
    support.addable(v.wholes(v.within(0, 2), 0, max(0, n - 1)), terms)
    support.check(terms, v.wholes(len(terms), 1, 3), v.wholes(len(terms), 0, 9), v.whole(0, 9))


def posterior_of(v: Values) -> tuple[Any, Any, Any]:
    """Make a table, its rules and a prior."""
    view, rows, offsets = view_of(v)
    n = view.n_literals
    posterior = native.Posterior(
        view,
        support_of(v, n),
        v.floats(v.within(0, 6), -9, 0),
        v.floats(v.within(0, 6), -9, 0),
        v.array(np.int64, v.pick(0, n), -9, 9),
        effect_of(v),
        v.whole(1, 3),
        v.pick(2, 2, 2, 3),
    )
    counts = [] if v.yes() else v.wholes(sum(rows), 1, 3)
    individuals = native.Individuals(view, rows, offsets, counts, v.whole(1, len(rows)))
    return posterior, individuals, view


def scores(v: Values) -> None:
    """Score functions."""
    posterior, _, view = posterior_of(v)
    posterior.score(*v.flat(v.within(0, 3), view.n_literals), v.within(0, 2))


def stop_soon(v: Values) -> Any:
    """Make a flag that is raised before long."""
    stop = native.StopFlag()
    stop.set_deadline(v.pick(0.02, 0.02, 0.0, -1.0))
    return stop


def searches(v: Values) -> None:
    """Search for functions, in a few steps."""
    posterior, individuals, view = posterior_of(v)
    n, stop = view.n_literals, stop_soon(v)
    start = v.terms(v.within(0, 3), n)
    layers = [] if v.yes() else v.wholes(len(start), 1, 2)
    which = v.within(0, 5)
    if which == 0:
        native.beam_search(posterior, start, v.within(0, 4), stop, layers)
    elif which == 1:
        native.recombine(posterior, start, v.terms(v.within(0, 4), n), stop)
    elif which == 2:
        rates = (np.nan, np.nan) if v.yes() else (v.real(0.01, 0.99), v.real(0.01, 0.99))
        native.restart(posterior, start, stream(v), v.within(0, 30), v.real(0.1, 9),
                       v.real(0, 2), *rates, v.within(0, 3), stop, layers)  # fmt: skip
    elif which == 3:
        search = native.TermSearch(posterior, v.whole(0, 4))
        search.seed(v.within(0, 3), stop)
        search.advance(stop)
    elif which == 4:
        native.priced_terms(
            posterior, v.wholes(v.within(0, n), 0, max(0, n - 1)), v.yes(), v.yes(),
            v.array(np.int64, v.within(0, n + 1), -9, 0), v.array(np.int64, n, -9, 0),
            v.array(np.int64, 64 * view.n_words, -9, 9), v.whole(0, 9),
            v.words(v.pick(0, view.n_words)), v.whole(-9, 9), v.whole(0, 9), v.yes(),
            v.whole(0, 99), v.whole(0, 99), v.within(0, 99), stop,
        )  # fmt: skip
    else:
        problem = native.AnnealProblem(posterior, effect_of(v), individuals)
        chain = native.AnnealChain(
            problem, stream(v), v.whole(0, 3), v.yes(), v.reals(7, 0, 1), v.real(-1, 5),
            v.real(0, 1), v.yes(), v.whole(0, 20),
        )  # fmt: skip
        chain.advance(v.within(0, 50), stop)
        _ = chain.last, chain.result, chain.probabilities


def chains(v: Values) -> None:
    """Run chains over functions, in a few steps."""
    posterior, individuals, view = posterior_of(v)
    problem = native.ChainProblem(posterior, individuals)
    names, n = native.move_names(), view.n_literals
    n_temperatures = v.within(1, 2)
    starts = [v.terms(v.within(0, 2), n) for _ in range(v.length(n_temperatures))]
    known = [v.terms(v.within(0, 2), n) for _ in range(v.within(0, 2))]
    listed = v.terms(v.within(0, 2), n)
    chain = native.Chain(
        problem, {v.pick(*names, "none"): v.real(0, 1) for _ in range(v.within(1, 6))},
        v.real(0.01, 0.99), v.real(0.01, 0.99), v.reals(v.within(0, 2), 0, 2), listed,
        v.reals(len(listed), 0.1, 2), [1.0, *v.reals(n_temperatures - 1, 0, 1)], v.whole(1, 5),
        starts, [v.wholes(len(start), 1, 1) for start in starts], stream(v), v.whole(0, 9),
        known, [v.wholes(len(function), 1, 1) for function in known],
    )  # fmt: skip
    chain.advance(v.within(0, 30), v.whole(1, 5), stop_soon(v))
    chain.single_steps(v.within(0, 3))
    _ = chain.terms, chain.layers, chain.stream, chain.step


def catalogue(v: Values) -> None:
    """Give functions numbers."""
    held = native.Catalogue()
    held.number(*v.flat(v.within(0, 4), 9))
    _ = held.flat, len(held)


def implicants(v: Values) -> None:
    """Search for implicants."""
    n_positive, n_negative, n = v.within(0, 70), v.within(0, 70), v.within(0, 6)
    found = native.Implicants(
        v.words(n, -(-n_positive // 64)), n_positive, v.words(n, -(-n_negative // 64)), n_negative
    )
    found.search(v.array(np.int64, n_positive, 0, 9), v.whole(0, 3), v.whole(-9, 9), v.yes(),
                 v.whole(0, 9), v.within(0, 99), stop_soon(v))  # fmt: skip


def genotypes(v: Values) -> None:
    """Read and compare genotypes."""
    n_samples, n_variants = v.within(0, 130), v.within(0, 4)
    n_words = -(-n_samples // 64)
    planes = v.words(n_variants, 3, n_words)
    width = v.length(-(-n_samples // 4))
    calls = np.frombuffer(v.words(n_variants, width).tobytes(), dtype=np.uint8)
    native.read_bed(calls[: len(planes) * width].reshape(len(planes), width), n_samples, planes,
                    v.within(0, 2))  # fmt: skip
    native.read_copies(v.array(np.int8, 9 * len(planes), -1, 3).reshape(len(planes), -1), planes)
    native.pick_samples(planes[:, 0].copy(), v.words(n_words))
    native.r_squared(planes, *(v.array(np.int64, 3, 0, max(0, n_variants - 1)) for _ in range(2)))
    places = v.array(np.int32, n_variants, 0, 1), v.array(np.int64, n_variants, 0, 99)
    native.prune(planes, *places, v.whole(0, 50), v.real(0, 1))
    native.relatives(planes, v.whole(0, n_samples), v.real(-1, 1), v.within(0, 2))


def scans(v: Values) -> None:
    """Scan pairs and triples."""
    n_variants, n_words = v.within(0, 6), v.within(0, 3)
    raw = v.words(n_variants, 3, n_words)
    planes = raw if v.wild() else np.bitwise_and.accumulate(raw, axis=1)
    segments = v.words(2 * v.within(1, 2), n_words)
    if not v.wild():
        for i in range(1, len(segments)):
            segments[i] &= ~np.bitwise_or.reduce(segments[:i])
    scan = native.ScanTable(
        planes, segments, effect_of(v), v.wholes(v.within(1, 6), 0, 5), v.yes(), v.yes(),
        v.whole(1, 9), v.whole(0, 9), v.array(np.int32, n_variants, 0, 1),
        v.array(np.int64, n_variants, 0, 99), v.within(0, 2),
    )  # fmt: skip
    scan.singles()
    best = native.Findings(v.whole(1, 9))
    first, last, step = v.whole(0, 2), v.whole(0, scan.n_tasks), v.whole(1, 3)
    scan.size_of(first, last, step)
    scan.places(first, last, step)
    scan.scan(first, last, step, v.within(0, 2), stop_soon(v), best)
    scan.levels(v.real(-9, 99))
    pairs = v.array(np.int32, 10 * v.within(0, 2), 0, 5)
    if len(pairs) % 10 == 0:
        scan.score(pairs.reshape(-1, 10), v.within(0, 2), best)
    chosen = np.unique(v.array(np.int32, v.within(0, 4), 0, max(0, n_variants - 1)))
    triples = native.TripleTable(scan, chosen, v.within(0, 2))
    triples.size_of(0, v.whole(0, triples.n_tasks))
    triples.scan(0, v.whole(0, triples.n_tasks), v.whole(1, 2), 1, stop_soon(v), best)
    best.arrays()


PARTS: tuple[Callable[[Values], None], ...] = (
    bits, table, streams, mathematics, rules, scores, searches, chains, catalogue, implicants,
    genotypes, scans,
)  # fmt: skip
