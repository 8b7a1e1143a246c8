"""Runs that stop and go on: the same bytes, whatever happens in between."""

import io
import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from bayesdnf import Effect, sample
from bayesdnf.errors import InputError
from bayesdnf.files.seals import opened, seal
from bayesdnf.sampling.samplers import informed
from tests.sampling.runs import posterior_of, posterior_of_lists, same_draws

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
    with pytest.raises(InputError, match="is of another run: its kernel is"):
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


def test_a_checkpoint_of_another_format_is_refused(tmp_path):
    sample(posterior_of(), checkpoint=tmp_path / "run", **FORGED_RUN)
    rewrite(tmp_path, lambda head, arrays: None, version=2)
    with pytest.raises(InputError, match="has format 2; this version of bayesdnf reads format 3"):
        sample(posterior_of(), checkpoint=tmp_path / "run", **FORGED_RUN)


FORGED_RUN = RUN | {"draws": 20, "warmup": 0, "chains": 2, "starts": ["x0", "x1 AND x2"]}


def rewrite(folder, change, version=3):
    """Change what checkpoints hold, and seal them again as if they had been written so."""
    for file in sorted(folder.iterdir()):
        content = opened(file.read_bytes(), "bayesdnf.checkpoint").content
        with np.load(io.BytesIO(content)) as archive:
            arrays = dict(archive)
        head = json.loads(str(arrays.pop("head")))
        change(head, arrays)
        image = io.BytesIO()
        np.savez(image, head=np.array(json.dumps(head)), **arrays)
        file.write_bytes(seal(image.getvalue(), "bayesdnf.checkpoint", version))


def _place(name, value):
    def change(head, arrays):
        head["snapshots"][0][name] = value

    return change


def _field(name, make):
    def change(head, arrays):
        arrays[f"0.{name}"] = make(arrays[f"0.{name}"])

    return change


def _in_head(name, value):
    return lambda head, arrays: head.update({name: value})


FORGERIES = {
    "no number": _in_head("number", None),
    "a number below 0": _in_head("number", -1),
    "settings that are none": _in_head("settings", [1]),
    "no snapshots": _in_head("snapshots", None),
    "a chain too few": lambda head, arrays: head["snapshots"].pop(),
    "a chain that is a text": _in_head("snapshots", ["x", "y"]),
    **{
        f"{name} = {value!r:.30}": _place(name, value)
        for name, values in {
            "functions": (None, [], [[[0]], [[0]]], [[[-1]]], [[[10**6]]], [[["a"]]], [[[0.5]]]),
            "layers": ([], [[7]], [[0]], [[1, 1, 1, 1, 1]], [["a"]]),
            "key": ([1], [1, 2, 3], [-1, 0], ["a", "b"], None, [2**64, 0]),
            "counter": ([1], [0, 0, 0, "a"], [0, 0, 0, 2**70]),
            "used": (5, -1, "a", None),
            "step": (-1, 2**80, 10**9, 0, "a", 55),
            "known": (None, [[1]], [[[[0]], [7]]], [[[[10**6]], [1]]], [[[["a"]], [1]]]),
        }.items()
        for value in values
    },
    **{
        f"another {name}: {what}": _field(name, make)
        for name in (
            "log_prior", "log_likelihood", "cells", "draws", "likelihoods", "tried", "changed",
            "functions.literals", "functions.term_starts", "functions.literal_starts",
            "functions.layers",
        )
        for what, make in {
            "one short": lambda values: values[:-1],
            "another type": lambda values: values.astype(np.float32),
            "below": lambda values: values - 1000,
            "beyond": lambda values: values + 1000,
        }.items()
    },
    "a draw of no function": _field("draws", lambda values: values * 0 + 99),
    "nan": _field("log_prior", lambda values: values * np.nan),
    "more changed than tried": _field("changed", lambda values: values + 10**9),
    "no draws": lambda head, arrays: arrays.pop("0.draws"),
    "no rows": lambda head, arrays: arrays.pop("0.rows"),
}  # fmt: skip
UNSEEN = {  # counts of moves beyond bounds that no one knows
    "another tried: beyond",
}


def test_forged_checkpoints_are_refused_in_one_sentence(tmp_path):
    posterior = posterior_of()
    kept = sample(posterior, checkpoint=tmp_path / "run", **FORGED_RUN)
    whole = {file: file.read_bytes() for file in tmp_path.iterdir()}
    said = {}
    for title, change in FORGERIES.items():
        rewrite(tmp_path, change)
        try:
            sample(posterior, checkpoint=tmp_path / "run", **FORGED_RUN)
        except InputError as error:
            said[title] = str(error)
        for file in tmp_path.iterdir():
            file.unlink()
        for file, content in whole.items():
            file.write_bytes(content)
    assert FORGERIES.keys() - said.keys() == UNSEEN
    for sentence in said.values():
        assert str(tmp_path / "run") in sentence
        assert "\n" not in sentence
        assert sentence.count("; ") == 1
        assert sentence.endswith(".")
    rewrite(tmp_path, lambda head, arrays: None)
    assert same_draws(kept, sample(posterior, checkpoint=tmp_path / "run", **FORGED_RUN))


def test_a_checkpoint_that_unpacks_to_more_than_it_is_is_refused(tmp_path):
    posterior = posterior_of()
    sample(posterior, checkpoint=tmp_path / "run", **FORGED_RUN)
    for file in tmp_path.iterdir():
        with np.load(io.BytesIO(opened(file.read_bytes(), "bayesdnf.checkpoint").content)) as held:
            image = io.BytesIO()
            np.savez_compressed(image, bomb=np.zeros(10**6), **held)
        file.write_bytes(seal(image.getvalue(), "bayesdnf.checkpoint", 3))
    with pytest.raises(InputError, match="is a checkpoint that can be read"):
        sample(posterior, checkpoint=tmp_path / "run", **FORGED_RUN)


@pytest.mark.parametrize("path", ["", "."])
def test_a_checkpoint_needs_a_name(path):
    with pytest.raises(InputError, match=r"^Cannot keep a checkpoint in '\.?': name a file\.$"):
        sample(posterior_of(), checkpoint=path, **FORGED_RUN)


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
from tests.sampling.runs import posterior_of
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


@pytest.mark.long
def test_kills_lose_no_more_than_the_interval(tmp_path):
    """Kill a run again and again, at random times; it ends with the draws of a run left alone."""
    kills = int(os.environ.get("BAYESDNF_KILLS", "2"))
    interval = 0.3
    run = RUN | {"draws": 8_000 * kills, "thin": 50, "n_jobs": 2}
    rng = random.Random(1)
    out = tmp_path / "index.npy"
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
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
