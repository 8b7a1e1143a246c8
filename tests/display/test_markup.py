"""Pieces of HTML."""

from html.parser import HTMLParser

import pytest

from bayesdnf.display import markup


class Elements(HTMLParser):
    """Names of elements and texts of a piece of HTML; every element must be closed."""

    def __init__(self, page):
        super().__init__()
        self.names, self.texts, self.open = [], [], []
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.names.append(tag)
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


HOSTILE = "<script>alert(1)</script>&\"'"


@pytest.mark.parametrize(
    "made",
    [
        markup.paragraph([HOSTILE, HOSTILE], strong=True),
        markup.rule([[HOSTILE, "b"], ["c"]]),
        markup.rule_list([[[HOSTILE]], [["b"]]], [HOSTILE, "two", "three"]),
        markup.table([HOSTILE, "b"], [["1", HOSTILE]], wide=1),
        markup.block(markup.paragraph([HOSTILE])),
    ],
)
def test_texts_stay_texts(made):
    found = Elements(made)
    assert "script" not in found.names
    assert HOSTILE in found.texts


def test_what_cannot_be_seen_is_spelled_out():
    assert markup.shown("a\u202eb\n\x00é") == "a\\u202eb\\n\\x00é"
    assert markup.shown(3.5) == "3.5"
    assert markup.text("<\n>") == "&lt;\\n&gt;"


def test_terms_are_joined_by_words():
    found = Elements(markup.rule([["a", "b"], ["c"]]))
    assert "".join(found.texts) == "a AND bORc"
    assert "null function" in "".join(Elements(markup.rule([])).texts)


def test_layers_are_a_ladder():
    found = Elements(markup.rule_list([[["a"]], [["b"]]], ["high", "middle", "low"]))
    assert "".join(found.texts) == "ifahighelifbmiddleelselow"
    assert "".join(Elements(markup.rule_list([], ["low"])).texts) == "elselow"


def test_one_column_of_a_table_is_wide():
    made = markup.table(["p", "rule"], [["0.5", "a"], ["0.1", "b"]], wide=1)
    found = Elements(made)
    assert found.names.count("tr") == 3
    assert made.count("text-align: left") == 3
    assert made.count("text-align: right") == 3
