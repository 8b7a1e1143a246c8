"""What a report says of draws of lists."""

from dataclasses import replace

import numpy as np
import pytest

from bayesdnf import BooleanFunction, RuleList
from bayesdnf.report.draw_facts import draw_facts
from tests.sampling.made_draws import made


def test_lists_that_part_the_rows_alike_are_one_rival():
    lists = ["if a elif b else", "if b elif a else", "if a AND b else", "else"]
    chain = lists[:1] * 6 + lists[1:2] * 4 + lists[2:3] * 2 + lists[3:]
    draws = made([chain] * 2, layers=2)
    group = {RuleList.parse(text): max(1, place) for place, text in enumerate(lists)}
    rows = [[group[draws.function(i)], 0] for i in range(draws.n_functions)]
    draws = replace(draws, rows=np.array(rows, dtype=np.uint64))
    facts = draw_facts(draws, RuleList.parse(lists[1]), "")
    assert [(rival.has, rival.added, rival.note) for rival in facts.rivals] == [
        ((True, True), (), "the same terms in other layers"),
        ((False, False), ("a AND b",), ""),
        ((False, False), (), "no marker (the null list)"),
    ]
    assert [rival.is_rule for rival in facts.rivals] == [True, False, False]
    assert [r.same_rows for r in facts.rivals] == pytest.approx([10 / 13, 2 / 13, 1 / 13])
    assert facts.rule_probability == pytest.approx(4 / 13)
    assert (facts.distinct, facts.left, facts.left_probability) == (4, 0, 0)


def test_rivals_of_a_function():
    chain = [f"x{i}" for i in range(12) for _ in range(20 - i)]
    facts = draw_facts(made([chain]), BooleanFunction("x1"), "")
    assert [(rival.has, rival.added) for rival in facts.rivals][:2] == [
        ((False,), ("x0",)),
        ((True,), ()),
    ]
    assert facts.term_probability == (pytest.approx(19 / len(chain)),)
    assert facts.sure == ()
    assert [rival.is_rule for rival in facts.rivals] == [False, True] + [False] * 8
    assert facts.left == 2
    assert facts.left_probability == pytest.approx((10 + 9) / len(chain))


def test_of_a_rival_with_many_other_terms_some_are_named():
    long = " OR ".join(f"(x{i})" for i in range(7))
    facts = draw_facts(made([[long, "x0 AND x1"]]), BooleanFunction("x0 OR x9"), "")
    [rival] = [r for r in facts.rivals if len(r.added) > 1]
    assert (rival.has, rival.added, rival.more) == ((True, False), ("x1", "x2", "x3", "x4"), 2)
