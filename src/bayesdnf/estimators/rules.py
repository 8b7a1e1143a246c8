"""Tables of the terms and the parts of a fitted rule."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..boolean import BooleanFunction, Literal, RuleList
from ..boolean.literal import Value
from ..model.posterior import Posterior
from ..model.rates import Interval, jeffreys
from ..model.rule import Rule, layers_of

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("rule", "size", "rows", "positives", "rate", "low", "high", "log_gain")
LIST_COLUMNS = ("layer", *COLUMNS)
PART_COLUMNS = ("part", "rule", "rows", "positives", "rate", "low", "high", "risk")

RAISED, LOWERED, UNCLEAR = "raised", "lowered", "unclear"
"""What the risk of a part is beside that of all rows; unclear when its interval holds that one, or
lies on the other side of it than the part's own rows do."""

Cells = NDArray[np.int64]
Floats = NDArray[np.float64]


def rules_table(posterior: Posterior, rule: Rule) -> pd.DataFrame:
    """One row for each term of a function or list.

    Parameters
    ----------
    posterior : Posterior
        The data and the priors.
    rule : BooleanFunction or RuleList
        The rule.

    Returns
    -------
    pandas.DataFrame
        ``rule``, ``size`` (literals), ``rows`` the term holds on, ``positives`` among them,
        their share ``rate`` with ``low`` and ``high`` (95 % Jeffreys interval), and
        ``log_gain``, the log posterior lost without the term. Of a list first of all ``layer``,
        the highest on top, and ``rows`` are those that the term decides: it holds on them and no
        higher layer does.

    Examples
    --------
    >>> from bayesdnf import BitMatrix, Posterior, RuleList, simulate
    >>> from bayesdnf.estimators.rules import rules_table
    >>> X, y, truth = simulate(500, 4, random_state=1)
    >>> posterior = Posterior(BitMatrix.from_table(X), y, layers=2)
    >>> rules_table(posterior, RuleList(["x0 AND x1", "x2"]))[["layer", "rule", "rows"]]
       layer       rule  rows
    0      2  x0 AND x1    92
    1      1         x2   165
    """
    terms, decided, gains = decided_terms(posterior, rule)
    rows = [
        (layer, " AND ".join(map(str, term)), len(term), int(n.sum()), int(n[0]), float(gain))
        for (layer, term), n, gain in zip(terms, decided, gains, strict=True)
    ]
    return as_table(rows, layered=isinstance(rule, RuleList))


def decided_terms(
    posterior: Posterior, rule: Rule
) -> tuple[list[tuple[int, tuple[Literal, ...]]], Cells, Floats]:
    """Return the terms as :func:`placed_terms` does, the rows they decide by class, their gains."""
    terms = placed_terms(rule)
    # Gains and rows of all terms come from one call of the core: the rule, each term alone, and the
    # rule without each term.
    alone = [_alone(rule, layer, term) for layer, term in terms]
    without = [_without(rule, term) for _, term in terms]
    scores = posterior.scores([rule, *alone, *without])
    # Alone and below the higher layers a term is the lowest layer: part 1.
    decided = scores.cells[1 : len(terms) + 1, :, 1].sum(axis=1)
    gains = scores.log_score[0] - scores.log_score[len(terms) + 1 :]
    return terms, decided, gains


def placed_terms(rule: Rule) -> list[tuple[int, tuple[Literal, ...]]]:
    """Return the terms with their layers, the highest layer first.

    Examples
    --------
    >>> from bayesdnf import RuleList
    >>> from bayesdnf.estimators.rules import placed_terms
    >>> [layer for layer, term in placed_terms(RuleList(["x0", "x1 OR x2"]))]
    [2, 1, 1]
    """
    layers = layers_of(rule)
    return [
        (number, term)
        for number in range(len(layers), 0, -1)
        for term in layers[number - 1].literal_terms
    ]


def _alone(rule: Rule, layer: int, term: tuple[Literal, ...]) -> Rule:
    """Return a list whose lowest layer is one term, below the layers above it."""
    only = BooleanFunction([term])
    if not isinstance(rule, RuleList):
        return only
    return RuleList([*rule.layers[: len(rule) - layer], only])


def _without(rule: Rule, term: tuple[Literal, ...]) -> Rule:
    left = [BooleanFunction(t for t in f.literal_terms if t != term) for f in layers_of(rule)]
    if not isinstance(rule, RuleList):
        return left[0]
    return RuleList(f for f in reversed(left) if not f.is_null)


def as_table(
    rows: Sequence[tuple[int, str, int, int, int, float]], layered: bool = False
) -> pd.DataFrame:
    """Build the table from (layer, rule, size, rows, positives, log_gain) of each term."""
    full = [
        (layer, rule, size, n, positives, *jeffreys(positives, n), gain)
        for layer, rule, size, n, positives, gain in rows
    ]
    return as_frame(
        [row if layered else row[1:] for row in full], LIST_COLUMNS if layered else COLUMNS
    )


def as_frame(rows: Sequence[tuple[object, ...]], columns: tuple[str, ...]) -> pd.DataFrame:
    """Make a table of rows whose columns of counts and shares are numbers."""
    import pandas as pd

    # Objects first: pandas' own strings refuse a text that is not quite Unicode.
    table = pd.DataFrame(rows, columns=list(columns), dtype=object)
    counts = ("layer", "part", "size", "rows", "positives", "of_class")
    whole = dict.fromkeys(counts, "int64")
    shares = [name for name in columns if name.startswith("P(")]
    types = whole | dict.fromkeys(("rate", "share", "low", "high", "log_gain", *shares), "float64")
    return table.astype({name: kind for name, kind in types.items() if name in columns})


