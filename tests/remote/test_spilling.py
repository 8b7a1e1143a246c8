"""Tables packed for workers."""

import pytest

from bayesdnf.errors import InputError
from bayesdnf.genomics import scan
from bayesdnf.remote.dask_cluster import DaskCluster
from tests.genomics.planted import study


def test_workers_elsewhere_need_a_shared_folder(client, tmp_path, monkeypatch):
    monkeypatch.setattr(DaskCluster, "on_this_machine", False)
    whole = study()
    with pytest.raises(InputError, match="set the environment variable BAYESDNF_SPILL to a folder"):
        scan(whole.genotypes, whole.y, client=client)
    monkeypatch.setenv("BAYESDNF_SPILL", str(tmp_path / "none"))
    with pytest.raises(InputError, match="must name a folder that all workers see"):
        scan(whole.genotypes, whole.y, client=client)
    monkeypatch.setenv("BAYESDNF_SPILL", str(tmp_path))
    found = scan(whole.genotypes, whole.y, client=client)
    assert found.findings.equals(scan(whole.genotypes, whole.y).findings)
