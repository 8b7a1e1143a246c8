"""The page about all reproductions."""

from bayesdnf.experiments.output.layout import as_table
from bayesdnf.experiments.output.page import page
from bayesdnf.experiments.reproduction import OURS, Claim, Row
from tests.experiments.made import by_hand


def test_claims_that_fail_are_listed_first_with_their_table():
    text = page([by_hand(), by_hand(name="table10", title="Table 10: as well")])
    start = text.split("## Table 9")[0]
    assert "2 of 4 claims do not come out" in start
    assert "- Table 9, more rows help: no, 0.5." in start
    assert "- Table 10, more rows help: no, 0.5." in start
    assert "few terms" not in start


def test_nothing_is_listed_where_all_claims_come_out():
    text = page([by_hand(claims=(Claim("few terms", True, "2.0"),))])
    assert "Nothing: all 1 claims come out." in text
    assert "**no**" not in text


def test_a_section_holds_picture_words_claims_table_and_file():
    text = page([by_hand()])
    section = text[text.index("## Table 9: two cells") :]
    places = [
        section.index(part)
        for part in (
            "![Table 9: two cells](table9.png)",
            "We agree.",
            "Here we do not.",
            "- yes: few terms (2.0).",
            "- **no**: more rows help (no, 0.5).",
            "```text\n" + as_table(by_hand()) + "\n```",
            "[table9.csv](table9.csv)",
        )
    ]
    assert places == sorted(places)
    assert text.endswith(")\n")
    assert max(len(line) for line in text.splitlines() if "±" not in line) <= 100


def test_it_says_how_many_sets_there_are():
    assert "Here there are\n  200 sets." in page([by_hand()])


def test_expressions_are_items_of_a_list():
    rows = [Row((0,), OURS, 1, {"m": 1.0}, {}, "(a)"), Row((1,), OURS, 1, {"m": 1.0}, {}, "(b)")]
    text = page([by_hand(keys=("run",), rows=rows)])
    assert "\nExpressions, our defaults:\n\n1. (a)\n2. (b)\n" in text
