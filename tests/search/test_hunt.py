"""Our search: exact on small problems, the same on any number of threads, and always explained."""

import math
import os
import subprocess
import sys
import threading
from importlib import import_module

import numpy as np
import pandas as pd
import pytest

from bayesdnf import (
    BitMatrix,
    BooleanFunction,
    Effect,
    Geometric,
    LiteralEncoder,
    Poisson,
    Posterior,
    Prior,
    Tabulated,
    Uniform,
    _native,
    best_function,
    best_term,
    datasets,
    hunt,
    simulate,
)
from bayesdnf.errors import InputError, ParameterError
from bayesdnf.model.streams import NumberedRuns
from bayesdnf.search.restarts.tally import Tally
from tests.fewer import first

ROUNDING = 1e-8
SIGNALS = [[], [[0, 1], [2]], [[0, 1], [1, 2], [0, 2]], [[0, 1, 2], [1, 3]]]


def small_posterior(seed, prior=None, effect=None):
    """p = 4 or 5; noise or a function with noise; missing values and weights now and then."""
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(10, 200)), 4 + seed % 2
    X = (rng.random((n, p)) < rng.uniform(0.2, 0.8, p)).astype(float)
    marked = np.zeros(n, dtype=bool)
    for term in SIGNALS[seed // 2 % 4]:
        marked |= X[:, term].all(axis=1)
    y = rng.random(n) < np.where(marked, rng.uniform(0.5, 1), rng.uniform(0, 0.5))
    y[:2] = [True, False]
    if seed % 3 == 0:
        X[rng.random((n, p)) < 0.15] = np.nan
    weights = rng.integers(1, 5, n) if seed % 5 == 0 else None
    return Posterior(BitMatrix.from_table(X), y, prior, effect, sample_weight=weights)


# Where the null function has no mass, the best that can be said of noise may be a term that no
# positive row satisfies.
PRIORS = {
    "default": Prior(),
    "many terms": Prior(count=Geometric(0.1), size=Poisson(5), orderings=False),
    "flat": Prior(count=Uniform(8), size=Uniform()),
    "weighted": Prior(weights={"x0": 5.0, "x3": 0.2}),
    "no single literals": Prior(size=Tabulated([0, 0, 1, 1])),
    "two terms at most": Prior(max_terms=2),
    "three literals at most": Prior(max_literals=3),
    "disjoint": Prior(disjoint=True),
    "five rows a term": Prior(min_cover=5),
}


@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize("name", PRIORS)
@pytest.mark.parametrize("seed", first(range(6), 2))
def test_equals_the_best_of_all_functions(seed, name, ordered):
    posterior = small_posterior(seed, PRIORS[name], Effect(ordered=ordered))
    found = hunt(posterior, steps=2000, random_state=seed)
    best = best_function(posterior)
    assert found.log_posterior == pytest.approx(best.log_posterior, abs=ROUNDING)
    assert found.log_posterior == posterior.log_score(found.function)


@pytest.mark.parametrize("seed", first(range(15), 6))
def test_equals_the_best_term_when_only_one_is_allowed(seed):
    rng = np.random.default_rng(seed)
    X, y, _ = simulate(200, 12, terms=(3,), pi0=0.3, pi1=0.8, random_state=seed)
    if seed % 3 == 0:
        y = rng.permutation(y)
    bits = LiteralEncoder(negations=seed % 2 == 0).fit_encode(X)
    posterior = Posterior(bits, y, Prior(max_terms=1))
    found = hunt(posterior, random_state=seed)
    assert found.log_posterior == pytest.approx(best_term(posterior).log_posterior, abs=ROUNDING)
    assert len(found.function) <= 1


@pytest.fixture(scope="module")
def hard():
    """Five terms and noise on 60 columns: restarts that do not all agree."""
    return simulate(300, 60, terms=(2, 3, 2, 3, 2), pi0=0.2, pi1=0.8, random_state=4)


@pytest.fixture(scope="module")
def mushroom():
    """The table and the prior whose best function is known."""
    X, y = datasets.load_mushroom()
    prior = Prior(count=Geometric(0.1), size=Poisson(5), orderings=False)
    return Posterior(LiteralEncoder(negations=False).fit_encode(X), y, prior, positive="p")


@pytest.mark.parametrize("n_jobs", [2, 4])
@pytest.mark.parametrize("settings", [{}, {"restarts": 13, "agree": 13, "steps": 300}])
def test_the_result_does_not_depend_on_threads(hard, n_jobs, settings):
    posterior = Posterior(BitMatrix.from_table(hard.X), hard.y)
    one = hunt(posterior, random_state=3, **settings)
    assert hunt(posterior, random_state=3, n_jobs=n_jobs, **settings) == one


def test_the_same_seed_gives_the_same_result(hard):
    posterior = Posterior(BitMatrix.from_table(hard.X), hard.y)
    assert hunt(posterior, random_state=5) == hunt(posterior, random_state=5)
    child = np.random.SeedSequence(5)
    assert hunt(posterior, random_state=child) == hunt(posterior, random_state=5)


def test_seeds_differ(mushroom):
    """Else agreement between restarts would mean nothing."""
    ends = {
        hunt(mushroom, random_state=seed, restarts=4, agree=4, steps=50).agreement
        for seed in range(6)
    }
    assert len(ends) > 1


def test_the_order_of_rows_does_not_matter(hard):
    X, y, _ = hard
    posterior = Posterior(BitMatrix.from_table(X), y)
    order = np.random.default_rng(0).permutation(len(y))
    shuffled = Posterior(BitMatrix.from_table(X.iloc[order]), y[order])
    assert hunt(shuffled, random_state=1) == hunt(posterior, random_state=1)


def test_repeated_rows_are_weighted_rows(hard):
    X, y, _ = hard
    weights = np.random.default_rng(0).integers(0, 4, len(y))
    rows = np.repeat(np.arange(len(y)), weights)
    repeated = Posterior(BitMatrix.from_table(X.iloc[rows]), y[rows])
    weighted = Posterior(BitMatrix.from_table(X), y, sample_weight=weights)
    settings = {"steps": 1000, "restarts": 10, "random_state": 1}
    assert hunt(repeated, **settings) == hunt(weighted, **settings)


SIMD_PROGRAM = """
from bayesdnf import BitMatrix, Posterior, _native, hunt, simulate
X, y, _ = simulate(300, 60, terms=(2, 3, 2, 3, 2), pi0=0.2, pi1=0.8, random_state=4)
found = hunt(Posterior(BitMatrix.from_table(X), y), steps=1000, random_state=2)
print(_native.simd(), found.log_posterior.hex(), found)
"""


def run_python(program, **environment):
    return subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    ).stdout


