"""Minimization: complex, parsimonious and intermediate solutions, all tied models of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..boolean import BooleanFunction, Literal
from ..boolean.literal import Value
from ..checks import whole
from ..display.wording import count, plural
from ..errors import ContradictionError, InputError, ParameterError, SizeLimitError
from ..search.cover import TERMS, CoverGoal, Limits, Pool, Stage, best_cover
from ..search.decisive import DecisiveRows
from .cases import Bools, Fit, condition_literal, sufficiency
from .notation import parse_qca, term_text, to_qca
from .truth_table import TruthTable

_KINDS = ("complex", "parsimonious", "intermediate")
_MOST_PRIMES = 20_000

Term = tuple[Literal, ...]


@dataclass(frozen=True, eq=False)
class Model:
    """One minimal model and how well it fits the cases.

    Attributes
    ----------
    function : BooleanFunction
        The model; call it on a table to see which cases it marks.
    expression : str
        The same as ``A*~B + C``.
    terms : DataFrame
        For each term ``consistency``, ``PRI``, ``raw_coverage``, ``unique_coverage`` and ``cases``.
    consistency, PRI, coverage : float
        Fit of the whole model, over all cases.

    Examples
    --------
    >>> import pandas as pd
    >>> from bayesdnf.qca import minimize, truth_table
    >>> cases = pd.DataFrame({"A": [1, 1, 0, 0], "B": [1, 0, 1, 0], "Y": [1, 0, 0, 0]})
    >>> [model] = minimize(truth_table(cases, "Y")).models
    >>> model
    <Model A*B>
    >>> model.coverage
    1.0
    """

    function: BooleanFunction
    expression: str
    terms: pd.DataFrame
    consistency: float
    PRI: float
    coverage: float

    def __repr__(self) -> str:
        return f"<Model {self.expression}>"


@dataclass(frozen=True, eq=False)
class Solution:
    """All models with the fewest terms, shorter ones first.

    Attributes
    ----------
    kind : str
        "complex", "parsimonious" or "intermediate".
    models : tuple of Model
        The tied models.
    primes : tuple of str
        The prime implicants that models are made of, used or not.
    table : TruthTable
        The truth table that was minimized.

    Examples
    --------
    >>> import pandas as pd
    >>> from bayesdnf.qca import minimize, truth_table
    >>> cases = pd.DataFrame({"A": [1, 1, 0, 0], "B": [1, 0, 1, 0], "Y": [1, 1, 1, 0]})
    >>> solution = minimize(truth_table(cases, "Y"))
    >>> print(solution)
    M1: A + B -> Y
    >>> solution.primes
    ('A', 'B')
    """

    kind: str
    models: tuple[Model, ...]
    primes: tuple[str, ...]
    table: TruthTable

    def __str__(self) -> str:
        outcome = self.table.outcome_text
        return "\n".join(
            f"M{number}: {model.expression} -> {outcome}"
            for number, model in enumerate(self.models, start=1)
        )

    def __repr__(self) -> str:
        return f"<{self.kind} solution>\n{self}"

    def assumptions(self, model: int = 0) -> pd.DataFrame:
        """List the simplifying assumptions: configurations without enough cases that a model marks.

        Examples
        --------
        >>> import pandas as pd
        >>> from bayesdnf.qca import minimize, truth_table
        >>> cases = pd.DataFrame({"A": [1, 0, 0], "B": [1, 1, 0], "Y": [1, 0, 0]})
        >>> solution = minimize(truth_table(cases, "Y"), "parsimonious")
        >>> print(solution)
        M1: A -> Y
        >>> solution.assumptions()
           A  B
        0  1  0
        """
        table = self.table
        known = table.with_outcome("1", "0", "C")
        codes = _without(table.all_configurations(), known)
        codes = codes[_marked(table, codes, self.models[model].function.literal_terms)]
        values = [
            [levels[c] for levels, c in zip(table.cases.levels, row, strict=True)] for row in codes
        ]
        return pd.DataFrame(values, columns=list(table.conditions))


def minimize(
    table: TruthTable,
    solution: str = "complex",
    expectations: Mapping[str, Any] | Iterable[str] | None = None,
    strict: bool = False,
    max_models: int = 1000,
) -> Solution:
    """Find the simplest models of a truth table: all with the fewest terms.

    Terms are prime implicants. The complex (or conservative) solution marks only configurations
    with OUT "1". The parsimonious one may also mark any configuration without enough cases
    (OUT "?", and those that no case has) where that makes it simpler. The intermediate one may
    mark of these only the easy ones: a condition may be dropped from a term of the complex
    solution, towards the parsimonious one, where its other values are expected to help too.
    Configurations with OUT "0" or "C" are never marked.

    Parameters
    ----------
    table : TruthTable
        Result of :func:`truth_table`.
    solution : {"complex", "parsimonious", "intermediate"}, default="complex"
        Type of the solution.
    expectations : dict or list of str, optional
        For the intermediate solution, the values of conditions expected to help:
        ``{"A": 1, "B": 0, "C": ["x", "y"]}`` or ``["A", "~B", "C{x}", "C{y}"]``. Nothing is
        expected of conditions that are not named.
    strict : bool, default=False
        Whether cases alike in all conditions and not in the outcome are an error.
    max_models : int, default=1000
        Most tied models to list.

    Returns
    -------
    Solution
        Its ``models`` are all tied ones; where no configuration has OUT "1", the null function.

    Raises
    ------
    ContradictionError
        With ``strict``; names two cases.
    SizeLimitError
        When more models are tied than ``max_models``, or configurations are too many to list.

    Examples
    --------
    >>> import pandas as pd
    >>> from bayesdnf.qca import minimize, truth_table
    >>> cases = pd.DataFrame({"A": [1, 1, 0, 0], "B": [1, 0, 1, 0], "Y": [1, 1, 1, 0]})
    >>> solution = minimize(truth_table(cases, "Y"))
    >>> print(solution)
    M1: A + B -> Y
    >>> solution.models[0].terms
       consistency  PRI  raw_coverage  unique_coverage    cases
    A          1.0  1.0      0.666667         0.333333     0, 1
    B          1.0  1.0      0.666667         0.333333     0, 2
    """
    _check(table, solution, expectations, strict, max_models)
    if strict:
        _refuse_contradictions(table)
    positives = table.with_outcome("1")
    if not len(positives):
        return Solution(solution, (_model(table, ()),), (), table)
    # The solutions differ only in the configurations that no model may mark (Ragin 2008, chapters 8
    # and 9). Complex: all that are not positive. Parsimonious: those with OUT 0 or C. Intermediate:
    # these, and those that only difficult counterfactuals would mark.
    if solution == "parsimonious":
        negatives = [table.with_outcome("0", "C")]
    elif solution == "complex":
        negatives = [_without(table.all_configurations(), positives)]
    else:
        helpful = _helpful(table, expectations)
        negatives = _beyond_easy(table, positives, helpful, max_models)
    primes = dict[Term, None]()
    models = dict[frozenset[Term], None]()
    for off in negatives:
        offered, found = _minimal(table, positives, off, max_models)
        primes |= dict.fromkeys(offered)
        models |= dict.fromkeys(frozenset(terms) for terms in found)
    fewest = min(len(terms) for terms in models)
    tied = [_model(table, tuple(terms)) for terms in models if len(terms) == fewest]
    tied.sort(key=lambda model: (model.function.n_literals, model.expression))
    texts = (term_text(term, table.conditions) for term in primes)
    return Solution(solution, tuple(tied), tuple(sorted(texts, key=_short_first)), table)


def _short_first(text: str) -> tuple[int, str]:
    return text.count("*"), text


def _minimal(
    table: TruthTable,
    positives: NDArray[np.intp],
    negatives: NDArray[np.intp],
    most: int,
) -> tuple[list[Term], list[list[Term]]]:
    """Return the prime implicants, and all minimum covers of the positive configurations."""
    if not len(negatives):
        raise InputError(
            "Every configuration may have the outcome, so there is nothing to explain: no model "
            "has to exclude one."
        )
    literals = table.cases.literals
    rows = DecisiveRows(
        np.column_stack([table.truth(positives, literal) for literal in literals]),
        np.column_stack([table.truth(negatives, literal) for literal in literals]),
    )
    limits = Limits()
    # Quine-McCluskey minimisation. A prime implicant is a minimal set of literals that no negative
    # configuration satisfies. At a price of 1 for each positive configuration, the search for terms
    # worth at least 1 returns all prime implicants that mark any.
    ones = np.ones(rows.n_positive, dtype=np.int64)
    found = limits.search(rows, CoverGoal(ones, 0, 1, most=_MOST_PRIMES))
    if not found.complete:
        raise SizeLimitError(
            f"The configurations have more than {_MOST_PRIMES:,} prime implicants; use fewer "
            f"conditions."
        )
    pool = Pool(rows)
    pool.add(sorted(found.terms, key=lambda term: (len(term), term)))
    stage = Stage(TERMS, list(pool.terms))
    best_cover(pool, stage, limits)
    covers = _covers(pool.marked(), stage.value, most)
    spelt = [tuple(literals[i] for i in term) for term in pool.terms]
    return spelt, [[spelt[i] for i in cover] for cover in covers]


def _covers(chart: Bools, size: int, most: int) -> list[tuple[int, ...]]:
    """List all covers of ``size`` columns, the minimum size, of the rows of a prime chart."""
    found: list[tuple[int, ...]] = []
    largest = int(chart.sum(axis=0).max())

    def extend(chosen: tuple[int, ...], open_rows: Bools, offered: Bools) -> None:
        if not open_rows.any():
            if len(found) == most:
                raise SizeLimitError(
                    f"More than {most:,} models are tied; raise max_models, or use fewer "
                    f"conditions or more cases."
                )
            found.append(tuple(sorted(chosen)))
            return
        # Prune: the remaining columns cannot cover all open rows, even with the most marks of any.
        if (size - len(chosen)) * largest < int(open_rows.sum()):
            return
        # Every cover must mark each open row, so branching over the columns of one row is complete.
        # The row with the fewest columns gives the smallest tree.
        options = chart[open_rows] & offered
        columns = np.flatnonzero(options[np.argmin(options.sum(axis=1))])
        offered = offered.copy()
        for column in columns:
            offered[column] = False  # each set once: later branches exclude this column
            extend((*chosen, int(column)), open_rows & ~chart[:, column], offered)

    extend((), np.ones(len(chart), dtype=np.bool_), np.ones(chart.shape[1], dtype=np.bool_))
    return found


def _beyond_easy(
    table: TruthTable,
    positives: NDArray[np.intp],
    helpful: dict[str, set[Value]],
    most: int,
) -> list[NDArray[np.intp]]:
    """List the configurations that intermediate models must not mark, by pair of models."""
    space = table.all_configurations()
    off = table.with_outcome("0", "C")
    _, complex_models = _minimal(table, positives, _without(space, positives), most)
    _, parsimonious_models = _minimal(table, positives, off, most)
    result: list[NDArray[np.intp]] = []
    # If models are tied, easy counterfactuals are defined for each pair of a complex and a
    # parsimonious model.
    for long in complex_models:
        for short in parsimonious_models:
            # Ragin and Sonnett (2005): a complex term that implies a parsimonious term keeps the
            # literals of the latter. Of its other literals, those are dropped whose removal is an
            # easy counterfactual: all other values of the condition are expected to help as well.
            eased = [
                tuple(x for x in term if x in within or not _is_easy(table, x, helpful))
                for term in long
                for within in ([s for s in short if set(s) <= set(term)] or [term])
            ]
            left_out = space[~_marked(table, space, eased)]
            left_out = _without(left_out, positives)
            if not any(np.array_equal(left_out, other) for other in result):
                result.append(left_out)
    return result


def _is_easy(table: TruthTable, literal: Literal, helpful: dict[str, set[Value]]) -> bool:
    """Return whether all values other than the literal's are expected to help."""
    j = table.conditions.index(literal.attribute)
    levels = table.cases.levels[j]
    others = {
        level
        for code, level in enumerate(levels)
        if condition_literal(literal.attribute, levels, code) != literal
    }
    return others <= helpful.get(literal.attribute, set())


