"""Table 2: how many chains, and how many terms to start from."""

import pytest

from bayesdnf.experiments.reproduction import FAITHFUL, OURS, Row
from bayesdnf.experiments.table2 import PRINTED, _best_under_his_prior, _rate
from tests.experiments.made import OneSet, made


def test_the_papers_rates_are_of_ten_sets():
    rates = [rate for line in PRINTED for rate in line[6:]]
    assert all(round(10 * rate) == pytest.approx(10 * rate) for rate in rates)
    assert sum(round(10 * min(line[6:])) for line in PRINTED if line[1] == 20) == 29  # of 30 runs


def test_the_rate_of_both_terms_is_over_the_starting_points():
    rows = tuple(
        Row((m0, chains), FAITHFUL, 10, {"term_1": m0 / 20, "term_2": chains / 20}, {})
        for m0 in (1, 10, 20)
        for chains in (1, 20)
    )
    assert _rate(rows, 1) == pytest.approx((31 / 20 + 3 / 20) / 6)
    assert _rate(rows, 20) == pytest.approx((31 / 20 + 3) / 6)


@pytest.mark.slow
def test_his_prior_likes_other_functions_better_than_the_truth():
    best = _best_under_his_prior(OneSet())
    assert (best.above, best.reached) == (1, 0)
    assert best.terms[0] > 2


@pytest.mark.long
def test_more_chains_find_more_terms_and_our_defaults_both():
    table = made("table2")
    one, twenty = (table.row(FAITHFUL, 1, chains).values for chains in (1, 20))
    assert one["term_1"] + one["term_2"] < twenty["term_1"] + twenty["term_2"]
    assert table.value("both", OURS) == 1
