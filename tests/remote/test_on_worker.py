"""What workers open and compare."""

import pytest

from bayesdnf.errors import ClusterError
from bayesdnf.genomics import Study, scan
from bayesdnf.remote import dask_cluster
from tests.genomics.planted import study


def test_a_packed_study_is_mapped_where_it_lies(client, tmp_path, monkeypatch):
    monkeypatch.setenv("BAYESDNF_SPILL", str(tmp_path / "spill"))
    (tmp_path / "spill").mkdir()
    file = tmp_path / "study.pack"
    study(seed=1).save(file)
    old = Study.open(file)
    study().save(file)
    with pytest.raises(ClusterError, match=r"refuses a task: .*study\.pack has the hash"):
        scan(old.genotypes, old.y, client=client)
    whole = Study.open(file)
    written = []

    def look(*_):
        written[:] = [x.stat().st_size for x in (tmp_path / "spill").iterdir()]

    found = scan(whole.genotypes, whole.y, client=client, progress=look)
    assert found.findings.equals(scan(whole.genotypes, whole.y).findings)
    assert len(written) == 1  # outcomes and places, no second copy of the calls
    assert list((tmp_path / "spill").iterdir()) == []


def test_other_versions_are_refused(client, monkeypatch):
    monkeypatch.setattr(dask_cluster, "versions", lambda: {"numpy": "1.0"})
    whole = study()
    with pytest.raises(ClusterError, match=r"worker tcp://\S+ has numpy \S+ and the client has 1"):
        scan(whole.genotypes, whole.y, client=client)