def _helpful(
    table: TruthTable, expectations: Mapping[str, Any] | Iterable[str] | None
) -> dict[str, set[Value]]:
    """Read expectations as values of conditions."""
    named: list[Literal] = []
    if isinstance(expectations, Mapping):
        for name, values in expectations.items():
            many = isinstance(values, Iterable) and not isinstance(values, str)
            named += [Literal(str(name), "=", value) for value in (values if many else [values])]
    else:
        for text in expectations or ():
            terms = parse_qca(text).literal_terms
            if len(terms) != 1 or len(terms[0]) != 1:
                must = "made of single conditions such as 'A', '~B' or 'C{x}'"
                raise ParameterError.of("expectations", "minimize", must, text)
            named.append(terms[0][0])
    helpful: dict[str, set[Value]] = {}
    for literal in named:
        helpful.setdefault(literal.attribute, set()).update(_levels_of(table, literal))
    return helpful


def _levels_of(table: TruthTable, literal: Literal) -> list[Value]:
    """Return the values of the condition that satisfy a literal."""
    space = {name: i for i, name in enumerate(table.conditions)}
    table.truth(table.codes[:0], literal)  # refuses an unknown condition
    levels = table.cases.levels[space[literal.attribute]]
    codes = np.zeros((len(levels), len(table.conditions)), dtype=np.intp)
    codes[:, space[literal.attribute]] = np.arange(len(levels))
    chosen = [levels[i] for i in np.flatnonzero(table.truth(codes, literal))]
    if not chosen:
        raise InputError(f"Condition {literal.attribute!r} never holds {literal.value!r}.")
    return chosen


