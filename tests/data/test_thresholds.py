"""Cuts of numeric columns: where they lie, and how few digits they have."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bayesdnf import LiteralEncoder
from bayesdnf.data.thresholds import cuts, shortest_between
from tests.data.raw_tables import TEXTS, fitted_or_none, offered


def quantiles_slowly(values, n_cuts):
    """The smallest value v with at least k / (n_cuts + 1) of the values <= v."""
    found = set()
    for k in range(1, n_cuts + 1):
        need = k * len(values) / (n_cuts + 1)
        found.add(next(v for v in sorted(values) if sum(w <= v for w in values) >= need - 1e-9))
    return sorted(found)


numbers = st.lists(st.integers(-500, 500), min_size=2, max_size=60)


@given(values=numbers, n_cuts=st.integers(1, 9))
def test_cuts_are_quantiles(values, n_cuts):
    distinct, totals = np.unique(values, return_counts=True)
    assume(len(distinct) > 1)
    found = cuts(distinct, totals, n_cuts)
    assert 1 <= len(found) <= n_cuts
    splits = [frozenset(v for v in values if v >= cut) for cut in found]
    ladder = distinct[1:].tolist()
    if len(ladder) > n_cuts:
        ladder = sorted({max(q, ladder[0]) for q in quantiles_slowly(values, n_cuts)})
    assert splits == [frozenset(v for v in values if v >= cut) for cut in ladder]


@given(data=st.data(), values=st.lists(st.floats(-50, 50), min_size=12, max_size=40))
def test_weights_repetition_and_order_are_all_the_same(data, values):
    n = len(values)
    text = data.draw(st.lists(st.sampled_from(TEXTS), min_size=n, max_size=n))
    weights = data.draw(st.lists(st.integers(0, 4), min_size=n, max_size=n))
    assume(sum(weights) > 0)
    X = pd.DataFrame({"n": values, "t": text, "d": np.arange(n) % 3})
    repeated = X.loc[np.repeat(np.arange(n), weights)]
    encoder = fitted_or_none(repeated)
    assume(encoder is not None)
    shuffled = repeated.sample(frac=1, random_state=data.draw(st.integers(0, 99)))
    for other in (
        LiteralEncoder().fit(X, sample_weight=weights),
        LiteralEncoder().fit(X, sample_weight=np.array(weights, dtype=float)),
        LiteralEncoder().fit(shuffled),
    ):
        assert other.literals_ == encoder.literals_
        assert other.kinds_ == encoder.kinds_
        assert other.dropped_ == encoder.dropped_


def test_a_heavy_lowest_value_still_splits():
    assert offered({"c": [0.0] * 99 + [0.5]}) == ["c >= 0.5", "c < 0.5"]
    zero_inflated = [0.0] * 60 + [v / 10 for v in range(1, 41)]
    assert offered({"c": zero_inflated}, negations=False) == [
        "c >= 0.1",
        "c >= 0.7",
        "c >= 1.8",
        "c >= 2.9",
    ]


def test_thresholds_is_the_most_there_are():
    for n_cuts in (1, 2, 8, 20):
        assert len(offered({"c": np.arange(1000) / 7}, thresholds=n_cuts)) == 2 * n_cuts
    assert offered({"age": np.arange(100)}, thresholds=1) == ["age >= 49", "age < 49"]


@pytest.mark.parametrize(
    ("low", "high", "cut"),
    [
        (44.3, 45.71, 45),
        (44.3, 44.71, 44.7),
        (44.31, 44.352, 44.35),
        (98.2, 101.5, 100),
        (3, 70, 70),
        (12345, 23456, 20000),
        (-3, 8, 0),
        (-1, 0, 0),
        (0, 7, 7),
        (0.0, 0.00123, 0.001),
        (-4.7, -3.2, -4),
        (-10.5, -9.2, -10),
        (-1000, -3.2, -4),
        (0.1, 0.30000000000000004, 0.3),
        (0.3, 0.30000000000000004, 0.30000000000000004),
        (2**60, 2**60 + 5, 1152921504606846980),
        (5e-324, 1e-323, 1e-323),
        (1e300, 1.5e300, 1.5e300),
    ],
)
def test_shortest_between(low, high, cut):
    found = shortest_between(low, high)
    assert found == cut
    assert type(found) is type(cut)
    assert low < found <= high


@given(a=st.integers(-(10**5), 10**5), b=st.integers(-(10**5), 10**5), scale=st.integers(0, 4))
def test_nothing_shorter_lies_between(a, b, scale):
    assume(a != b)
    low, high = sorted((a / 10**scale, b / 10**scale))
    cut = shortest_between(low, high)
    assert low < cut <= high
    digits = len(str(abs(round(cut * 10**scale))).strip("0"))
    # With fewer digits there is no number in between: try the next multiple above low.
    for place in range(-scale, 7):
        unit = 10 ** (place + scale)
        multiple = (round(low * 10**scale) // unit + 1) * unit
        if multiple <= round(high * 10**scale):
            assert digits <= len(str(abs(multiple)).strip("0"))
