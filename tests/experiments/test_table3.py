"""Table 3: fewer rows."""

import pytest

from bayesdnf.experiments.reproduction import FAITHFUL, OURS, Row
from bayesdnf.experiments.table3 import _both, _least, _listed, _pair
from tests.experiments.made import made


def test_shares_are_listed_as_a_sentence_has_them():
    assert _listed({100: 0.5, 250: 0.75, 500: 1}) == (
        "0.500 of the sets at N = 100, 0.750 of the sets at N = 250 and "
        "1.000 of the sets at N = 500"
    )
    assert _least(9) == "at least 9 of 10"
    assert _least(10) == "10 of 10"


def test_rates_of_two_terms():
    row = Row((100,), FAITHFUL, 10, {"term_1": 0.6, "term_2": 0.5}, {})
    assert _both(row) == pytest.approx(0.55)
    assert _pair(row) == "0.60/0.50"


@pytest.mark.long
def test_more_rows_find_more_terms_and_our_defaults_nearly_all():
    table = made("table3")
    few, many = (table.row(FAITHFUL, n).values for n in (100, 500))
    assert few["term_1"] + few["term_2"] < many["term_1"] + many["term_2"]
    assert table.value("both", OURS, 500) == 1
    assert table.value("both", OURS, 250) >= 0.9
    assert table.value("both", OURS, 250) > table.value("both", FAITHFUL, 250)
