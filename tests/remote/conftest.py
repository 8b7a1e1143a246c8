"""A cluster of processes on this machine, one for all tests."""

import pytest

from bayesdnf.genomics.scanning import scan_parts
from tests.cli.conftest import run as run

dask = pytest.importorskip("dask", reason="needs bayesdnf[dask]")
distributed = pytest.importorskip("distributed", reason="needs bayesdnf[dask]")


@pytest.fixture(scope="session")
def client():
    # A LocalCluster gives up a worker that is not back after 15 seconds; it may take longer.
    settings = {
        "distributed.deploy.lost-worker-timeout": "10 minutes",
        "distributed.worker.profile.enabled": False,  # samples every thread 100 times a second
    }
    with (
        dask.config.set(settings),
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


@pytest.fixture
def many_parts(monkeypatch):
    """Cut a small scan as a large one is cut."""
    monkeypatch.setattr(scan_parts, "_LEAST_PAIRS", 100)
