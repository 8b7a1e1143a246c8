"""A fitted classifier as text and as HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..display import markup
from ..display.trust import search_is_sure, search_trust
from ..model.rates import Interval
from ..search.result import SearchResult

if TYPE_CHECKING:
    import pandas as pd

    from .classifier import DNFClassifier
    from .posterior_classifier import PosteriorDNFClassifier


def summary(model: DNFClassifier) -> str:
    """Rule, table of its terms, risks, and how far to trust them, as text."""
    parts = [_rule(model)]
    if not model.function_.is_null:
        parts.append(rules_text(model.rules_))
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
        parts += [markup.rule(model.function_.terms), _rules_html(model.rules_)]
    lines = [*_risks(model), trust(model)]
    if (warning := constant_answer(model)) is not None:
        lines.append(f"Warning: {warning}")
    return markup.block(*parts, markup.paragraph(lines))


def _rules_html(rules: pd.DataFrame) -> str:
    head = ("term", "rows", "positive", "rate [95 %]", "log gain")
    rows = [
        (
            str(term["rule"]),
            f"{term['rows']:,}",
            f"{term['positives']:,}",
            f"{term['rate']:.3f} [{term['low']:.3f}, {term['high']:.3f}]",
            f"{term['log_gain']:,.1f}",
        )
        for term in rules.to_dict("records")
    ]
    return markup.table(head, rows, wide=0)


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
        return f"No rule for {model.positive_!s}: no function beats the null function."
    terms, literals = len(function), function.n_literals
    return (
        f"Rule for {model.positive_!s}: {terms} term{'s' * (terms > 1)}, "
        f"{literals} literal{'s' * (literals > 1)}"
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
    unmarked, marked = model.risks_
    prevalence = model.effect_.prevalence
    scale = "" if prevalence is None else f" in the population (prevalence {prevalence:g})"
    if marked_rows is None:
        return [f"P({model.positive_!s}){scale}: {_risk(unmarked)} on every row."]
    return [
        f"P({model.positive_!s}){scale}, posterior mean and 95 % interval:",
        f"  where the rule holds{marked_rows}: {_risk(marked)}",
        f"  elsewhere: {_risk(unmarked)}",
    ]


def _risk(interval: Interval) -> str:
    return f"{interval.mean:.4g} [{interval.low:.4g}, {interval.high:.4g}]"


def trust(model: DNFClassifier) -> str:
    """Say how far to trust the search of a classifier."""
    return search_trust(_search(model))


def is_sure(model: DNFClassifier) -> bool:
    """Whether a classifier's answer is proved, or most restarts ended at it."""
    return search_is_sure(_search(model))


def _search(model: DNFClassifier) -> SearchResult:
    return SearchResult(
        function=model.function_,
        log_posterior=model.log_posterior_,
        stopped=model.stopped_,
        agreement=model.agreement_,
        restarts=model.restarts_,
        proved=model.proved_,
    )
