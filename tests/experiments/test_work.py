"""How much is done, from which seeds, on how many threads."""

import pytest

from bayesdnf.errors import InputError
from bayesdnf.experiments.work import Work, stream


@pytest.mark.parametrize("jobs", [1, 3])
def test_work_keeps_the_order_and_tells_how_far_it_is(jobs):
    told = []
    work = Work(jobs=jobs, progress=lambda done, total: told.append((done, total)))
    assert work.each(lambda x: x * x, range(20)) == [x * x for x in range(20)]
    assert told == [(i + 1, 20) for i in range(20)]


def test_an_error_in_the_work_comes_out():
    def fails(x):
        if x == 3:
            raise InputError("three")
        return x

    with pytest.raises(InputError, match="three"):
        Work(jobs=2).each(fails, range(50))


def test_an_error_of_one_who_watches_comes_out():
    def fails(done, total):
        raise KeyError("watching")

    with pytest.raises(KeyError, match="watching"):
        Work(progress=fails).each(lambda x: x, range(3))


def test_no_items_are_no_work():
    assert Work().each(lambda x: x, []) == []


def test_quick_work_is_the_papers_ten_sets():
    assert (Work(quick=True).sets, Work().sets) == (10, 200)
    assert Work(quick=True).sets_in_words == "10 fresh data sets"
    assert "200 fresh data sets (the first 10" in Work().sets_in_words


def test_streams_differ_by_seed_and_by_each_number():
    states = {
        tuple(made.generate_state(2))
        for made in (stream(0), stream(1), stream(0, 0), stream(0, 1), stream(0, 0, 1))
    }
    assert len(states) == 5
    assert tuple(Work(seed=7).stream(2, 3).generate_state(2)) == tuple(
        stream(7, 2, 3).generate_state(2)
    )
