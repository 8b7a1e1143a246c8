"""Means, standard errors and comparisons of rates; work on threads."""

import math
from typing import NamedTuple

import numpy as np
import pytest

from bayesdnf.errors import InputError, ParameterError
from bayesdnf.experiments import check, reproduce
from bayesdnf.experiments.reproduction import Row, beside, find, printed, rate_below, summary
from bayesdnf.experiments.two_terms import MEASURES, draw, prior_of
from bayesdnf.experiments.work import Work


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


def test_a_zero_leaves_a_part_of_the_prior_constant():
    assert (prior_of(10, 0.5).size, prior_of(10, 0.5).count) != (prior_of(0, 0).size, None)
    assert prior_of(10, 0).size == prior_of(10, 0.5).size
    assert prior_of(10, 0).count == prior_of(0, 0).count != prior_of(10, 0.5).count


@pytest.mark.parametrize("jobs", [1, 3])
def test_work_keeps_the_order_and_tells_how_far_it_is(jobs):
    told = []
    work = Work(jobs=jobs, progress=lambda done, total: told.append((done, total)))
    assert work.each(lambda x: x * x, range(20)) == [x * x for x in range(20)]
    assert told == [(i + 1, 20) for i in range(20)]


def test_every_data_set_is_its_own():
    first, again, other, later = (
        draw(100, *numbers).y for numbers in ((0, 0), (0, 0), (1, 0), (0, 1))
    )
    assert (first == again).all()
    assert (first != other).any()
    assert (first != later).any()


def test_an_error_in_the_work_comes_out():
    def fails(x):
        if x == 3:
            raise InputError("three")
        return x

    with pytest.raises(InputError, match="three"):
        Work(jobs=2).each(fails, range(50))


def test_quick_work_is_the_papers_ten_sets():
    assert (Work(quick=True).sets, Work().sets) == (10, 200)
    assert Work(quick=True).sets_in_words == "10 fresh data sets"
    assert "200 fresh data sets (the first 10" in Work().sets_in_words


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
