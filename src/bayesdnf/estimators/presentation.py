"""A fitted classifier as text and as HTML."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..boolean import RuleList
from ..display import markup
from ..display.offer import direction_not_offered, left_out, literals_on_offer, not_offered
from ..display.trust import search_is_sure, search_trust
from ..display.wording import count, with_interval
from ..model.rates import Interval
from ..search.result import SearchResult
from .class_shares import shares_by_label
from .held_out import Measures, class_measures, measures_of
from .leakage import leakage_lines

if TYPE_CHECKING:
    import pandas as pd

    from .classifier import DNFClassifier
    from .posterior_classifier import PosteriorDNFClassifier
    from .rule_classifier import RuleClassifier

TERM_HEAD = ("term", "rows", "positive", "rate [95 %]", "log gain")
_MANY = 2  # rules of one score or nearly so: more are said first
CLASS_TERM_HEAD = ("term", "rows", "class", "of class", "rate [95 %]", "log gain")
PART_HEAD = ("part", "rows", "positive", "risk [95 %]", "beside all rows")
STRATUM_HEAD = ("stratum", *PART_HEAD[:-1], "beside its stratum")
CLASS_TITLE = "most probable class, its share (posterior mean and 95 % interval), the others:"
_MOST_OTHERS = 3  # classes beside the most probable one that a line names


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
        what = "Risks by stratum, beside the stratum's own"
        parts.append(f"{what if model.shares_ is None else 'Shares by stratum'}:\n{by_stratum}")
    parts.append(trust(model))
    if (warning := constant_answer(model)) is not None:
        parts.append(f"Warning: {warning}")
    return "\n\n".join(parts)


def near_equal(model: DNFClassifier) -> str | None:
    """Say so when other rules are about as good, as comes before the rule."""
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
    """Say which columns were left out, and which may leak the outcome."""
    return [*left_out(model.encoder_), *leakage_lines(model.deciding_columns_)]


def rules_text(rules: pd.DataFrame) -> str:
    """Return the table of a rule's terms as text."""
    decided = "rows: those where no higher layer holds; " if "layer" in rules else ""
    return (
        f"{table_text(rules)}\n{decided}low, high: 95 % Jeffreys interval of the rate; "
        "log_gain: log posterior lost without the term."
    )


def table_text(table: pd.DataFrame) -> str:
    """Return a table as text, numbers in four digits."""
    return table.to_string(index=False, float_format=lambda value: f"{value:.4g}", justify="right")


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


def term_head(rules: pd.DataFrame) -> tuple[str, ...]:
    """Return the head of the table that :func:`term_cells` makes."""
    head = CLASS_TERM_HEAD if "class" in rules else TERM_HEAD
    return ("layer", *head) if "layer" in rules else head


def term_cells(rules: pd.DataFrame) -> list[tuple[str, ...]]:
    """Return the table of a rule's terms as short texts, after the layer if it is a list."""
    return [
        (
            *([str(term["layer"])] if "layer" in term else []),
            str(term["rule"]),
            f"{term['rows']:,}",
            *([str(term["class"]), f"{term['of_class']:,}"] if "class" in term else []),
            *([f"{term['positives']:,}"] if "positives" in term else []),
            with_interval(term["rate"], term["low"], term["high"], ".3f"),
            f"{term['log_gain']:,.1f}",
        )
        for term in rules.to_dict("records")
    ]


def part_head(parts: pd.DataFrame) -> tuple[str, ...]:
    """Return the head of the table that :func:`part_cells` makes."""
    if "class" not in parts:
        return STRATUM_HEAD if "stratum" in parts else PART_HEAD
    stratum = ("stratum",) if "stratum" in parts else ()
    return (*stratum, "part", "rows", "class", "share [95 %]", *share_names(parts))


def share_names(parts: pd.DataFrame) -> list[str]:
    """Return the columns of the shares of classes."""
    return [str(name) for name in parts.columns if str(name).startswith("P(")]