@pytest.mark.slow
def test_every_instruction_set_gives_the_same_bytes():
    texts = {}
    for simd in _native.available_simd():
        name, text = run_python(SIMD_PROGRAM, BAYESDNF_SIMD=simd).split(" ", 1)
        assert name == simd
        texts[simd] = text
    assert len(set(texts.values())) == 1


RESTRICTED = {
    "max_terms": Prior(max_terms=2),
    "max_literals": Prior(max_literals=5),
    "disjoint": Prior(disjoint=True),
    "min_cover": Prior(min_cover=60),
    "no single literal": Prior(size=Tabulated([0, 0, 1, 1])),
    "no null": Prior(count=Geometric(0.5)),
    "antichain": Prior(count=Geometric(0.1), size=Poisson(1)),
}


def keeps(name, function, posterior):
    sizes = [len(term) for term in function.terms]
    attributes = [{literal.attribute for literal in term} for term in function.literal_terms]
    return {
        "max_terms": len(sizes) <= 2,
        "max_literals": sum(sizes) <= 5,
        "disjoint": sum(map(len, attributes)) == len(set().union(*attributes)),
        "min_cover": all(posterior.counts(BooleanFunction([t])).n_marked >= 60
                         for t in function.terms),
        "no single literal": all(2 <= size <= 3 for size in sizes),
        "no null": len(sizes) >= 1,
        "antichain": function.absorb() == function,
    }[name]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("signal", [True, False])
@pytest.mark.parametrize("name", RESTRICTED)
def test_restrictions_are_kept(name, signal):
    X, y, _ = simulate(400, 12, terms=[[0, 1], [0, 2, 3], [4], [2, 5]], random_state=2)
    if not signal:
        y = np.random.default_rng(0).permutation(y)
    bits = LiteralEncoder(negations=True).fit_encode(X)
    posterior = Posterior(bits, y, RESTRICTED[name])
    found = hunt(posterior, random_state=0)
    assert posterior.support.reason(found.function) is None
    assert found.log_posterior == posterior.log_score(found.function) > -math.inf
    assert keeps(name, found.function, posterior)
    if signal:
        assert not found.function.is_null


