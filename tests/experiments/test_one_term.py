"""The data and the chains of figures 1 and 2."""

import numpy as np
import pytest

from bayesdnf import Flat, Uniform
from bayesdnf.experiments.one_term import (
    CHAINS,
    CONSTANT,
    TRUTH,
    _data,
    _judged,
    _prior,
    compare,
    converges,
)
from bayesdnf.experiments.reproduction import FAITHFUL, OURS, Row
from tests.experiments.made import OneSet


def test_chains_start_from_rows_of_the_data():
    data, again, other = _data(0, 0), _data(0, 0), _data(1, 0)
    assert len(data.starts) == CHAINS
    assert data.starts == again.starts != other.starts
    assert (data.y == again.y).all()
    assert [len(term) for term in data.truth.terms] == [3]
    for start in data.starts:
        assert start(data.bits).any()  # the row that it was made of


def test_the_two_readings_of_a_prior_without_information():
    text, code = _prior(FAITHFUL), _prior(CONSTANT)
    assert text.min_cover == code.min_cover == 1
    assert (text.count, text.size, text.literals) == (Flat(), Uniform(), "uniform")
    assert code.literals != "uniform"


@pytest.mark.slow
def test_figures_of_one_set():
    rows = {row.source: row for row in compare(OneSet(quick=True))}
    assert list(rows) == [TRUTH, FAITHFUL, CONSTANT, OURS]
    assert rows[OURS].sets == 2
    assert rows[FAITHFUL].values == _judged(FAITHFUL, 0, 0, True)._asdict()
    assert rows[FAITHFUL].values["chains"] == 1
    assert rows[FAITHFUL].values["true_term"] > 0.9 > 0.3 > rows[CONSTANT].values["true_term"]
    assert rows[FAITHFUL].values["pi0"] == pytest.approx(0.1, abs=0.03)
    assert all(0 <= share <= 1 for row in rows.values() for share in row.values.values())


@pytest.mark.parametrize(
    ("chains", "share", "holds"), [(0.9, 0.8, True), (0.8, 0.8, False), (0.9, 0.7, False)]
)
def test_what_the_paper_says_of_its_chains(chains, share, holds):
    claim = converges(Row((), FAITHFUL, 10, {"chains": chains, "true_term": share}, {}))
    assert claim.holds == holds
    assert f"{np.round(chains, 3):.3f} of chains" in claim.found
    assert f"{share:.3f} (10 sets)" in claim.found
