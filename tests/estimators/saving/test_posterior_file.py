"""Files of a PosteriorDNFClassifier: the same answers after reading, no trust in what is read."""

import json
import math
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from bayesdnf import (
    DNFClassifier,
    Draws,
    Effect,
    Poisson,
    PosteriorDNFClassifier,
    Prior,
    Tabulated,
    simulate,
)
from bayesdnf.errors import InputError
from bayesdnf.sampling.drawn.draws_file import read, save
from tests.estimators.mixed_table import COLUMNS, LABELS
from tests.estimators.planted_list import confounded
from tests.estimators.quick_posterior import quick

pytest.importorskip("arviz_base")


@pytest.fixture(scope="module")
def saved(mixed, tmp_path_factory):
    path = tmp_path_factory.mktemp("saved") / "posterior.nc"
    mixed.save(path)
    return path


@pytest.fixture(scope="module")
def drawn(saved):
    return Draws.load(saved)


@pytest.fixture
def file(saved, tmp_path):
    return Path(shutil.copy(saved, tmp_path))


def test_everything_comes_back(mixed, file):
    again = PosteriorDNFClassifier.load(file)
    table = pd.DataFrame(COLUMNS)
    assert (again.predict_proba(table) == mixed.predict_proba(table)).all()
    assert again.predict_interval(table).equals(mixed.predict_interval(table))
    assert (again.predict(table) == mixed.predict(table)).all()
    assert again.predict(table).dtype == mixed.predict(table).dtype
    assert again.map_ == mixed.map_
    assert again.rules_.equals(mixed.rules_)
    assert again.functions_.equals(mixed.functions_)
    assert again.inclusion_.equals(mixed.inclusion_)
    for name in ("counts_", "risks_", "null_probability_", "evidence_", "stopped_", "seed_"):
        assert getattr(again, name) == getattr(mixed, name)
    assert again.record_ == mixed.record_
    assert repr(again.bayes_factor_) == repr(mixed.bayes_factor_)  # the spread may be NaN
    assert (again.prior_, again.effect_) == (mixed.prior_, mixed.effect_)
    assert list(again.feature_names_in_) == list(COLUMNS)
    assert again.summary() == mixed.summary()
    given = again.get_params(deep=False) | {"prior": None, "effect": None}
    assert given == mixed.get_params(deep=False)
    with pytest.raises(InputError, match="pickled or loaded"):
        again.to_datatree(log_likelihood=True)


def test_a_loaded_classifier_is_saved_to_the_same_document_and_fits_again(mixed, file, tmp_path):
    again = PosteriorDNFClassifier.load(file)
    again.save(tmp_path / "again.nc")
    assert read(tmp_path / "again.nc")[1] == read(file)[1]
    again.fit(pd.DataFrame(COLUMNS), LABELS)
    assert (again.draws_.index == mixed.draws_.index).all()


@pytest.mark.parametrize("version", [1, 2, 3])
def test_files_of_earlier_versions_are_read(mixed, file, version):
    drawn, document = Draws.load(file), read(file)[1]
    top = json.loads(document) | {"version": version}
    for name in ("one_layer_bayes_factor", "representatives", "strata"):
        del top[name]
    for name in ("layers", "max_literals"):
        del top["parameters"][name]
    del top["record"]["strata"]
    if version == 1:
        del top["record"]
    save(drawn, file, json.dumps(top).encode())
    again = PosteriorDNFClassifier.load(file)
    if version == 1:
        assert (again.record_.content, again.record_.command) == ("", None)
    assert (again.layers, again.strata_, again.max_literals) == (1, None, 15)
    # It does not hold the representative rule, nor the rows to find it by.
    before, shown, after = mixed.summary().partition("Representative rule")
    assert shown
    if version == 1:  # its record, which names columns that may leak the outcome, is not there
        before = before.partition("\n\nPossible leakage")[0]
    assert again.summary().startswith(before)
    assert "finds no rule of at most 15 literals" in again.summary()
    assert again.summary().endswith(after.partition("\n\n")[2])


