"""A fitted classifier as text and as HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..display import markup
from ..display.offer import direction_not_offered, literals_on_offer, not_offered
from ..display.trust import search_is_sure, search_trust
from ..display.wording import plural, with_interval
from ..search.result import SearchResult

if TYPE_CHECKING:
    import pandas as pd

    from .classifier import DNFClassifier
    from .posterior_classifier import PosteriorDNFClassifier

TERM_HEAD = ("term", "rows", "positive", "rate [95 %]", "log gain")


def summary(model: DNFClassifier) -> str:
    """Rule, table of its terms, risks, and how far to trust them, as text."""
    parts = [_rule(model)]
    if not model.function_.is_null:
        parts.append(rules_text(model.rules_))
    else:
        parts += ["\n".join(said)] if (said := not_offered(model.encoder_)) else []
    parts.append("\n".join(_risks(model)))
    parts.append(trust(model))
    if (warning := constant_answer(model)) is not None:
        parts.append(f"Warning: {warning}")
    return "\n\n".join(parts)


def rules_text(rules: pd.DataFrame) -> str:
    """Return the table of a rule's terms as text."""
    return (
        f"{table_text(rules)}\nlow, high: 95 % Jeffreys interval of the rate; "
        "log_gain: log posterior lost without the term."
    )


def table_text(table: pd.DataFrame) -> str:
    """Return a table as text, numbers in four digits."""
    return table.to_string(index=False, float_format=lambda value: f"{value:.4g}", justify="right")


def as_html(model: DNFClassifier) -> str:
    """Return the same for a notebook."""
    parts = [markup.paragraph([_title(model)], strong=True)]
    if not model.function_.is_null:
        parts += [
            markup.rule(model.function_.terms),
            markup.table(TERM_HEAD, term_cells(model.rules_), wide=0),
        ]
    elif said := not_offered(model.encoder_):
        parts.append(markup.paragraph(said))
    lines = [*_risks(model), trust(model)]
    if (warning := constant_answer(model)) is not None:
        lines.append(f"Warning: {warning}")
    return markup.block(*parts, markup.paragraph(lines))


def term_cells(rules: pd.DataFrame) -> list[tuple[str, ...]]:
    """Return the table of a rule's terms as short texts, under ``TERM_HEAD``."""
    return [
        (
            str(term["rule"]),
            f"{term['rows']:,}",
            f"{term['positives']:,}",
            with_interval(term["rate"], term["low"], term["high"], ".3f"),
            f"{term['log_gain']:,.1f}",
        )
        for term in rules.to_dict("records")
    ]


def constant_answer(model: DNFClassifier) -> str | None:
    """Say so when ``predict`` gives every row the same class."""
    answers = {model.classes_[k] for k in model._answers()}
    if len(answers) > 1:
        return None
    [answer] = answers
    never = model.positive_ if answer != model.positive_ else model.negative_
    return (
        f"predict never answers {never!s}, because {answer!s} is the more probable class whether "
        f"or not the rule holds; use predict_proba or marked."
    )


def _title(model: DNFClassifier) -> str:
    function = model.function_
    if function.is_null:
        offered = literals_on_offer(model.encoder_)
        return (
            f"No rule for {model.positive_!s}: no combination of {offered} beats the null function."
        )
    terms, literals = len(function), function.n_literals
    return (
        f"Rule for {model.positive_!s}: {terms} {plural(terms, 'term')}, "
        f"{literals} {plural(literals, 'literal')}"
    )


def _rule(model: DNFClassifier) -> str:
    lines = [
        f"  {'OR ' if i else '   '}({' AND '.join(term)})"
        for i, term in enumerate(model.function_.terms)
    ]
    return "\n".join([_title(model), *lines])


def _risks(model: DNFClassifier) -> list[str]:
    counts = model.counts_
    if model.function_.is_null:
        return risk_lines(model)
    return risk_lines(model, f" ({counts.n_marked:,} of {counts.n:,} rows)")


def risk_lines(
    model: DNFClassifier | PosteriorDNFClassifier, marked_rows: str | None = None
) -> list[str]:
    """Say both risks, or the single one when there is no rule.

    Parameters
    ----------
    model : classifier
        Whose risks they are.
    marked_rows : str, optional
        How many rows the rule holds on; None when there is no rule.
    """
    unmarked, marked = (with_interval(*risk, ".4g") for risk in model.risks_)
    prevalence = model.effect_.prevalence
    scale = "" if prevalence is None else f" in the population (prevalence {prevalence:g})"
    if marked_rows is None:
        return [f"P({model.positive_!s}){scale}: {unmarked} on every row."]
    return [
        f"P({model.positive_!s}){scale}, posterior mean and 95 % interval:",
        f"  where the rule holds{marked_rows}: {marked}",
        f"  elsewhere: {unmarked}",
    ]


def short_risk_lines(
    model: DNFClassifier | PosteriorDNFClassifier, rows: tuple[str, str] | None
) -> list[str]:
    """Say the same for a terminal: numbers below each other come first.

    Parameters
    ----------
    model : classifier
        Whose risks they are.
    rows : pair of str or None
        What follows the risks of unmarked and of marked rows, such as how many there are; None
        when there is no rule.
    """
    unmarked, marked = (with_interval(*risk, ".4f") for risk in model.risks_)
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
    """Say how far to trust the search of a classifier."""
    return search_trust(_search(model))


def is_sure(model: DNFClassifier) -> bool:
    """Whether a classifier's answer is proved, or enough restarts came to it.

    "No rule" is not sure as long as a direction of some column was not on offer.
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
    )
