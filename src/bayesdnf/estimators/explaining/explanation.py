"""Explanation of the prediction of a row."""

from __future__ import annotations

import html
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...boolean import BooleanFunction
from ...boolean.table import Table
from ...data.encoder import FittedTable
from ...display.wording import count
from ...errors import InputError
from ...model.rule import Rule
from ..rules import placed_terms
from .changes import Change

NAMED_CLASSES = 4  # probabilities that a sentence names


class _Told:
    """Sentences, each with a title, as text and as HTML."""

    @abstractmethod
    def _sentences(self) -> list[tuple[str, str]]:
        """Return titles and sentences, in the order in which they are shown."""

    def __str__(self) -> str:
        return "\n".join(f"{title}: {text}." for title, text in self._sentences())

    def _repr_html_(self) -> str:
        rows = [
            f"<tr><th style='text-align:left'>{html.escape(title)}</th>"
            f"<td style='text-align:left'>{html.escape(text)}</td></tr>"
            for title, text in self._sentences()
        ]
        return f"<table>{''.join(rows)}</table>"


@dataclass(frozen=True)
class Explanation(_Told):
    """Why a row gets its answer; made by ``DNFClassifier.explain``.

    Attributes
    ----------
    marked : bool
        Whether the rule holds on the row.
    fired : tuple of str
        The terms that hold.
    prediction : label
        The more probable class.
    positive : label
        The positive class.
    probability : float
        Probability of that class.
    change : tuple of Change or None
        A smallest set of attributes whose change would flip whether the rule holds; None when
        no change does. A change to a missing value is not considered.
    """

    marked: bool
    fired: tuple[str, ...]
    prediction: Any
    positive: Any
    probability: float
    change: tuple[Change, ...] | None

    def _sentences(self) -> list[tuple[str, str]]:
        holds = "holds" if self.marked else "does not hold"
        first = (
            f"The rule {holds} on this row",
            f"P({self.positive}) = {self.probability:.4g}, predicted {self.prediction}",
        )
        undo = "undo it" if self.marked else "make it hold"
        flip = "none was found" if self.change is None else _joined(self.change)
        return [
            first,
            ("Terms that hold", _terms(self.fired)),
            (f"Nearest change that would {undo}", flip),
        ]


@dataclass(frozen=True)
class RiskChange:
    """A smallest change of a row that leads to another risk.

    Attributes
    ----------
    part : int
        The part that the row would be in.
    probability : float
        Probability of the positive class there.
    changes : tuple of Change
        The attributes to change.
    """

    part: int
    probability: float
    changes: tuple[Change, ...]


@dataclass(frozen=True)
class _ByLayer(_Told):
    """What a layer of a list decides; ``part`` and ``fired`` are told of where it is documented."""

    part: int
    fired: tuple[str, ...]

    @property
    def marked(self) -> bool:
        """Whether any layer holds on the row."""
        return self.part > 0

    def _decided(self, answer: str) -> list[tuple[str, str]]:
        """Sentences on the layer that decides."""
        if not self.part:
            return [("No layer holds on this row", answer)]
        return [
            (f"Layer {self.part} decides on this row", answer),
            ("Terms of it that hold", _terms(self.fired)),
        ]


@dataclass(frozen=True)
class ListExplanation(_ByLayer):
    """Why a row gets its answer from a list; made by ``DNFClassifier.explain``.

    Attributes
    ----------
    part : int
        The layer that decides: the highest one that holds; 0 when none does.
    fired : tuple of str
        The terms of that layer that hold.
    prediction : label
        The more probable class.
    positive : label
        The positive class.
    probability : float
        Probability of that class.
    risks : tuple of float
        Probability of it in each part, that of part 0 first.
    lower, higher : RiskChange or None
        A smallest set of attributes whose change would lead to a part of lower, of higher risk;
        where several parts are as near, to the lowest, the highest of them. None when no change
        does. A change to a missing value is not considered.
    """

    prediction: Any
    positive: Any
    probability: float
    risks: tuple[float, ...]
    lower: RiskChange | None
    higher: RiskChange | None

    def _sentences(self) -> list[tuple[str, str]]:
        told = self._decided(
            f"P({self.positive}) = {self.probability:.4g}, predicted {self.prediction}"
        )
        for word, change, is_last in (
            ("lower", self.lower, self.probability <= min(self.risks)),
            ("higher", self.higher, self.probability >= max(self.risks)),
        ):
            title = f"Nearest change to a {word} risk"
            if change is None:
                told.append((title, f"no part has a {word} one" if is_last else "none was found"))
                continue
            to = f"{title}, {change.probability:.4g} by {_layer(change.part)}"
            told.append((to, _joined(change.changes)))
        return told


