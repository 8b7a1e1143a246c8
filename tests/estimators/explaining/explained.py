"""Rows and rules that are explained."""

import itertools

from hypothesis import strategies as st

from bayesdnf import BooleanFunction, LiteralEncoder

LEVELS = {"odor": ["a", "f", "n"], "ill": [0, 1], "stage": [1, 2, 3], "age": [10.5, 20.5, 30.5]}


COLUMNS = {
    name: list(values)
    for name, values in zip(
        LEVELS, zip(*itertools.product(*LEVELS.values()), strict=True), strict=True
    )
}


def encoder(negations):
    return LiteralEncoder(negations=negations, kinds={"age": "numeric"}).fit(COLUMNS)


ENCODERS = {negations: encoder(negations) for negations in (False, True)}


ROWS = st.fixed_dictionaries({n: st.sampled_from([*v, None]) for n, v in LEVELS.items()})


@st.composite
def functions(draw):
    negations = draw(st.booleans())
    literal = st.sampled_from(ENCODERS[negations].literals_)
    terms = draw(st.lists(st.lists(literal, min_size=1, max_size=3), min_size=1, max_size=4))
    return ENCODERS[negations], BooleanFunction(terms)


def holds(function, encoder, row):
    table = {name: [value] for name, value in row.items()}
    return bool(function(encoder.as_table(table))[0])
