"""Whole numbers are checked in one way: those of numpy pass, True and 1.5 do not."""

import json

import numpy as np
import pytest

from bayesdnf.errors import ParameterError
from bayesdnf.genomics import (
    Filters,
    MarkerModel,
    close_relatives,
    family_wise,
    find_markers,
    find_proxies,
    independent_variants,
    principal_components,
    prune,
    scan,
)
from tests.genomics.planted import QUICK, study

COUNTS = (
    "keep", "triples", "gap", "components", "permutations", "draws", "warmup", "chains", "n_jobs",
)  # fmt: skip

CALLS = {
    "family_wise": lambda g, y, **given: family_wise(g, y, **given),
    "scan": lambda g, y, **given: scan(g, y, **given),
    "find_proxies": lambda g, _, **given: find_proxies(g, [0], **given),
    "prune": lambda g, _, **given: prune(g, **given),
    "principal_components": lambda g, _, **given: principal_components(g, **given),
    "independent_variants": lambda g, _, **given: independent_variants(g, **given),
    "close_relatives": lambda g, _, **given: close_relatives(g, **given),
    "Filters": lambda *_, **given: Filters(**given),
}
PARAMETERS = [
    ("family_wise", "permutations"), ("family_wise", "n_jobs"), ("scan", "size"), ("scan", "top"),
    ("scan", "gap"), ("scan", "n_jobs"), ("find_proxies", "window"), ("prune", "window"),
    ("principal_components", "k"), ("independent_variants", "at_most"),
    ("close_relatives", "n_threads"), ("Filters", "ld_window"),
]  # fmt: skip


@pytest.fixture(scope="module")
def given():
    return study()


@pytest.mark.parametrize("value", [True, 1.5, "2", -1], ids=repr)
@pytest.mark.parametrize(("owner", "name"), PARAMETERS)
def test_other_values_are_refused(given, owner, name, value):
    sentence = f"The '{name}' parameter of {owner} must be a whole number"
    with pytest.raises(ParameterError, match=sentence):
        CALLS[owner](given.genotypes, given.y, **{name: value})


@pytest.mark.parametrize(("owner", "name"), PARAMETERS)
def test_numbers_of_numpy_are_as_good_as_others(given, owner, name):
    CALLS[owner](given.genotypes, given.y, **{name: np.int32(2)})


@pytest.mark.parametrize("value", [True, 1.5, "2", -1], ids=repr)
@pytest.mark.parametrize("name", COUNTS)
def test_find_markers_refuses_them_before_it_scans(given, name, value):
    sentence = f"The '{name}' parameter of find_markers must be a whole number"
    with pytest.raises(ParameterError, match=sentence):
        find_markers(given, **{name: value}, progress=pytest.fail)


@pytest.mark.parametrize("part", [(True, 2), (1.0, 2), (1, 2.5), (1, 2, 3), ("1", "2"), (0, 2)])
def test_parts_of_a_scan_are_whole_numbers(given, part):
    with pytest.raises(ParameterError, match="'part' parameter of scan"):
        scan(given.genotypes, given.y, part=part)


def test_settings_with_numbers_of_numpy_can_be_written(given, tmp_path):
    numbers = {**QUICK, "keep": 9, "draws": 20, "warmup": 20, "permutations": 1}
    plain = find_markers(given, **numbers)
    numpys = {
        name: value if name == "random_state" else np.int64(value)
        for name, value in numbers.items()
    }
    found = find_markers(given, **numpys)
    for one, name in ((plain, "plain.json"), (found, "numpy.json")):
        MarkerModel.of(one).save(tmp_path / name)
    assert (tmp_path / "plain.json").read_bytes() == (tmp_path / "numpy.json").read_bytes()
    pairs = scan(given.genotypes, given.y, top=np.int16(5), gap=np.uint8(0), part=np.array([1, 2]))
    assert json.loads(json.dumps(pairs.settings)) == pairs.settings
