"""Table 4: hyperparameters on mushroom."""

import pytest

from bayesdnf.experiments import table5
from bayesdnf.experiments.halves import PAPER_M, PAPER_SUM_K, SEEDS
from bayesdnf.experiments.reproduction import FAITHFUL, OURS
from bayesdnf.experiments.table4 import FRESH, PRINTED
from tests.experiments.made import made


def test_the_paper_has_every_pair_of_hyperparameters():
    pairs = [line[:2] for line in PRINTED]
    assert pairs == [(theta, p) for theta in (2, 5, 10, 30) for p in (0.1, 0.5, 0.9)]


def test_it_agrees_with_the_papers_table_5():
    means = [sum(line[i] for line in table5.PRINTED) / 10 for i in (1, 2, 3)]
    assert (5, 0.1, *means) == pytest.approx(PRINTED[3], abs=5e-5)
    assert PRINTED[3][2:4] == (PAPER_M, PAPER_SUM_K)


def test_fresh_splits_are_other_than_the_authors():
    assert set(SEEDS).isdisjoint(range(FRESH - len(SEEDS)))


@pytest.mark.long
def test_literals_grow_with_theta_and_ours_are_fewer():
    table = made("table4")
    sizes = [table.value("sum_k", FAITHFUL, theta, 0.1) for theta in (2, 30)]
    assert sizes[1] > 2 * sizes[0]
    assert table.value("auc", OURS) == 1
    assert table.value("sum_k", OURS) < PAPER_SUM_K