@pytest.mark.slow
def test_nothing_is_found_in_noise():
    for seed in range(12):
        X, _, _ = simulate(500, 100, random_state=seed)
        y = np.random.default_rng(seed).integers(0, 2, 500)
        posterior = Posterior(BitMatrix.from_table(X), y)
        found = hunt(posterior, random_state=seed)
        assert found.function.is_null
        assert found.log_posterior == posterior.log_score(BooleanFunction())
        assert found.stopped == "agreement"


@pytest.mark.slow
@pytest.mark.parametrize("n", [100, 250, 500, 1000])
def test_no_regret_on_two_terms(n):
    for seed in range(10):
        X, y, truth = simulate(n, 100, random_state=1000 + seed)
        posterior = Posterior(BitMatrix.from_table(X), y)
        found = hunt(posterior, random_state=seed)
        assert found.log_posterior >= posterior.log_score(truth) - ROUNDING


@pytest.mark.slow
def test_no_regret_on_five_terms():
    for seed in range(3):
        X, y, truth = simulate(1000, 1000, terms=(2, 3, 4, 3, 2), random_state=seed)
        posterior = Posterior(BitMatrix.from_table(X), y)
        found = hunt(posterior, random_state=seed)
        assert found.log_posterior >= posterior.log_score(truth) - ROUNDING


@pytest.mark.slow
def test_the_best_known_function_of_mushroom(mushroom):
    found = hunt(mushroom, random_state=0, n_jobs=2)
    assert found.log_posterior >= -90.7386 + math.log(2) - 1e-4
    assert mushroom.counts(found.function)[2:] == (3916, 3916)  # no error
    assert found.agreement >= 5


def test_multiplexer():
    """Four terms of three literals; no literal and no pair says anything alone."""
    X = np.array(np.meshgrid(*[[0, 1]] * 6, indexing="ij")).reshape(6, -1).T
    y = X[np.arange(64), 2 + 2 * X[:, 0] + X[:, 1]]
    bits = LiteralEncoder(negations=True).fit_encode(pd.DataFrame(np.repeat(X, 4, axis=0)))
    posterior = Posterior(bits, np.repeat(y, 4))
    found = hunt(posterior, random_state=0)
    assert [len(term) for term in found.function.terms] == [3, 3, 3, 3]
    assert posterior.counts(found.function)[2:] == (128, 128)


@pytest.mark.parametrize(("found_by", "restarts"), [(100, 256), (200, 400), (400, 512)])
def test_a_search_goes_on_where_the_best_came_late(monkeypatch, found_by, restarts):
    class Late(Tally):
        found = property(lambda self: found_by, lambda self, value: None)

        def agrees(self):
            return False

    monkeypatch.setattr(import_module("bayesdnf.search.hunt"), "Tally", Late)
    posterior = small_posterior(0)
    found = hunt(posterior, steps=1, random_state=0)
    assert (found.stopped, found.restarts) == ("restarts", restarts)
    assert hunt(posterior, steps=1, restarts=7, random_state=0).restarts == 7


def test_restarts_are_counted_and_told():
    X, y, _ = simulate(300, 20, random_state=0)
    posterior = Posterior(BitMatrix.from_table(X), y)
    seen = []
    found = hunt(
        posterior,
        restarts=7,
        agree=8,
        steps=50,
        random_state=0,
        progress=lambda done, most, best: seen.append((done, most, best)),
    )
    assert found.stopped == "restarts"
    assert found.restarts == 7
    assert 1 <= found.agreement <= 7
    ended = [done for done, _, _ in seen if done]  # and now and then while one is waited for
    assert list(dict.fromkeys(ended)) == list(range(1, 8))
    assert {most for _, most, _ in seen} == {7}
    bests = [best for _, _, best in seen]
    assert bests == sorted(bests)
    assert bests[-1] == found.log_posterior
    assert not found.proved


def test_where_nothing_allowed_is_found_it_says_so():
    X, y, _ = simulate(60, 4, random_state=0)
    posterior = Posterior(BitMatrix.from_table(X), y, Prior(count=Geometric(0.5), min_cover=61))
    with pytest.raises(InputError, match="no function that the prior allows"):
        hunt(posterior, random_state=0)