def test_lists_and_strata_come_back(tmp_path):
    X, y, site = confounded(200)
    model = quick(layers=3, max_literals=6).fit(X, y, strata=site)
    short = model.representative(2)
    model.save(tmp_path / "p.nc")
    again = PosteriorDNFClassifier.load(tmp_path / "p.nc")
    assert again.get_params()["layers"] == 3
    assert again.strata_ == ("north", "south")
    assert (again.predict_proba(X, strata=site) == model.predict_proba(X, strata=site)).all()
    assert (again.predict_proba(X) == model.predict_proba(X)).all()
    assert again.predict_interval(X[:9], strata=site[:9]).equals(
        model.predict_interval(X[:9], strata=site[:9])
    )
    assert again.map_ == model.map_
    assert again.risks_ == model.risks_
    assert again.functions_.equals(model.functions_)
    assert again.rules_.equals(model.rules_)
    assert again.representative_ == model.representative_
    assert again.representative_loss_ == model.representative_loss_
    shown = again.representative(2)
    assert (shown.rule, shown.loss, shown.base_loss) == (short.rule, short.loss, short.base_loss)
    assert shown.risks == short.risks
    assert (shown.cells == short.cells).all()
    assert repr(again.one_layer_bayes_factor_) == repr(model.one_layer_bayes_factor_)
    assert again.summary() == model.summary()
    assert str(again.explain(X.iloc[0], "north")) == str(model.explain(X.iloc[0], "north"))
    with pytest.raises(InputError, match="finds no rule of at most 3 literals; fit it again"):
        again.representative(3)
    again.save(tmp_path / "again.nc")
    assert read(tmp_path / "again.nc")[1] == read(tmp_path / "p.nc")[1]
    again.fit(X, y)  # the effect is as it was given, and goes with other strata
    assert again.strata_ is None


def test_files_before_version_6_predict_the_risks_of_the_rule_itself(tmp_path):
    X, y, site = confounded(200)
    model = quick(layers=3, max_literals=4).fit(X, y, strata=site)
    model.save(tmp_path / "p.nc")
    drawn, top = Draws.load(tmp_path / "p.nc"), json.loads(read(tmp_path / "p.nc")[1])
    for shown in top["representatives"]:
        del shown["predicted"]
    save(drawn, tmp_path / "old.nc", json.dumps(top | {"version": 5}).encode())
    again = PosteriorDNFClassifier.load(tmp_path / "old.nc")
    shown = again.representative()
    parts = shown.rule(X).astype(int)
    pooled = [shown.risks[part].mean for part in parts]
    assert np.allclose(again.representative_proba(X)[:, again._positive_index], pooled)


def test_the_draws_are_read_alone_and_by_arviz(mixed, file):
    assert (Draws.load(file).pi1 == mixed.draws_.pi1).all()
    import xarray as xr

    with xr.open_datatree(file, engine="h5netcdf") as tree:
        assert tree["posterior"]["pi0"].shape == mixed.draws_.pi0.shape


def test_knowledge_prevalence_and_labels_come_back(tmp_path):
    X, y, _ = simulate(200, 5, random_state=0)
    model = quick(
        prior=Prior(size=Tabulated([0, 1, 2]), weights={"x0": 2.0}, apart=[["x0", "x1"]]),
        effect=Effect(prevalence=0.1, sampling="case-control"),
        positive=0,
        kernel="tempered",
        draws=120,
    ).fit(X.to_numpy(), y)
    model.save(tmp_path / "p.nc")
    again = PosteriorDNFClassifier.load(tmp_path / "p.nc")
    assert again.prior_ == model.prior_
    assert again.effect_ == model.effect_
    assert (again.positive_, again.negative_) == (0, 1)
    assert again.evidence_ == model.evidence_
    assert again.bayes_factor_ == model.bayes_factor_
    assert not hasattr(again, "feature_names_in_")
    assert (again.predict_proba(X.to_numpy()) == model.predict_proba(X.to_numpy())).all()


