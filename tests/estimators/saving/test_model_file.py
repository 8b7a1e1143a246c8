"""Model files: what is written comes back, and what is damaged is refused in one sentence."""

import json
import math
import pickle

import numpy as np
import pandas as pd
import pytest

import bayesdnf
from bayesdnf import (
    DNFClassifier,
    Effect,
    Flat,
    Geometric,
    Poisson,
    Prior,
    Tabulated,
    Uniform,
    simulate,
)
from bayesdnf.errors import InputError
from tests.estimators.planted_list import planted, with_gaps
from tests.estimators.saving.documents import COLUMNS, LABELS, MODEL, fitted, read_back
from tests.fewer import first


def assert_same(one, two, X):
    assert two.function_ == one.function_
    assert (two.predict_proba(X) == one.predict_proba(X)).all()
    assert (two.predict(X) == one.predict(X)).all()
    assert two.classes_.dtype == one.classes_.dtype
    assert two.summary() == one.summary()
    assert two.rules_.equals(one.rules_)
    assert two.risks_ == one.risks_
    assert (two.rates_ is None) == (one.rates_ is None)
    if one.rates_ is not None:
        assert two.rates_.summary() == one.rates_.summary()
    assert (two.cells_ == one.cells_).all()
    assert two.layers_.equals(one.layers_)
    assert (two.stratum_layers_ is None) == (one.stratum_layers_ is None)
    assert one.stratum_layers_ is None or two.stratum_layers_.equals(one.stratum_layers_)
    for name in (
        "log_posterior_", "counts_", "stopped_", "agreement_", "restarts_", "ways_", "near_",
        "proved_", "seed_",
        "positive_", "negative_", "prior_", "effect_", "n_features_in_", "record_",
        "strata_",
    ):  # fmt: skip
        assert getattr(two, name) == getattr(one, name)
    assert hasattr(two, "feature_names_in_") == hasattr(one, "feature_names_in_")


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"negations": True, "positive": "bad", "allow_missing_columns": True},
        {"prior": Prior(count=Geometric(0.2), size=Tabulated([0, 1, 1]), max_terms=3)},
        {"prior": Prior(weights={"odor é": 2.5, "age": 1}), "time_limit": 20, "n_jobs": -1},
        {"prior": Prior(count=Uniform(4, low=0), size=Uniform(), literals="size-only")},
        {"prior": Prior(count=Flat(), size=Flat()), "random_state": None, "verbose": True},
        {"prior": Prior.paper(2, 0.5), "effect": Effect(a0=0.5, ordered=False)},
        {"effect": Effect(prevalence=0.02, sampling="case-control")},
        {"kinds": {"stage": "categorical"}, "thresholds": 3, "missing_values": [-9, "?"]},
        {"layers": 1},
        {"layers": 3, "effect": Effect(a1=2)},
    ],
)
def test_a_round_trip_changes_nothing(tmp_path, settings):
    clf = fitted(**settings)
    clf.save(tmp_path / "model.json")
    again = DNFClassifier.load(tmp_path / "model.json")
    X = pd.DataFrame(COLUMNS)
    assert_same(clf, again, X)
    assert str(again.explain(X.iloc[0])) == str(clf.explain(X.iloc[0]))
    again.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "model.json").read_bytes()
    assert again.fit(X, LABELS).function_ == clf.function_


@pytest.mark.parametrize("layers", [None, 3])
@pytest.mark.parametrize("kind", first([str, float, int, bool], 2))
def test_lists_and_strata_come_back(tmp_path, layers, kind):
    X, y = planted()
    site = (np.arange(len(y)) % 2).astype(kind)
    clf = DNFClassifier(layers=layers, random_state=0, restarts=8).fit(X, y, strata=site)
    clf.save(tmp_path / "model.json")
    again = DNFClassifier.load(tmp_path / "model.json")
    rows = with_gaps()
    assert_same(clf, again, rows)
    assert list(map(type, again.strata_)) == [kind, kind]
    own = site[: len(rows)]
    assert (again.predict_proba(rows, own) == clf.predict_proba(rows, own)).all()
    assert (again.parts(rows) == clf.parts(rows)).all()
    row = X.iloc[0]
    assert str(again.explain(row, site[0])) == str(clf.explain(row, site[0]))
    again.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "model.json").read_bytes()
    # A loaded model takes other layers and strata as a new one does.
    again.set_params(layers=2, restarts=1).fit(X[:200], y[:200])
    assert again.strata_ is None


@pytest.mark.parametrize(
    "labels",
    [
        LABELS,
        LABELS.astype(object),
        LABELS == "bad",
        (LABELS == "bad").astype(int),
        (LABELS == "bad").astype(np.int8) * 7,
        (LABELS == "bad").astype(np.float32) + 1,
    ],
)
def test_labels_keep_their_type(tmp_path, labels):
    X = pd.DataFrame(COLUMNS)
    clf = DNFClassifier(random_state=0).fit(X, labels)
    clf.save(tmp_path / "model.json")
    assert_same(clf, DNFClassifier.load(tmp_path / "model.json"), X)


def test_the_null_function_and_unnamed_columns(tmp_path):
    X = np.random.default_rng(0).integers(0, 2, size=(60, 3))
    clf = DNFClassifier(random_state=0).fit(X, np.arange(60) % 2)
    assert clf.function_.is_null
    clf.save(tmp_path / "model.json")
    assert_same(clf, DNFClassifier.load(tmp_path / "model.json"), X)


def test_scores_that_are_not_finite_come_back(tmp_path):
    clf = fitted(prior=Prior(count=Geometric(0.5)), positive="bad")
    clf.save(tmp_path / "model.json")
    assert "Infinity" not in (tmp_path / "model.json").read_text("utf-8")
    assert DNFClassifier.load(tmp_path / "model.json").rules_["log_gain"].tolist() == [math.inf]


