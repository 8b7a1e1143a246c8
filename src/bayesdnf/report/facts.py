"""All facts of a report, computed before it is rendered."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple, TypedDict

import numpy as np
from numpy.typing import NDArray

from ..boolean import RuleList
from ..data.bits import BitMatrix
from ..display.markup import shown
from ..display.offer import direction_not_offered, not_offered
from ..errors import InputError
from ..estimators.averaging.representative import Representative
from ..estimators.class_shares import pooled_shares
from ..estimators.classifier import DNFClassifier
from ..estimators.held_out import HeldOut
from ..estimators.inputs import read_features
from ..estimators.posterior_classifier import PosteriorDNFClassifier
from ..estimators.presenting.measured import measured_lines
from ..estimators.presenting.rule_summary import (
    constant_answer,
    cut_short,
    is_sure,
    number_lines,
    similar_lines,
    trust,
)
from ..estimators.rule_classifier import RuleClassifier
from ..estimators.rules import parts_table, strata_table
from ..estimators.saving.record import Record
from ..estimators.strata_input import row_strata
from ..model.parameters import Parameters
from ..model.part_rates import cell_risks
from ..model.rates import Counts, Interval, Rates
from ..model.rule import Rule, layers_of, one_line
from ..sampling.draws import Draws
from ..versions import versions
from .attribute_pictures import attribute_pictures
from .averaged_answer import AveragedFacts, averaged_facts
from .draw_facts import DrawFacts, draw_facts
from .genome_facts import GenomeFacts, Picture
from .performance import ClassPerformance, Performance, Seen, compared_on, performance_on
from .rows import Roles, outcome_on, roles_of
from .terms import (
    Overlap,
    PartFacts,
    StratumFacts,
    TermFacts,
    class_part_facts,
    counted_terms,
    overlap_of,
    part_facts,
    stratum_facts,
)
from .try_case import case_form
from .words import Nouns

Bools = NDArray[np.bool_]

_ADVICE = "To test it, fit with --test-share 0.3, or report on rows that were not in the fit."
_MOST_COLUMNS = 40  # listed one by one
_HALF = 0.5
_COLORS = 8  # classes that have a color of their own
_LONGEST = 1000  # characters of an entry; the model file has all


class File(NamedTuple):
    """A file that went into the report."""

    role: str
    name: str
    sha256: str


class Listed(NamedTuple):
    """The first lines of a long list, and how many are left out."""

    lines: tuple[tuple[str, str], ...]
    left: int


class DataFacts(NamedTuple):
    """Facts of the table."""

    rows: int
    positives: int
    """Positive rows; 0 with more than two classes."""
    columns: int
    literals: int
    kinds: tuple[tuple[str, int], ...]
    missing_cells: int
    missing_rows: int
    missing: Listed
    dropped: Listed
    equal: Listed


class ClassRows(NamedTuple):
    """One of more than two classes, and its rows."""

    label: str
    fitted: int
    """Rows of the fit, weighted."""
    given: int
    """Rows of the table of the report."""
    color: int
    """Number of its color: the most frequent classes have one of their own, the others share 0."""


class Facts(NamedTuple):
    """All facts of a report; every text in it is safe to show once it is escaped."""

    positive: str
    negative: str
    target: str
    is_null: bool
    is_list: bool
    not_offered: tuple[str, ...]
    """What no rule could say."""
    cut_short: str
    """That there is no rule because the search was ended before it found one."""
    one_sided: bool
    """Whether a direction of some column was not offered."""
    rule: str
    terms: tuple[TermFacts, ...]
    parts: tuple[PartFacts, ...]
    """The highest layer first; a rule that is no list has one."""
    strata: tuple[StratumFacts, ...]
    counts: Counts | None
    """None with more than two classes, as both risks."""
    unmarked: Interval | None
    marked: Interval | None
    prevalence: float | None
    overlap: Overlap | None
    roles: Roles
    performance: Performance | ClassPerformance
    is_held_out: bool
    advice: str
    """How to get rows to test on."""
    measured: HeldOut | None
    case: dict[str, Any] | None
    draws: DrawFacts | None
    averaged: AveragedFacts | None
    """Of a posterior whose rule stands for the average."""
    bayes_factor: str
    trust: str
    sure: bool
    constant: str
    data: DataFacts
    settings: tuple[tuple[str, str], ...]
    record: Record
    now: dict[str, str]
    files: tuple[File, ...]
    command: str
    genome: GenomeFacts | None = None
    """Of a report on markers."""
    attributes: tuple[Picture, ...] = ()
    """What attributes do to averaged risks."""
    classes: tuple[ClassRows, ...] = ()
    """More than two classes."""
    measures: tuple[str, ...] = ()
    """What ``predict`` and ``marked`` get right, in words."""
    predict_accuracy: float | None = None
    tested: str = ""
    """How terms were tested on rows that no other fact is of."""
    nouns: Nouns = Nouns()
    similar_texts: str = ""
    """Which columns have texts that differ only in case or spaces."""
    number_texts: str = ""
    """Which columns have texts among numbers that may mean missing."""


class AboutReport(TypedDict, total=False):
    """The inputs of a report besides the rows; see :func:`gather`."""

    draws: Draws | None
    held_out: Bools | None
    measured: HeldOut | None
    files: Sequence[File]
    command: str
    strata: Any


class RuleFacts(NamedTuple):
    """The rule of a report, and what a search or draws say of it."""

    rule: Rule
    cells: NDArray[np.int64]
    risks: tuple[Interval, ...]
    """None with more than two classes."""
    by_stratum: Sequence[Sequence[Interval]]
    trust: str
    sure: bool
    bayes_factor: str
    stands: Representative | None
    """The rule as what stands for an average; None when it is the best one found."""


def gather(
    model: RuleClassifier,
    X: Any,
    y: Any,
    *,
    draws: Draws | None = None,
    held_out: Bools | None = None,
    measured: HeldOut | None = None,
    files: Sequence[File] = (),
    command: str = "",
    strata: Any = None,
) -> Facts:
    """Gather the facts of a report.

    Parameters
    ----------
    model : DNFClassifier or PosteriorDNFClassifier
        The fitted classifier.
    X, y : table and labels
        Rows: those of the fit, others, or both.
    draws : Draws, optional
        Draws of the posterior, for rivals.
    held_out : ndarray of bool, optional
        Rows known to have been held out; by default the rows' content tells.
    measured : HeldOut, optional
        What was measured elsewhere, such as by cross-validation.
    files : sequence of File
        The files that went in.
    command : str
        The command line that makes the report.
    strata : array-like, optional
        The stratum of each row, where the fit had strata.
    """
    if isinstance(model, PosteriorDNFClassifier) and draws is None:
        draws = model.draws_
    found = _found(model)
    rule = found.rule
    table = model.encoder_.as_table(read_features(model, X, fitting=False))
    outcome = outcome_on(model, y, table.n_rows)
    row_strata(model.strata_, strata, table.n_rows)  # raises an error before the work
    bits = model.encoder_.encode(table)  # and so every column is read once
    roles = roles_of(model, bits, outcome, int(found.cells.sum()), held_out)
    tested = roles.fitted if roles.held_out is None else roles.held_out
    if strata is None:
        probabilities = model._probabilities_of(table)
    else:
        given: dict[str, Any] = {"strata": strata}
        probabilities = model.predict_proba(X, **given)
    several, n_classes = model.positive_ is None, len(model.classes_)
    # From here on classes have numbers, of two 0 for the positive one.
    numbers = np.asarray(outcome if several else ~outcome, dtype=np.intp)
    order = np.arange(n_classes)
    if not several and model._positive_index:
        order = order[::-1]
    seen = Seen(numbers[tested], probabilities[tested][:, order], rule(table)[tested])
    null = rule.is_null
    averaged = None
    if found.stands is not None:
        assert isinstance(model, PosteriorDNFClassifier)
        own = model.representative_proba(X, strata)[tested][:, order]
        averaged = averaged_facts(seen.probabilities, own, seen.numbers, found.stands)
    gains = None if found.stands is not None else list(model.rules_["log_gain"])
    terms = counted_terms(rule, table, numbers, n_classes, roles.fitted, gains)
    parts, by_stratum = _parts(model, found, terms)
    overlap = None if null else overlap_of(rule, table, numbers, n_classes, roles.fitted)
    predict, marked = compared_on(model, seen)
    return Facts(
        positive="" if several else shown(model.positive_),
        negative="" if several else shown(model.negative_),
        target=shown(model.record_.target or ""),
        is_null=null,
        is_list=isinstance(rule, RuleList),
        not_offered=tuple(map(shown, not_offered(model.encoder_))),
        cut_short=shown((isinstance(model, DNFClassifier) and cut_short(model)) or ""),
        one_sided=direction_not_offered(model.encoder_) is not None,
        rule=shown(one_line(rule)),
        terms=terms,
        parts=parts,
        strata=by_stratum,
        counts=model.counts_,
        unmarked=None if several else found.risks[0],
        marked=None if several else found.risks[-1],
        prevalence=model.effect_.prevalence,
        overlap=overlap,
        roles=roles,
        performance=performance_on(model, seen, found.cells.shape[1]),
        is_held_out=roles.held_out is not None,
        advice=_ADVICE,
        measured=None if measured is None else measured._replace(how=shown(measured.how)),
        case=None if null else case_form(rule, model.encoder_, table, roles.fitted),
        draws=None if draws is None else draw_facts(draws, rule, model.record_.posterior),
        averaged=averaged,
        bayes_factor=found.bayes_factor,
        trust=found.trust,
        sure=found.sure,
        constant=shown((isinstance(model, DNFClassifier) and constant_answer(model)) or ""),
        data=_data(model, bits, 0 if several else int(outcome.sum())),
        settings=_settings(model),
        record=model.record_,
        now=versions(),
        files=tuple(File(shown(f.role), shown(f.name), f.sha256) for f in files),
        command=shown(command),
        attributes=attribute_pictures(model, X, y)
        if isinstance(model, PosteriorDNFClassifier)
        else (),
        classes=_classes(model, found.cells, numbers) if several else (),
        measures=() if null else tuple(measured_lines(predict, marked)),
        predict_accuracy=predict.accuracy,
        similar_texts=shown(" ".join(similar_lines(model))),
        number_texts=shown(" ".join(number_lines(model))),
    )


def _found(model: RuleClassifier) -> RuleFacts:
    """Return the rule to show: the best rule found, or the representative rule of a posterior.

    Where the prior allows none that short, or no rule is more probable than some, it is the
    one drawn that scores highest.
    """
    said, sure, factor, stands = "", True, "", None
    if isinstance(model, DNFClassifier):
        rule, cells, risks = model.function_, model.cells_, model.risks_
        said, sure = trust(model), is_sure(model)
    else:
        assert isinstance(model, PosteriorDNFClassifier)
        factor = "" if model.bayes_factor_ is None else shown(model.bayes_factor_)
        if model.null_probability_ <= _HALF:
            with suppress(InputError):
                stands = model.representative()
        if stands is not None and stands.rule.is_null:
            stands = None
        if stands is not None:
            rule, cells, risks = stands.rule, stands.cells, stands.risks
        else:
            rule, risks = model.map_, model.risks_
            best = int(np.argmax(model.draws_.log_score))
            cells = model.draws_.cells[best][:, : len(layers_of(rule)) + 1]
            if model.draws_.simple:
                assert model.counts_ is not None  # of two classes
                risks = Rates(model.counts_, model.effect_, null=rule.is_null).summary()
    own: Sequence[Sequence[Interval]] = ()
    if model.positive_ is not None:
        simple = not isinstance(rule, RuleList) and len(cells) == 1
        own = [risks] if simple else cell_risks(model.effect_, cells)
    return RuleFacts(rule, cells, risks, own, shown(said), sure, factor, stands)


def _parts(
    model: RuleClassifier, found: RuleFacts, terms: tuple[TermFacts, ...]
) -> tuple[tuple[PartFacts, ...], tuple[StratumFacts, ...]]:
    """Put the parts of a rule together, over all strata and in each."""
    pooled, strata = found.cells.sum(axis=0), model.strata_
    if model.positive_ is None:
        parts = class_part_facts(pooled, pooled_shares(found.cells), terms)
        if strata is None:
            return parts, ()
        return parts, tuple(
            StratumFacts(shown(label), class_part_facts(own, pooled_shares(own[None]), terms))
            for label, own in zip(strata, found.cells, strict=True)
        )
    table = parts_table(found.rule, pooled, found.risks, model.effect_.prevalence)
    if strata is None:
        return part_facts(table, terms), ()
    by_stratum = strata_table(found.rule, found.cells, found.by_stratum, strata)
    return part_facts(table, terms), stratum_facts(by_stratum, terms)


def _classes(
    model: RuleClassifier, cells: NDArray[np.int64], numbers: NDArray[np.intp]
) -> tuple[ClassRows, ...]:
    fitted = cells.sum(axis=(0, 1))
    given = np.bincount(numbers, minlength=len(fitted))
    color = np.arange(1, len(fitted) + 1)
    if len(fitted) > _COLORS:  # those of the rest are the same
        # argsort of argsort: the place of each class in the order, not the class at each place.
        rank = np.argsort(np.argsort(-fitted, kind="stable"), kind="stable")
        color = np.where(rank < _COLORS, rank + 1, 0)
    return tuple(
        ClassRows(shown(label), *map(int, numbers))
        for label, *numbers in zip(model.classes_, fitted, given, color, strict=True)
    )


def _data(model: RuleClassifier, bits: BitMatrix, positives: int) -> DataFacts:
    encoder = model.encoder_
    kinds = [*encoder.kinds_.values()]
    missing, missing_rows = bits.missing_values()
    most_first = sorted(missing.items(), key=lambda pair: -pair[1])
    equal = [
        (shown(first), ", ".join(shown(other) for other in others))
        for first, *others in bits.equal_literals()
    ]
    return DataFacts(
        rows=bits.n_rows,
        positives=positives,
        columns=len(encoder.columns_),
        literals=len(encoder.literals_),
        kinds=tuple((kind, kinds.count(kind)) for kind in dict.fromkeys(kinds)),
        missing_cells=sum(missing.values()),
        missing_rows=missing_rows,
        missing=_some_lines([(shown(name), f"{n:,}") for name, n in most_first]),
        dropped=_some_lines([(shown(name), shown(why)) for name, why in encoder.dropped_.items()]),
        equal=_some_lines(equal),
    )


def _some_lines(lines: list[tuple[str, str]]) -> Listed:
    kept = tuple((_cut(one), _cut(other)) for one, other in lines[:_MOST_COLUMNS])
    return Listed(kept, max(0, len(lines) - _MOST_COLUMNS))


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _settings(model: RuleClassifier) -> tuple[tuple[str, str], ...]:
    values = dict(model.get_params(deep=False)) | {"prior": model.prior_, "effect": model.effect_}
    values |= {"random_state": model.seed_, "positive": model.positive_}
    return tuple((name, _cut(shown(_plain(value)))) for name, value in values.items())


def _plain(value: Any) -> str:
    if isinstance(value, Parameters):  # all of them: defaults may be others one day
        inner = ", ".join(f"{k}={_plain(v)}" for k, v in value.get_params().items())
        return f"{type(value).__name__}({inner})"
    return repr(value.item() if isinstance(value, np.generic) else value)
