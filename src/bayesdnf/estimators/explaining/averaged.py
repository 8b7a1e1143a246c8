"""Explanation of the averaged risk of a row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...boolean import BooleanFunction, RuleList
from ...data.encoder import FittedTable
from ...display.wording import count, with_interval
from ...model.rates import Interval
from ...model.rule import Rule, layers_of
from ..rules import beside
from .explanation import NAMED_CLASSES, _Told, fired_terms


@dataclass(frozen=True)
class AveragedExplanation(_Told):
    """Explanation of a row's averaged risk, from ``PosteriorDNFClassifier.explain``.

    Attributes
    ----------
    risk : Interval
        Averaged probability of the positive class, and its 95 % interval over rules and rates.
    base : float
        The same for all rows: the share of positives among them, or the known prevalence.
    prediction : label
        The more probable class.
    positive : label
        The positive class.
    n_draws : int
        How many draws were averaged.
    rule : BooleanFunction or RuleList
        The representative rule.
    part : int
        The layer of it that decides, 0 when none does. A function has one layer.
    fired : tuple of str
        The terms of that layer that hold.
    rule_risk : float
        Probability of the positive class by the representative rule alone.
    """

    risk: Interval
    base: float
    prediction: Any
    positive: Any
    n_draws: int
    rule: Rule
    part: int
    fired: tuple[str, ...]
    rule_risk: float

    @property
    def beside_all(self) -> str:
        """Whether the risk is raised or lowered; unclear when its interval holds ``base``."""
        return beside(self.risk, self.base)

    def _sentences(self) -> list[tuple[str, str]]:
        says = _by_rule(self.rule, self.part, self.fired)
        risk = with_interval(*self.risk, ".2g")
        return [
            (
                f"Averaged over {count(self.n_draws, 'draw')}",
                f"P({self.positive}) = {risk}, predicted {self.prediction}",
            ),
            (f"Beside {self.base:.4g} of all rows", self.beside_all),
            ("By the representative rule", f"{says}, risk {self.rule_risk:.4g}"),
        ]


@dataclass(frozen=True)
class AveragedClassExplanation(_Told):
    """Explanation of a row's averaged probabilities of more than two classes.

    Made by ``PosteriorDNFClassifier.explain``.

    Attributes
    ----------
    probabilities : dict
        Averaged probability of each class, by label, with its 95 % interval over rules and rates.
    base : dict
        Share of each class among all rows of the fit.
    prediction : label
        The most probable class.
    n_draws : int
        How many draws were averaged.
    rule : BooleanFunction or RuleList
        The representative rule.
    part : int
        The layer of it that decides, 0 when none does. A function has one layer.
    fired : tuple of str
        The terms of that layer that hold.
    by_rule : dict
        Probability of each class by the representative rule alone.
    """

    probabilities: dict[Any, Interval]
    base: dict[Any, float]
    prediction: Any
    n_draws: int
    rule: Rule
    part: int
    fired: tuple[str, ...]
    by_rule: dict[Any, float]

    def beside_all(self, label: Any) -> str:
        """Return whether a class is "raised", "lowered" or "unclear" relative to its base share."""
        return beside(self.probabilities[label], self.base[label])

    def _sentences(self) -> list[tuple[str, str]]:
        falling = sorted(self.probabilities, key=lambda x: -self.probabilities[x].mean)
        shown = falling[:NAMED_CLASSES]
        means = [f"P({x}) = {with_interval(*self.probabilities[x], '.2g')}" for x in shown]
        moved = [f"{x} {self.beside_all(x)} from {self.base[x]:.4g}" for x in shown]
        shares = [f"P({x}) = {self.by_rule[x]:.4g}" for x in shown]
        says = _by_rule(self.rule, self.part, self.fired)
        return [
            (
                f"Averaged over {count(self.n_draws, 'draw')}",
                f"{', '.join(means)}, predicted {self.prediction}",
            ),
            ("Beside all rows", ", ".join(moved)),
            ("By the representative rule", f"{says}, {', '.join(shares)}"),
        ]


def _by_rule(rule: Rule, part: int, fired: tuple[str, ...]) -> str:
    """Describe what decides on a row."""
    if isinstance(rule, RuleList):
        says = f"layer {part} decides" if part else "no layer holds"
    else:
        says = "it holds" if part else "it does not hold"
    terms = " and ".join(f"({term})" for term in fired)
    return f"{says} by {terms}" if terms else says


def deciding_terms(rule: Rule, row: FittedTable) -> tuple[int, tuple[str, ...]]:
    """Describe which layer decides on a table of one row, and which of its terms hold.

    Examples
    --------
    >>> from bayesdnf import LiteralEncoder, RuleList
    >>> from bayesdnf.estimators.explaining.averaged import deciding_terms
    >>> encoder = LiteralEncoder().fit({"odor": ["f", "n", "a"]})
    >>> row = encoder.as_table({"odor": ["n"]})
    >>> deciding_terms(RuleList(["odor = f", "odor = n OR odor = a"]), row)
    (1, ('odor = n',))
    """
    part = int(rule(row)[0])
    layer = layers_of(rule)[part - 1] if part else BooleanFunction()
    return part, fired_terms(layer, row)
