"""Ray, through joblib's backend; it is no dependency, and skipped where it is not installed."""

import joblib
import pytest

from bayesdnf import BitMatrix, Posterior, hunt, sample, simulate
from bayesdnf.remote.clusters import JoblibCluster, active_cluster


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # Ray's own
def test_ray_comes_to_the_same(tmp_path, monkeypatch):
    ray = pytest.importorskip("ray", reason="Ray is not installed: pip install ray")
    register = pytest.importorskip("ray.util.joblib").register_ray
    monkeypatch.setenv("BAYESDNF_SPILL", str(tmp_path))
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    X, y, _ = simulate(300, 20, random_state=1)
    posterior = Posterior(BitMatrix.from_table(X), y)
    run = {"draws": 50, "warmup": 0, "chains": 2, "random_state": 0}
    found, drawn = hunt(posterior, random_state=0, restarts=16), sample(posterior, **run)
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        register()
        with joblib.parallel_config(backend="ray"):
            assert isinstance(active_cluster(), JoblibCluster)
            assert hunt(posterior, random_state=0, restarts=16) == found
            assert (sample(posterior, **run).index == drawn.index).all()
    finally:
        ray.shutdown()
