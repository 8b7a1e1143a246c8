"""Tables with a target: the target column, the positive label, strata and held-out rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import typer
from numpy.typing import NDArray

from ..data.columns.any_library import read_column
from ..data.columns.column import TEXT
from ..data.outcome import (
    MOST_CLASSES,
    find_label,
    refuse_dates,
    refuse_missing_label,
    refuse_quantity,
)
from ..data.reading import read_file
from ..data.table_files.row_names import row_name
from ..display.wording import listed
from ..errors import InputError, UnknownColumnError, did_you_mean
from .options import Learning, separator

if TYPE_CHECKING:
    import pandas as pd

    from ..estimators.held_out import HeldOut
    from ..estimators.rule_classifier import RuleClassifier


class LabelledRows(NamedTuple):
    """Rows of a table: columns, labels and, where there are some, strata."""

    X: pd.DataFrame
    y: NDArray[Any]
    strata: NDArray[Any] | None

    def part(self, chosen: NDArray[np.bool_]) -> LabelledRows:
        """Return some of the rows."""
        strata = None if self.strata is None else self.strata[chosen]
        return LabelledRows(self.X[chosen], self.y[chosen], strata)

    def followed_by(self, other: LabelledRows) -> LabelledRows:
        """Put other rows behind these; strata count only where both have them."""
        import pandas as pd

        strata = None
        if self.strata is not None and other.strata is not None:
            strata = np.concatenate([self.strata, other.strata])
        X = pd.concat([self.X, other.X], ignore_index=True)
        return LabelledRows(X, np.concatenate([self.y, other.y]), strata)


class LabelledTable(NamedTuple):
    """A table that was read: its rows, the positive label of two, cells that mean missing."""

    rows: LabelledRows
    positive: Any
    missing: list[str | float]


def read_labelled(
    path: Path, target: str, positive: str | None, options: Learning
) -> LabelledTable:
    """Read the training table of a command, by the texts of its options."""
    gone = [value for text in options.missing or () for value in cell_values(text)]
    ordered = {name for name, kind in (options.kinds() or {}).items() if not isinstance(kind, str)}
    table = read_file(path, separator(options.sep), missing=gone, texts=ordered)
    strata = None
    if options.strata is not None:
        if options.strata == target:
            raise InputError(f"Column {target!r} is the target; --strata must name another.")
        if options.strata in (options.ignore or ()):
            raise InputError(f"Column {options.strata!r} is named by --ignore and by --strata.")
        strata = strata_column(table, options.strata, path)
        table = table.drop(columns=options.strata)
    table = without(table, options.ignore or (), target, path)
    X, y = split_target(table, target, path)
    rows = LabelledRows(X, y, strata)
    return LabelledTable(rows, positive_label(y, positive, target, path), gone)


def strata_column(table: pd.DataFrame, name: str, path: Path) -> NDArray[Any]:
    """Return the column of strata of a table, which must be there and complete."""
    if name not in table.columns:
        known = map(str, table.columns)
        raise UnknownColumnError(
            f"{path} has no column {name!r} for --strata.{did_you_mean(name, known)}"
        )
    labels = table[name]
    if labels.isna().any():
        row = row_name(table.index, int(np.argmax(labels.isna().to_numpy())))
        raise InputError(
            f"Column {name!r} of {path} is missing in {row}; every row needs a stratum."
        )
    return labels.to_numpy()


def strata_like(
    model: RuleClassifier, table: pd.DataFrame, path: Path, name: str | None
) -> NDArray[Any] | None:
    """Return the strata of rows to predict; None, with a message, if the table has no such column.

    Parameters
    ----------
    model : RuleClassifier
        The fitted classifier.
    table : DataFrame
        The rows.
    path : path
        Where they came from.
    name : str, optional
        The column, which must be there; by default that of the fit.
    """
    if name is not None:
        return strata_column(table, name, path)
    if model.strata_ is None:
        return None
    if model.record_.strata in table.columns:
        return strata_column(table, str(model.record_.strata), path)
    _tell_no_strata(path, model.record_.strata)
    return None


def _tell_no_strata(path: Path, name: str | None) -> None:
    which = "--strata" if name is None else repr(name)
    typer.echo(
        f"{path} has no column of strata ({which}): risks are pooled over the strata.", err=True
    )


def require_spread(rows: LabelledRows, fitted: NDArray[np.bool_], what: str) -> None:
    """Raise an error if all rows of a stratum are held out: its risks could not be estimated."""
    if rows.strata is None:
        return
    for label in np.unique(rows.strata[~fitted]).tolist():
        if not bool((rows.strata[fitted] == label).any()):
            raise InputError(
                f"{what} would hold out every row of stratum {label!r}, so the fit could not "
                f"estimate its risks; merge it with another stratum."
            )


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
    who: str,
    strata: str | None = None,
) -> LabelledRows:
    """Read a file with the columns and types of the table that a classifier was fitted on."""
    texts = text_columns(model) | ({target} if model.labels_.dtype.kind in "OUT" else set())
    texts |= strata_texts(model, strata)
    table = read_file(path, separator(sep), missing=model.missing_values, texts=texts)
    require_columns(list(model.encoder_.kinds_), table, path, who)
    X, y = split_target(table, target, path)
    _require_labels(y, model.labels_.tolist(), target, path, table)
    return LabelledRows(X, y, strata_like(model, X, path, strata))


def read_test(path: Path, target: str, data: LabelledTable, options: Learning) -> LabelledRows:
    """Read the table to test on, and compare it with the one to learn from.

    Called before the search, so that errors in the table are reported first.
    """
    X, y, strata = data.rows
    # A column of codes may look like numbers in the smaller of two files: it is read as texts if it
    # was texts in the other.
    texts = {name for name in X.columns if X[name].dtype.kind not in "biuf"}
    texts |= {target} if y.dtype.kind == "O" else set()
    if strata is not None and strata.dtype.kind not in "biuf":
        texts.add(str(options.strata))
    table = read_file(path, separator(options.sep), missing=data.missing, texts=texts)
    # A column of one value is offered to no rule, and need not be there.
    needed = [str(name) for name in X.columns if X[name].nunique() > 1]
    require_columns(needed, table, path, "the rule's table has")
    own = None
    if options.strata is not None and strata is not None:
        if options.strata in table.columns:
            own = strata_column(table, options.strata, path)
            known = np.unique(strata).tolist()
            _require_labels(own, known, options.strata, path, table)
        else:
            _tell_no_strata(path, options.strata)
    tested, labels = split_target(table, target, path)
    _require_labels(labels, np.unique(y).tolist(), target, path, table)
    return LabelledRows(tested, labels, own)


def measure_rows(
    model: RuleClassifier, rows: LabelledRows, path: Path, threshold: float | None = None
) -> HeldOut | None:
    """Measure a classifier on rows of another file; None, with a message, if they were fitted."""
    from ..estimators.held_out import NOT_HELD_OUT, are_of_fit, measure, outcome_of

    outcome = outcome_of(rows.y, model.labels_, model.positive_)
    if are_of_fit(model, rows.X, outcome):
        typer.echo(f"{path}: {NOT_HELD_OUT}", err=True)
        return None
    return measure(model, rows.X, outcome, str(path), rows.strata, threshold)


def probability_columns(
    model: RuleClassifier, probabilities: NDArray[np.float64]
) -> dict[str, NDArray[np.float64]]:
    """Name the probabilities of rows: of the positive class, or of each of more than two."""
    if model.positive_ is not None:
        return {"probability": probabilities[:, model._positive_index]}
    return {f"P({label!s})": probabilities[:, c] for c, label in enumerate(model.classes_)}


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
        names = [str(name) for name in table.columns]
        hint = did_you_mean(target, names) or f" Its columns are {listed(names, 5)}."
        raise UnknownColumnError(f"{path} has no column {target!r}.{hint}")
    if table.shape[1] == 1:
        raise InputError(f"{path} has the column {target!r} only; a rule needs others.")
    where = f"Column {target!r} of {path}"
    refuse_dates(table[target].to_numpy(), where)
    labels = read_column(table[target], where)
    if labels.missing.any():
        raise InputError(f"{where} is missing in {labels.row(int(np.argmax(labels.missing)))}.")
    y = labels.values
    if labels.type == TEXT:
        y = np.array([*labels.texts], dtype=object)[y]
        return table.drop(columns=target), y
    refuse_quantity(y, where, target)
    if y.dtype.kind == "f" and not bool(((y == np.floor(y)) & (np.abs(y) < 2**53)).all()):
        y = y.astype(str).astype(object)  # labels that happen to be fractions, or long numbers
    return table.drop(columns=target), y


def positive_label(y: NDArray[Any], positive: str | None, target: str, path: Path) -> Any:
    """Find the label that a text names; by default the second of two, and None of more."""
    labels = np.unique(y).tolist()
    shown = listed(labels, 5)
    where = f"Column {target!r} of {path}"
    if len(labels) < 2:
        raise InputError(f"{where} holds 1 class ({shown}); a target has two or more.")
    if positive is None:
        if len(labels) > MOST_CLASSES:
            raise InputError(
                f"{where} holds {len(labels):,} different values ({shown}), at most {MOST_CLASSES} "
                f"classes are possible; group them, or name one with --positive."
            )
        refuse_missing_label(labels, where)
        return labels[1] if len(labels) == 2 else None
    # As it is written first: whole numbers past 2^53 are not what a float would make of them.
    place = find_label([str(label) for label in labels], positive)
    if place is None:
        found = (find_label(labels, value) for value in cell_values(positive))
        place = next((i for i in found if i is not None), None)
    if place is not None:
        return labels[place]
    raise InputError(f"{where} holds {shown} and no {positive!r}; --positive must be one of them.")


def _require_labels(
    y: NDArray[Any], known: list[Any], column: str, path: Path, table: pd.DataFrame
) -> None:
    """Refuse a table that holds a label that the rule's table does not have."""
    values = y.astype(object)  # numbers and texts then differ, and are compared all the same
    strange = np.logical_and.reduce([np.asarray(values != label) for label in known])
    if strange.any():
        row = int(np.argmax(strange))
        raise InputError(
            f"Column {column!r} of {path} holds {y[row]!s} in {row_name(table.index, row)}; "
            f"the rule's table has {listed(known, 5)}."
        )


def text_columns(model: RuleClassifier) -> set[str]:
    """Columns that held texts in fitting, and hold texts even if they now look like numbers."""
    return {x.attribute for x in model.encoder_.literals_ if isinstance(x.value, str)}


def strata_texts(model: RuleClassifier, name: str | None) -> set[str]:
    """Return the column of strata, if its labels were texts in fitting."""
    column = name or model.record_.strata
    has_texts = model.strata_ is not None and isinstance(model.strata_[0], str)
    return {column} if has_texts and column is not None else set()


def require_columns(needed: Sequence[str], table: pd.DataFrame, path: Path, who: str) -> None:
    """Refuse a table that lacks a column."""
    names = [str(name) for name in table.columns]
    there = set(names)
    for name in needed:
        if name not in there:
            raise UnknownColumnError(
                f"{path} has no column {name!r}, which {who}.{did_you_mean(name, names)}"
            )