def _marked(
    table: TruthTable, codes: NDArray[np.intp], terms: Iterable[Sequence[Literal]]
) -> Bools:
    marked = np.zeros(len(codes), dtype=np.bool_)
    for term in terms:
        holds = np.ones(len(codes), dtype=np.bool_)
        for literal in term:
            holds &= table.truth(codes, literal)
        marked |= holds
    return marked


def _without(codes: NDArray[np.intp], gone: NDArray[np.intp]) -> NDArray[np.intp]:
    known = {tuple(row) for row in gone.tolist()}
    return codes[[tuple(row) not in known for row in codes.tolist()]]


def _model(table: TruthTable, terms: Sequence[Term]) -> Model:
    cases = table.cases
    function = BooleanFunction(terms)
    order = function.literal_terms
    marked = [BooleanFunction([term])(cases) for term in order]
    times = np.zeros(cases.n_rows, dtype=np.int64)
    for holds in marked:
        times += holds
    rows = []
    for holds in marked:
        fit = sufficiency(holds, cases.has_outcome)
        # Unique coverage: cases that no other term of the model marks.
        alone = sufficiency(holds & (times == 1), cases.has_outcome)
        names = ", ".join(cases.labels[i] for i in np.flatnonzero(holds))
        rows.append([fit.consistency, fit.PRI, fit.coverage, alone.coverage, names])
    whole: Fit = sufficiency(times > 0, cases.has_outcome)
    return Model(
        function=function,
        expression=to_qca(function, table.conditions),
        terms=pd.DataFrame(
            rows,
            columns=["consistency", "PRI", "raw_coverage", "unique_coverage", "cases"],
            index=[term_text(term, table.conditions) for term in order],
        ),
        consistency=whole.consistency,
        PRI=whole.PRI,
        coverage=whole.coverage,
    )


