"""Tables that commands are given: which column is the target, which label is positive."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import typer
from numpy.typing import NDArray

from ..data.outcome import find_label
from ..data.reading import read_file
from ..display.wording import count, listed
from ..errors import InputError, UnknownColumnError, did_you_mean
from .options import Learning, separator

if TYPE_CHECKING:
    import pandas as pd

    from ..estimators.held_out import HeldOut
    from ..estimators.rule_classifier import RuleClassifier


class LabelledTable(NamedTuple):
    """A table that was read: columns, labels, the positive label, cells that mean missing."""

    X: pd.DataFrame
    y: NDArray[Any]
    positive: Any
    missing: list[str | float]


def read_labelled(
    path: Path, target: str, positive: str | None, options: Learning
) -> LabelledTable:
    """Read the table that a command is to learn from; the texts are those of its options."""
    gone = [value for text in options.missing or () for value in cell_values(text)]
    table = read_file(path, separator(options.sep), missing=gone)
    table = without(table, options.ignore or (), target, path)
    X, y = split_target(table, target, path)
    return LabelledTable(X, y, positive_label(y, positive, target, path), gone)


def without(table: pd.DataFrame, ignored: Sequence[str], target: str, path: Path) -> pd.DataFrame:
    """Leave out columns that are to be ignored."""
    names = [str(name) for name in table.columns]
    for name in ignored:
        if name == target:
            raise InputError(f"Column {name!r} is the target; --ignore must name another.")
        if name not in names:
            raise UnknownColumnError(
                f"{path} has no column {name!r} to ignore.{did_you_mean(name, names)}"
            )
    return table.loc[:, [name not in ignored for name in names]]


def read_like(
    model: RuleClassifier,
    path: Path,
    target: str,
    sep: str | None,
    who: str = "the rule's table has",
) -> tuple[pd.DataFrame, NDArray[Any]]:
    """Read another file of the make that a classifier was fitted on: columns and labels."""
    texts = text_columns(model) | ({target} if model.classes_.dtype.kind in "OUT" else set())
    table = read_file(path, separator(sep), missing=model.missing_values, texts=texts)
    require_columns(model, table, path, who)
    X, y = split_target(table, target, path)
    _require_known(y, model, target, path)
    return X, y


def measure_file(model: RuleClassifier, path: Path, target: str, sep: str | None) -> HeldOut | None:
    """Measure a classifier on another file of the same make; None, and told, if it saw the rows."""
    from ..estimators.held_out import NOT_HELD_OUT, are_of_fit, measure

    X, y = read_like(model, path, target, sep)
    is_positive = np.asarray(y == model.positive_, dtype=np.bool_)
    if are_of_fit(model, X, is_positive):
        typer.echo(f"{path}: {NOT_HELD_OUT}", err=True)
        return None
    return measure(model, X, is_positive, str(path))


def joined(
    X: pd.DataFrame, y: NDArray[Any], X_test: pd.DataFrame, y_test: NDArray[Any]
) -> tuple[pd.DataFrame, NDArray[Any], NDArray[np.bool_]]:
    """Put rows for testing behind those of a fit, and say which they are."""
    import pandas as pd

    held = np.arange(len(y) + len(y_test)) >= len(y)
    return pd.concat([X, X_test], ignore_index=True), np.concatenate([y, y_test]), held


def keep_apart(out: Path, inputs: list[Path | None]) -> None:
    """Refuse to write over a file that is read."""
    for path in inputs:
        if path is not None and path.exists() and out.exists() and out.samefile(path):
            raise InputError(f"Cannot write {out}: it is the file to read; name another.")


def cell_values(text: str) -> list[str | float]:
    """Return a cell as the text and, where it is one, as the number that it may be read as."""
    try:
        number = float(text)
    except ValueError:
        return [text]
    if not math.isfinite(number):
        return [text]
    return [text, int(number) if number.is_integer() else number]


def split_target(table: pd.DataFrame, target: str, path: Path) -> tuple[pd.DataFrame, NDArray[Any]]:
    """Columns and labels of a table."""
    if target not in table.columns:
        raise UnknownColumnError(
            f"{path} has no column {target!r}.{did_you_mean(target, map(str, table.columns))}"
        )
    if table.shape[1] == 1:
        raise InputError(f"{path} has the column {target!r} only; a rule needs others.")
    labels = table[target]
    if labels.isna().any():
        row = int(np.argmax(labels.isna().to_numpy()))
        raise InputError(f"Column {target!r} of {path} is missing in row {row}.")
    y = labels.to_numpy()
    if y.dtype.kind == "f" and not bool((y == np.floor(y)).all()):
        y = y.astype(str)  # labels that happen to be fractions
    if y.dtype.kind not in "biuf":
        y = y.astype(object)
    return table.drop(columns=target), y


def positive_label(y: NDArray[Any], positive: str | None, target: str, path: Path) -> Any:
    """Find the label that a text names; by default the second of the two."""
    labels = np.unique(y).tolist()
    shown = listed(labels, 5)
    where = f"Column {target!r} of {path}"
    if len(labels) != 2:
        raise InputError(
            f"{where} holds {count(len(labels), 'class', 'classes')} ({shown}); a target has two."
        )
    if positive is None:
        return labels[1]
    # As it is written first: whole numbers past 2^53 are not what a float would make of them.
    place = find_label([str(label) for label in labels], positive)
    if place is None:
        found = (find_label(labels, value) for value in cell_values(positive))
        place = next((i for i in found if i is not None), None)
    if place is not None:
        return labels[place]
    raise InputError(f"{where} holds {shown} and no {positive!r}; --positive must be one of them.")


def _require_known(y: NDArray[Any], model: RuleClassifier, target: str, path: Path) -> None:
    """Refuse a table that holds a third label."""
    strange = np.asarray((y != model.positive_) & (y != model.negative_), dtype=np.bool_)
    if strange.any():
        row = int(np.argmax(strange))
        raise InputError(
            f"Column {target!r} of {path} holds {y[row]!s} in row {row}; the rule was fitted on "
            f"{model.negative_!s} and {model.positive_!s}."
        )


def text_columns(model: RuleClassifier) -> set[str]:
    """Columns that held texts in fitting, and hold texts even if they now look like numbers."""
    return {x.attribute for x in model.encoder_.literals_ if isinstance(x.value, str)}


def require_columns(model: RuleClassifier, table: pd.DataFrame, path: Path, who: str) -> None:
    """Refuse a table that lacks a column of the model."""
    names = [str(name) for name in table.columns]
    for name in model.encoder_.kinds_:
        if name not in names:
            raise UnknownColumnError(
                f"{path} has no column {name!r}, which {who}.{did_you_mean(name, names)}"
            )