def part_cells(parts: pd.DataFrame) -> list[tuple[str, ...]]:
    """Return a table of parts as short texts, under :func:`part_head`."""
    if "class" in parts:
        shares = share_names(parts)
        return [
            (
                *([str(part["stratum"])] if "stratum" in part else []),
                part_name(part["part"]),
                f"{part['rows']:,}",
                str(part["class"]),
                with_interval(part["share"], part["low"], part["high"], ".3f"),
                *(f"{part[name]:.3f}" for name in shares),
            )
            for part in parts.to_dict("records")
        ]
    return [
        (
            *([str(part["stratum"])] if "stratum" in part else []),
            part_name(part["part"]),
            f"{part['rows']:,}",
            f"{part['positives']:,}",
            with_interval(part["rate"], part["low"], part["high"], ".3f"),
            str(part["risk"]),
        )
        for part in parts.to_dict("records")
    ]


def part_name(part: int) -> str:
    """Call a part by its layer."""
    return f"layer {part}" if part else "else"


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


def class_text(part: dict[Any, Any], digits: str) -> str:
    """Name the most probable class of a part, its share, and the next ones."""
    own = f"P({part['class']!s})"
    shares = {k: v for k, v in part.items() if str(k).startswith("P(") and k != own}
    others = sorted(shares.items(), key=lambda pair: -pair[1])[:_MOST_OTHERS]
    beside = ", ".join(f"{name} = {share:{digits}}" for name, share in others)
    more = ", …" if len(shares) > len(others) else ""
    held = with_interval(part["share"], part["low"], part["high"], digits)
    return f"{part['class']!s}, {held}; {beside}{more}"


def constant_answer(
    model: DNFClassifier, threshold: float | None = None, advice: str | None = None
) -> str | None:
    """Say so when ``predict`` gives every row the same class.

    Parameters
    ----------
    model : DNFClassifier
        The fitted classifier.
    threshold : float, optional
        The probability from which on yes is answered; by default as ``predict`` does.
    advice : str, optional
        What to do about it; by default what there is in Python.
    """
    if model.shares_ is not None:
        answers = np.unique(model._answered_classes())
        if len(answers) > 1:
            return None
        return (
            f"predict returns {model.classes_[answers[0]]!s} on every row, the most probable class "
            f"of every part; use predict_proba or parts."
        )
    yes = model._says_yes(threshold)
    if yes.any() and not yes.all():
        return None
    pair = (model.positive_, model.negative_)
    answer, never = pair if yes.all() else pair[::-1]
    whenever, instead = "whether or not the rule holds", "marked"
    if isinstance(model.function_, RuleList):
        whenever, instead = "whichever layer holds", "parts"
    more = "the more probable class" if threshold is None else f"predicted at {threshold:g}"
    use = advice or f"use predict_proba or {instead}, or set a threshold"
    return f"predict never returns {never!s}, because {answer!s} is {more} {whenever}; {use}."


def fitted_lines(model: DNFClassifier, threshold: float | None = None) -> list[str]:
    """Say how answers compare with the rows of the fit."""
    if model.function_.is_null:
        return []
    if model.shares_ is not None:
        answered = model._answered_classes()[:-1]
        return ["On the rows of the fit", *measured_lines(_classes(answered, model.cells_), None)]
    yes = model._says_yes(threshold)[:-1, :, None]  # the last row is pooled over the strata
    predict = _compared(np.broadcast_to(yes, model.cells_.shape), model.cells_)
    marked = None
    if not model._is_list:
        holds = np.arange(model.cells_.shape[1])[None, :, None] > 0
        marked = _compared(np.broadcast_to(holds, model.cells_.shape), model.cells_)
    return ["On the rows of the fit", *measured_lines(predict, marked, threshold)]


def _compared(yes: NDArray[np.bool_], cells: NDArray[np.int64]) -> Measures:
    """Compare answers for the parts of each stratum with the rows there."""
    hits, alarms = (int(cells[..., k][yes[..., k]].sum()) for k in (0, 1))
    misses, passes = (int(cells[..., k].sum()) - said for k, said in ((0, hits), (1, alarms)))
    return measures_of(hits, alarms, misses, passes)


