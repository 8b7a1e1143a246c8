"""Necessity, by its definition."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesdnf import BooleanFunction
from bayesdnf.errors import UnknownColumnError
from bayesdnf.qca import necessity
from tests.qca.published import lipset


def test_every_value_of_every_condition():
    table = necessity(lipset(), "SURV", conditions=["DEV", "LIT"])
    assert table.index.tolist() == ["~DEV", "DEV", "~LIT", "LIT"]
    assert table.loc["DEV"].tolist() == pytest.approx([1, 8 / 10, 8 / 10])
    assert table.loc["LIT"].tolist() == pytest.approx([1, 8 / 13, 5 / 10])


def test_expressions_of_several_conditions():
    table = necessity(
        lipset(), "~SURV", expressions=["~DEV + ~STB", BooleanFunction("LIT AND STB")]
    )
    assert table.index.tolist() == ["~DEV + ~STB", "LIT*STB"]
    assert table.loc["~DEV + ~STB"].tolist() == [1, 1, 1]
    with pytest.raises(UnknownColumnError, match="'SURV' is not among the conditions"):
        necessity(lipset(), "SURV", expressions=["SURV"])


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=1, max_size=12))
def test_the_three_numbers_by_counting(rows):
    found = necessity(pd.DataFrame(rows, columns=["X", "Y"]), "Y").loc["X"]
    both = sum(x and y for x, y in rows)
    outside = sum(not (x and y) for x, y in rows)
    expected = [
        both / sum(y for _, y in rows) if any(y for _, y in rows) else np.nan,
        both / sum(x for x, _ in rows) if any(x for x, _ in rows) else np.nan,
        sum(not x for x, _ in rows) / outside if outside else np.nan,
    ]
    assert found.tolist() == pytest.approx(expected, nan_ok=True)
