"""The summary of a study's markers, in words."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any

from ...boolean import BooleanFunction
from ...display.trust import ended_early, search_trust
from ...display.wording import count
from ...model.rates import Interval
from ...sampling.judging.verdict import Level
from .spelling import plain, plain_literal

if TYPE_CHECKING:
    from ...sampling.draws import Draws
    from ..files.genes import Genes
    from .finding import Markers


_CLEAR = 0.01  # P(no marker) below which more draws hardly change that there is one


def summary(found: Markers, genes: Genes | None = None) -> str:
    """Summarise the marker: its terms, carriers, risks and probabilities.

    Parameters
    ----------
    found : Markers
        Markers found in a study, with their posterior probabilities.
    genes : Genes, optional
        Names for the places of its variants.
    """
    study = found.study
    n_cases = int(study.y.sum())
    n_controls = len(study.y) - n_cases
    doubt = found.draws.doubt if _doubtful(found) else ""
    lines = [
        *([doubt, ""] if doubt else []),
        f"{n_cases:,} cases, {n_controls:,} controls, {study.genotypes.n_variants:,} variants.",
        "",
        *(f"Warning: {warning}" for warning in found.warnings),
        *_structure(found),
        "",
    ]
    null = found.null_probability
    sure = f"Posterior probability that there is no marker: {_share(found.draws, null)}."
    swept = list(found.searched.sentences)
    if found.function.is_null:
        ended = ended_early(found.search, "marker")
        why = ended or "no combination of these variants beats the null model"
        lines += [f"No marker: {why}.", sure, *swept]
        return "\n".join([*lines, *_risks(found), *_layers(found), *_drawn(found)])
    lines.append("Marker:")
    for i, term in enumerate(found.plain.terms):
        lines.append(f"  {'OR' if i else '  '} ({' AND '.join(term)})")
    lines += ["", sure, *_risks(found), *swept, found.rivals.sentence, ""]
    for i, row in enumerate(found.terms.to_dict("records")):
        lines += _term(found, i, row, genes)
    return "\n".join([*lines, *_layers(found), *_drawn(found)])


def _doubtful(found: Markers) -> bool:
    """Return whether poor convergence may change the answer, so that it is reported first."""
    level = found.draws.level
    if level == Level.SHORT and not found.function.is_null:
        return found.null_probability > _CLEAR
    return level not in (None, Level.FINE)


def _structure(found: Markers) -> list[str]:
    """Return the lines about inflation of tests and the cost of strata."""
    adjustment = found.adjustment
    lines = [] if adjustment.inflated else [adjustment.verdict]
    if adjustment.strata is None:
        return lines
    said = f"Markers are scored within {len(adjustment.strata)} strata"
    if not found.function.is_null:
        null = found.posterior.log_likelihood(BooleanFunction())
        left = found.posterior.log_likelihood(found.function) - null
        before = left + found.strata_cost
        said += f"; there it has {left:.1f} nats over no marker, and {before:.1f} without strata"
    return [*lines, f"{said}."]


def _term(
    found: Markers, number: int, row: Mapping[Hashable, Any], genes: Genes | None
) -> list[str]:
    """Return the lines of the summary about one term."""
    names = found.study.genotypes.other_names
    lines = [
        f"{number + 1}. {row['TERM']}",
        f"   {row['CASES']:,} of {row['N_CASES']:,} cases and {row['CONTROLS']:,} of "
        f"{row['N_CONTROLS']:,} controls; odds ratio {row['OR']:.3g} [{row['OR_L95']:.3g}, "
        f"{row['OR_U95']:.3g}]",
        f"   probability {row['PROB']:.3f} with linked variants, {row['PROB_EXACT']:.3f} with "
        f"exactly these variants; log Bayes factor {row['LOG_BF']:.1f}, gain over its best part "
        f"{row['GAIN']:.1f}",
    ]
    lines += [f"   {row[column]}" for column in ("ACTS", "NOTE") if row[column] != "."]
    if "ADJ_OR" in row:
        lines.append(_refit(row, "ADJ", "with covariates", "; chosen on the same data"))
    if "HELD_OR" in row:
        lines.append(_refit(row, "HELD", f"in {row['HELD_N']:,} samples held out", ""))
    if genes is not None and (places := _places(found, number, genes)):
        lines.append(f"   {places}")
    for slot in found.slots[number]:
        others = [p for p in slot.proxies if p.literal != slot.literal]
        if others:
            texts = [f"{plain_literal(p.literal, names)} ({p.probability:.2f})" for p in others[:4]]
            more = f" and {len(others) - 4} more" if len(others) > 4 else ""
            own = plain_literal(slot.literal, names)
            lines.append(f"   {own} could also be {', '.join(texts)}{more}")
    return lines


def _risks(found: Markers) -> list[str]:
    prevalence = found.posterior.effect.prevalence
    if prevalence is not None:
        where = f"of a population with {prevalence:g} cases"
        warning = []
    else:
        where = "in this sample"
        warning = [
            "Without a prevalence these are risks in this sample, not those of the population: "
            "they depend on its share of cases."
        ]
    if found.function.is_null:
        return [f"Risk of all samples: {_interval(found.risk)} ({where}).", *warning]
    return [
        f"Risk if it holds: {_interval(found.risk)}; if not: {_interval(found.other_risk)} "
        f"({where}, posterior mean and 95 % interval).",
        *warning,
    ]


def _places(found: Markers, term: int, genes: Genes) -> str:
    """Describe the genes in or near which a term's variants are."""
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