def test_the_file_is_readable(document):
    assert document["format"] == "bayesdnf.classifier"
    assert document["version"] == 6
    assert document["bayesdnf"] == bayesdnf.__version__
    assert document["rule"] == str(MODEL.function_)
    assert document["prior"]["size"] == {"name": "Poisson", "mean": 2, "truncate": True}


def of_version_3(document):
    """The document as version 3 had it: nothing on layers and strata."""
    old = {k: v for k, v in document.items() if k not in ("cells", "strata")} | {"version": 3}
    for part, name in (("parameters", "layers"), ("record", "strata")):
        old[part] = {k: v for k, v in old[part].items() if k != name}
    return old


def of_version_2(document):
    """The document as version 2 had it: nothing on the ways of a search."""
    old = of_version_3(document)
    search = {k: v for k, v in old["search"].items() if k not in ("ways", "near")}
    return old | {"version": 2, "search": search}


def test_files_with_an_encoder_of_version_1_are_read(document, tmp_path):
    """They list literals without negations, all of which were on offer, or none."""
    old = json.loads(json.dumps(document))
    old["encoder"]["version"] = 1
    del old["encoder"]["parameters"]["monotonic_cst"]
    for attribute in old["encoder"]["attributes"]:
        del attribute["order"]
        kept = [pair for pair in attribute["literals"] if pair[0] in ("=", ">=", "true")]
        attribute["literals"] = kept
    model = read_back(old, tmp_path / "m.json")
    assert model.function_ == MODEL.function_
    assert {"stage != 1", "stage < 2", "NOT flag"} <= set(map(str, model.encoder_.literals_))
    assert (model.predict_proba(COLUMNS) == MODEL.predict_proba(COLUMNS)).all()


def test_files_of_version_3_are_read(document, tmp_path):
    model = read_back(of_version_3(document), tmp_path / "m.json")
    assert_same(MODEL, model, COLUMNS)
    model.save(tmp_path / "again.json")
    assert json.loads((tmp_path / "again.json").read_text("utf-8")) == document


def test_files_of_version_2_are_read(document, tmp_path):
    model = read_back(of_version_2(document), tmp_path / "m.json")
    assert (model.ways_, model.near_) == (1, 1)
    assert model.record_ == MODEL.record_


def test_files_of_version_1_are_read(document, tmp_path):
    old = {k: v for k, v in of_version_2(document).items() if k != "record"} | {"version": 1}
    model = read_back(old, tmp_path / "m.json")
    assert model.function_ == MODEL.function_
    assert (model.record_.content, model.record_.command) == ("", None)
    model.save(tmp_path / "again.json")
    assert DNFClassifier.load(tmp_path / "again.json").record_ == model.record_


def test_texts_that_are_no_unicode_survive(tmp_path):
    table = {"odd": ["\ud800", "x"] * 20}
    clf = DNFClassifier(random_state=0).fit(table, [1, 0] * 20)
    clf.save(tmp_path / "model.json")
    assert DNFClassifier.load(tmp_path / "model.json").function_ == clf.function_


def test_a_failed_save_leaves_the_old_file(tmp_path):
    class Mine:
        truncates = True

        def log_table(self, largest):
            return Poisson(2).log_table(largest)

    path = tmp_path / "model.json"
    path.write_text("old")
    clf = fitted(prior=Prior(size=Mine()))
    with pytest.raises(InputError, match=r"The prior's size, .* cannot be written"):
        clf.save(path)
    assert path.read_text() == "old"
    with pytest.raises(InputError, match="does not exist"):
        MODEL.save(tmp_path / "nowhere" / "model.json")
    assert [file.name for file in tmp_path.iterdir()] == ["model.json"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not valid JSON"),
        (b"odor = f", "not valid JSON"),
        (b"\x80\x04\x95cos\nsystem\n", "not text"),
        (b"[]", "the top must be an object"),
        (b'{"format": NaN}', "NaN is not a JSON number"),
        (b'{"a": 1, "a": 2}', "appears twice"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"version": ' + b"9" * 10_000 + b"}", "not valid JSON"),
        (b"{}", "field 'format' is missing"),
        (b'{"format": "something"}', "field 'format' must be one of bayesdnf.classifier"),
    ],
)
def test_what_is_no_model_file(tmp_path, content, message):
    path = tmp_path / "model.json"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        DNFClassifier.load(path)
    assert str(path) in str(caught.value)


def test_what_is_no_file(tmp_path):
    with pytest.raises(InputError, match=r"Cannot read .*gone\.json: No such file"):
        DNFClassifier.load(tmp_path / "gone.json")
    with pytest.raises(InputError, match="Cannot read"):
        DNFClassifier.load(tmp_path)


def test_a_newer_version_is_named(document, tmp_path):
    with pytest.raises(InputError, match="version 7 of the model file and this bayesdnf reads"):
        read_back({**document, "version": 7}, tmp_path / "m.json")


def test_loading_never_runs_what_the_file_names(document, tmp_path):
    X, y, _ = simulate(50, 4, random_state=0)
    hostile = json.loads(json.dumps(document))
    hostile["prior"]["size"] = {"name": "__reduce__", "mean": "os.system('false')"}
    with pytest.raises(InputError, match=r"prior\.size\.name"):
        read_back(hostile, tmp_path / "m.json")
    path = tmp_path / "pickled.json"
    path.write_bytes(pickle.dumps(DNFClassifier().fit(X, y)))
    with pytest.raises(InputError, match=r"not text|not valid JSON"):
        DNFClassifier.load(path)
