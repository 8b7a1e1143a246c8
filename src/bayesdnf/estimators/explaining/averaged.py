"""Why a row gets its averaged risk, in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...boolean import BooleanFunction, RuleList
from ...data.encoder import FittedTable
from ...display.wording import count, with_interval
from ...model.rates import Interval
from ...model.rule import Rule, layers_of
from ..rules import LOWERED, RAISED, UNCLEAR
from .explanation import _Told, fired_terms


@dataclass(frozen=True)
class AveragedExplanation(_Told):
    """Why a row gets its averaged risk; made by ``PosteriorDNFClassifier.explain``.

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
        if isinstance(self.rule, RuleList):
            says = f"layer {self.part} decides" if self.part else "no layer holds"
        else:
            says = "it holds" if self.part else "it does not hold"
        terms = " and ".join(f"({term})" for term in self.fired)
        because = f" by {terms}" if terms else ""
        risk = with_interval(*self.risk, ".2g")
        return [
            (
                f"Averaged over {count(self.n_draws, 'draw')}",
                f"P({self.positive}) = {risk}, predicted {self.prediction}",
            ),
            (f"Beside {self.base:.4g} of all rows", self.beside_all),
            ("By the representative rule", f"{says}{because}, risk {self.rule_risk:.4g}"),
        ]


def beside(risk: Interval, base: float) -> str:
    """Say whether a risk is raised or lowered beside another.

    Examples
    --------
    >>> from bayesdnf.estimators.explaining.averaged import beside
    >>> from bayesdnf.model.rates import Interval
    >>> beside(Interval(0.5, 0.4, 0.6), 0.3), beside(Interval(0.5, 0.4, 0.6), 0.45)
    ('raised', 'unclear')
    """
    return RAISED if risk.low > base else LOWERED if risk.high < base else UNCLEAR


def deciding_terms(rule: Rule, row: FittedTable) -> tuple[int, tuple[str, ...]]:
    """Say which layer decides on a table of one row, and which of its terms hold.

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
