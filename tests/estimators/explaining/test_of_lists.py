"""Which layer decides, and what would lead to other parts."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesdnf import BooleanFunction, RuleList
from bayesdnf.data.tables import read_table
from bayesdnf.estimators.explaining.changes import RowChanges
from tests.estimators.explaining.explained import ENCODERS, LEVELS, ROWS


def test_explain_says_which_layer_decides(fitted):
    model, *_ = fitted
    row = {"odor": "n", "age": 60, "flag": 1, "other": 1, "stage": "c"}
    told = model.explain(row)
    assert (told.part, told.marked, told.prediction) == (2, True, "ill")
    assert told.probability == told.risks[2] == model.risks_[2].mean
    assert (told.lower.part, told.higher.part) == (1, 3)
    assert [change.attribute for change in told.higher.changes] == ["odor"]
    lines = str(told).splitlines()
    assert lines[0].startswith("Layer 2 decides on this row: P(ill) = 0.7")
    assert lines[1].startswith("Terms of it that hold: (age >= ")
    assert lines[3].endswith("by layer 3: odor, now n, to odor = f.")
    top = model.explain({**row, "odor": "f"})
    assert top.higher is None
    assert "higher risk: no part has a higher one." in str(top)
    assert "Layer 3" in top._repr_html_()


@st.composite
def lists(draw):
    encoder = ENCODERS[draw(st.booleans())]
    term = st.lists(st.sampled_from(encoder.literals_), min_size=1, max_size=3)
    layer = st.lists(term, min_size=1, max_size=2).map(BooleanFunction)
    layers = st.lists(layer, min_size=1, max_size=3)
    return encoder, RuleList([x for x in draw(layers) if not x.is_null])


def part_of(rules, encoder, row):
    return int(rules(encoder.as_table({name: [value] for name, value in row.items()}))[0])


@pytest.mark.slow
@given(lists(), ROWS, st.sets(st.integers(0, 3), min_size=1))
def test_the_change_to_other_parts_is_the_smallest(given_list, row, wanted):
    encoder, rules = given_list
    changes = RowChanges(rules, encoder, encoder.as_table({k: [v] for k, v in row.items()}))
    assert changes.part == part_of(rules, encoder, row)
    wanted = sorted(x for x in wanted - {changes.part} if x <= len(rules))
    # The part of every combination of values, a row of a table each.
    values = np.array(np.meshgrid(*(range(len(v)) for v in LEVELS.values()))).reshape(4, -1).T
    every = {
        name: [levels[i] for i in column]
        for (name, levels), column in zip(LEVELS.items(), values.T, strict=True)
    }
    reached = [dict(zip(every, x, strict=True)) for x in zip(*every.values(), strict=True)]
    parts = {}
    for changed in reached:
        for mask in range(16):
            one = {n: changed[n] if mask >> i & 1 else row[n] for i, n in enumerate(LEVELS)}
            parts.setdefault(tuple(one.values()), (one, mask.bit_count()))
    table = pd.DataFrame([one for one, _ in parts.values()], columns=list(LEVELS), dtype=object)
    found_parts = rules(encoder.as_table({n: table[n].tolist() for n in LEVELS}))
    fewest = min(
        (
            sum(one[n] != row[n] for n in LEVELS)
            for (one, _), part in zip(parts.values(), found_parts, strict=True)
            if part in wanted
        ),
        default=None,
    )
    found = changes.nearest(wanted)
    assert (found is None) == (fewest is None)
    if found is None:
        return
    part, told = found
    assert part in wanted
    assert len(told) == fewest
    conditions = BooleanFunction([[c for x in told for c in x.condition.split(" AND ")]])
    ways = 0
    for changed in reached:
        after = {**row, **{x.attribute: changed[x.attribute] for x in told}}
        if conditions(read_table({n: [v] for n, v in after.items()}))[0]:
            ways += 1
            assert part_of(rules, encoder, after) == part
    assert ways > 0