def _layers(found: Markers) -> list[str]:
    """Return the lines about the best list of layers, if a list was searched for."""
    if found.layered is None:
        return []
    most = found.settings["layers"]
    if len(found.layered.rule) < 2:
        return ["", f"No list of up to {most} layers scores higher than this function."]
    rows = found.layered.table.to_dict("records")
    words = ["if", *["elif"] * (len(rows) - 2), "or"]
    return [
        "",
        f"A list of {len(rows) - 1} layers, each part with a risk of its own, scores "
        f"{found.layered.gain:.1f} nats more on the variants of the search:",
        *(
            f"  {word} {row['RULE']}: risk {row['RISK']:.3g} "
            f"[{row['RISK_L95']:.3g}, {row['RISK_U95']:.3g}], {count(row['CASES'], 'case')} and "
            f"{count(row['CONTROLS'], 'control')}"
            for word, row in zip(words, rows, strict=True)
        ),
        search_trust(found.layered.search, "list", "marker"),
    ]


def _refit(row: Mapping[Hashable, Any], start: str, where: str, warning: str) -> str:
    method = row[f"{start}_METHOD"]
    if str(method).startswith("not estimable"):
        return f"   {where}: {method}"
    odds, low, high, p = (row[f"{start}_{column}"] for column in ("OR", "L95", "U95", "P"))
    return (
        f"   {where}: odds ratio {odds:.3g} [{low:.3g}, {high:.3g}], p = {p:.2g} "
        f"({method}{warning})"
    )


def _drawn(found: Markers) -> list[str]:
    """Return the lines about the marker shown and the most probable functions."""
    draws, names = found.draws, found.study.genotypes.other_names
    top = draws.top(6)
    shares = dict(zip(top["function"], top["probability"], strict=True))
    own = float(draws.probability[draws.numbers_of(found.function)].sum())
    shares = {found.function: own} | {f: p for f, p in shares.items() if f != found.function}
    rows = [
        f"  {share:.3f}  {'no marker' if function.is_null else plain(function, names)}"
        for function, share in shares.items()
    ]
    return [
        "",
        f"Probability of this answer and of the most probable others, of {draws.n_functions:,} "
        "drawn:",
        *rows,
        *([] if draws.level is None or _doubtful(found) else ["", draws.diagnose().verdict]),
    ]


def _share(draws: Draws, share: float) -> str:
    if not draws.settled:
        return f"at most {draws.null_at_most:.2g}"
    return f"{share:.3f}" if share >= 0.001 else f"{share:.1g}"
