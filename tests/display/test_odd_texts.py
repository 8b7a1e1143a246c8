"""Texts among numbers."""

import pytest

from bayesdnf.display.odd_texts import odd_columns, odd_labels

NUMBERS = ["0", "1", "2"]


@pytest.mark.parametrize(
    ("values", "odd"),
    [
        ([*NUMBERS, "NA"], "'NA'"),
        ([*NUMBERS, "NA", "?", "."], "'.', '?' and 'NA'"),
        ([*NUMBERS, "unknown"], "'unknown'"),
        (["1", "NA"], "'NA'"),
        (["?", "w", "7"], None),
        (["1", "2", "low"], None),
        ([*NUMBERS, "a", "b", "c"], None),
        (["NA", "no"], None),
        (NUMBERS, None),
        ([0, 1, 2], None),
        (["007", "008", "009", "NA"], None),
    ],
)
def test_a_few_texts_among_numbers_are_named(values, odd):
    said = odd_columns({"d": values, "site": ["A", "B"]})
    assert len(said) == (odd is not None)
    if odd is not None:
        assert f"'d' holds numbers but for {odd}, so that" in said[0]
        assert odd_labels("y", values) != []


def test_several_columns_are_one_sentence_that_can_be_pasted():
    [said] = odd_columns({"a": [*NUMBERS, "?"], "b": [*NUMBERS, "no answer"]})
    assert "'a' holds numbers but for '?', 'b' holds numbers but for 'no answer'" in said
    assert "If these mean missing, say so (--missing '?' --missing 'no answer'; na" in said


def test_labels_that_may_mean_missing_are_named_among_any_others():
    assert odd_labels("y", ["no", "yes"]) == []
    assert odd_labels("y", [0, 1, 2]) == []
    assert odd_labels("y", ["+", "-", "none"]) == []
    [said] = odd_labels("y", ["?", "NA", "no", "yes"])
    assert said == "'?' and 'NA' are classes of 'y'; if they mean missing, leave out their rows."
