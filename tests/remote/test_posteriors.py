"""Posteriors on workers."""

import os
import pickle

import numpy as np

from bayesdnf import BitMatrix, Posterior
from bayesdnf.remote.dask_cluster import DaskCluster
from bayesdnf.remote.posteriors import SharedPosterior
from tests.remote.shared_work import X, Y, posterior


def test_tasks_carry_no_data(client):
    whole = posterior()
    shared = SharedPosterior.of(whole, DaskCluster(client))
    large = Posterior(BitMatrix.from_table(np.tile(X, (40, 4)) ^ 1), np.tile(Y, 40))
    other = SharedPosterior.of(large, DaskCluster(client))
    assert abs(len(pickle.dumps(shared)) - len(pickle.dumps(other))) < 100
    assert SharedPosterior.of(whole, DaskCluster(client)).table == shared.table
    path = shared.table.path
    assert os.path.exists(path)
    del whole
    assert not os.path.exists(path)