def parts_table(
    rule: Rule, cells: Cells, risks: Sequence[Interval], base: float | None = None
) -> pd.DataFrame:
    """One row for each part, the highest layer first and the ``else`` last.

    Parameters
    ----------
    rule : BooleanFunction or RuleList
        The rule.
    cells : ndarray of shape (n_parts, 2)
        Positives and negatives of each part.
    risks : sequence of Interval
        Risk of each part, that of part 0 first.
    base : float, optional
        The risk of all rows; by default the share of positives among them.

    Returns
    -------
    pandas.DataFrame
        ``part``, ``rule`` (the layer's function, or ``else``), ``rows``, ``positives``, ``rate``
        (posterior mean) with ``low`` and ``high`` (95 % interval), and ``risk``: "raised" or
        "lowered" when the interval lies above or below the risk of all rows, and the part has
        a larger or smaller share of positives than all rows have, else "unclear".

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf import Effect, RuleList
    >>> from bayesdnf.estimators.rules import parts_table
    >>> from bayesdnf.model.part_rates import part_risks
    >>> cells = np.array([[[5, 95], [20, 30], [45, 5]]])
    >>> risks = part_risks(Effect(), cells)
    >>> parts_table(RuleList(["odor = f", "age >= 45"]), cells[0], risks).round(2)
       part         rule  rows  positives  rate   low  high     risk
    0     2   (odor = f)    50         45  0.88  0.79  0.96   raised
    1     1  (age >= 45)    50         20  0.40  0.28  0.54  unclear
    2     0         else   100          5  0.06  0.02  0.11  lowered
    """
    return as_frame(_part_rows(rule, cells, risks, base), PART_COLUMNS)


def strata_table(
    rule: Rule,
    cells: Cells,
    risks: Sequence[Sequence[Interval]],
    labels: Sequence[Value],
    prevalence: float | None = None,
) -> pd.DataFrame:
    """Return the parts of every stratum, whose risks are compared with the stratum's own.

    Parameters
    ----------
    rule : BooleanFunction or RuleList
        The rule.
    cells : ndarray of shape (n_strata, n_parts, 2)
        Positives and negatives.
    risks : sequence of sequences of Interval
        Risk of each part in each stratum, that of part 0 first.
    labels : sequence of labels
        Names of the strata.
    prevalence : float, optional
        Share of positives in the population, where risks are those of it.

    Returns
    -------
    pandas.DataFrame
        ``stratum``, then the columns of :func:`parts_table`.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf import BooleanFunction, Effect
    >>> from bayesdnf.estimators.rules import strata_table
    >>> from bayesdnf.model.part_rates import cell_risks
    >>> cells = np.array([[[5, 95], [45, 5]], [[50, 50], [99, 1]]])
    >>> risks = cell_risks(Effect(), cells)
    >>> table = strata_table(BooleanFunction("odor = f"), cells, risks, ["north", "south"])
    >>> table[["stratum", "part", "rate", "risk"]].round(2)
      stratum  part  rate     risk
    0   north     1  0.88   raised
    1   north     0  0.06  lowered
    2   south     1  0.98   raised
    3   south     0  0.50  lowered
    """
    rows = [
        (label, *row)
        for label, own, risk, base in zip(
            labels, cells, risks, _base_risks(cells, prevalence), strict=True
        )
        for row in _part_rows(rule, own, risk, base)
    ]
    return as_frame(rows, ("stratum", *PART_COLUMNS))


def _base_risks(cells: Cells, prevalence: float | None) -> list[float]:
    """Return the risk of all rows of each stratum; with a prevalence, the population risk."""
    sizes = cells.sum(axis=1).astype(np.float64)
    if prevalence is not None:
        # Positives and negatives were sampled separately: each class is scaled to its share of the
        # population before the strata are compared.
        sizes *= np.array([prevalence, 1 - prevalence]) / np.maximum(1, sizes.sum(axis=0))
    base = sizes[:, 0] / np.where(sizes.any(axis=1), sizes.sum(axis=1), 1)
    return [float(risk) for risk in base]


def _part_rows(
    rule: Rule, cells: Cells, risks: Sequence[Interval], base: float | None
) -> list[tuple[object, ...]]:
    if base is None:
        base = float(cells[:, 0].sum() / max(1, cells.sum()))
    texts = ["else", *map(str, layers_of(rule))]
    return [
        (part, texts[part], int(cells[part].sum()), int(cells[part, 0]), *risks[part],
         _beside_all(risks[part], base, cells, part))
        for part in range(len(texts) - 1, -1, -1)
    ]  # fmt: skip


def _beside_all(risk: Interval, base: float, cells: Cells, part: int) -> str:
    """Return the result of :func:`beside`, unless it is due to the prior and not the rows.

    The interval of a few negatives lies above a base of nearly 0, and every interval above a base
    of 0: none of its ends ever is.
    """
    said = beside(risk, base)
    # Products as Python integers: with weights they may exceed 2^63. Which of two shares is larger
    # does not depend on the prevalence.
    (own_pos, own_neg), (pos, neg) = cells[part].tolist(), cells.sum(axis=0).tolist()
    moved = own_pos * neg - own_neg * pos
    return said if {RAISED: moved > 0, LOWERED: moved < 0}.get(said) else UNCLEAR


def beside(risk: Interval, base: float) -> str:
    """Return whether a risk is raised or lowered relative to another.

    Examples
    --------
    >>> from bayesdnf.estimators.rules import beside
    >>> from bayesdnf.model.rates import Interval
    >>> beside(Interval(0.5, 0.4, 0.6), 0.3), beside(Interval(0.5, 0.4, 0.6), 0.45)
    ('raised', 'unclear')
    """
    return RAISED if risk.low > base else LOWERED if risk.high < base else UNCLEAR
