"""Fields of model files, right and wrong."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bayesdnf import (
    DNFClassifier,
)
from bayesdnf.errors import InputError
from tests.estimators.planted_list import planted, with_gaps
from tests.estimators.saving.documents import COLUMNS, read_back


def load(path):
    """The model, or the sentence that refuses it; any other error comes through."""
    try:
        return DNFClassifier.load(path), ""
    except InputError as error:
        return None, str(error)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (["rule"], "(x)", "field 'rule'"),
        (["positive"], "worse", "field 'positive' must be one of 'classes'"),
        (["classes"], ["fine", "bad"], "in rising order"),
        (["label_type"], "<U999999999", "field 'label_type' must be one of object"),
        (["counts", "n_both"], 121, "field 'counts.n_both' must be a whole number"),
        (["counts", "n"], True, "field 'counts.n' must be a whole number"),
        (["risks", "marked", "mean"], 1.5, "field 'risks.marked.mean'"),
        (["terms", 0, "rows"], -1, r"field 'terms\[0\].rows'"),
        (["search", "seed"], "0", "field 'search.seed'"),
        (["effect", "a0"], 10**400, "field 'effect'"),
        (["effect", "sampling"], "__import__('os')", "field 'effect'"),
        (["prior", "size", "name"], "eval", "field 'prior.size.name' must be one of Flat"),
        (["prior", "size", "mean"], -1, "field 'prior.size': The 'mean' parameter of Poisson"),
        (["function", "terms"], [[]], "field 'function'"),
        (["encoder", "version"], 5, "field 'encoder'"),
        (["parameters", "steps"], 0, "field 'parameters.steps'"),
        (["extra"], 1, "field 'extra' is not known"),
        (["record", "content"], "abc", "field 'record.content' must be a hash"),
        (["record", "sample"], ["x"], "field 'record.sample' must be made of texts of 33"),
        (["record", "versions"], {"numpy": 2}, "field 'record.versions' must be an object of"),
        (["record", "split"], {"share": 2, "seed": 0}, "field 'record.split.share'"),
        (["record", "source"], {"name": "t.csv", "sha256": "no"}, "'record.source.sha256'"),
        (["record", "command"], 7, "field 'record.command' must be a text"),
    ],
)
def test_a_wrong_field_is_named(document, tmp_path, path, value, message):
    assert_named(document, tmp_path, path, value, message)


def assert_named(document, folder, path, value, message):
    changed = json.loads(json.dumps(document))
    part = changed
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value
    with pytest.raises(InputError, match=message) as caught:
        read_back(changed, folder / "m.json")
    assert "m.json" in str(caught.value)
    assert len(str(caught.value)) < 600


@pytest.fixture(scope="module")
def listed(tmp_path_factory):
    """The document of a list of three layers with two strata."""
    X, y = planted()
    site = np.where(np.arange(len(y)) % 2, "north", "south")
    path = tmp_path_factory.mktemp("list") / "model.json"
    DNFClassifier(layers=3, random_state=0, restarts=8).fit(X, y, strata=site).save(path)
    return json.loads(path.read_text("utf-8"))


CELLS = [[[1, 2]] * 4] * 2


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (["parameters", "layers"], 0, "field 'parameters.layers' must be a whole number, from 1"),
        (["parameters", "layers"], True, "field 'parameters.layers' must be a whole number"),
        (["parameters", "layers"], 2, "field 'function' must be a list of at most 2 layers"),
        (["parameters", "layers"], None, "field 'function': .* format"),
        (["function", "layers"], [[]], "field 'function'"),
        (["function", "layers", 0, 0, 0, "attribute"], "age2", "made of the encoder's literals"),
        (["rule"], "else", "field 'rule' must be the text of 'function'"),
        (["terms", 0, "layer"], 1, r"field 'terms\[0\].layer' must be a whole number, from 3 to 3"),
        (["terms"], [], "field 'terms' must be a list of 3, one for each term"),
        (["risks"], [], "field 'risks' must be a list of 4, one for each part"),
        (["risks"], {"marked": 1}, "field 'risks' must be a list"),
        (["risks", 0, "part"], 0, r"field 'risks\[0\].part'"),
        (["risks", 1, "mean"], 2, r"field 'risks\[1\].mean' must be a finite number from 0 to 1"),
        (["risks", 1, "mode"], 2, r"field 'risks\[1\].mode' is not known"),
        (["cells"], None, "field 'cells' must be whole numbers, 0 or more: 2 by 4 by 2"),
        (["cells", 0, 0, 0], -1, "field 'cells' must be whole numbers, 0 or more"),
        (["cells", 0, 0, 0], 1.5, "field 'cells' must be whole numbers, 0 or more"),
        (["cells", 0, 0], [1], "field 'cells' must be whole numbers, 0 or more"),
        (["cells"], CELLS, "field 'cells' must be numbers that add up to 'counts'"),
        (["strata"], [], "field 'strata' must be null or a list of at most 20 labels"),
        (["strata"], ["south", "north"], "field 'strata' must be null or a list of at most 20"),
        (["strata"], ["north", 1], "field 'strata' must be null or a list of at most 20 labels"),
        (["strata"], [["north"], 1], "field 'strata' must be null or a list of at most 20 labels"),
        (["strata"], ["north"], "field 'cells' must be whole numbers, 0 or more: 1 by 4 by 2"),
        (["strata"], None, "field 'cells' must be whole numbers, 0 or more: 1 by 4 by 2"),
        (["effect", "ordered"], True, "field 'effect': The 'ordered' parameter of Effect must be"),
        (["record", "strata"], 7, "field 'record.strata' must be a text"),
        (["version"], 3, "is not known to this version"),
    ],
)
def test_a_wrong_field_of_a_list_is_named(listed, tmp_path, path, value, message):
    assert_named(listed, tmp_path, path, value, message)


def places(value, path=()):
    """Every place in a document."""
    yield path
    if isinstance(value, dict):
        for key in value:
            yield from places(value[key], (*path, key))
    elif isinstance(value, list):
        for i, entry in enumerate(value):
            yield from places(entry, (*path, i))


JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.sampled_from([-1, 0, 1, 2, 2**53, 2**63, 10**400, -(10**400), 1e308, 1e-300, -0.0]),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=5),
    st.sampled_from(["__class__", "bad", "odor é", "numeric", "=", "\x00", "\ud800", "a" * 10_000]),
    st.lists(st.integers(), max_size=3),
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
    st.integers(1, 60).map(lambda depth: json.loads("[" * depth + "]" * depth)),
)


@pytest.mark.slow
@given(data=st.data(), rounds=st.integers(1, 3))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_mutated_files_load_soundly_or_are_refused(document, listed, tmp_path, data, rounds):
    is_list = data.draw(st.booleans())
    changed = json.loads(json.dumps(listed if is_list else document))
    for _ in range(rounds):
        path = data.draw(st.sampled_from([p for p in places(changed) if p]))
        part = changed
        for key in path[:-1]:
            part = part[key]
        action = data.draw(st.sampled_from(["delete", "replace", "add"]))
        if action == "delete":
            del part[path[-1]]
        elif action == "replace":
            part[path[-1]] = data.draw(JUNK)
        elif isinstance(part, list):
            part.insert(path[-1], data.draw(JUNK))
        else:
            part[data.draw(st.text(max_size=4))] = data.draw(JUNK)
    (tmp_path / "m.json").write_text(json.dumps(changed), "utf-8")
    clf, refusal = load(tmp_path / "m.json")
    if clf is None:
        assert "m.json" in refusal
        return
    # What still loads must work: a changed risk or count is a value like any other.
    table = with_gaps() if is_list else pd.DataFrame(COLUMNS)
    try:
        probabilities = clf.predict_proba(table)
    except InputError:  # a column or a type that this table does not have
        return
    assert ((probabilities >= 0) & (probabilities <= 1)).all()
    assert clf.summary()


@given(cut=st.integers(0, 3000), junk=st.binary(max_size=8))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_torn_file_is_refused(document, tmp_path, cut, junk):
    data = json.dumps(document).encode()
    torn = data[:cut] + junk + data[cut + len(junk) + 1 :]
    path = tmp_path / "m.json"
    path.write_bytes(torn)
    clf, refusal = load(path)
    assert "m.json" in refusal if clf is None else clf.summary()
