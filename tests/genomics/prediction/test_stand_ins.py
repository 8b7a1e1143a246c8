"""Linked variants for those that another cohort does not have."""

import json

import numpy as np
import pytest

from bayesdnf.errors import InputError
from bayesdnf.files.checked_json import parse_json
from bayesdnf.genomics.prediction.stand_ins import COLUMNS, no_proxies, proxies_of, read_proxies


def test_proxies_go_with_the_counted_allele(planted_markers):
    table = proxies_of(planted_markers)
    assert tuple(table.columns) == COLUMNS
    assert set(table["FOR"]) <= set(planted_markers.function.attributes)
    assert (table["R2"] >= 0.8).all()
    assert len(table) >= 3  # rs4 has three
    genotypes = planted_markers.study.genotypes
    for row in table.itertuples():
        place = genotypes.variants.index[genotypes.variants["ID"] == row.ID][0]
        own, other = genotypes.copies([genotypes.place[row.FOR], place]).astype(float)
        counted = other if genotypes.names[place] == row.NAME else 2 - other
        assert np.corrcoef(own, counted)[0, 1] > 0.85
        assert row.NAME.endswith(f"_{row.A1}")
        assert pytest.approx(counted.mean() / 2, abs=0.02) == row.FREQ
        assert {row.A1, row.A2} not in ({"A", "T"}, {"C", "G"})


def test_no_marker_has_no_proxies(no_markers):
    assert len(proxies_of(no_markers)) == len(no_proxies()) == 0
    assert tuple(no_proxies().columns) == COLUMNS


GOOD = {
    "FOR": "rs4_A", "NAME": "rs5_C", "ID": "rs5", "CHR": "1", "POS": 5, "A1": "C", "A2": "A",
    "FREQ": 0.25, "R2": 0.9,
}  # fmt: skip


def read(changes, function):
    document = json.dumps({"proxies": [GOOD | changes]}).encode()
    return read_proxies(parse_json(document, "m.json", "model file"), function)


def test_what_is_written_is_read(planted_markers):
    [row] = read({}, planted_markers.function).to_dict("records")
    assert row == GOOD


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"FOR": "rs99_A"}, "FOR"),
        ({"NAME": "rs5_A"}, "ends in its counted allele C"),
        ({"R2": 1.5}, "R2"),
        ({"FREQ": -0.1}, "FREQ"),
        ({"POS": -1}, "POS"),
        ({"MORE": 1}, "MORE"),
    ],
)
def test_forged_fields_are_refused(planted_markers, changes, said):
    with pytest.raises(InputError, match=said):
        read(changes, planted_markers.function)