def _classes(answered: NDArray[np.intp], cells: NDArray[np.int64]) -> Measures:
    """Compare the classes answered for the parts of each stratum with the rows there."""
    n_classes = cells.shape[-1]
    table = np.zeros((n_classes, n_classes), dtype=np.int64)
    np.add.at(table, answered.ravel(), cells.reshape(-1, n_classes))
    return class_measures(table)


def measured_lines(
    predict: Measures, marked: Measures | None, threshold: float | None = None
) -> list[str]:
    """Write measures a line each: of ``predict``, and of the rows on which the rule holds.

    Examples
    --------
    >>> from bayesdnf.estimators.held_out import measures_of
    >>> from bayesdnf.estimators.presentation import measured_lines
    >>> for line in measured_lines(measures_of(0, 0, 1, 99), measures_of(1, 4, 0, 95)):
    ...     print(line)
      predict: accuracy 0.9900 (balanced 0.5000), precision –, recall 0.0000
      marked:  accuracy 0.9600 (balanced 0.9798), precision 0.2000, recall 1.0000
    """
    name = "predict" if threshold is None else f"predict from P = {threshold:.4g} on"
    if marked == predict:
        return [f"  {name} and marked: {_measures(predict)}"]
    named = [(f"{name}:", predict), *([] if marked is None else [("marked:", marked)])]
    wide = max(len(name) for name, _ in named)
    return [f"  {name:{wide}} {_measures(own)}" for name, own in named]


def _measures(own: Measures) -> str:
    accuracy, balanced, precision, recall = (
        "–" if math.isnan(value) else f"{value:.4f}" for value in own
    )
    said = f"accuracy {accuracy} (balanced {balanced})"
    if math.isnan(own.precision) and math.isnan(own.recall):  # of more than two classes
        return said
    return f"{said}, precision {precision}, recall {recall}"


def searched(model: DNFClassifier) -> str:
    """Name what was searched for."""
    return "list" if isinstance(model.function_, RuleList) else "function"


def no_rule(model: DNFClassifier) -> str:
    """Say that nothing beats having no rule."""
    offered = literals_on_offer(model.encoder_)
    return f"no combination of {offered} beats the null {searched(model)}."


def _title(model: DNFClassifier) -> str:
    rule, whom = model.function_, told_apart(model)
    if rule.is_null:
        return f"No rule for {whom}: {no_rule(model)}"
    literals = count(rule.n_literals, "literal")
    if isinstance(rule, RuleList):
        sizes = f"{count(len(rule), 'layer')}, {count(rule.n_terms, 'term')}, {literals}"
        return f"Rule list for {whom}: {sizes}"
    return f"Rule for {whom}: {count(len(rule), 'term')}, {literals}"


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


def class_lines(parts: pd.DataFrame) -> list[str]:
    """Say the class shares of every part, below ``CLASS_TITLE``."""
    n = int(parts["rows"].sum())
    return [
        f"  {part_name(part['part'])} ({part['rows']:,} of {n:,} rows): {class_text(part, '.4g')}"
        for part in parts.to_dict("records")
    ]


def part_lines(model: DNFClassifier) -> list[str]:
    """Say the risk of every part, and whether it is raised or lowered."""
    assert model.counts_ is not None
    n, prevalence = model.counts_.n, model.effect_.prevalence
    if prevalence is None:
        base = f"{model.counts_.n_pos / n:.4g} of all rows"
    else:
        base = f"{prevalence:g} in the population"
    names = {0: "elsewhere", 1: "where the rule holds"} if searched(model) == "function" else {}
    head = f"P({model.positive_!s}), posterior mean and 95 % interval, beside {base}:"
    lines = [
        f"  {names.get(part['part'], part_name(part['part']))} ({part['rows']:,} of {n:,} rows): "
        f"{with_interval(part['rate'], part['low'], part['high'], '.4g')}, {part['risk']}"
        for part in model.layers_.to_dict("records")
    ]
    return [head, *lines]


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
    """Say the same for a terminal: numbers below each other come first.

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
    """Say how far to trust the search of a classifier."""
    return search_trust(_search(model), searched(model))


def is_sure(model: DNFClassifier) -> bool:
    """Whether a classifier's answer is proved, or enough restarts came to it.

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
