"""What draws say beside the rule: rival functions, what they hold, and whether to believe them."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from ..display.markup import shown
from ..errors import MissingExtraError
from ..model.rule import Rule, one_line
from ..plots.labels import null_text
from ..sampling.draws import Draws

_MOST_FUNCTIONS = 10
_MOST_ITEMS = 12
_LEAST = 0.01


class Rival(NamedTuple):
    """A function that was drawn."""

    text: str
    probability: float
    same_rows: float
    """Probability of all functions that mark the same rows, or lists that part them alike."""
    is_rule: bool
    """Whether it is the rule of the report; of lists, whether it parts the rows alike."""


class Item(NamedTuple):
    """Something that the rule may hold, and how probable that is."""

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
    """What the draws of a posterior say."""

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
    attributes: tuple[Item, ...]
    """Empty where every column is one literal of the same name."""
    literals: tuple[Item, ...]
    terms: tuple[Item, ...]
    ok: bool | None
    """Whether nothing speaks against them; None when it could not be found out."""
    verdict: str
    quantities: tuple[Quantity, ...]
    warning: str
    """Said when they were not drawn from the rule's own posterior."""
    settings: tuple[tuple[str, str], ...]


def draw_facts(draws: Draws, function: Rule, posterior: str) -> DrawFacts:
    """Gather what draws say.

    Parameters
    ----------
    draws : Draws
        What was drawn.
    function : BooleanFunction or RuleList
        The rule of the report.
    posterior : str
        Fingerprint of the rule's posterior; empty when it is not known.
    """
    answers = draws.answers
    own = draws.numbers_of(function)
    of_rule = set(answers.of[own].tolist())
    rivals = [
        Rival(
            null_text(draws) if row["terms"] == 0 else shown(one_line(row["function"])),
            float(row["probability"]),
            float(row["same_rows"]),
            place in of_rule,
        )
        for place, row in enumerate(draws.top(_MOST_FUNCTIONS).to_dict("records"))
    ]
    attributes, literals = _items(draws, "attribute"), _items(draws, "literal")
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
        attributes if {x.text for x in attributes} != {x.text for x in literals} else (),
        literals,
        _items(draws, "term"),
        ok,
        shown(verdict),
        quantities,
        _warning(draws, posterior),
        tuple((shown(name), shown(value)) for name, value in sorted(draws.settings.items())),
    )


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
            "These draws are not from the posterior that the rule was found in: the rows, the "
            "columns or the prior differ."
        )
    return ""
