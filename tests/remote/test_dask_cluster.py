"""The same bytes on a cluster as on threads, whatever becomes of its workers."""

import os
import pickle
import signal
from dataclasses import fields
from pathlib import Path

import distributed
import joblib
import numpy as np
import pytest

from bayesdnf import hunt, sample
from bayesdnf.errors import ClusterError, InputError
from bayesdnf.genomics import family_wise, find_markers, scan
from bayesdnf.remote import dask_cluster
from bayesdnf.remote.clusters import active_cluster
from bayesdnf.sampling import remote_chains
from tests.genomics.planted import QUICK, study
from tests.remote.shared_work import TRUTH, posterior

STRATA = np.arange(300) % 2


RUN = {"draws": 60, "warmup": 20, "thin": 20, "chains": 3, "random_state": 0}


LARGE = study(variants=1500, n=200)  # 78 tasks of the native scan


def same(a, b):
    """Whether two runs of chains drew the same, down to the bytes of every array."""
    return all(pickle.dumps(getattr(a, f.name)) == pickle.dumps(getattr(b, f.name))
               for f in fields(a))  # fmt: skip


def processes(client):
    """Ids of the workers' processes."""
    return list(client.run(os.getpid).values())


class KillOnce:
    """Called with progress, ends a worker of the cluster in the middle of the run."""

    def __init__(self, client):
        self.pids = processes(client)
        self.left = 1

    def __call__(self, *_):
        if self.left:
            self.left = 0
            os.kill(self.pids[0], signal.SIGKILL)


@pytest.mark.parametrize(
    "how", [{}, {"measure": "cells", "rank": "bayes factor"}, {"size": 3, "among": 10}], ids=str
)
@pytest.mark.usefixtures("many_parts")
def test_a_scan_finds_the_same(client, how):
    whole = LARGE
    told = []
    found = scan(
        whole.genotypes, whole.y, top=50, client=client,
        progress=lambda *now: told.append(now), **how,
    )  # fmt: skip
    wanted = scan(whole.genotypes, whole.y, top=50, **how)
    assert found.findings.equals(wanted.findings)
    assert found.settings == wanted.settings
    assert told[-1][0] == told[-1][1]
    assert how.get("size") == 3 or len(told) == 32


@pytest.mark.usefixtures("many_parts")
def test_a_stopped_worker_does_not_hold_the_rest(client, monkeypatch):
    monkeypatch.setattr(dask_cluster, "_PATIENCE", 0.3)
    whole = LARGE
    pid = processes(client)[0]

    def stop(*_):
        os.kill(pid, signal.SIGSTOP)

    try:
        found = scan(whole.genotypes, whole.y, client=client, progress=stop)
    finally:
        os.kill(pid, signal.SIGCONT)
    assert found.findings.equals(scan(whole.genotypes, whole.y).findings)


@pytest.mark.usefixtures("many_parts")
def test_a_lost_scheduler_is_a_sentence_and_a_checkpoint(client, tmp_path):
    whole, kept = LARGE, tmp_path / "scan.checkpoint"
    wanted = scan(whole.genotypes, whole.y)
    cluster = distributed.LocalCluster(
        n_workers=1, threads_per_worker=2, processes=False, protocol="tcp://",
        dashboard_address=":0",
    )  # fmt: skip
    lost = r"was lost after \d+ of 32 tasks\. What was done is saved in .*scan.checkpoint; run"
    with (
        distributed.Client(cluster.scheduler_address, set_as_default=False) as other,
        pytest.raises(ClusterError, match=lost),
    ):
        scan(
            whole.genotypes, whole.y, client=other, checkpoint=kept,
            progress=lambda *_: cluster.close(),
        )  # fmt: skip
    assert kept.exists()
    with pytest.raises(InputError, match="is of another scan: its top is 1000, here it is 9"):
        scan(whole.genotypes, whole.y, top=9, checkpoint=kept)
    told = []
    found = scan(
        whole.genotypes, whole.y, client=client, checkpoint=kept, progress=lambda *t: told.append(t)
    )
    assert found.findings.equals(wanted.findings)
    assert 0 < len(told) < 32
    told.clear()
    again = scan(whole.genotypes, whole.y, checkpoint=kept, progress=lambda *t: told.append(t))
    assert again.findings.equals(wanted.findings)
    assert told == []


