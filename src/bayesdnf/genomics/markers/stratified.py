"""Scans with strata: what the plain scans find, judged within strata.

The native scan knows two rates, not two for each stratum. So single variants are scored here, all
of them and exactly, and pairs and triples are those that the plain scan finds best in the whole
study or in one of the strata, scored again with strata. A pair whose effect is small in every
stratum and hidden in the whole can be missed.
"""

from __future__ import annotations

import hashlib
import itertools
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...boolean import BooleanFunction, Literal
from ...boolean.literal import CODINGS
from ...model.effect import Effect
from ...model.prior import Prior
from ..genotypes import Genotypes
from .scan import Scan, scan
from .scoring import Scoring
from .spelling import literal_words, with_negations

if TYPE_CHECKING:
    import pandas as pd

_FEWEST = 20  # cases, and controls, of a stratum that is worth a scan of its own


def strata_hash(strata: NDArray[np.intp] | None) -> str | None:
    """Name a choice of strata, for the settings of a scan."""
    if strata is None:
        return None
    return hashlib.sha256(np.ascontiguousarray(strata, dtype=np.int64).tobytes()).hexdigest()[:16]


def stratified_singles(scoring: Scoring, codes: Sequence[str]) -> pd.DataFrame:
    """Score the best literal of every variant within strata, best variant first.

    Parameters
    ----------
    scoring : Scoring
        The study and its strata.
    codes : sequence of str
        Literals on offer. Of a literal and its negation, which score the same, the one that
        raises the risk is named.
    """
    import pandas as pd

    genotypes = scoring.genotypes
    everyone = np.full_like(scoring.classes[0], ~np.uint64(0))
    marked = scoring.literals_within(everyone, codes)
    factors = scoring.log_factors(marked)
    tied = factors >= factors.max(axis=1, keepdims=True) - 1e-9
    raised = scoring.raised(marked)
    best = np.where(tied, raised > 0, -1).argmax(axis=1)
    rows = np.arange(len(best))
    factor, counts = factors[rows, best], marked[rows, best]
    s = scoring.n_strata
    names = genotypes.names
    order = np.argsort(-factor, kind="stable")
    texts = [f"({Literal(names[v], codes[best[v]])})" for v in order]
    return pd.DataFrame(
        {
            "marker": texts,
            "variant_1": np.array(names, dtype=object)[order],
            "cases": counts[order, :s].sum(axis=1),
            "controls": counts[order, s:].sum(axis=1),
            "log_bayes_factor": factor[order],
            "gain": factor[order],
            "place_1": order,
        }
    )


def scan_pairs(
    genotypes: Genotypes,
    y: NDArray[np.bool_],
    *,
    strata: NDArray[np.intp] | None,
    codings: Sequence[str] = tuple(CODINGS),
    gap: int = 0,
    **settings: Any,
) -> Scan:
    """Scan pairs by :func:`scan`, or within strata where there are some.

    Parameters
    ----------
    genotypes, y, codings, gap, **settings
        As for :func:`scan`.
    strata : ndarray of int or None
        The stratum of each sample.
    """
    if strata is None:
        return scan(genotypes, y, codings=codings, gap=gap, **settings)
    effect = Effect().resolved(strata=int(strata.max()) + 1)
    scoring = Scoring(genotypes, y, Prior(), effect, tuple(codings), True, gap, strata)
    singles = stratified_singles(scoring, with_negations(codings, True))
    return stratified_scan(scoring, singles, codings=codings, gap=gap, **settings)


def stratified_scan(
    scoring: Scoring,
    singles: pd.DataFrame,
    *,
    top: int = 1000,
    checkpoint: str | os.PathLike[str] | None = None,
    **settings: Any,
) -> Scan:
    """Scan pairs or triples in the whole study and in each stratum; score what they find again.

    Parameters
    ----------
    scoring : Scoring
        The study and its strata.
    singles : DataFrame
        What :func:`stratified_singles` made.
    top : int, default=1000
        Findings to keep, and to take from each of the plain scans.
    checkpoint : path, optional
        Where to keep the plain scan of the whole study; those of strata have files beside it.
    **settings
        Those of :func:`scan`.
    """
    import pandas as pd

    genotypes, y, strata = scoring.genotypes, scoring.y, scoring.strata
    assert strata is not None
    whole = scan(genotypes, y, top=top, checkpoint=checkpoint, **settings)
    parts = [whole.findings]
    for s in range(scoring.n_strata):
        here = strata == s
        if min(np.count_nonzero(here & y), np.count_nonzero(here & ~y)) >= _FEWEST:
            kept = None if checkpoint is None else f"{os.fspath(checkpoint)}.{s}"
            calls = genotypes.take(samples=here)
            found = scan(calls, y[here], top=top, checkpoint=kept, **settings)
            parts.append(found.findings)
    joined = pd.concat([p for p in parts if len(p)] or parts[:1], ignore_index=True)
    joined = joined.drop_duplicates("marker").reset_index(drop=True)
    if len(joined):
        joined = _scored(scoring, singles, joined)
    key = "gain" if whole.settings["rank"] == "gain" else "log_bayes_factor"
    places = [joined[c] for c in joined.columns if c.startswith("place_")]
    order = np.lexsort((*reversed(places), -joined[key]))
    findings = joined.iloc[order[:top]].reset_index(drop=True)
    return Scan(findings, {**whole.settings, "strata": strata_hash(strata)})


def _scored(scoring: Scoring, singles: pd.DataFrame, found: pd.DataFrame) -> pd.DataFrame:
    """Score findings within strata: marked samples, factor, gain."""
    functions = [BooleanFunction.parse(text) for text in found["marker"]]
    marked = scoring.count(np.stack([scoring.words(f) for f in functions]))
    factor = scoring.log_factors(marked)
    alone = np.empty(len(singles))
    alone[singles["place_1"]] = singles["log_bayes_factor"]
    places = found[[c for c in found.columns if c.startswith("place_")]].to_numpy()
    smaller = alone[places].max(axis=1)
    if places.shape[1] == 3:
        smaller = np.maximum(smaller, [_best_pair(scoring, three) for three in places])
    s = scoring.n_strata
    return found.assign(
        cases=marked[:, :s].sum(axis=1),
        controls=marked[:, s:].sum(axis=1),
        log_bayes_factor=factor,
        gain=factor - np.maximum(0.0, smaller),
    )


def _best_pair(scoring: Scoring, three: NDArray[np.intp]) -> float:
    """Score the best AND of two of three variants."""
    planes = scoring.genotypes.planes[three]
    held = [[literal_words(own, code) for code in scoring.codings] for own in planes]
    pairs = [
        a & b for x, y in itertools.combinations(held, 2) for a in x for b in y
    ]  # fmt: skip
    return float(scoring.log_factors(scoring.count(np.stack(pairs))).max())