@dataclass(frozen=True)
class ClassChange:
    """A smallest change of a row that leads to another class.

    Attributes
    ----------
    part : int
        The part that the row would be in.
    prediction : label
        The most probable class there.
    probability : float
        Its probability.
    changes : tuple of Change
        The attributes to change.
    """

    part: int
    prediction: Any
    probability: float
    changes: tuple[Change, ...]


@dataclass(frozen=True)
class ClassExplanation(_ByLayer):
    """Explanation of a row's class, of more than two, from ``DNFClassifier.explain``.

    Attributes
    ----------
    part : int
        The layer that decides: the highest one that holds; 0 when none does.
    fired : tuple of str
        The terms of that layer that hold.
    prediction : label
        The most probable class.
    probabilities : dict
        Probability of each class, by label.
    change : ClassChange or None
        A smallest set of attributes whose change would lead to another class; None when no change
        does. A change to a missing value is not considered.
    other_classes : bool
        Whether any part answers another class.
    """

    prediction: Any
    probabilities: dict[Any, float]
    change: ClassChange | None
    other_classes: bool

    def _sentences(self) -> list[tuple[str, str]]:
        falling = sorted(self.probabilities.items(), key=lambda x: -x[1])
        shares = ", ".join(f"P({label}) = {share:.4g}" for label, share in falling[:NAMED_CLASSES])
        told = self._decided(f"{shares}, predicted {self.prediction}")
        title = "Nearest change to another class"
        if self.change is None:
            none = "none was found" if self.other_classes else "no part answers another one"
            return [*told, (title, none)]
        change = self.change
        to = f"{title}, {change.prediction} ({change.probability:.4g}) by {_layer(change.part)}"
        return [*told, (to, _joined(change.changes))]


def _layer(part: int) -> str:
    return f"layer {part}" if part else "no layer"


def _terms(fired: Iterable[str]) -> str:
    return " and ".join(f"({term})" for term in fired) or "none"


def _joined(changes: Iterable[Change]) -> str:
    return "; ".join(map(str, changes))


def one_row(row: Any, columns: Sequence[str]) -> Any:
    """Make a table of one row given as a dict, a Series or a 1-D array."""
    if hasattr(row, "to_dict") and getattr(row, "ndim", 2) == 1:  # a pandas Series
        row = row.to_dict()
    elif isinstance(row, (list, tuple)) or getattr(row, "ndim", 2) == 1:
        if len(row) != len(columns):
            raise InputError(
                f"The row has {count(len(row), 'value')}; the classifier was fitted on "
                f"{count(len(columns), 'column')}."
            )
        row = dict(zip(columns, row, strict=True))
    if not isinstance(row, Mapping):
        return row
    is_table = all(hasattr(v, "__len__") and not isinstance(v, str) for v in row.values())
    return dict(row) if is_table else {name: [value] for name, value in row.items()}


def terms_holding(rule: Rule, table: Table) -> NDArray[np.bool_]:
    """Return which terms hold on which rows: shape (n_rows, n_terms).

    Those of a list come layer by layer, the highest first.

    Examples
    --------
    >>> from bayesdnf import BooleanFunction
    >>> from bayesdnf.data.tables import read_table
    >>> from bayesdnf.estimators.explaining.explanation import terms_holding
    >>> terms_holding(BooleanFunction("x OR y"), read_table({"x": [1, 0], "y": [1, 1]}))
    array([[ True,  True],
           [False,  True]])
    """
    terms = [term for _, term in placed_terms(rule)]
    holds = np.empty((table.n_rows, len(terms)), dtype=np.bool_)
    for t, term in enumerate(terms):
        holds[:, t] = BooleanFunction([term])(table)
    return holds


def fired_terms(function: BooleanFunction, row: FittedTable) -> tuple[str, ...]:
    """Return the texts of the terms that hold on a table of one row."""
    [holds] = terms_holding(function, row)
    return tuple(
        " AND ".join(texts) for texts, flag in zip(function.terms, holds, strict=True) if flag
    )
