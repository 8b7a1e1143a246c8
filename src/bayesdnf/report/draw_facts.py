"""Facts of a report from draws: rival rules, inclusion probabilities, diagnostics."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from ..boolean import Literal
from ..display.markup import shown
from ..errors import MissingExtraError
from ..estimators.rules import placed_terms
from ..model.rule import Rule
from ..plots.labels import null_text
from ..sampling.drawn.shares import term_text
from ..sampling.draws import Draws

_MOST_FUNCTIONS = 10
_MOST_ITEMS = 12
_MOST_ADDED = 4
_LEAST = 0.01
_SURE = 0.95

Term = tuple[Literal, ...]


class Rival(NamedTuple):
    """A drawn function, described by its differences to the rule of the report."""

    has: tuple[bool, ...]
    """By term of the rule: whether the rival has it, in whatever layer."""
    added: tuple[str, ...]
    """Terms that the rule does not have."""
    more: int
    """How many more there are of those."""
    note: str
    """Said of the null function, and of lists of the same terms in other layers."""
    probability: float
    same_rows: float
    """Probability of all functions that mark the same rows, or lists that part them alike."""
    is_rule: bool
    """Whether it is the rule of the report; of lists, whether it parts the rows alike."""


class Item(NamedTuple):
    """A term, literal or column with its inclusion probability."""

    text: str
    equal: str
    probability: float


class Quantity(NamedTuple):
    """A number of which the chains give a distribution, as texts."""

    name: str
    mean: str
    sd: str
    r_hat: str
    ess: str


class DrawFacts(NamedTuple):
    """Facts of a report from draws."""

    chains: int
    draws: int
    distinct: int
    kernel: str
    rivals: tuple[Rival, ...]
    left: int
    left_probability: float
    rule_probability: float
    null_probability: float
    settled: bool
    """Whether the chains have settled; else these two are upper limits."""
    best_probability: float
    """Of the most probable function or list, or an upper limit."""
    term_probability: tuple[float, ...]
    """By term of the rule: how probable it is that the rule holds it."""
    sure: tuple[str, ...]
    """Terms and literals that are there with a probability of .95 or more; none where the chains
    have not settled."""
    attributes: tuple[Item, ...]
    """Empty where every column is one literal of the same name."""
    literals: tuple[Item, ...]
    terms: tuple[Item, ...]
    ok: bool | None
    """Whether the diagnostics found no problem; None when they could not be computed."""
    verdict: str
    quantities: tuple[Quantity, ...]
    warning: str
    """Said when they were not drawn from the rule's own posterior."""
    settings: tuple[tuple[str, str], ...]


def draw_facts(draws: Draws, function: Rule, posterior: str) -> DrawFacts:
    """Gather the facts of a report that come from draws.

    Parameters
    ----------
    draws : Draws
        Draws from the posterior.
    function : BooleanFunction or RuleList
        The rule of the report.
    posterior : str
        Fingerprint of the rule's posterior; empty when it is not known.
    """
    answers = draws.answers
    own = draws.numbers_of(function)
    of_rule = set(answers.of[own].tolist())
    top = draws.top(_MOST_FUNCTIONS)
    rivals = [
        Rival(
            *_differences(draws, function, row["function"]),
            float(row["probability"]),
            float(row["same_rows"]),
            place in of_rule,
        )
        for place, row in enumerate(top.to_dict("records"))
    ]
    attributes, literals = _items(draws, "attribute"), _items(draws, "literal")
    terms = _items(draws, "term")
    every = draws.inclusion("term")
    probable = dict(zip(every["what"], every["probability"], strict=True))
    sure = [item.text for item in (*terms, *literals) if item.probability >= _SURE]
    ok, verdict, quantities = _judged(draws)
    return DrawFacts(
        draws.n_chains,
        draws.n_draws,
        draws.n_functions,
        str(draws.settings.get("kernel", "")),
        tuple(rivals),
        len(answers) - len(rivals),
        float(answers.probability[len(rivals) :].sum()),
        float((draws.probability if draws.settled else draws.at_most)[own].sum()),
        draws.null_probability if draws.settled else draws.null_at_most,
        draws.settled,
        float(top["probability" if draws.settled else "at_most"].max()),
        tuple(float(probable.get(_text(draws, term), 0)) for _, term in placed_terms(function)),
        tuple(dict.fromkeys(sure)) if draws.settled else (),  # a term of one literal is named once
        attributes if {x.text for x in attributes} != {x.text for x in literals} else (),
        literals,
        terms,
        ok,
        shown(verdict),
        quantities,
        _warning(draws, posterior),
        tuple((shown(name), shown(value)) for name, value in sorted(draws.settings.items())),
    )


def _differences(
    draws: Draws, rule: Rule, rival: Rule
) -> tuple[tuple[bool, ...], tuple[str, ...], int, str]:
    """Return which terms of the rule a rival has, which others it has, and what else differs."""
    own, its = placed_terms(rule), placed_terms(rival)
    kept = {term for _, term in its}
    has = tuple(term in kept for _, term in own)
    known = {term for _, term in own}
    added = [shown(_text(draws, term)) for _, term in its if term not in known]
    note = ""
    if rival.is_null:
        note = null_text(draws)
    elif all(has) and not added and own != its:
        note = "the same terms in other layers"
    return has, tuple(added[:_MOST_ADDED]), len(added[_MOST_ADDED:]), note


def _text(draws: Draws, term: Term) -> str:
    return term_text([draws.write(literal) for literal in term])


def _items(draws: Draws, kind: str) -> tuple[Item, ...]:
    table = draws.inclusion(kind, _LEAST).head(_MOST_ITEMS)
    return tuple(
        Item(shown(row["what"]), shown(row["equal"]), float(row["probability"]))
        for row in table.to_dict("records")
    )


def _judged(draws: Draws) -> tuple[bool | None, str, tuple[Quantity, ...]]:
    try:
        diagnosis = draws.diagnose()
    except MissingExtraError as error:
        return None, str(error), ()
    table = diagnosis.quantities.head(_MOST_ITEMS)
    quantities = tuple(
        Quantity(
            shown(name),
            f"{row['mean']:,.4g}",
            f"{row['sd']:.3g}",
            "constant" if row["constant"] else _number(row["r_hat"], ".3f"),
            _number(min(row["ess_bulk"], row["ess_tail"]), ",.0f"),
        )
        for name, row in table.iterrows()
    )
    return diagnosis.ok, diagnosis.verdict, quantities


def _number(value: Any, form: str) -> str:
    return "–" if math.isnan(value) else f"{value:{form}}"


def _warning(draws: Draws, posterior: str) -> str:
    if posterior and draws.settings.get("data") not in (None, posterior):
        return (
            "These draws are from another posterior than the rule's: the rows, the columns or the "
            "prior differ."
        )
    return ""
