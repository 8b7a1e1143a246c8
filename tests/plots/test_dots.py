"""Functions as dots and lines."""

import itertools

import numpy as np

from bayesdnf import (
    BooleanFunction,
    RuleList,
    plots,
)
from tests.plots.problems import bars, x_labels, y_labels


def test_layers_are_drawn_below_each_other(draws_of):
    draws = draws_of("lists")
    terms, shares = plots.functions(draws, most=5)
    numbers = draws.answers.number[:5].tolist()
    assert y_labels(terms) == [str(i) for i in numbers]
    assert terms.get_ylabel() == "list"
    assert np.allclose(bars(shares), draws.answers.probability[:5])
    names = x_labels(terms)
    edges = [0.0]
    for middle in terms.get_yticks():
        edges.append(2 * middle - edges[-1])
    words = {text.get_position()[1]: text.get_text() for text in terms.texts}
    for number, (top, bottom) in zip(numbers, itertools.pairwise(edges), strict=True):
        rule = draws.function(number)
        starts = sorted(height for height in words if top < height < bottom)
        assert [words[height] for height in starts] == ["if", "elif", "elif"][: len(rule)]
        layers = [[] for _ in starts]
        for line in terms.lines:
            height = line.get_ydata()[0]
            if top < height < bottom:
                held = [names[int(x)] for x in line.get_xdata()]
                layers[np.searchsorted(starts, height, side="right") - 1].append(held)
        assert RuleList(map(BooleanFunction, layers)) == rule
    assert "layers are evaluated from top to bottom" in terms.get_xlabel()


def test_functions_are_drawn_with_their_own_literals(two):
    terms, shares = plots.functions(two, most=4)
    assert np.allclose(bars(shares), two.answers.probability[:4])
    names = x_labels(terms)
    edges = [0.0]
    middles = terms.get_yticks()
    for middle in middles:
        edges.append(2 * middle - edges[-1])
    for number, (top, bottom) in enumerate(itertools.pairwise(edges)):
        lines = [line for line in terms.lines if top < line.get_ydata()[0] < bottom]
        drawn_terms = [[names[int(x)] for x in line.get_xdata()] for line in lines]
        assert BooleanFunction(drawn_terms) == two.function(number)
        longer = [line.get_ydata()[0] for line in lines if len(line.get_xdata()) > 1]
        assert len(set(longer)) == len(longer)
    assert y_labels(terms) == ["0", "1", "2", "3"]


def test_a_term_of_several_functions_keeps_its_colour_and_others_are_hollow(two):
    terms, _ = plots.functions(two, most=6)
    names = x_labels(terms)
    seen = {}
    for line in terms.lines:
        key = tuple(names[int(x)] for x in line.get_xdata())
        seen.setdefault(key, []).append((line.get_color(), line.get_markerfacecolor()))
    for styles in seen.values():
        assert len(set(styles)) == 1
        assert (styles[0][1] == "white") == (len(styles) == 1)
