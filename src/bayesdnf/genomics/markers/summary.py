"""What was found in a study, in words."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any

from ...model.rates import Interval

if TYPE_CHECKING:
    from ...sampling.draws import Draws
    from ..files.genes import Genes
    from .finding import Markers


def summary(found: Markers, genes: Genes | None = None) -> str:
    """Say what the marker is, whom it marks, at what risk, and how sure that is.

    Parameters
    ----------
    found : Markers
        What was found in a study.
    genes : Genes, optional
        Names for the places of its variants.
    """
    study = found.study
    n_cases = int(study.y.sum())
    n_controls = len(study.y) - n_cases
    doubt = found.draws.doubt
    lines = [
        *([doubt, ""] if doubt else []),
        f"{n_cases:,} cases, {n_controls:,} controls, {study.genotypes.n_variants:,} variants.",
        "",
    ]
    null = found.null_probability
    sure = f"Posterior probability that there is no marker: {_share(found.draws, null)}."
    if found.function.is_null:
        lines += ["No marker: no combination of these variants earns its length.", sure]
        return "\n".join([*lines, *_risks(found), *_drawn(found)])
    lines.append("Marker:")
    for i, term in enumerate(found.function.terms):
        lines.append(f"  {'OR' if i else '  '} ({' AND '.join(term)})")
    lines += ["", sure, *_risks(found), found.rivals.sentence, ""]
    for i, row in enumerate(found.terms.to_dict("records")):
        lines.append(f"{i + 1}. {row['TERM']}")
        lines.append(
            f"   {row['CASES']:,} of {n_cases:,} cases and {row['CONTROLS']:,} of {n_controls:,} "
            f"controls; odds ratio {row['OR']:.3g} [{row['OR_L95']:.3g}, {row['OR_U95']:.3g}]"
        )
        lines.append(
            f"   probability {row['PROB']:.3f} with linked variants, {row['PROB_EXACT']:.3f} as "
            f"it stands; log Bayes factor {row['LOG_BF']:.1f}, gain over its best part "
            f"{row['GAIN']:.1f}"
        )
        if "ADJ_OR" in row:
            lines.append(_refit(row))
        if genes is not None and (places := _places(found, i, genes)):
            lines.append(f"   {places}")
        for slot in found.slots[i]:
            others = [p for p in slot.proxies if p.literal != slot.literal]
            if others:
                names = ", ".join(f"{p.literal} ({p.probability:.2f})" for p in others[:4])
                more = f" and {len(others) - 4} more" if len(others) > 4 else ""
                lines.append(f"   {slot.literal} could also be {names}{more}")
    return "\n".join([*lines, *_drawn(found)])


def _risks(found: Markers) -> list[str]:
    prevalence = found.posterior.effect.prevalence
    if prevalence is not None:
        where = f"of a population with {prevalence:g} cases"
        warning = []
    else:
        where = "in this sample"
        warning = [
            "Without a prevalence these are risks in this sample, not those of the population: "
            "they follow its share of cases."
        ]
    if found.function.is_null:
        return [f"Risk of everyone: {_interval(found.risk)} ({where}).", *warning]
    return [
        f"Risk if it holds: {_interval(found.risk)}; if not: {_interval(found.other_risk)} "
        f"({where}, posterior mean and 95 % interval).",
        *warning,
    ]


def _places(found: Markers, term: int, genes: Genes) -> str:
    """Say which genes a term's variants lie in or near."""
    row = found.terms.iloc[term]
    names = [slot.literal.attribute for slot in found.slots[term]]
    at = [
        genes.at(chromosome, int(position))
        for chromosome, position in zip(row["CHR"].split(","), row["BP"].split(","), strict=True)
    ]
    said = [
        f"{name} lies {gene if gene.startswith('near') else f'in {gene}'}"
        for name, gene in dict(zip(names, at, strict=True)).items()
        if gene
    ]
    return "; ".join(said)


def _interval(risk: Interval) -> str:
    return f"{risk.mean:.4g} [{risk.low:.4g}, {risk.high:.4g}]"


def _refit(row: Mapping[Hashable, Any]) -> str:
    if str(row["ADJ_METHOD"]).startswith("not estimable"):
        return f"   with covariates: {row['ADJ_METHOD']}"
    return (
        f"   with covariates: odds ratio {row['ADJ_OR']:.3g} [{row['ADJ_L95']:.3g}, "
        f"{row['ADJ_U95']:.3g}], p = {row['ADJ_P']:.2g} ({row['ADJ_METHOD']})"
    )


def _drawn(found: Markers) -> list[str]:
    top = found.draws.top(6)
    rows = [
        f"  {share:.3f}  {'no marker' if function.is_null else function}"
        for share, function in zip(top["probability"], top["function"], strict=True)
    ]
    return [
        "",
        f"Most probable of the {found.draws.n_functions:,} different functions among the draws:",
        *rows,
        *([] if found.draws.doubt else ["", found.draws.diagnose().verdict]),
    ]


def _share(draws: Draws, share: float) -> str:
    if not draws.settled:
        return f"at most {draws.null_at_most:.2g}"
    return f"{share:.3f}" if share >= 0.001 else f"{share:.1g}"
