"""Warnings and passed checks below a report's headline."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..display.wording import count, percent

if TYPE_CHECKING:
    from .facts import Facts

_LIKELY = 0.5
_UNLIKELY = 0.05


class Check(NamedTuple):
    """One check: whether it passed, its title, and a sentence about it."""

    good: bool
    title: str
    text: str


def checks_of(facts: Facts) -> tuple[Check, ...]:
    """Gather all checks of a report, failed ones first."""
    checks = []
    if facts.genome is not None:  # of a study's data, which no search or chain can mend
        checks += [Check(False, "The study", said) for said in facts.genome.warnings]
    checks += [*_of_search(facts), *_of_draws(facts), *_of_test(facts)]
    if facts.constant:
        checks.append(Check(False, "One predicted class", facts.constant))
    if facts.similar_texts:
        checks.append(Check(False, "Similar texts", facts.similar_texts))
    if facts.number_texts:
        checks.append(Check(False, "Texts that may mean missing", facts.number_texts))
    return tuple(sorted(checks, key=lambda check: check.good))


def _of_search(facts: Facts) -> list[Check]:
    if not facts.trust:
        return []
    if facts.sure:
        return [Check(True, "The restarts agree", facts.trust)]
    one_sided = facts.is_null and facts.one_sided
    title = "Some literals were not offered" if one_sided else "The restarts do not agree"
    if facts.cut_short:
        title = "The search was cut short"
    return [Check(False, title, facts.trust)]


def _of_draws(facts: Facts) -> list[Check]:
    draws = facts.draws
    if draws is None:
        return []
    checks = []
    if draws.warning:
        checks.append(Check(False, "Draws of another posterior", draws.warning))
    one_sided = facts.is_null and facts.one_sided
    if draws.ok:
        checks.append(Check(not one_sided, "The chains agree", draws.verdict))
    else:
        title = "The chains do not agree"
        if draws.settled:
            title = "The chains are short"
        if draws.ok is None:
            title = "The chains were not diagnosed"
        checks.append(Check(False, title, draws.verdict))
    rule = facts.nouns.rule
    limit = "" if draws.settled else "at most "
    if not facts.is_null and draws.null_probability > _UNLIKELY:
        text = f"P(no {rule}) is {limit}{percent(draws.null_probability)}."
        checks.append(Check(False, f"There may be no {rule}", text))
    if not facts.is_null and draws.rule_probability < _LIKELY:
        text = (
            f"Of {count(draws.distinct, rule)} drawn the most probable has probability "
            f"{limit}{percent(draws.best_probability)}, the one shown here {limit}"
            f"{percent(draws.rule_probability)}. Read what they have in common."
        )
        checks.append(Check(False, f"Other {rule}s are possible", text))
    return checks


def _of_test(facts: Facts) -> list[Check]:
    rows = facts.nouns.rows
    if facts.tested:
        return [Check(True, f"Tested on held-out {rows}", facts.tested)]
    if facts.is_held_out:
        return [Check(True, f"Tested on held-out {rows}", facts.roles.note)]
    biased = "" if facts.is_null else ", so accuracy measured on them is optimistic"
    text = (
        f"There are no held-out {rows}. {facts.roles.note} The fit used, or may have used, these "
        f"{rows}{biased}. {facts.advice}"
    )
    return [Check(False, f"Not tested on held-out {rows}", text)]
