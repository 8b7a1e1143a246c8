"""Which cluster is meant, and what is said where there is none."""

import joblib
import numpy as np
import pytest
from sklearn.model_selection import cross_val_predict

from bayesdnf import DNFClassifier
from bayesdnf.errors import InputError
from bayesdnf.remote import clusters
from bayesdnf.remote.clusters import connected, threads_for
from tests.remote.shared_work import X, Y


def test_folds_go_out_and_their_searches_stay_with_them(on_cluster):
    model = DNFClassifier(random_state=0, restarts=8)
    found = cross_val_predict(model, X, Y, cv=3, n_jobs=-1, method="predict_proba")
    with joblib.parallel_config(backend="threading"):
        wanted = cross_val_predict(model, X, Y, cv=3, method="predict_proba")
    assert np.array_equal(found, wanted)
    assert threads_for(None) == 1


def test_no_scheduler_is_a_sentence(monkeypatch):
    monkeypatch.setattr(clusters, "_ANSWER", 0.3)
    nobody = "tcp://127.0.0.1:1"
    with pytest.raises(InputError, match=f"No Dask scheduler answers at {nobody};"):
        connected(nobody).__enter__()
