"""What every sampler promises, whatever its moves (see ``bayesdnf.sampling.kernel``)."""

import threading
from itertools import pairwise

import numpy as np
import pytest

from bayesdnf import BitMatrix, BooleanFunction, Geometric, Posterior, Prior, _native, simulate
from bayesdnf.boolean import renumbered_parts
from bayesdnf.errors import InputError
from bayesdnf.model.rule import layers_of
from bayesdnf.sampling.kernel import MOVES, Snapshot
from bayesdnf.sampling.run import KERNELS
from tests.sampling.agreement import spelled

X, Y, _ = simulate(80, 6, terms=(2, 1), random_state=3)
START = BooleanFunction("x0 AND x1")


LISTS = {"layers": 3, "strata": np.arange(80) % 2}
OF_LISTS = [  # the paper's chain knows one term only
    "tempered, lists",
    pytest.param("informed, lists", marks=pytest.mark.slow),
    pytest.param("reversible_jump, lists", marks=pytest.mark.slow),
]


def posterior_of(of_lists):
    return Posterior(BitMatrix.from_table(X), Y, **(LISTS if of_lists else {}))


@pytest.fixture(params=[*KERNELS, *OF_LISTS])
def kernel(request):
    name, *of_lists = request.param.split(", ")
    return KERNELS[name](posterior_of(of_lists))


def start(kernel, key=(1, 2)):
    return kernel.init(START, _native.Philox(list(key)))


def advance(kernel, snapshot, steps, every=1):
    return kernel.advance(snapshot, steps, every, _native.StopFlag())


def drawn(*infos):
    """Functions drawn and log likelihoods at all temperatures, one draw after the other."""
    functions = [spelled(info.functions)[i] for info in infos for i in info.draws.tolist()]
    return functions, np.concatenate([info.likelihoods for info in infos]).tolist()


def counts(*infos):
    """What was tried and what succeeded, added up."""
    fields = ("tried", "changed", "exchanges_tried", "exchanged")
    return [sum(getattr(info, field) for info in infos).tolist() for field in fields]


def is_plain(value):
    if isinstance(value, tuple):
        return all(map(is_plain, value))
    return type(value) is int


def test_what_a_kernel_says_of_itself(kernel):
    assert KERNELS[kernel.name](kernel.posterior).betas == kernel.betas
    assert kernel.betas[0] == 1
    assert all(hotter < colder for colder, hotter in pairwise(kernel.betas))


def test_init(kernel):
    snapshot = start(kernel)
    assert snapshot == start(kernel)
    assert snapshot.functions == (((0, 1),),) * len(kernel.betas)
    assert snapshot.key == (1, 2)
    assert snapshot.step == 0


def test_init_leaves_the_stream_alone(kernel):
    stream = _native.Philox([1, 2])
    kernel.init(START, stream)
    assert stream.state == _native.Philox([1, 2]).state


def test_advance_is_a_function_of_the_snapshot(kernel):
    snapshot, _ = advance(kernel, start(kernel), 50)
    copy = Snapshot(*snapshot)
    one, info = advance(kernel, snapshot, 300)
    other, same = advance(kernel, copy, 300)
    assert one == other != snapshot == copy
    assert drawn(info) == drawn(same)
    assert counts(info) == counts(same)


def test_a_kernel_made_anew_goes_on_alike(kernel):
    snapshot, _ = advance(kernel, start(kernel), 50)
    again = KERNELS[kernel.name](posterior_of(kernel.posterior.layers > 1))
    assert advance(again, snapshot, 300)[0] == advance(kernel, snapshot, 300)[0]


def test_streams_matter(kernel):
    one, other = (advance(kernel, start(kernel, key), 300)[1] for key in [(0, 0), (0, 1)])
    assert drawn(one) != drawn(other)


@pytest.mark.parametrize("every", [1, 7])
def test_chunks_do_not_matter(kernel, every):
    whole, info = advance(kernel, start(kernel), 400, every)
    snapshot, parts = start(kernel), []
    for steps in (1, 0, 9, 93, 97, 200):
        snapshot, part = advance(kernel, snapshot, steps, every)
        parts.append(part)
    assert snapshot == whole
    assert drawn(*parts) == drawn(info)
    assert counts(*parts) == counts(info)


def test_snapshots_are_plain_data(kernel):
    for snapshot in (start(kernel), advance(kernel, start(kernel), 100)[0]):
        assert is_plain(tuple(snapshot))
        hash(snapshot)


