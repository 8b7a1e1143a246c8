"""Means, standard errors and comparisons of rates."""

import math
from typing import NamedTuple

import numpy as np
import pytest

from bayesdnf.errors import InputError, ParameterError
from bayesdnf.experiments import check, reproduce
from bayesdnf.experiments.reproduction import Row, beside, find, printed, rate_below, summary
from bayesdnf.experiments.two_terms import MEASURES


class Run(NamedTuple):
    a: float
    b: float


def rate(value, sets):
    return Row((), "", sets, {"hit": value}, {})


def test_summary_has_the_first_ten_and_all():
    values = np.random.default_rng(0).random((30, 2))
    first, every = summary((1,), "ours", [Run(*row) for row in values])
    assert (first.sets, every.sets) == (10, 30)
    assert first.values["a"] == pytest.approx(values[:10, 0].mean())
    assert every.errors["b"] == pytest.approx(values[:, 1].std(ddof=1) / math.sqrt(30))


def test_summary_of_ten_or_fewer_is_one_row():
    assert [row.sets for row in summary((), "ours", [Run(1, 2)] * 10)] == [10]
    [alone] = summary((), "ours", [Run(1, 2)])
    assert alone.values == {"a": 1, "b": 2}
    assert math.isnan(alone.errors["a"])


def test_both_samples_count_in_a_comparison_of_rates():
    gap = rate_below(rate(1.0, 10), rate(0.9, 200), "hit")
    pooled = (10 + 180) / 210
    assert gap.below == pytest.approx(0.1)
    assert gap.error == pytest.approx(math.sqrt(pooled * (1 - pooled) * (1 / 10 + 1 / 200)))
    assert gap.within_two
    assert not rate_below(rate(1.0, 10), rate(0.6, 200), "hit").within_two
    assert rate_below(rate(1.0, 10), rate(1.0, 200), "hit").within_two
    assert rate_below(rate(0.5, 10), rate(1.0, 200), "hit").within_two


def test_rows_stand_under_their_cell():
    paper = printed(1, MEASURES, [(5, 0.1, 0.9), (6, 0.2, 0.8)])
    own = [Row((6,), "ours", 1, {}, {}), Row((), "ours", 1, {}, {}), Row((5,), "ours", 1, {}, {})]
    rows = beside(paper, own)
    assert [(row.cell, row.source) for row in rows] == [
        ((5,), "paper"),
        ((5,), "ours"),
        ((6,), "paper"),
        ((6,), "ours"),
        ((), "ours"),
    ]
    assert find(rows, "paper", 6).values == {"pi0": 0.2, "pi1": 0.8}


def test_a_row_is_found_on_all_sets_or_on_the_first():
    rows = [Row((), "ours", n, {}, {}) for n in (10, 200)]
    assert find(rows, "ours").sets == 200
    assert find(rows, "ours", first=True).sets == 10
    assert find(rows[1:], "ours", first=True).sets == 200


@pytest.mark.parametrize("name", ["tabel2", "Table2", "table 2"])
def test_an_unknown_name_gets_a_suggestion(name):
    with pytest.raises(InputError, match="Did you mean 'table2'") as error:
        reproduce(name)
    assert "appendix, all" in str(error.value)


def test_what_cannot_be_is_refused():
    with pytest.raises(ParameterError, match="'jobs' parameter of reproduce"):
        check("all", jobs=0)
    with pytest.raises(ParameterError, match="'seed' parameter of reproduce"):
        check("all", seed=-1)
