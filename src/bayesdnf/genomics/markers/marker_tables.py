"""Tables of results: terms, variants, pairs of variants, regions."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...boolean import BooleanFunction, Literal
from ...model.part_rates import part_risks
from ...model.posterior import Posterior
from ...sampling.drawn.shares import pairs_within, summed
from ...sampling.draws import Draws
from ..association.additive import Acting, acting
from ..association.single_tests import additive_effects, allelic_test
from ..chromosomes import canonical_chromosomes, chromosome_order
from ..genotypes import Genotypes
from ..quality.ploidy import allele_counts
from .credible import Slot
from .spelling import plain_literal

if TYPE_CHECKING:
    import pandas as pd

    from ..association.refit import Refit


COLUMNS = [
    "TERM", "SNP", "CHR", "BP", "A1", "A2", "FREQ", "CASES", "CONTROLS", "N_CASES", "N_CONTROLS",
    "COVERED", "RISK", "RISK_L95", "RISK_U95", "OR", "OR_L95", "OR_U95", "PROB", "PROB_EXACT",
    "SLOT_PIP", "LOG_BF", "GAIN", "LBF_ALONE", "LBF_SEPARATE", "LBF_ADDITIVE",
    "LBF_ADDITIVE_HALF", "LBF_ADDITIVE_TWICE", "ACTS", "NOTE", "PROXIES",
]  # fmt: skip
"""Of the table of terms; with covariates ``ADJ_OR``, ``ADJ_L95``, … follow."""

NEAR = 500_000
"""Base pairs below which two variants of a term are flagged as probably one."""


def variant_table(
    genotypes: Genotypes,
    y: NDArray[np.bool_],
    singles: pd.DataFrame,
    inclusion: NDArray[np.float64],
    strata: Sequence[NDArray[np.bool_]] | None = None,
) -> pd.DataFrame:
    """Tabulate every variant, with the column names of plotting and annotation tools.

    ``CHR``, ``SNP``, ``BP``, ``A1`` (counted), ``A2``, ``FREQ`` of A1, ``F_A`` and ``F_U`` (its
    frequency in cases and controls), ``N`` known calls, ``BETA``, ``SE`` and ``P`` of copies in a
    logistic regression within strata, ``OR`` and ``P_ALLELIC`` of the allelic test, ``BEST`` and
    ``LOG_BF`` of its best literal alone, and ``PIP``, the posterior probability that the function
    uses it. Males have one allele on X and Y, everyone one on MT.
    """
    import pandas as pd
    from scipy.special import ndtr

    everyone = np.ones(len(y), dtype=np.bool_)
    copies, alleles = allele_counts(genotypes, everyone)
    odds, p, f_a, f_u = allelic_test(genotypes, y)
    beta, error = additive_effects(genotypes, y, strata)
    with np.errstate(divide="ignore", invalid="ignore"):
        frequency = copies / alleles
        # The lower tail: 1 - ndtr would underflow for p-values below 1e-16.
        wald = 2 * ndtr(-np.abs(beta / error))
    return pd.DataFrame(
        {
            "CHR": genotypes.variants["CHR"],
            "SNP": genotypes.variants["ID"],
            "BP": genotypes.variants["POS"],
            "A1": genotypes.variants["A1"],
            "A2": genotypes.variants["A2"],
            "FREQ": frequency,
            "F_A": f_a,
            "F_U": f_u,
            "N": genotypes.counts()[:, 0],
            "BETA": beta,
            "SE": error,
            "P": wald,
            "OR": odds,
            "P_ALLELIC": p,
            "BEST": [
                _plain_text(text, name, genotypes.other_names)
                for text, name in zip(singles["marker"], singles["variant_1"], strict=True)
            ],
            "LOG_BF": singles["log_bayes_factor"],
            "PIP": inclusion,
        }
    )


def variant_inclusion(draws: Draws, genotypes: Genotypes) -> NDArray[np.float64]:
    """Return posterior inclusion probabilities of variants; equal columns have equal shares."""
    shares = draws.inclusion("attribute")
    out = np.zeros(genotypes.n_variants)
    alike: dict[str, set[str]] = {}
    for literal, others in zip(draws.literals, draws.equal, strict=True):
        alike.setdefault(literal.attribute, {literal.attribute}).update(x.attribute for x in others)
    for name, share in zip(shares["what"], shares["probability"], strict=True):
        members = [genotypes.place[other] for other in alike[name]]
        out[members] += share / len(members)
    return np.minimum(out, 1.0)


def pair_table(draws: Draws, least: float = 0.01) -> pd.DataFrame:
    """Tabulate pairs of variants in one term, with posterior probabilities."""
    import pandas as pd

    names, of_literal = np.unique([x.attribute for x in draws.literals], return_inverse=True)
    functions = draws.functions
    first, second = pairs_within(functions.literal_starts)
    holder = np.repeat(np.arange(draws.n_functions), draws.n_literals)[first]
    ends = np.sort(of_literal[functions.literals[np.stack([first, second], axis=1)]], axis=1)
    # Count each pair once per function; two literals of one variant are not a pair.
    held = np.unique(np.column_stack([ends, holder])[ends[:, 0] < ends[:, 1]], axis=0)
    pairs, number = np.unique(held[:, :2], axis=0, return_inverse=True)
    shares = summed(number.ravel(), draws.weights[held[:, 2]], len(pairs))
    order = np.lexsort((pairs[:, 1], pairs[:, 0], -shares))
    order = order[shares[order] >= least]
    rows = [
        (names[a], names[b], share)
        for (a, b), share in zip(pairs[order], shares[order], strict=True)
    ]
    return pd.DataFrame(rows, columns=["VARIANT_1", "VARIANT_2", "PIP"])


def region_table(
    draws: Draws, genotypes: Genotypes, width: int = 1_000_000, least: float = 0.01
) -> pd.DataFrame:
    """Tabulate windows of chromosomes, with the probability that the function uses a variant."""
    import pandas as pd

    position = genotypes.variants["POS"].to_numpy(dtype=np.int64)
    chromosome = canonical_chromosomes(genotypes.variants["CHR"])
    of_literal = [
        # Positions start at 1: the first window is 1 to ``width``.
        (str(chromosome[v]), int(position[v] - 1) // width)
        for v in (genotypes.place[x.attribute] for x in draws.literals)
    ]
    regions = sorted(set(of_literal))
    rows = []
    for region in regions:
        members = [i for i, r in enumerate(of_literal) if r == region]
        share = float(draws.weights[draws.holding(members).any(axis=0)].sum())
        if share >= least:
            start = region[1] * width
            rows.append((region[0], start + 1, start + width, share))
    table = pd.DataFrame(rows, columns=["CHR", "START", "END", "PIP"])
    order = np.lexsort((table["START"], chromosome_order(table["CHR"])))
    return table.iloc[order].reset_index(drop=True)


def marker_table(
    posterior: Posterior,
    genotypes: Genotypes,
    y: NDArray[np.bool_],
    function: BooleanFunction,
    draws: Draws,
    slots: list[list[Slot]],
    probabilities: Sequence[tuple[float, float]],
    odds: pd.DataFrame,
    refitted: Refit | None,
    strata: NDArray[np.intp] | None = None,
) -> pd.DataFrame:
    """Tabulate terms: carriers, risk and probability of each."""
    import pandas as pd

    variants, frequency = genotypes.variants, genotypes.frequency
    others = genotypes.other_names
    null = posterior.log_likelihood(BooleanFunction())
    offered: dict[str, list[Literal]] = {}
    for literal in posterior.bits.table:
        offered.setdefault(literal.attribute, []).append(literal)
    rows = []
    for t, term in enumerate(function.literal_terms):
        alone = BooleanFunction([term])
        counts = posterior.counts(alone)
        cases, controls = counts.n_both, counts.n_marked - counts.n_both
        risk = part_risks(posterior.effect, posterior.part_counts(alone), posterior.simple)[-1]
        members = [genotypes.place[x.attribute] for x in term]
        factor = posterior.log_likelihood(alone) - null
        parts = _smaller(term, offered)
        # The gain is the difference to the best marker on fewer variants, or to no marker, whose
        # log Bayes factor is 0.
        best = posterior.scores(parts).log_likelihood.max() - null if parts else 0.0
        rows.append(
            {
                "TERM": " AND ".join(str(plain_literal(x, others)) for x in term),
                "SNP": _joined(variants["ID"].iloc[v] for v in members),
                "CHR": _joined(variants["CHR"].iloc[v] for v in members),
                "BP": _joined(variants["POS"].iloc[v] for v in members),
                "A1": _joined(variants["A1"].iloc[v] for v in members),
                "A2": _joined(variants["A2"].iloc[v] for v in members),
                "FREQ": _joined(f"{frequency[v]:.4g}" for v in members),
                "CASES": cases,
                "CONTROLS": controls,
                "N_CASES": int(odds["cases"][t]),
                "N_CONTROLS": int(odds["controls"][t]),
                "COVERED": cases / odds["cases"][t] if odds["cases"][t] else np.nan,
                "RISK": risk.mean,
                "RISK_L95": risk.low,
                "RISK_U95": risk.high,
                "OR": odds["odds_ratio"][t],
                "OR_L95": odds["low"][t],
                "OR_U95": odds["high"][t],
                "PROB": probabilities[t][0],
                "PROB_EXACT": probabilities[t][1],
                "SLOT_PIP": _joined(f"{s.inclusion(draws, genotypes):.4g}" for s in slots[t]),
                "LOG_BF": factor,
                "GAIN": factor - max(0.0, float(best)),
                **_acting(acting(genotypes, y, term, strata, posterior.effect)),
                "NOTE": _near(genotypes, members),
                "PROXIES": "; ".join(_slot_text(slot, others) for slot in slots[t]),
            }
        )
    table = pd.DataFrame(rows, columns=COLUMNS)
    if refitted is not None:
        add_refit(table, refitted, "ADJ")
    return table


def add_refit(table: pd.DataFrame, refitted: Refit, start: str) -> None:
    """Add the columns of a refit, with names prefixed by ``start``."""
    known = {"odds_ratio": "OR", "low": "L95", "high": "U95", "p": "P", "method": "METHOD"}
    for column, name in {**known, "n": "N"}.items():
        table[f"{start}_{name}"] = refitted.table[column]


def _smaller(term: Sequence[Literal], offered: dict[str, list[Literal]]) -> list[BooleanFunction]:
    """Return terms on fewer of the variants: of up to three variants, with any literals."""
    names = list(dict.fromkeys(x.attribute for x in term))
    # With three variants there are some hundred terms on fewer of them; with more the number of
    # ways multiplies by that of literals for each.
    if len(names) > 3:
        return [BooleanFunction([[x for x in term if x.attribute != gone]]) for gone in names]
    return [
        BooleanFunction([literals])
        for size in range(1, len(names))
        for some in itertools.combinations(names, size)
        for literals in itertools.product(*(offered[name] for name in some))
    ]


def _plain_text(marker: str, name: str, others: Mapping[str, str]) -> str:
    """Write the one literal of a marker, on the variant of this name, without parentheses."""
    if not marker.startswith("(NOT "):
        return marker.strip("()")
    coding = marker.removesuffix(")").rpartition(" ")[2]
    return str(plain_literal(Literal(name, f"not {coding}"), others))


def _joined(values: object) -> str:
    return ",".join(str(v) for v in values)  # type: ignore[attr-defined]


def _slot_text(slot: Slot, others: Mapping[str, str]) -> str:
    return " | ".join(
        f"{plain_literal(p.literal, others)} ({p.probability:.2g}, r2 {p.r_squared:.2g})"
        for p in slot.proxies
    )


def _acting(found: Acting | None) -> dict[str, object]:
    names = ("ALONE", "SEPARATE", "ADDITIVE", "ADDITIVE_HALF", "ADDITIVE_TWICE")
    if found is None:
        return {**{f"LBF_{name}": np.nan for name in names}, "ACTS": "."}
    values = (found.alone, found.separate, found.additive, found.half, found.twice)
    return {**{f"LBF_{n}": v for n, v in zip(names, values, strict=True)}, "ACTS": found.words}


def _near(genotypes: Genotypes, members: Sequence[int]) -> str:
    """Describe which variants of a term are so close that they may be one signal."""
    chromosome = canonical_chromosomes(genotypes.variants["CHR"].iloc[list(members)])
    position = genotypes.variants["POS"].to_numpy(dtype=np.int64)[list(members)]
    said = [
        f"{genotypes.names[members[i]]} and {genotypes.names[members[j]]} lie "
        f"{abs(int(position[i] - position[j])):,} base pairs apart: probably one untyped variant"
        for i, j in itertools.combinations(range(len(members)), 2)
        if members[i] != members[j]
        and chromosome[i] == chromosome[j]
        and abs(int(position[i] - position[j])) < NEAR
    ]
    return "; ".join(said) or "."
