"""Runs that stop and go on: the same bytes, whatever happens in between."""

import json
import os
import random
import subprocess
import sys
import time

import numpy as np
import pytest

from bayesdnf import Effect, sample
from bayesdnf.errors import InputError
from bayesdnf.sampling.samplers import informed
from sampling.runs import posterior_of, posterior_of_lists, same_draws

RUN = {"draws": 300, "warmup": 100, "thin": 5, "random_state": 7}


@pytest.mark.slow
@pytest.mark.parametrize("kernel", ["informed", "tempered"])
def test_a_run_that_was_stopped_goes_on_to_the_same_draws(tmp_path, kernel):
    stop_and_go_on(tmp_path, posterior_of(), kernel, RUN)


def test_a_run_of_lists_that_was_stopped_goes_on_to_the_same_draws(tmp_path):
    short = RUN | {"draws": 100, "warmup": 50, "starts": ["else", "if x0 AND x1 else"], "chains": 2}
    stop_and_go_on(tmp_path, posterior_of_lists(), "tempered", short)


def stop_and_go_on(tmp_path, posterior, kernel, settings):
    whole = sample(posterior, kernel=kernel, **settings)
    file = tmp_path / "run"
    rounds = 0

    def stop_after_a_round(records, total):
        nonlocal rounds
        rounds += 1
        if rounds % 2 == 0:
            raise _StopHere

    for _ in range(1000):
        try:
            resumed = sample(
                posterior,
                kernel=kernel,
                checkpoint=file,
                checkpoint_every=1e-9,
                progress=stop_after_a_round,
                n_jobs=2,
                **settings,
            )
            break
        except _StopHere:
            continue
    assert rounds > 2
    assert same_draws(whole, resumed)
    # A run that is done is read back, not run again.
    assert same_draws(whole, sample(posterior, kernel=kernel, checkpoint=file, **settings))


class _StopHere(Exception):
    pass


def test_time_limits_lose_nothing(tmp_path):
    posterior = posterior_of()
    # The search for starts has limits of its own; here they are given.
    settings = RUN | {"draws": 20_000, "starts": ["x0", "x1", "x2", "x3"]}
    pieces = [_stopped_piece(posterior, tmp_path / "run", settings) for _ in range(2)]
    assert [piece.settings["stopped"] for piece in pieces] == ["time limit", "time limit"]
    drawn = sample(posterior, checkpoint=tmp_path / "run", **settings)
    assert drawn.settings["stopped"] == "done"
    assert same_draws(drawn, sample(posterior, n_jobs=2, **settings))


def _stopped_piece(posterior, file, settings):
    def rest(records, total):
        time.sleep(0.2)  # the first rounds are a few draws: no machine is done in three of them

    return sample(posterior, checkpoint=file, time_limit=0.5, progress=rest, **settings)


def test_another_run_is_refused(tmp_path):
    sample(posterior_of(), checkpoint=tmp_path / "run", **RUN)
    listed = informed(posterior_of(), ["x0 AND x1"])
    with pytest.raises(InputError, match="is of another run: its moves is"):
        sample(posterior_of(), kernel=listed, checkpoint=tmp_path / "run", **RUN)
    with pytest.raises(InputError, match="is of another run: its seed is"):
        sample(posterior_of(), checkpoint=tmp_path / "run", **(RUN | {"random_state": 8}))
    with pytest.raises(InputError, match="is of another run: its data is"):
        sample(posterior_of(seed=5), checkpoint=tmp_path / "run", **RUN)
    with pytest.raises(InputError, match="is of another run: its thin is 5, here it is 6"):
        sample(posterior_of(), checkpoint=tmp_path / "run", **(RUN | {"thin": 6}))


def test_a_run_of_other_layers_or_strata_is_refused(tmp_path):
    run = RUN | {"draws": 5, "warmup": 0, "starts": ["else"] * 4}
    sample(posterior_of_lists(), checkpoint=tmp_path / "run", **run)
    for other, said in [
        (posterior_of_lists(layers=2), "its layers is 3, here it is 2"),
        (
            posterior_of_lists(labels=["f", "n"]),
            r"its strata is \['f', 'm'\], here it is \['f', 'n'\]",
        ),
        (posterior_of(layers=3), r"its strata is \['f', 'm'\], here it is None"),
        (posterior_of_lists(labels=["m", "f"]), "its data is"),  # rows in the other stratum
    ]:
        with pytest.raises(InputError, match=f"is of another run: {said}"):
            sample(other, checkpoint=tmp_path / "run", **run)


