"""Table 5: mushroom, split by split."""

import pytest

from bayesdnf.experiments.halves import AT_HIS
from bayesdnf.experiments.reproduction import FAITHFUL, OURS, PAPER
from bayesdnf.experiments.table5 import PRINTED
from tests.experiments.made import made

pytestmark = pytest.mark.slow


def test_our_rules_are_perfect_and_shorter():
    ours = made("table5").row(OURS, "mean").values
    assert ours["auc"] == 1
    assert ours["sum_k"] < 14.9


def test_the_mean_is_that_of_the_splits():
    table = made("table5")
    for source in (FAITHFUL, OURS, AT_HIS):
        runs = [table.row(source, number).values for number in range(2)]
        for name in ("m", "sum_k", "auc"):
            mean = sum(run[name] for run in runs) / 2
            assert table.value(name, source, "mean") == pytest.approx(mean)


def test_as_many_of_the_papers_rows_as_splits():
    table = made("table5")
    rows = [row for row in table.rows if row.source == PAPER]
    assert [row.cell for row in rows] == [(0,), (1,), ("mean",)]
    assert table.row(PAPER, 1).values == {"m": 7, "sum_k": 22, "auc": 1.0}
    assert all(row.sets == 1 for row in rows[:-1])
    assert [line[0] for line in PRINTED] == list(range(10))
