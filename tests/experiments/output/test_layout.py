"""A reproduction as text, as rows of a file and as plain data."""

import json
import math

import pytest

from bayesdnf.experiments.output.layout import as_data, as_frame, as_table, as_text, expressions
from bayesdnf.experiments.reproduction import FAITHFUL, OURS, PAPER, Row
from tests.experiments.made import by_hand


def test_points_stand_under_points_and_a_cell_is_named_once():
    assert as_table(by_hand()).splitlines() == [
        " θ    N                    sets  m             AUC",
        " 5  100  paper               10   6.9             –",
        "         paper's settings    10   7.2  ± 0.5   0.50  ± 0.01",
        "         paper's settings   200  12.25 ± 0.25  0.875 ± 0.013",
        "30  250  paper               10   5.8             –",
        "         our defaults        10   2.0  ± 0.0   1.00  ± 0.00",
    ]  # fmt: skip


def test_few_sets_have_no_further_decimal():
    few = by_hand(rows=[row for row in by_hand().rows if row.sets == 10])
    assert "12.25" not in as_table(few)
    assert "7.2 ± 0.5" in as_table(few)


def test_one_data_set_has_no_standard_error():
    alone = by_hand(keys=(), rows=[Row((), OURS, 1, {"m": 2.0}, {"m": math.nan})])
    assert as_table(alone).splitlines()[-1].split() == ["our", "defaults", "1", "2.0", "–"]


def test_the_text_has_settings_of_a_readable_width_and_says_no_where_a_claim_fails():
    title, settings, table, claims = as_text(by_hand()).split("\n\n")
    assert title == "Table 9: two cells"
    assert max(map(len, settings.splitlines())) <= 100
    assert table == as_table(by_hand())
    assert claims.splitlines() == ["yes  few terms: 2.0", "NO   more rows help: no, 0.5"]


def test_expressions_are_numbered_by_source():
    rows = [
        Row((0,), PAPER, 1, {}, {}, "(a)"),
        Row((0,), OURS, 1, {}, {}, "(b)"),
        Row((1,), PAPER, 1, {}, {}, "(a AND c)"),
        Row((2,), FAITHFUL, 1, {}, {}),
    ]
    listed = expressions(by_hand(keys=("run",), rows=rows))
    assert listed == ["paper:", "  1. (a)", "  2. (a AND c)", "our defaults:", "  1. (b)"]
    assert "\n".join(listed) in as_text(by_hand(keys=("run",), rows=rows))
    assert as_frame(by_hand(keys=("run",), rows=rows))["expression"].tolist() == [
        "(a)",
        "(b)",
        "(a AND c)",
        "",
    ]


def test_the_frame_has_plain_names_and_no_empty_columns():
    frame = as_frame(by_hand())
    assert list(frame.columns) == ["theta", "N", "source", "sets", "m", "m_se", "auc", "auc_se"]
    assert frame["theta"].tolist() == [5, 5, 5, 30, ""]
    assert frame["auc_se"].isna().tolist() == [True, False, False, True, False]
    bare = by_hand(rows=[Row((5, 100), PAPER, 10, {"m": 1.0}, {})])
    assert list(as_frame(bare).columns) == ["theta", "N", "source", "sets", "m"]


def test_data_survive_json():
    data = as_data(by_hand())
    assert json.loads(json.dumps(data)) == data
    assert data["rows"][0]["cell"] == {"θ": 5, "N": 100}
    assert data["rows"][-1]["cell"] == {}
    assert data["claims"][1] == {"text": "more rows help", "holds": False, "found": "no, 0.5"}
    assert all("expression" not in row for row in data["rows"])


@pytest.mark.parametrize("value", [0.5, 5, "mean"])
def test_cells_are_numbers_or_words(value):
    made = by_hand(keys=("run",), rows=[Row((value,), OURS, 1, {"m": 1.0}, {})])
    assert as_table(made).splitlines()[1].split()[0] == str(value)