def test_fingerprints_tell_layers_and_strata_apart():
    plain = posterior_of()
    others = [
        plain,
        posterior_of(layers=2),
        posterior_of(layers=3),
        posterior_of(strata=["f"] * 120),
        posterior_of_lists(),
        posterior_of_lists(labels=["m", "f"]),
        posterior_of_lists(labels=["m", "n"]),
        posterior_of_lists(layers=1),
    ]
    assert len({posterior.fingerprint for posterior in others}) == len(others)
    assert posterior_of_lists().fingerprint == others[4].fingerprint
    assert posterior_of(layers=1).fingerprint == plain.fingerprint
    assert posterior_of(effect=Effect(ordered=True)).fingerprint == plain.fingerprint
    assert posterior_of(effect=Effect(ordered=False)).fingerprint != plain.fingerprint


def test_a_checkpoint_of_an_earlier_format_is_refused(tmp_path):
    sample(posterior_of(), checkpoint=tmp_path / "run", **(RUN | {"draws": 5, "warmup": 0}))
    for file in tmp_path.iterdir():
        with np.load(file) as arrays:
            held = dict(arrays)
        head = json.loads(str(held["head"]))
        held["head"] = np.array(json.dumps(head | {"version": 1}))
        with file.open("wb") as handle:
            np.savez(handle, **held)
    with pytest.raises(InputError, match="has format 1; this version of bayesdnf reads format 3"):
        sample(posterior_of(), checkpoint=tmp_path / "run", **RUN)


def test_a_damaged_file_gives_way_to_the_other(tmp_path):
    posterior, file = posterior_of(), tmp_path / "run"
    whole = sample(posterior, checkpoint=file, checkpoint_every=1e-9, **RUN)
    files = sorted(tmp_path.iterdir())
    assert [f.name for f in files] == ["run.0", "run.1"]
    content = files[0].read_bytes()
    for damaged in (b"", content[:100], content[: len(content) // 2], b"x" * 1000):
        files[0].write_bytes(damaged)
        assert same_draws(whole, sample(posterior, checkpoint=file, **RUN))
    for f in files:
        f.write_bytes(b"not a checkpoint")
    with pytest.raises(InputError, match=r"Neither .*run\.0 nor .*run\.1 is a checkpoint"):
        sample(posterior, checkpoint=file, **RUN)


def test_no_code_is_run_from_a_file(tmp_path):
    array = np.empty(1, dtype=object)
    array[0] = _Hostile()
    for i in (0, 1):
        with (tmp_path / f"run.{i}").open("wb") as handle:
            np.savez(handle, head=array)
    with pytest.raises(InputError, match="is a checkpoint that can be read"):
        sample(posterior_of(), checkpoint=tmp_path / "run", **RUN)


class _Hostile:
    def __reduce__(self):
        return (exec, ("raise SystemExit",))


def test_a_folder_that_is_not_there_is_named_before_anything_is_run(tmp_path):
    with pytest.raises(InputError, match=r"folder .* does not exist"):
        sample(posterior_of(), checkpoint=tmp_path / "no" / "run", **RUN)


_CHILD = """
import json, sys, time
import numpy as np
from sampling.runs import posterior_of
from bayesdnf import sample
settings, share = json.loads(sys.argv[2]), float(sys.argv[4])
def progress(records, total):
    reached = min(len(r) for r in records)
    print(reached, time.monotonic(), flush=True)
    if reached >= share * total:
        time.sleep(3600)  # until killed: a fast machine must not get to the end before
drawn = sample(posterior_of(), checkpoint=sys.argv[1], progress=progress, **settings)
np.save(sys.argv[3], drawn.index)
"""


@pytest.mark.slow
def test_kills_lose_no_more_than_the_interval(tmp_path):
    """Kill a run again and again, at random times; it ends with the draws of a run left alone."""
    kills = int(os.environ.get("BAYESDNF_KILLS", "2"))
    interval = 0.3
    run = RUN | {"draws": 25_000 * kills, "thin": 50, "n_jobs": 2}
    rng = random.Random(1)
    out = tmp_path / "index.npy"
    environment = os.environ | {"PYTHONPATH": os.path.dirname(os.path.dirname(__file__))}
    saved = killed = 0
    for kill in range(kills + 1):
        # Each run to be killed may come so far, the last one to the end.
        last_one = kill == kills
        share = 2 if last_one else (kill + 1) / (kills + 1)
        settings = json.dumps(run | {"checkpoint_every": 60 if last_one else interval})
        child = subprocess.Popen(
            [sys.executable, "-c", _CHILD, tmp_path / "run", settings, out, str(share)],
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        first = child.stdout.readline()
        # It took up no earlier than what the last one had reached an interval before its end.
        assert int(first.split()[0]) >= saved
        if not last_one:
            time.sleep(rng.uniform(0.05, 2.5))
            assert child.poll() is None
            child.kill()
            killed += 1
        rest, _ = child.communicate()
        told = [line.split() for line in (first + rest).splitlines() if line.count(" ")]
        last = float(told[-1][1])
        # A save itself and a round take their time too.
        saved = max([int(n) for n, when in told if float(when) < last - interval - 0.7] + [saved])
    assert child.returncode == 0
    assert killed == kills
    assert np.array_equal(np.load(out), sample(posterior_of(), **run).index)