@pytest.mark.slow
def test_many_literals(tmp_path):
    """Their document is longer than what HDF5 takes as an attribute."""
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (60, 4000)), rng.integers(0, 2, 60)
    model = quick(draws=20, warmup=5).fit(X, y)
    model.save(tmp_path / "p.nc")
    assert len(read(tmp_path / "p.nc")[1]) > 1 << 16
    assert len(PosteriorDNFClassifier.load(tmp_path / "p.nc").encoder_.literals_) == 8000


def test_what_cannot_be_saved_or_loaded(mixed, file, tmp_path):
    with pytest.raises(NotFittedError):
        quick().save(tmp_path / "x.nc")
    with pytest.raises(InputError, match="No such file"):
        PosteriorDNFClassifier.load(tmp_path / "absent.nc")
    with pytest.raises(InputError, match="holds draws, not a model of DNFClassifier"):
        DNFClassifier.load(file)
    mixed.draws_.save(tmp_path / "draws.nc")
    with pytest.raises(InputError, match="holds draws but no classifier"):
        PosteriorDNFClassifier.load(tmp_path / "draws.nc")
    content = file.read_bytes()
    file.write_bytes(content[: len(content) // 2] + b"x" + content[len(content) // 2 + 1 :])
    with pytest.raises(InputError, match="is damaged"):
        PosteriorDNFClassifier.load(file)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["draws.nc", "posterior.nc"]


def forged(**changes):
    def change(document):
        document.update(changes)

    return change


FORGERIES = {
    "not an object": lambda d: [],
    "a later version": forged(version=7),
    "layers that were not drawn": lambda d: d["parameters"].update(layers=2),
    "strata that were not drawn": forged(strata=["north", "south"]),
    "no representative": lambda d: d.pop("representatives") and None,
    "another rule": lambda d: d["representatives"][0].update(rule="(site = a)"),
    "cells of other rows": lambda d: d["representatives"][0].update(cells=[[[1, 2], [3, 4]]]),
    "counts of other rows": lambda d: d["representatives"][0].update(
        counts={"n": 10, "n_pos": 4, "n_marked": 7, "n_both": 3}, cells=[[[1, 2], [3, 4]]]
    ),
    "a gain": lambda d: d["representatives"][0].update(loss=-0.1),
    "no predictions": lambda d: d["representatives"][0].pop("predicted") and None,
    "predictions of other parts": lambda d: d["representatives"][0].update(predicted=[[[1, 0]]]),
    "predictions that are none": lambda d: d["representatives"][0].update(
        predicted=[[[0.5, 0.6], [1.5, -0.5]]]
    ),
    "no record": lambda d: d.pop("record") and None,
    "a record that is none": lambda d: d["record"].update(content="abc"),
    "another format": forged(format="bayesdnf.classifier"),
    "a field too many": forged(extra=1),
    "no seed": lambda d: d.pop("seed") and None,
    "a negative seed": forged(seed=-1),
    "other parameters": lambda d: d["parameters"].update(draws=0),
    "a strange factor": forged(bayes_factor={"log": "x", "bound": "", "spread": 0, "source": ""}),
    "too many marked": lambda d: d["counts"].update(n_both=10**6),
    "another encoder": lambda d: d.update(
        encoder=json.loads(json.dumps(quick().fit([[0], [1]] * 9, [0, 1] * 9).encoder_.to_dict()))
    ),
    "a prior that is none": lambda d: d["prior"].update(count={"name": "eval", "code": "1"}),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", FORGERIES)
def test_forged_documents_are_refused(drawn, file, name):
    document = read(file)[1]
    top = json.loads(document)
    changed = FORGERIES[name](top)
    save(drawn, file, json.dumps(top if changed is None else changed).encode())
    with pytest.raises(InputError, match=r"posterior\.nc"):
        PosteriorDNFClassifier.load(file)


def test_a_spread_that_is_not_known_stays_so(tmp_path):
    X, y, _ = simulate(300, 5, random_state=0)
    model = quick(prior=Prior(size=Poisson(1))).fit(X, y)
    model.bayes_factor_ = model.bayes_factor_._replace(spread=math.nan)
    model.save(tmp_path / "p.nc")
    assert math.isnan(PosteriorDNFClassifier.load(tmp_path / "p.nc").bayes_factor_.spread)
