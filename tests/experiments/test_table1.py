"""Table 1: 100 steps of annealing."""

import pytest

from bayesdnf.experiments.reproduction import FAITHFUL, OURS, PAPER
from bayesdnf.experiments.table1 import PRINTED
from tests.experiments.made import made

pytestmark = pytest.mark.slow


def test_the_papers_cells_keep_twenty_chains_and_terms_in_all():
    assert all(m0 * chains == 20 for m0, chains, *_ in PRINTED)
    assert len({line[:4] for line in PRINTED}) == len(PRINTED) == 9


@pytest.mark.long
def test_every_cell_has_the_papers_figures_and_ours():
    table = made("table1")
    for m0, chains, theta, p_geom, pi0, *_ in PRINTED:
        cell = (m0, chains, theta, p_geom)
        assert table.value("pi0", PAPER, *cell) == pi0
        assert table.row(FAITHFUL, *cell).sets == 10
    assert table.row(OURS).sets == 10


def test_few_steps_leave_long_functions():
    assert made("table1").value("sum_k", FAITHFUL, 20, 1, 10, 0.5) > 100
    assert made("table1").value("exact", OURS) == 1


def test_all_claims_come_out():
    assert [claim.text for claim in made("table1").claims if not claim.holds] == []