def _refuse_contradictions(table: TruthTable) -> None:
    if not len(table.contradictions):
        return
    cases = table.cases
    codes = table.codes[table.contradictions.index[0]]
    members = (cases.codes == codes).all(axis=1)
    one = cases.labels[int(np.argmax(members & cases.has_outcome))]
    other = cases.labels[int(np.argmax(members & ~cases.has_outcome))]
    literals = [
        condition_literal(name, levels, int(code))
        for name, levels, code in zip(cases.conditions, cases.levels, codes, strict=True)
    ]
    raise ContradictionError(
        f"Cases {one!r} and {other!r} hold the same conditions ({term_text(literals)}), yet "
        f"{one!r} has the outcome {table.outcome_text} and {other!r} does not; "
        f"{count(len(table.contradictions), 'configuration')} of the table "
        f"{plural(len(table.contradictions), 'has', 'have')} both outcomes."
    )


def _check(table: Any, solution: Any, expectations: Any, strict: Any, max_models: Any) -> None:
    owner = "minimize"
    if not isinstance(table, TruthTable):
        raise ParameterError.of("table", owner, "a TruthTable", type(table).__name__)
    if solution not in _KINDS:
        raise ParameterError.of("solution", owner, f"one of {', '.join(_KINDS)}", solution)
    if isinstance(expectations, str) or not isinstance(expectations, (Iterable, type(None))):
        raise ParameterError.of("expectations", owner, "a dict or a list of texts", expectations)
    if expectations is not None and solution != "intermediate":
        must = 'None unless solution="intermediate"'
        raise ParameterError.of("expectations", owner, must, expectations)
    if not isinstance(strict, bool):
        raise ParameterError.of("strict", owner, "True or False", strict)
    whole("max_models", owner, max_models, 1)