def test_markers_go_on_when_the_scheduler_was_lost(tmp_path):
    given, kept = study(), tmp_path / "kept"
    run = {**QUICK, "triples": 0, "keep": 12, "checkpoint": kept}
    cluster = distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, protocol="tcp://",
        dashboard_address=":0",
    )  # fmt: skip

    def lose(stage, done, total):
        if stage == "search" and done:
            cluster.close()

    lost = rf"was lost after .* saved in {kept}/search-\w+\.state; run the same to resume\.$"
    with (
        distributed.Client(cluster.scheduler_address, set_as_default=False) as other,
        joblib.parallel_config(backend="dask", client=other),
        pytest.raises(ClusterError, match=lost),
    ):
        find_markers(given, progress=lose, **run)
    heard = set()
    found = find_markers(given, progress=lambda stage, *_: heard.add(stage), **run)
    assert heard == {"search", "chains"}
    wanted = find_markers(given, **{**run, "checkpoint": None})
    assert found.variants.equals(wanted.variants)
    assert same(found.draws, wanted.draws)


@pytest.mark.usefixtures("many_parts")
def test_an_interrupted_scan_cancels_its_tasks_and_goes_on_here(client, tmp_path):
    whole, kept = LARGE, tmp_path / "scan.checkpoint"

    def interrupt(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        scan(whole.genotypes, whole.y, client=client, checkpoint=kept, progress=interrupt)
    assert client.futures == {}
    found = scan(whole.genotypes, whole.y, checkpoint=kept)  # on threads
    assert found.findings.equals(scan(whole.genotypes, whole.y).findings)


@pytest.mark.parametrize("strata", [None, np.arange(100) % 2], ids=["plain", "strata"])
def test_permutations_are_the_same(on_cluster, strata):
    whole = study(n=100, variants=10)
    run = {"permutations": 2, "random_state": 0, "strata": strata}
    found = family_wise(whole.genotypes, whole.y, **run)
    with joblib.parallel_config(backend="threading"):
        assert active_cluster() is None
        assert np.array_equal(found, family_wise(whole.genotypes, whole.y, **run))


@pytest.mark.parametrize("how", [{}, {"layers": 2, "strata": STRATA}], ids=["plain", "strata"])
def test_a_search_comes_to_the_same(on_cluster, how):
    found = hunt(posterior(**how), random_state=0, restarts=16, starts=["x0"])
    with joblib.parallel_config(backend="threading"):
        wanted = hunt(posterior(**how), random_state=0, restarts=16, starts=["x0"])
    assert found == wanted


def test_interrupted_chains_keep_what_they_drew(on_cluster, tmp_path, monkeypatch):
    monkeypatch.setattr(remote_chains, "_STRETCH_SECONDS", 0.1)
    run = {**RUN, "thin": 3000, "starts": [str(TRUTH)] * 3}

    def interrupt(records, total):
        if min(map(len, records)) > 4:
            raise KeyboardInterrupt

    stopped = sample(posterior(), progress=interrupt, checkpoint=tmp_path / "chains", **run)
    assert stopped.settings["stopped"] == "interrupted"
    assert 0 < stopped.n_draws < 60
    assert on_cluster.futures == {}
    with joblib.parallel_config(backend="threading"):
        assert same(
            sample(posterior(), checkpoint=tmp_path / "chains", **run), sample(posterior(), **run)
        )


def test_the_command_writes_the_same_file(client, run):
    study().save("study.pack")
    address = client.scheduler.address
    here = run("scan", "study.pack", "--out", "here.tsv")
    there = run("scan", "study.pack", "--out", "there.tsv", "--scheduler", address)
    assert (here.status, there.status) == (0, 0)
    assert Path("here.tsv").read_bytes() == Path("there.tsv").read_bytes()
    assert there.out == here.out.replace("here", "there")
    assert not Path("there.tsv.checkpoint").exists()


@pytest.mark.long  # chains survive below
@pytest.mark.usefixtures("many_parts")
def test_a_scan_survives_the_end_of_a_worker(client):
    whole = LARGE
    kill = KillOnce(client)
    found = scan(whole.genotypes, whole.y, client=client, progress=kill)
    assert not kill.left
    assert found.findings.equals(scan(whole.genotypes, whole.y).findings)


@pytest.mark.long
def test_a_fit_survives_the_end_of_a_worker(on_cluster):
    kill = KillOnce(on_cluster)
    found = hunt(posterior(), random_state=0, progress=kill)
    assert not kill.left
    with joblib.parallel_config(backend="threading"):
        assert found == hunt(posterior(), random_state=0)


def test_chains_draw_the_same_and_survive_the_end_of_a_worker(on_cluster, monkeypatch):
    monkeypatch.setattr(remote_chains, "_STRETCH_SECONDS", 0.1)
    kill = KillOnce(on_cluster)
    found = sample(posterior(layers=2), kernel="tempered", progress=kill, **RUN)
    assert not kill.left
    with joblib.parallel_config(backend="threading"):
        assert same(found, sample(posterior(layers=2), kernel="tempered", **RUN))