def test_a_long_restart_is_told_of_before_it_ends():
    told, enough = [], threading.Event()

    def tell():
        told.append(len(told))
        if len(told) == 3:
            enough.set()

    runs = NumberedRuns(lambda number: enough.wait(60), _native.StopFlag(), tell)
    assert list(runs.in_order(range(1), 1)) == [True]
    assert told == [0, 1, 2]


def test_time_limit(hard):
    """It ends for that reason, with the best so far; how soon is for the benchmarks."""
    posterior = Posterior(BitMatrix.from_table(hard.X), hard.y)
    found = hunt(posterior, steps=10**9, restarts=10**6, agree=10**6, time_limit=0.3, n_jobs=2)
    assert found.stopped == "time limit"
    assert found.log_posterior == posterior.log_score(found.function)
    assert found.log_posterior > posterior.log_score(BooleanFunction())


def test_no_time_at_all_still_gives_a_function(hard):
    posterior = Posterior(BitMatrix.from_table(hard.X), hard.y)
    found = hunt(posterior, time_limit=1e-9, random_state=0)
    assert found.stopped == "time limit"
    assert found.log_posterior == posterior.log_score(found.function) > -math.inf


INTERRUPTED_PROGRAM = """
import os, signal, threading
signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job would ignore it
from bayesdnf import BitMatrix, BooleanFunction, Posterior, hunt, simulate
X, y, _ = simulate(300, 60, terms=(2, 3, 2, 3, 2), pi0=0.2, pi1=0.8, random_state=4)
posterior = Posterior(BitMatrix.from_table(X), y)
told = []
def interrupt(done, most, best):
    told.append(done)
    if told.count(1) == 1:  # restart 0 is told; the next would run for hours
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
found = hunt(posterior, steps=10**9, n_jobs=N_JOBS, random_state=0, progress=interrupt)
assert found.log_posterior == posterior.log_score(found.function)
assert found.log_posterior > posterior.log_score(BooleanFunction())
print(found.stopped, threading.active_count())
"""


@pytest.mark.slow
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_returns_the_best_so_far(n_jobs):
    program = INTERRUPTED_PROGRAM.replace("N_JOBS", str(n_jobs))
    stopped, threads = run_python(program).split()
    assert stopped == "interrupted"
    assert threads == "1"


WHOLE = "a whole number, 1 or more"
BAD = [
    ("restarts", 0, f"{WHOLE}, or None"),
    ("restarts", 2.5, f"{WHOLE}, or None"),
    ("agree", True, WHOLE),
    ("steps", -5, WHOLE),
    ("steps", "many", WHOLE),
    ("n_jobs", None, WHOLE),
    ("time_limit", 0, "a finite number of seconds above 0, or None"),
    ("time_limit", math.nan, "a finite number of seconds above 0, or None"),
    ("time_limit", "soon", "a finite number of seconds above 0, or None"),
    ("random_state", "x", "a whole number, 0 or more, a SeedSequence or None"),
]


@pytest.mark.parametrize(("name", "value", "must"), BAD)
def test_wrong_parameters(name, value, must):
    X, y, _ = simulate(100, 4, random_state=0)
    with pytest.raises(ParameterError) as error:
        hunt(Posterior(BitMatrix.from_table(X), y), **{name: value})
    message = f"The '{name}' parameter of hunt must be {must}. Got {value!r} instead."
    assert str(error.value) == message


def test_starts_are_bettered_and_do_not_count_as_restarts():
    X, y, truth = simulate(400, 12, terms=(2, 2), random_state=3)
    posterior = Posterior(BitMatrix.from_table(X), y)
    best = hunt(posterior, random_state=0)
    begun = hunt(posterior, random_state=0, starts=[truth, "x5"])
    assert begun.function == best.function
    assert (begun.restarts, begun.agreement) == (best.restarts, best.agreement)
    # A search that is not given time to begin still has what it was told.
    told = hunt(posterior, random_state=0, starts=[best.function], restarts=1, steps=1)
    assert told.log_posterior >= best.log_posterior - 1e-9
    with pytest.raises(InputError, match="cannot start from"):
        hunt(posterior, starts=["x0 AND x1 OR x0"])
