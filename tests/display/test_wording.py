"""Lists and numbers in words."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesdnf.display.wording import (
    between,
    count,
    duration,
    listed,
    percent,
    plural,
    text_list,
    with_interval,
)


def test_lists_say_that_more_follow():
    assert listed([], 2) == ""
    assert listed("ab", 2) == "'a', 'b'"
    assert listed("abc", 2) == "'a', 'b', …"
    assert listed(itertools.count(), 3, str) == "0, 1, 2, …"  # without end


@pytest.mark.parametrize(
    ("parts", "said"), [([], ""), (["a"], "a"), (["a", "b"], "a or b"), ("abc", "a, b or c")]
)
def test_sentences_list_with_a_word_before_the_last(parts, said):
    assert text_list(parts, "or") == said


def test_plurals():
    assert [count(n, "row") for n in (0, 1, 2, 1234)] == ["0 rows", "1 row", "2 rows", "1,234 rows"]
    assert plural(2, "class", "classes") == "classes"
    assert count(1, "class", "classes") == "1 class"


@given(st.floats(0, 1))
def test_only_none_and_all_are_written_as_such(share):
    text = percent(share)
    assert text.endswith(" %")
    assert (text == "0 %") == (share == 0)
    assert (text == "100 %") == (share == 1)
    if 0.0001 <= share <= 0.9999:
        assert float(text.removesuffix(" %")) == pytest.approx(100 * share, abs=0.0501)


def test_lists_with_another_joint():
    assert listed("abc", 3, str, " < ") == "a < b < c"
    assert listed("abcd", 3, repr, " < ") == "'a' < 'b' < 'c' < …"
    assert listed("", 3, str, " < ") == ""


def test_percent_of_nothing_known():
    assert percent(float("nan")) == "–"
    assert between(0, 0.25) == "0 to 25.0 %"
    assert between(0.00001, 0.999999) == "<0.01 to >99.99 %"
    assert with_interval(1.5, 1, 2.25, ".1f") == "1.5 [1.0, 2.2]"


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "a second"),
        (1.6, "2 seconds"),
        (89, "89 seconds"),
        (91, "1.5 minutes"),
        (3600, "60 minutes"),
        (5400, "1.5 hours"),
        (1e6, "280 hours"),
    ],
)
def test_durations(seconds, said):
    assert duration(seconds) == said
