"""LiteralTransformer: the literal encoder as a scikit-learn transformer."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ..boolean.literal import Literal, Value
from ..data.encoder import LiteralEncoder
from ..data.kinds import Kinds
from ..display.wording import listed
from ..errors import InputError
from .inputs import read_features, takes_any_columns
from .settings import encoder_of


class LiteralTransformer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Turn the columns of a table into 0/1 columns, one for each literal.

    What :class:`LiteralEncoder` decides, as a step of a scikit-learn pipeline. Where a value is
    missing the columns of a literal and of its negation are both 0.

    Parameters
    ----------
    kinds : dict, optional
        ``{"stage": "categorical" | "ordinal" | "numeric" | "binary"}`` for columns whose kind
        should not be guessed.
    negations : bool, default=True
        Whether to offer both directions; see :class:`LiteralEncoder`. A linear model may need
        False, because a literal and its negation say the same to it.
    thresholds : int, default=8
        Most cuts of a numeric column.
    missing_values : list of texts and numbers, default=()
        Values that mean "missing" in this table, such as ``["?"]``.
    drop_first : bool, default=False
        Whether the first level of a categorical column gets no literal of its own.

    Attributes
    ----------
    encoder_ : LiteralEncoder
        The fitted encoder.
    n_features_in_ : int
        Number of columns seen in fitting.
    feature_names_in_ : ndarray of str
        Their names, when the table had names.

    Examples
    --------
    >>> import pandas as pd
    >>> from bayesdnf import LiteralTransformer
    >>> table = pd.DataFrame({"odor": ["f", "n", None], "age": [30, 50, 70]})
    >>> transformer = LiteralTransformer(kinds={"age": "numeric"})
    >>> transformer.fit_transform(table)
    array([[1, 0, 0, 1, 0, 1],
           [0, 1, 1, 0, 0, 1],
           [0, 0, 1, 0, 1, 0]], dtype=uint8)
    >>> transformer.get_feature_names_out()
    array(['odor = f', 'odor = n', 'age >= 50', 'age < 50', 'age >= 70', 'age < 70'], dtype=object)
    """

    encoder_: LiteralEncoder
    n_features_in_: int
    feature_names_in_: NDArray[Any]

    def __init__(
        self,
        *,
        kinds: Kinds | None = None,
        negations: bool = True,
        thresholds: int = 8,
        missing_values: Collection[Value] = (),
        drop_first: bool = False,
    ) -> None:
        self.kinds = kinds
        self.negations = negations
        self.thresholds = thresholds
        self.missing_values = missing_values
        self.drop_first = drop_first

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> LiteralTransformer:
        """Decide which literals to offer.

        Parameters
        ----------
        X : pandas or polars DataFrame, 2-D array, or dict of columns
            The rows to decide by.
        y : ignored
            Literals do not depend on the outcome.
        sample_weight : array of whole numbers, optional
            How often each row counts; rows of weight 0 are ignored.
        """
        table = read_features(self, X, fitting=True)
        self.encoder_ = encoder_of(self, drop_first=self.drop_first).fit(table, sample_weight)
        return self

    def transform(self, X: Any) -> NDArray[np.uint8]:
        """Return 0/1 columns, one for each literal.

        Parameters
        ----------
        X : pandas or polars DataFrame, 2-D array, or dict of columns
            The rows. Columns of a DataFrame are found by name; others are ignored.
        """
        check_is_fitted(self)
        bits = self.encoder_.encode(read_features(self, X, fitting=False))
        literals = np.arange(bits.n_literals, dtype=np.int32)
        masks = bits.view().term_masks(np.arange(len(literals) + 1), literals)
        flags = np.empty((bits.n_rows, len(literals)), dtype=np.uint8)
        for j, mask in enumerate(masks):
            flags[:, j] = bits.unpack(mask)
        return flags

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the texts of the literals.

        Parameters
        ----------
        input_features : array of str, optional
            Names for the columns of an array, instead of x0, x1, …; of a table that has names
            only those.
        """
        check_is_fitted(self)
        literals = self.encoder_.literals_
        if input_features is not None:
            literals = self._renamed(literals, [str(name) for name in input_features])
        return np.array([str(literal) for literal in literals], dtype=object)

    def _renamed(self, literals: tuple[Literal, ...], names: list[str]) -> tuple[Literal, ...]:
        known = self.encoder_.columns_
        if hasattr(self, "feature_names_in_") and names != list(self.feature_names_in_):
            raise InputError(
                f"input_features is not equal to feature_names_in_, which is "
                f"{listed(known, 5, str)}."
            )
        if len(names) != len(known):
            raise InputError(
                f"input_features should have length equal to the number of columns of fit, "
                f"{len(known):,}. Got {len(names):,} instead."
            )
        new = dict(zip(known, names, strict=True))
        return tuple(Literal(new[x.attribute], x.operator, x.value) for x in literals)

    def __sklearn_tags__(self) -> Any:
        tags = takes_any_columns(super().__sklearn_tags__())
        tags.transformer_tags.preserves_dtype = []
        return tags
