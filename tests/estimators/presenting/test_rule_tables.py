"""Tables of terms and parts as texts: as many cells as in the head, the numbers of the model."""

import numpy as np
import pytest

from bayesdnf import DNFClassifier
from bayesdnf.estimators.presenting.rule_tables import (
    class_lines,
    part_cells,
    part_head,
    part_name,
    rules_text,
    term_cells,
    term_head,
)
from tests.estimators.planted_list import confounded, planted


@pytest.fixture(scope="module")
def models():
    X, y = planted()
    rows, labels, site = confounded()
    quick = {"random_state": 0, "restarts": 4}
    several = np.where(X["flag"] == 1, "c", y)
    return [
        DNFClassifier(**quick).fit(X, y),
        DNFClassifier(layers=3, **quick).fit(X, y),
        DNFClassifier(**quick).fit(rows, labels, strata=site),
        DNFClassifier(**quick).fit(X, several),
        DNFClassifier(**quick).fit(X, several, strata=X["stage"]),
    ]


def test_cells_stand_under_their_heads(models):
    for model in models:
        head, cells = term_head(model.rules_), term_cells(model.rules_)
        assert {len(row) for row in cells} == {len(head)}
        assert [row[head.index("term")] for row in cells] == model.rules_["rule"].tolist()
        for parts in (model.layers_, model.stratum_layers_):
            if parts is None:
                continue
            head, cells = part_head(parts), part_cells(parts)
            assert {len(row) for row in cells} == {len(head)}
            rows = [int(row[head.index("rows")].replace(",", "")) for row in cells]
            assert rows == parts["rows"].tolist()


def test_what_rows_of_a_term_are_is_told_of_lists_alone(models):
    assert "no higher layer holds" in rules_text(models[1].rules_)
    assert "no higher layer holds" not in rules_text(models[0].rules_)


def test_parts_are_called_by_their_layers(models):
    assert [part_name(part) for part in (0, 2)] == ["else", "layer 2"]
    parts = models[3].layers_
    lines = class_lines(parts)
    assert len(lines) == len(parts)
    assert lines[-1].startswith(f"  else ({parts['rows'].iloc[-1]:,} of {parts['rows'].sum():,} ")
    assert f": {parts['class'].iloc[-1]}, {parts['share'].iloc[-1]:.4g} [" in lines[-1]
