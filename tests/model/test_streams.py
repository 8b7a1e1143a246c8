"""Random streams, and runs in the order of their numbers."""

import threading
import time

import numpy as np
import pytest

from bayesdnf import _native
from bayesdnf.errors import ParameterError
from bayesdnf.model.streams import NumberedRuns, Streams


def test_streams_depend_on_seed_and_number_alone():
    first, again, other = Streams(1, "hunt"), Streams(1, "hunt"), Streams(2, "hunt")
    assert first[3].state == again[3].state
    assert first[3].state != first[4].state
    assert first[3].state != other[3].state
    assert first.name == again.name != other.name


def test_a_child_is_a_seed_of_its_own():
    seeds = np.random.SeedSequence(7, spawn_key=(2,))
    child = Streams(seeds, "hunt").child(5)
    assert child.entropy == 7
    assert child.spawn_key == (2, 5)
    assert Streams(child, "hunt")[0].state != Streams(seeds, "hunt")[0].state


@pytest.mark.parametrize("seed", [-1, 1.5, "seed"])
def test_what_is_no_seed_is_refused(seed):
    with pytest.raises(ParameterError, match="'random_state' parameter of hunt"):
        Streams(seed, "hunt")


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_results_come_in_the_order_of_their_numbers(n_jobs):
    def run(number):
        time.sleep(0.01 * (number % 3))  # later ones end first
        return number

    runs = NumberedRuns(run, _native.StopFlag())
    assert list(runs.in_order(range(2, 9), n_jobs)) == list(range(2, 9))
    assert list(runs.unfinished()) == []


def test_runs_under_way_are_told_to_end_and_give_what_they_have():
    stop, begun = _native.StopFlag(), threading.Barrier(3)

    def run(number):
        if number == 0:
            return number
        begun.wait(10)
        while not stop():
            time.sleep(0.001)
        return -number

    runs = NumberedRuns(run, stop)
    results = runs.in_order(range(10), 3)
    assert next(results) == 0
    begun.wait(10)
    ended = list(runs.unfinished())
    assert ended[:2] == [-1, -2]
    results.close()


def test_somebody_is_heard_while_a_run_is_waited_for():
    told = []
    runs = NumberedRuns(lambda n: time.sleep(0.25), _native.StopFlag(), lambda: told.append(1))
    list(runs.in_order(range(1), 1))
    assert told
