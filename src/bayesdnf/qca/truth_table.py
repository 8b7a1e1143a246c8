"""The truth table: one row for each observed configuration of conditions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..boolean import Literal
from ..checks import is_finite, whole
from ..errors import InputError, ParameterError, SizeLimitError
from .cases import Bools, Cases, level_truth, read_cases, sufficiency
from .notation import term_text

_MOST_CONFIGURATIONS = 1 << 16
_COLUMNS = ("OUT", "n", "inclusion", "PRI", "cases")  # of a truth table, after its conditions
_ORDER = {"1": 0, "C": 1, "0": 2, "?": 3}


@dataclass(frozen=True, eq=False)
class TruthTable:
    """Configurations of conditions, with the outcome of each.

    Parameters
    ----------
    cases : Cases
        The raw cases.
    frame : DataFrame
        One row for each configuration that some case has: the conditions' values, ``OUT``, the
        number of cases ``n``, ``inclusion`` (the share of them with the outcome: the consistency),
        ``PRI`` and ``cases``. ``OUT`` is "1" or "0"; "C" between two cuts of inclusion; "?" with
        fewer cases than ``n_cut``.
    codes : ndarray of int
        The configurations, as places in the conditions' levels.

    Examples
    --------
    >>> import pandas as pd
    >>> from bayesdnf.qca import truth_table
    >>> table = truth_table(pd.DataFrame({"A": [1, 1, 0], "B": [0, 0, 1], "Y": [1, 0, 0]}), "Y")
    >>> table.conditions, table.n_configurations
    (('A', 'B'), 4)
    >>> table.contradictions[["A", "B", "n"]]
       A  B  n
    0  1  0  2
    """

    cases: Cases
    frame: pd.DataFrame
    codes: NDArray[np.intp]

    def __repr__(self) -> str:
        return f"<TruthTable of {self.outcome_text}>\n{self.frame}"

    def _repr_html_(self) -> str:
        return str(self.frame._repr_html_())  # type: ignore[operator]

    @property
    def conditions(self) -> tuple[str, ...]:
        """Names of the conditions."""
        return self.cases.conditions

    @property
    def outcome_text(self) -> str:
        """The outcome, in the notation of qualitative comparative analysis."""
        return term_text([self.cases.outcome])

    @property
    def contradictions(self) -> pd.DataFrame:
        """Configurations in which some cases have the outcome and others do not."""
        shares = self.frame["inclusion"]
        return self.frame[(shares > 0) & (shares < 1)]

    @property
    def n_configurations(self) -> int:
        """Number of configurations that are possible, seen or not."""
        # Python integers: forty conditions of three values exceed 64 bits.
        return int(np.prod([len(levels) for levels in self.cases.levels], dtype=object))

    def with_outcome(self, *values: str) -> NDArray[np.intp]:
        """Return the codes of the configurations whose OUT is one of these."""
        return self.codes[self.frame["OUT"].isin(values).to_numpy()]

    def all_configurations(self) -> NDArray[np.intp]:
        """Return the codes of all possible configurations; refuse too many."""
        sizes = [len(levels) for levels in self.cases.levels]
        if self.n_configurations > _MOST_CONFIGURATIONS:
            raise SizeLimitError(
                f"{len(sizes)} conditions have {self.n_configurations:,} configurations, past the "
                f"limit of {_MOST_CONFIGURATIONS:,} for solutions that look at each one; use fewer "
                f"conditions or the parsimonious solution."
            )
        return np.indices(sizes).reshape(len(sizes), -1).T

    def truth(self, codes: NDArray[np.intp], literal: Literal) -> Bools:
        """Return the truth of a literal on configurations."""
        return level_truth(self.conditions, self.cases.levels, codes, literal)


def truth_table(
    df: Any,
    outcome: str,
    conditions: Sequence[str] | None = None,
    n_cut: int = 1,
    incl_cut: float | tuple[float, float] = 0.8,
    pri_cut: float = 0.0,
) -> TruthTable:
    """Build the truth table of raw cases.

    Parameters
    ----------
    df : DataFrame
        Cases in rows, named by the index. Conditions hold 0 and 1, bools, the texts of a
        category, or whole numbers, where 0 up to the largest count as possible values. Fuzzy
        memberships, between 0 and 1, are refused.
    outcome : str
        The column to explain, ``"Y"``; its absence, ``"~Y"``; or one of its values, ``"Y{2}"``.
    conditions : list of str, optional
        Columns that explain; by default all but the outcome.
    n_cut : int, default=1
        Fewest cases of a configuration that counts; those with fewer get OUT "?".
    incl_cut : float or pair of floats, default=0.8
        Least share of cases with the outcome for OUT "1"; below it OUT is "0". With a pair, OUT is
        "0" below the second and "C" between the two.
    pri_cut : float, default=0
        Least proportional reduction in inconsistency for OUT "1"; for crisp sets it is the same
        share again.

    Returns
    -------
    TruthTable
        ``frame`` is the table; ``contradictions`` its rows with both outcomes, whatever OUT says.

    Examples
    --------
    >>> import pandas as pd
    >>> from bayesdnf.qca import truth_table
    >>> cases = pd.DataFrame(
    ...     {"A": [1, 1, 0, 0], "B": [1, 1, 1, 0], "Y": [1, 1, 0, 0]}, index=list("pqrs")
    ... )
    >>> print(truth_table(cases, "Y").frame.to_string(index=False))
     A  B OUT  n  inclusion  PRI cases
     1  1   1  2        1.0  1.0  p, q
     0  0   0  1        0.0  0.0     s
     0  1   0  1        0.0  0.0     r
    """
    owner = "truth_table"
    whole("n_cut", owner, n_cut, 1)
    cuts = tuple(incl_cut) if isinstance(incl_cut, (tuple, list)) else (incl_cut, incl_cut)
    if len(cuts) != 2 or not all(_is_share(cut) for cut in cuts) or not 0 < cuts[0] >= cuts[1]:
        must = "above 0 and not above 1, or two such numbers, the larger first"
        raise ParameterError.of("incl_cut", owner, must, incl_cut)
    if not _is_share(pri_cut):
        raise ParameterError.of("pri_cut", owner, "between 0 and 1", pri_cut)
    cases = read_cases(df, outcome, conditions, owner)
    if taken := [name for name in cases.conditions if name in _COLUMNS]:
        raise InputError(
            f"A condition is called {taken[0]!r}, which is the name of a column of the truth "
            f"table; rename it."
        )
    codes, group = np.unique(cases.codes, axis=0, return_inverse=True)
    group = group.ravel()
    rows = []
    for number, configuration in enumerate(codes):
        members = group == number
        fit = sufficiency(members, cases.has_outcome)
        n = int(members.sum())
        if n < n_cut:
            out = "?"
        elif fit.consistency >= cuts[0] and pri_cut <= fit.PRI:
            out = "1"
        else:
            # "C" lies between two cuts; with one, whatever misses it is "0".
            out = "0" if fit.consistency < cuts[1] or cuts[0] == cuts[1] else "C"
        values = [levels[c] for levels, c in zip(cases.levels, configuration, strict=True)]
        names = ", ".join(cases.labels[i] for i in np.flatnonzero(members))
        rows.append([*values, out, n, fit.consistency, fit.PRI, names])
    # By OUT and n, which stand fifth and fourth from the end, behind the conditions.
    order = sorted(range(len(rows)), key=lambda i: (_ORDER[rows[i][-5]], -rows[i][-4], i))
    columns = [*cases.conditions, *_COLUMNS]
    frame = pd.DataFrame([rows[i] for i in order], columns=columns)
    return TruthTable(cases, frame, codes[order])


def _is_share(value: object) -> bool:
    return is_finite(value) and not isinstance(value, bool) and 0 <= float(value) <= 1
