"""A cluster of processes on this machine, one for all tests."""

import pytest

from cli.conftest import run as run

distributed = pytest.importorskip("distributed", reason="needs bayesdnf[dask]")


@pytest.fixture(scope="session")
def client():
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0", host="127.0.0.1"
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client


@pytest.fixture
def on_cluster(client):
    import joblib

    with joblib.parallel_config(backend="dask", client=client):
        yield client
