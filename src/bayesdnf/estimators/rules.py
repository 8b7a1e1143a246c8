"""The terms of a fitted rule as a table, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..boolean import BooleanFunction
from ..model.posterior import Posterior
from ..model.rates import jeffreys

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("rule", "size", "rows", "positives", "rate", "low", "high", "log_gain")


def rules_table(posterior: Posterior, function: BooleanFunction) -> pd.DataFrame:
    """One row for each term of a function.

    Parameters
    ----------
    posterior : Posterior
        The data and the priors.
    function : BooleanFunction
        The rule.

    Returns
    -------
    pandas.DataFrame
        ``rule``, ``size`` (literals), ``rows`` the term holds on, ``positives`` among them,
        their share ``rate`` with ``low`` and ``high`` (95 % Jeffreys interval), and
        ``log_gain``, the log posterior lost without the term.
    """
    terms = function.literal_terms
    alone = [BooleanFunction([term]) for term in terms]
    without = [BooleanFunction([t for t in terms if t != term]) for term in terms]
    scores = posterior.scores([function, *alone, *without])
    marked = scores.marked[1 : len(terms) + 1]
    gains = scores.log_score[0] - scores.log_score[len(terms) + 1 :]
    rows = [
        (" AND ".join(texts), len(texts), int(positives + negatives), int(positives), float(gain))
        for texts, (positives, negatives), gain in zip(function.terms, marked, gains, strict=True)
    ]
    return as_table(rows)


def as_table(rows: list[tuple[str, int, int, int, float]]) -> pd.DataFrame:
    """Build the table from (rule, size, rows, positives, log_gain) of each term."""
    import pandas as pd

    full = [
        (rule, size, n, positives, *jeffreys(positives, n), gain)
        for rule, size, n, positives, gain in rows
    ]
    # Objects first: pandas' own strings refuse a text that is not quite Unicode.
    table = pd.DataFrame(full, columns=list(COLUMNS), dtype=object)
    types = dict.fromkeys(("size", "rows", "positives"), "int64")
    return table.astype(types | dict.fromkeys(("rate", "low", "high", "log_gain"), "float64"))
