"""Random tables of every kind of column, and the slow, obvious truth of a literal on a value."""

import math

import numpy as np
import pandas as pd
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from bayesdnf import LiteralEncoder
from bayesdnf.errors import InputError

TEXTS = ["a", "b", "c", "?", "1", "é z"]


def holds(literal, value):
    """Truth of a literal on one Python value, straight from the definition."""
    if value is None or value == "" or (isinstance(value, float) and math.isnan(value)):
        return False
    if literal.operator in ("true", "false"):
        is_one = value in (1, "1", "1.0", "True", "true", "TRUE")
        return is_one == (literal.operator == "true")
    if literal.operator in ("=", "!="):
        same_type = isinstance(value, str) == isinstance(literal.value, str)
        return (same_type and value == literal.value) == (literal.operator == "=")
    return value >= literal.value if literal.operator == ">=" else value < literal.value


def expected(literal, columns):
    return np.array([holds(literal, value) for value in columns[literal.attribute]], dtype=bool)


VALUES = {
    "said": st.sampled_from(["0", "1"]),
    "told": st.sampled_from(["True", "False"]),
    "pair": st.sampled_from(["no", "yes"]),
    "text": st.sampled_from([*TEXTS, ""]),
    "flag": st.integers(0, 1),
    "few": st.integers(-3, 4),
    "many": st.integers(-1000, 1000),
    "huge": st.integers(2**53, 2**53 + 20),
    "real": st.floats(-100, 100, allow_subnormal=False) | st.sampled_from([0.1, 0.25, -0.0]),
    "bool": st.booleans(),
}


@st.composite
def columns_of(draw, n_rows=None, missing=True):
    """Draw a dict of columns as Python lists; the name of each begins with what it holds."""
    n = draw(st.integers(2, 40)) if n_rows is None else n_rows
    kinds = draw(st.lists(st.sampled_from(sorted(VALUES)), min_size=1, max_size=4))
    columns = {}
    for j, kind in enumerate(kinds):
        values = VALUES[kind]
        if missing and draw(st.booleans()):
            values = st.none() | values
        columns[f"{kind}{j}"] = draw(st.lists(values, min_size=n, max_size=n))
    return columns


POLARS = {
    **dict.fromkeys(("said", "told", "pair"), pl.String),
    "text": pl.String,
    "flag": pl.Int8,
    "few": pl.Int64,
    "many": pl.Int32,
    "huge": pl.Int64,
    "real": pl.Float64,
    "bool": pl.Boolean,
}
NULLABLE = {
    **dict.fromkeys(("said", "told", "pair"), "string"),
    "text": "string",
    "flag": "Int64",
    "few": "Int8",
    "many": "Int16",
    "huge": "Int64",
    "real": "Float64",
    "bool": "boolean",
}


def kind_of(name):
    return name.rstrip("0123456789")


def as_polars(columns):
    return pl.DataFrame({c: pl.Series(v, dtype=POLARS[kind_of(c)]) for c, v in columns.items()})


def as_pandas(columns):
    """Let pandas guess: whole numbers with a gap become floats."""
    return pd.DataFrame({c: pd.Series(v) for c, v in columns.items()})


def as_nullable_pandas(columns):
    return pd.DataFrame({c: pd.Series(v, dtype=NULLABLE[kind_of(c)]) for c, v in columns.items()})


def as_object_pandas(columns):
    return pd.DataFrame({c: pd.Series(v, dtype=object) for c, v in columns.items()})


FORMS = {
    "polars": as_polars,
    "pandas": as_pandas,
    "nullable pandas": as_nullable_pandas,
    "object pandas": as_object_pandas,
    "dict": dict,
}


def offered(X, sample_weight=None, **parameters):
    encoder = LiteralEncoder(**parameters).fit(X, sample_weight)
    return [str(literal) for literal in encoder.literals_]


def fitted_or_none(X, **parameters):
    """Fit, unless no column of a random table is usable."""
    try:
        return LiteralEncoder(**parameters).fit(X)
    except InputError as error:
        assert "no usable column" in str(error)  # noqa: PT017
        return None


any_encoding = given(
    columns=columns_of(),
    form=st.sampled_from(sorted(FORMS)),
    negations=st.booleans(),
    drop_first=st.booleans(),
)
