"""A search that goes on from its checkpoint comes to what it would have come to."""

import json

import pytest

from bayesdnf import BitMatrix, Posterior, hunt, simulate
from bayesdnf.errors import InputError
from bayesdnf.files.states import read_state, write_state
from bayesdnf.search.restarts.restart import Restart

KIND = "bayesdnf.search-checkpoint"
RUN = {"restarts": 24, "agree": 48, "random_state": 0, "starts": ["x0", "x1 AND x2"]}


@pytest.fixture(scope="module")
def posterior():
    X, y, _ = simulate(200, 8, random_state=2)
    return Posterior(BitMatrix.from_table(X), y)


@pytest.fixture(scope="module")
def whole(posterior):
    return hunt(posterior, **RUN)


@pytest.fixture
def counted(monkeypatch):
    """Numbers of the restarts that are done."""
    done, restart = [], Restart.__call__
    monkeypatch.setattr(
        Restart, "__call__", lambda self, number: [done.append(number), restart(self, number)][1]
    )
    return done


@pytest.mark.parametrize("after", [3, 8, 19])
def test_an_interrupted_search_goes_on_to_the_same(posterior, whole, counted, tmp_path, after):
    def interrupt(done, most, best):
        if done == after:
            raise KeyboardInterrupt

    kept = tmp_path / "search"
    part = hunt(posterior, checkpoint=kept, progress=interrupt, **RUN)
    assert part.stopped == "interrupted"
    counted.clear()
    assert hunt(posterior, checkpoint=kept, **RUN) == whole
    assert counted == list(range(after, 24))
    assert hunt(posterior, checkpoint=kept, **RUN) == whole
    assert len(counted) == 24 - after


def test_restarts_cut_short_by_the_time_limit_are_not_kept(posterior, whole, tmp_path):
    kept = tmp_path / "search"
    for limit in (1e-9, 0.02):
        hunt(posterior, checkpoint=kept, time_limit=limit, **RUN)
    assert hunt(posterior, checkpoint=kept, **RUN) == whole


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda ends: ends.pop("starts"), "its contents are not as expected"),
        (lambda ends: ends["restarts"].append(3), "its contents are not as expected"),
        (lambda ends: ends["restarts"][0].__setitem__(1, 0.0), "functions with another score"),
        (lambda ends: ends["restarts"][0].__setitem__(0, [[1, [99]]]), "not on offer"),
        (lambda ends: ends["restarts"][0].__setitem__(0, [[2, [0]]]), "a term of no layer"),
        (lambda ends: ends["restarts"][0].__setitem__(3, "0"), "its contents are not as expected"),
        (lambda ends: ends["restarts"][0].__setitem__(4, [[-1]]), "not on offer"),
    ],
)
def test_forged_states_are_refused(posterior, tmp_path, change, said):
    kept = tmp_path / "search"
    hunt(posterior, checkpoint=kept, **{**RUN, "restarts": 1})
    head = json.loads(json.dumps(read_state(kept, KIND, 1).head))
    change(head)
    write_state(kept, KIND, 1, head, {})
    with pytest.raises(InputError, match=said):
        hunt(posterior, checkpoint=kept, **RUN)


def test_the_state_of_another_search_is_refused(posterior, tmp_path):
    kept = tmp_path / "search"
    hunt(posterior, checkpoint=kept, **{**RUN, "restarts": 1})
    for name, value in (("starts", []), ("random_state", 1), ("steps", 50)):
        with pytest.raises(InputError, match="is of another search: its "):
            hunt(posterior, checkpoint=kept, **{**RUN, name: value})
