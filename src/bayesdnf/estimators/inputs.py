"""Input validation of tables and labels, as scikit-learn's checks expect it."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils import assert_all_finite, column_or_1d
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import validate_data

from ..data.columns.any_library import read_column, unmasked
from ..data.columns.column import TEXT
from ..data.outcome import (
    find_label,
    list_labels,
    name_of_rest,
    refuse_dates,
    refuse_missing_label,
    refuse_quantity,
    require_classes,
)
from ..data.table_files.row_names import index_of
from ..data.tables import as_frame
from ..display.wording import entries_for_rows
from ..errors import BayesDNFWarning, InputError, ParameterError


def read_features(estimator: Any, X: Any, *, fitting: bool) -> Any:
    """Check a table and note its columns, or compare them with those of ``fit``.

    DataFrames and dicts of columns pass untouched: the encoder finds columns by name, in any
    order. Arrays and lists go through scikit-learn's own checks.
    """
    owner = type(estimator).__name__
    if issparse(X):
        raise InputError(
            f"Sparse input is not supported by {owner}; pass X.toarray(), or a DataFrame."
        )
    frame = as_frame(X)
    if frame is not None or isinstance(X, dict):
        if fitting:
            # The names in their own types: as in scikit-learn, only texts count as names.
            _note_columns(estimator, list(getattr(X, "columns", X)))
            return X
        return X if frame is None else _named_as_fitted(estimator, X, frame)
    if isinstance(X, np.ma.MaskedArray):
        X = unmasked(X)
    elif isinstance(X, (list, tuple)):
        if len(X) > 0 and isinstance(X[0], dict):
            raise InputError(f"X is a {type(X).__name__} of dicts; pass pandas.DataFrame(X).")
        # Of a list such as [['a', 1]] numpy would make the texts 'a' and '1'.
        X = np.array(X, dtype=object)
    with _told():
        return validate_data(
            estimator,
            X,
            reset=fitting,
            dtype=None,
            ensure_all_finite="allow-nan",
            ensure_min_samples=2 if fitting else 1,
        )


@contextmanager
def _told(hint: str = "") -> Iterator[None]:
    """Convert scikit-learn's errors about values to the library's own errors of one sentence."""
    try:
        yield
    except ValueError as error:
        told = " ".join(str(error).split())
        told = re.sub(r": array=\[.*?\]\. Reshape", ". Reshape", told)  # which it prints whole
        said, reshape, advice = told.partition(". Reshape")
        said = said.split(". ")[0].rstrip(".")
        raise InputError(f"{said}{hint}.{reshape[1:]}{advice}") from error


def _named_as_fitted(estimator: Any, X: Any, frame: nw.DataFrame[Any]) -> Any:
    """Give a DataFrame the names x0, x1, … when an array was fitted, as scikit-learn does."""
    own = estimator.encoder_.columns_
    fitted_array = not hasattr(estimator, "feature_names_in_") and own[0] == "x0"
    names = [str(name) for name in frame.columns]
    if not fitted_array or set(own) <= set(names):
        return X
    owner = type(estimator).__name__
    if len(names) != len(own):
        raise InputError(
            f"X has {len(names)} features, but {owner} is expecting {len(own)} features as input."
        )
    # In scikit-learn's own words, for which its checks look.
    warnings.warn(
        f"X has feature names, but {owner} was fitted without feature names",
        BayesDNFWarning,
        stacklevel=4,
    )
    return {
        name: column.to_native() for name, column in zip(own, frame.iter_columns(), strict=True)
    }


def _note_columns(estimator: Any, names: list[Any]) -> None:
    estimator.n_features_in_ = len(names)
    if all(isinstance(name, str) for name in names):
        estimator.feature_names_in_ = np.array([str(name) for name in names], dtype=object)
    elif hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_


def count_rows(X: Any) -> int:
    """Rows of what :func:`read_features` returns."""
    if isinstance(X, dict):
        return len(next(iter(X.values()), ()))
    return len(X)


class Labels(NamedTuple):
    """The labels of y, the classes made of them, and the class of every row."""

    labels: NDArray[Any]
    classes: NDArray[Any]
    positive_index: int | None
    """Place of the positive one of two classes; None of more."""
    outcome: NDArray[np.bool_ | np.intp]
    """Whether each row is positive; of more than two classes the number of its class."""


def read_labels(
    estimator: Any, y: Any, n_rows: int, weights: NDArray[np.int64] | None, positive: Any
) -> Labels:
    """Read the labels of a classifier's ``fit``.

    Parameters
    ----------
    estimator : object
        Whose fit it is.
    y : array-like
        One label for each row.
    n_rows : int
        Rows of X.
    weights : ndarray of int64, optional
        Rows of weight 0 do not count in the choice of classes.
    positive : label or None
        Which class is positive, against all others; None: the second of two, and none of more.
    """
    y = _as_labels(estimator, y)
    if len(y) != n_rows:
        raise InputError(entries_for_rows("y", len(y), n_rows))
    counted = y if weights is None else y[weights > 0]
    # In scikit-learn's own words, for which its checks look.
    refuse_quantity(counted, "Unknown label type: y", "y")
    with _told("; y must hold labels of classes"):
        check_classification_targets(counted)
        kind = type_of_target(counted, input_name="y", raise_unknown=True)
    classes = np.unique(counted)
    labels = classes.tolist()
    if len(classes) > 2 and positive is None:
        if not estimator.__sklearn_tags__().classifier_tags.multi_class:
            raise InputError(
                f"Only binary classification is supported by this {type(estimator).__name__}. The "
                f"type of the target is {kind}: y holds {len(classes):,} classes "
                f"({list_labels(labels)}); name the one to tell from the others, for example "
                f"positive={labels[-1]!r} (--positive)."
            )
        require_classes(labels)
        # A label of rows that do not count may come after all those that do.
        number = np.minimum(np.searchsorted(classes, y), len(classes) - 1)
        return Labels(classes, classes, None, number.astype(np.intp))
    if len(classes) < 2:
        where = "" if weights is None else " on the rows whose sample_weight is not zero"
        raise InputError(f"y holds one class only{where}, {labels[0]!r}; two classes are needed.")
    if positive is None:
        refuse_missing_label(labels, "y")
    index = 1 if positive is None else find_label(labels, positive)
    if index is None:
        must = f"one of the classes of y, {list_labels(labels)}, or None"
        raise ParameterError.of("positive", type(estimator).__name__, must, positive)
    pair, place = one_against_rest(classes, index)
    return Labels(classes, pair, place, y == classes[index])


def one_against_rest(labels: NDArray[Any], index: int) -> tuple[NDArray[Any], int]:
    """Make two classes of several labels: the others together, and the one at ``index``.

    Returns
    -------
    tuple
        The two classes, as ``classes_`` has them, and the place of the one that was named.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf.estimators.inputs import one_against_rest
    >>> one_against_rest(np.array(["setosa", "versicolor", "virginica"]), 0)
    (array(['other', 'setosa'], dtype='<U6'), 1)
    """
    if len(labels) == 2:
        return labels, index
    rest = [label for place, label in enumerate(labels.tolist()) if place != index]
    pair = [name_of_rest(rest, labels[index]), labels[index]]
    return np.array(pair, dtype=None if labels.dtype.kind == "U" else object), 1


def _as_labels(estimator: Any, y: Any) -> NDArray[Any]:
    if y is None:
        raise InputError(
            f"This {type(estimator).__name__} estimator requires y to be passed, but the target y "
            f"is None; give one label for each row."
        )
    with _told():
        labels: NDArray[Any] = column_or_1d(y, warn=True)
        assert_all_finite(labels, input_name="y", allow_nan=True)
    refuse_dates(labels, "y")
    if labels.dtype.kind in "biu" or (labels.dtype.kind == "U" and (labels != "").all()):
        return labels
    column = read_column(labels, "y", index=index_of(y))  # refuses dates, bytes and the like
    if column.missing.any():
        row = column.row(int(np.argmax(column.missing)))
        raise InputError(f"y is missing in {row}; every row needs a label.")
    return labels if column.type == TEXT else column.values


def takes_any_columns(tags: Any) -> Any:
    """Set scikit-learn's tags of an estimator whose columns are read by ``LiteralEncoder``."""
    tags.input_tags.allow_nan = True
    tags.input_tags.string = True
    tags.input_tags.categorical = True
    return tags
