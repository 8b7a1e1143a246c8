"""A classifier with one rule as text and as HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...boolean import RuleList
from ...display import markup
from ...display.odd_texts import odd_columns, odd_labels
from ...display.offer import (
    direction_not_offered,
    left_out,
    levels_on_offer,
    literals_on_offer,
    not_offered,
    similar_texts,
)
from ...display.trust import ended_early, search_is_sure, search_trust
from ...display.wording import count, with_interval
from ...model.rates import Interval
from ...search.result import SearchResult
from ..class_shares import shares_by_label
from ..leakage import leakage_lines
from .measured import fitted_lines
from .rule_tables import (
    CLASS_TITLE,
    TERM_HEAD,
    class_lines,
    class_text,
    part_cells,
    part_head,
    part_name,
    rules_text,
    table_text,
    term_cells,
    term_head,
)

if TYPE_CHECKING:
    from ..classifier import DNFClassifier
    from ..posterior_classifier import PosteriorDNFClassifier
    from ..rule_classifier import RuleClassifier

_EVEN = 0.5
_MANY = 2  # rules of one score or nearly so: more are said first


def summary(model: DNFClassifier) -> str:
    """Rule, table of its terms, risks, and how far to trust them, as text."""
    several = near_equal(model)
    parts = [*([] if several is None else [several]), _rule(model)]
    parts += ["\n".join(said)] if (said := column_lines(model)) else []
    if not model.function_.is_null:
        parts.append(rules_text(model.rules_))
    else:
        parts += ["\n".join(said)] if (said := not_offered(model.encoder_)) else []
    parts.append("\n".join(_risks(model)))
    parts += ["\n".join(said)] if (said := fitted_lines(model)) else []
    if model.stratum_layers_ is not None:
        by_stratum = table_text(model.stratum_layers_.drop(columns="rule"))
        what = "Risks by stratum, compared with the stratum's own"
        parts.append(f"{what if model.shares_ is None else 'Shares by stratum'}:\n{by_stratum}")
    parts.append(trust(model))
    if (warning := constant_answer(model)) is not None:
        parts.append(f"Warning: {warning}")
    return "\n\n".join(parts)


def near_equal(model: DNFClassifier) -> str | None:
    """Warn when other rules are about as good, as comes before the rule."""
    if model.function_.is_null or model.proved_:
        return None
    found = []
    if model.near_ > _MANY:
        found.append(f"{model.near_:,} {searched(model)}s score within one nat of this one")
    if not is_sure(model):
        found.append(f"{model.agreement_} of {count(model.restarts_, 'restart')} found it")
    if not found:
        return None
    return (
        f"This is one of several rules that are about as good: {', and '.join(found)}. "
        f"PosteriorDNFClassifier (bayesdnf sample) estimates how probable each literal is."
    )


def column_lines(model: RuleClassifier) -> list[str]:
    """Describe which columns were left out, have similar texts, or may leak the outcome."""
    return [
        *left_out(model.encoder_),
        *similar_lines(model),
        *number_lines(model),
        *leakage_lines(model.deciding_columns_),
    ]


def similar_lines(model: RuleClassifier) -> list[str]:
    """Name columns, the target among them, with texts that differ only in case or spaces."""
    target = {model.record_.target or "y": model.labels_.tolist()}
    return similar_texts(levels_on_offer(model.encoder_) | target)


def number_lines(model: RuleClassifier) -> list[str]:
    """Name columns, and the target, with texts among numbers that may mean missing."""
    asked = model.encoder_.kinds or {}
    levels = levels_on_offer(model.encoder_)
    columns = {name: values for name, values in levels.items() if name not in asked}
    target = model.record_.target or "y"
    return [*odd_columns(columns), *odd_labels(target, model.labels_.tolist())]


def as_html(model: DNFClassifier) -> str:
    """Return the same for a notebook."""
    several = near_equal(model)
    parts = [] if several is None else [markup.paragraph([several])]
    parts.append(markup.paragraph([_title(model)], strong=True))
    if not model.function_.is_null:
        head = term_head(model.rules_)
        wide = head.index(TERM_HEAD[0])
        parts += [_drawn_rule(model), markup.table(head, term_cells(model.rules_), wide)]
    elif said := not_offered(model.encoder_):
        parts.append(markup.paragraph(said))
    parts += [markup.paragraph(said)] if (said := column_lines(model)) else []
    lines = [*_risks(model), *fitted_lines(model), trust(model)]
    if model.stratum_layers_ is not None:
        cells = part_cells(model.stratum_layers_)
        parts.append(markup.table(part_head(model.stratum_layers_), cells, wide=0))
    if (warning := constant_answer(model)) is not None:
        lines.append(f"Warning: {warning}")
    return markup.block(*parts, markup.paragraph(lines))


def _drawn_rule(model: DNFClassifier) -> str:
    if not isinstance(model.function_, RuleList):
        return markup.rule(model.function_.terms)
    outcomes = [
        class_text(part, ".3f")
        if model.shares_ is not None
        else f"{with_interval(part['rate'], part['low'], part['high'], '.3f')}, {part['risk']}"
        for part in model.layers_.to_dict("records")
    ]
    return markup.rule_list([layer.terms for layer in model.function_.layers], outcomes)


def constant_answer(
    model: DNFClassifier, threshold: float | None = None, advice: str | None = None
) -> str | None:
    """Warn when ``predict`` gives every row the same class.

    Parameters
    ----------
    model : DNFClassifier
        The fitted classifier.
    threshold : float, optional
        The probability from which on yes is answered; by default as ``predict`` does.
    advice : str, optional
        What to do about it; by default what there is in Python.
    """
    null = model.function_.is_null
    if model.shares_ is not None:
        answers = np.unique(model._answered_classes())
        if len(answers) > 1:
            return None
        why, instead = "the most probable class of every part", "predict_proba or parts"
        if null:
            why, instead = "the most probable class: there is no rule", "predict_proba"
        return f"predict returns {model.classes_[answers[0]]!s} on every row, {why}; use {instead}."
    yes = model._says_yes(threshold)
    if yes.any() and not yes.all():
        return None
    pair = (model.positive_, model.negative_)
    answer, never = pair if yes.all() else pair[::-1]
    whenever, instead = "whether or not the rule holds", "marked"
    if isinstance(model.function_, RuleList):
        whenever, instead = "whichever layer holds", "parts"
    more = "the more probable class" if threshold is None else f"predicted at {threshold:g}"
    why = f"{answer!s} is {more} {whenever}"
    if null:
        why = f"there is no rule and {answer!s} is {more}"
        if threshold is None and bool((model._risk_means() == _EVEN).all()):
            why = f"there is no rule and both classes are equally probable: {answer!s} comes first"
    elsewhere = "predict_proba" if null else f"predict_proba or {instead}"
    use = advice or f"use {elsewhere}, or set a threshold"
    return f"predict never returns {never!s}, because {why}; {use}."


def searched(model: DNFClassifier) -> str:
    """Name what was searched for."""
    return "list" if isinstance(model.function_, RuleList) else "function"


def no_rule(model: DNFClassifier) -> str:
    """State that nothing beats having no rule, or that there was no time to find a rule."""
    if (ended := cut_short(model)) is not None:
        return f"{ended}."
    offered = literals_on_offer(model.encoder_)
    return f"no combination of {offered} beats the null {searched(model)}."


def cut_short(model: DNFClassifier) -> str | None:
    """State that there is no rule because the search was ended before it found one."""
    return ended_early(_search(model)) if model.function_.is_null else None


def _title(model: DNFClassifier) -> str:
    rule, whom = model.function_, told_apart(model)
    if rule.is_null:
        return f"No rule for {whom}: {no_rule(model)}"
    literals = count(rule.n_literals, "literal")
    if isinstance(rule, RuleList):
        sizes = f"{count(len(rule), 'layer')}, {count(rule.n_terms, 'term')}, {literals}"
        return f"{heading(model)}: {sizes}"
    return f"{heading(model)}: {count(len(rule), 'term')}, {literals}"


def heading(model: DNFClassifier) -> str:
    """Describe what the rule predicts; without an order of rates it may mark the lower risk."""
    whom = told_apart(model)
    if isinstance(model.function_, RuleList):
        return f"Rule list for {whom}"
    lower = len(model.risks_) == 2 and model.risks_[1].mean < model.risks_[0].mean
    return f"Rule for a lower risk of {whom}" if lower else f"Rule for {whom}"


def told_apart(model: DNFClassifier | PosteriorDNFClassifier) -> str:
    """Name what a rule is for: the positive class, or how many classes."""
    if model.positive_ is None:
        return count(len(model.classes_), "class", "classes")
    return str(model.positive_)


def _rule(model: DNFClassifier) -> str:
    rule = model.function_
    if rule.is_null:
        return _title(model)
    if isinstance(rule, RuleList):
        text = rule.to_text(part_outcomes(model))
        return "\n".join([_title(model), *(f"  {line}" for line in text.splitlines())])
    lines = [
        f"  {'OR ' if i else '   '}({' AND '.join(term)})" for i, term in enumerate(rule.terms)
    ]
    return "\n".join([_title(model), *lines])


def part_outcomes(model: DNFClassifier) -> list[float] | list[dict[Any, float]]:
    """Return what exports of a list say of its parts: risks, or shares of more classes."""
    if model.shares_ is not None:
        return shares_by_label(model.shares_, model.classes_.tolist())
    return [risk.mean for risk in model.risks_]


def _risks(model: DNFClassifier) -> list[str]:
    counts = model.counts_
    pooled = _pooled(model)
    if counts is None:
        title = f"{CLASS_TITLE[0].upper()}{CLASS_TITLE[1:]}"
        return [title, *class_lines(model.layers_), *pooled]
    if model.function_.is_null:
        return [*risk_lines(model), *pooled]
    if model.rates_ is None:
        return [*part_lines(model), *pooled]
    return [*risk_lines(model, f" ({counts.n_marked:,} of {counts.n:,} rows)"), *pooled]


def _pooled(model: DNFClassifier) -> list[str]:
    return (
        []
        if model.strata_ is None
        else [f"(Pooled over {count(len(model.strata_), 'stratum', 'strata')}.)"]
    )


def part_lines(model: DNFClassifier) -> list[str]:
    """Describe the risk of every part, and whether it is raised or lowered."""
    assert model.counts_ is not None
    n, prevalence = model.counts_.n, model.effect_.prevalence
    if prevalence is None:
        base = f"{model.counts_.n_pos / n:.4g} of all rows"
    else:
        base = f"{prevalence:g} in the population"
    names = {0: "elsewhere", 1: "where the rule holds"} if searched(model) == "function" else {}
    head = f"P({model.positive_!s}), posterior mean and 95 % interval, compared with {base}:"
    lines = [
        f"  {names.get(part['part'], part_name(part['part']))} ({part['rows']:,} of {n:,} rows): "
        f"{with_interval(part['rate'], part['low'], part['high'], '.4g')}, {part['risk']}"
        for part in model.layers_.to_dict("records")
    ]
    return [head, *lines]


def risk_lines(
    model: DNFClassifier | PosteriorDNFClassifier, marked_rows: str | None = None
) -> list[str]:
    """Describe both risks, or the single one when there is no rule.

    Parameters
    ----------
    model : classifier
        Whose risks they are.
    marked_rows : str, optional
        How many rows the rule holds on; None when there is no rule.
    """
    unmarked, marked = (with_interval(*risk, ".4g") for risk in _two(model.risks_))
    prevalence = model.effect_.prevalence
    scale = "" if prevalence is None else f" in the population (prevalence {prevalence:g})"
    if marked_rows is None:
        return [f"P({model.positive_!s}){scale}: {unmarked} on every row."]
    return [
        f"P({model.positive_!s}){scale}, posterior mean and 95 % interval:",
        f"  where the rule holds{marked_rows}: {marked}",
        f"  elsewhere: {unmarked}",
    ]


def _two(risks: tuple[Interval, ...]) -> tuple[Interval, Interval]:
    """Risks where no layer holds and where the first one does: the same where there is none."""
    return risks[0], risks[min(1, len(risks) - 1)]


def short_risk_lines(
    model: DNFClassifier | PosteriorDNFClassifier, rows: tuple[str, str] | None
) -> list[str]:
    """Describe both risks for a terminal, with aligned numbers first.

    Parameters
    ----------
    model : classifier
        Whose risks they are.
    rows : pair of str or None
        What follows the risks of unmarked and of marked rows, such as how many there are; None
        when there is no rule.
    """
    unmarked, marked = (with_interval(*risk, ".4f") for risk in _two(model.risks_))
    if rows is None:
        return [f"Risk on every row: {unmarked}"]
    prevalence = model.effect_.prevalence
    scale = "" if prevalence is None else f", in a population with {prevalence:g} positive"
    return [
        f"Risk if it holds: {marked}{rows[1]}",
        f"Risk if not:      {unmarked}{rows[0]}",
        f"(P({model.positive_!s}): posterior mean and 95 % interval{scale}.)",
    ]


def trust(model: DNFClassifier) -> str:
    """Describe how far to trust the search of a classifier."""
    return search_trust(_search(model), searched(model))


def is_sure(model: DNFClassifier) -> bool:
    """Return whether a classifier's answer is proved, or enough restarts came to it.

    "No rule" is not sure as long as a direction of some column was not offered.
    """
    one_sided = model.function_.is_null and direction_not_offered(model.encoder_) is not None
    return search_is_sure(_search(model)) and not one_sided


def _search(model: DNFClassifier) -> SearchResult:
    return SearchResult(
        function=model.function_,
        log_posterior=model.log_posterior_,
        stopped=model.stopped_,
        agreement=model.agreement_,
        restarts=model.restarts_,
        proved=model.proved_,
        ways=model.ways_,
        near=model.near_,
        gap=model.gap_,
    )