def test_draws_are_every_so_many_steps_of_the_chain(kernel):
    _, every_step = advance(kernel, start(kernel), 100)
    functions, likelihoods = drawn(every_step)
    assert len(functions) == 100
    snapshot, first = advance(kernel, start(kernel), 33, every=10)
    _, second = advance(kernel, snapshot, 67, every=10)
    assert (len(first.draws), len(second.draws)) == (3, 7)
    assert drawn(first, second) == (functions[9::10], likelihoods[9::10])


def test_draws_are_described(kernel):
    """Scores and counts are those of the functions, and those are allowed."""
    posterior = kernel.posterior
    snapshot, info = advance(kernel, start(kernel), 3000)
    functions = spelled(info.functions)
    assert len(set(functions)) == len(functions) > 1
    spoken = [posterior.spell(info.functions, i) for i in range(len(functions))]
    assert max(len(layers_of(rule)) for rule in spoken) == posterior.layers
    assert all(posterior.support.allowed(function) for function in spoken)
    scores = posterior.scores(spoken)
    assert np.isfinite(scores.log_score).all()
    np.testing.assert_array_equal(info.log_prior, scores.log_prior)
    np.testing.assert_array_equal(info.log_likelihood, scores.log_likelihood)
    np.testing.assert_array_equal(info.cells, scores.cells)
    np.testing.assert_array_equal(info.likelihoods[:, 0], info.log_likelihood[info.draws])
    assert info.likelihoods.shape == (3000, len(kernel.betas))
    parts = [rule(X) for rule in spoken]
    truth = [(renumbered_parts(p) if posterior.layers > 1 else p).tobytes() for p in parts]
    hashes = [row.tobytes() for row in info.rows]
    assert len(set(truth)) == len(set(hashes)) == len(set(zip(truth, hashes, strict=True)))
    last = [[] for _ in range(max(snapshot.layers[0], default=0))]
    for term, layer in zip(snapshot.functions[0], snapshot.layers[0], strict=True):
        last[layer - 1].append(frozenset(term))
    assert functions[info.draws[-1]] == tuple(map(frozenset, last))


def test_steps_are_counted(kernel):
    snapshot, info = advance(kernel, start(kernel), 1000)
    assert snapshot.step == 1000
    assert info.tried.sum() == 1000
    assert (info.changed <= info.tried).all()
    assert info.changed.sum() > 0
    used = {move for move, tried in zip(MOVES, info.tried, strict=True) if tried}
    assert used == set(kernel.mix)
    functions, _ = drawn(info)
    moved = sum(a != b for a, b in pairwise(functions))
    exchanged = info.exchanged[:1].sum()
    assert moved <= info.changed.sum() + exchanged
    # Neighbours exchange every ten steps, those of even and odd number in turn.
    assert info.exchanges_tried.tolist() == [50] * (len(kernel.betas) - 1)
    assert (info.exchanged <= info.exchanges_tried).all()


def test_told_to_stop_before(kernel):
    stop = _native.StopFlag()
    stop.stop()
    snapshot = start(kernel)
    then, info = kernel.advance(snapshot, 100, 1, stop)
    assert then == snapshot
    assert len(info.draws) == info.tried.sum() == 0


@pytest.mark.slow
def test_told_to_stop_in_the_middle(kernel):
    """It ends between two steps, and what follows is as if it had not."""
    stop = _native.StopFlag()
    timer = threading.Timer(0.05, stop.stop)
    timer.start()
    then, info = kernel.advance(start(kernel), 10**12, 500, stop)
    timer.join()
    assert info.tried.sum() == then.step > 0
    assert len(info.draws) == then.step // 500
    whole, same = advance(kernel, start(kernel), then.step, 500)
    assert whole == then
    assert drawn(same) == drawn(info)
    assert advance(kernel, whole, 100)[0] == advance(kernel, then, 100)[0]


REFUSED = {
    "x0 OR (x0 AND x1)": "the term 'x0 AND x1' is implied by another term",
    "": "its prior probability is 0",
    "x0 OR x1 OR x2 OR x3": "it has 4 terms and max_terms is 3",
}


@pytest.mark.parametrize("function", REFUSED)
@pytest.mark.parametrize("name", KERNELS)
def test_starts_outside_the_support_are_refused(name, function):
    posterior = Posterior(BitMatrix.from_table(X), Y, Prior(Geometric(0.5), max_terms=3))
    outside = BooleanFunction(function) if function else BooleanFunction()
    with pytest.raises(InputError) as error:
        KERNELS[name](posterior).init(outside, _native.Philox([0, 0]))
    assert str(error.value) == f"A chain cannot start at {outside}: {REFUSED[function]}."


def test_an_unknown_column_is_refused(kernel):
    with pytest.raises(InputError, match="x9"):
        kernel.init(BooleanFunction("x9"), _native.Philox([0, 0]))
