"""Scores of functions: against the twin, and unmoved by what must not matter."""

import gc
import math
import os
import re
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesdnf import (
    BitMatrix,
    BooleanFunction,
    Effect,
    Geometric,
    LiteralEncoder,
    Poisson,
    Posterior,
    Prior,
    _native,
    datasets,
    simulate,
)
from bayesdnf.errors import InputError, ParameterError, UnknownColumnError
from tests import reference
from tests.model.literal_worlds import LiteralWorld, literal_worlds, terms_of

EFFECTS = [
    Effect(),
    Effect(ordered=False),
    Effect(a0=2, b0=5, a1=3, b1=2, a=2, b=2),
    Effect(a0=0.5, b0=0.5, a1=0.5, b1=0.5),
    Effect(a0=1.25, b0=3, a1=1, b1=2, ordered=False, prevalence=0.1),
]


def posterior_of(world, prior=None, effect=None):
    return Posterior(
        world.bits(), world.y, prior, effect, positive=True, sample_weight=world.weights
    )


@given(world=literal_worlds(), effect=st.sampled_from(EFFECTS), data=st.data())
def test_log_score(world, effect, data):
    terms = data.draw(terms_of(world))
    posterior = posterior_of(world, Prior(), effect)
    marked = reference.function_truth(terms, world.columns, len(world.y))
    n, n_pos, n_marked, n_both = counts = reference.counts_of(marked, world.y, world.weights)
    p = len(world.literals)
    numbers = [[world.literals.index(x) for x in term] for term in terms]
    size = reference.truncated(reference.shifted_poisson(2), p)
    log_prior = reference.log_prior(numbers, p, reference.geometric(0.5, 0), size)
    parameters = effect.a0, effect.b0, effect.a1, effect.b1
    log_likelihood = (
        reference.log_collapsed(*counts, *parameters, ordered=effect.ordered is not False)
        if terms
        else reference.log_null(n, n_pos, effect.a, effect.b)
    )
    function = BooleanFunction(terms)
    assert posterior.counts(function) == counts
    assert posterior.log_likelihood(function) == pytest.approx(log_likelihood, abs=1e-8)
    if reference.is_allowed(terms, world.counted(), world.counted_weights()):
        assert posterior.log_prior(function) == pytest.approx(log_prior, abs=1e-10)
        assert posterior.log_score(function) == pytest.approx(log_prior + log_likelihood, abs=1e-8)
    else:
        assert posterior.log_prior(function) == -math.inf
        assert posterior.log_score(function) == -math.inf
    # Explicit rates, and those that fit best.
    pi0, pi1 = data.draw(st.tuples(*[st.floats(0, 1)] * 2))
    assert posterior.log_likelihood(function, pi0, pi1) == pytest.approx(
        reference.log_likelihood(*counts, pi0, pi1)
    )
    best = posterior.max_likelihood_rates(function)
    if 0 < n_marked < n:
        assert best == ((n_pos - n_both) / (n - n_marked), n_both / n_marked)
        at_best = posterior.log_likelihood(function, *best)
        assert at_best >= posterior.log_likelihood(function, pi0, pi1) - 1e-9
        assert at_best == pytest.approx(reference.log_likelihood(*counts, *best))
    else:
        assert [math.isnan(rate) for rate in best] == [n_marked == n, n_marked == 0]


def test_certain_rates():
    bits = BitMatrix.from_table(np.array([[1], [1], [0], [0]]))
    right = Posterior(bits, [1, 1, 0, 0])
    assert right.log_likelihood("x0", 0, 1) == 0
    assert right.log_likelihood("x0", 1, 0) == -math.inf
    assert Posterior(bits, [1, 0, 0, 0]).log_likelihood("x0", 0, 1) == -math.inf


@given(world=literal_worlds(), data=st.data(), seed=st.integers(0, 1000))
def test_scores_do_not_move(world, data, seed):
    """Row order, repetition against weight, rows of weight 0 and column order do not matter."""
    rng = np.random.default_rng(seed)
    functions = [BooleanFunction(data.draw(terms_of(world))) for _ in range(3)]
    weights = np.ones(len(world.y), int) if world.weights is None else world.weights
    table = np.array([world.columns[x] for x in world.literals]).T.astype(float)
    for j, literal in enumerate(world.literals):
        unknown = [v is None for v in world.values[literal.attribute]]
        table[unknown, j] = np.nan
    names = [f"c{j}" for j in range(table.shape[1])]
    renamed = [
        BooleanFunction([[names[world.literals.index(x)] for x in t] for t in f.literal_terms])
        for f in functions
    ]

    def score(rows, columns, weight):
        bits = BitMatrix.from_table(table[rows][:, columns], [names[j] for j in columns])
        return Posterior(bits, world.y[rows], sample_weight=weight).scores(renamed)

    rows, columns = np.arange(len(world.y)), np.arange(len(names))
    base = score(rows, columns, weights)
    order = rng.permutation(rows)
    repeated = rng.permutation(np.repeat(rows, weights))
    some = rng.integers(0, 2, len(rows))  # part of each weight is given as a row of its own
    split = np.concatenate([rows, rows])
    split_weights = np.concatenate([np.maximum(weights - some, 0), np.minimum(weights, some)])
    for other in (
        score(order, columns, weights[order]),
        score(repeated, columns, None),
        score(rows[weights > 0], columns, weights[weights > 0]),
        score(split, columns, split_weights),
        score(rows, rng.permutation(columns), weights),
    ):
        assert other.log_score.tobytes() == base.log_score.tobytes()
        np.testing.assert_array_equal(other.marked, base.marked)
        np.testing.assert_array_equal(other.verdict, base.verdict)


MANY = """
import hashlib
import numpy as np
from bayesdnf import BitMatrix, BooleanFunction, Effect, Posterior
rng = np.random.default_rng(5)
X = rng.random((3000, 40)) < rng.uniform(0.1, 0.9, 40)
y = rng.random(3000) < 0.1 + 0.8 * (X[:, 0] & X[:, 1])
functions = [
    BooleanFunction([[f"x{j}" for j in rng.integers(0, 40, 3)] for _ in range(4)])
    for _ in range(300)
]
weights = rng.integers(0, 5, 3000)
for effect in (Effect(), Effect(a0=0.5, b0=0.5, a1=0.5, b1=0.5)):
    posterior = Posterior(BitMatrix.from_table(X), y, effect=effect, sample_weight=weights)
    digests = {
        hashlib.sha256(posterior.scores(functions, n_jobs).log_score.tobytes()).hexdigest()
        for n_jobs in (None, 1, 2, 4)
    }
    assert len(digests) == 1
    print(*digests)
"""


@pytest.mark.slow
def test_threads_and_instruction_sets_give_the_same_bytes():
    outputs = set()
    for simd in _native.available_simd():
        environment = {**os.environ, "BAYESDNF_SIMD": simd}
        done = subprocess.run(
            [sys.executable, "-c", MANY], env=environment, capture_output=True, text=True,
            check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        outputs.add(done.stdout)
    assert len(outputs) == 1
    assert len(set(outputs.pop().split())) == 2


def test_more_threads_than_the_system_gives():
    world = LiteralWorld(1, 30, [], 0, weighted=False)
    bits = BitMatrix.from_table(np.array([world.values["x0"], world.values["x1"]]).T)
    posterior = Posterior(bits, world.y)
    functions = [BooleanFunction("x0"), BooleanFunction("x1"), BooleanFunction()] * 20
    many = posterior.scores(functions, n_jobs=10_000).log_score
    assert many.tobytes() == posterior.scores(functions).log_score.tobytes()
    with pytest.raises(ParameterError, match="The 'n_jobs' parameter"):
        posterior.scores(functions, n_jobs=0)


BEST_MUSHROOM = (
    "(bruises = f AND gill-spacing = c AND ring-type = e) OR (bruises = f AND stalk-root = c) OR "
    "(bruises = t AND gill-size = n AND stalk-shape = e) OR (odor = c) OR (odor = f) OR "
    "(spore-print-color = r)"
)


def test_mushroom():
    """The best function known on the full data, with its known score."""
    X, y = datasets.load_mushroom()
    bits = LiteralEncoder(negations=False).fit_encode(X)
    assert bits.n_literals == 116
    assert sum(len(group) - 1 for group in bits.equal_literals()) == 6  # 110 are distinct
    prior = Prior(Geometric(0.1, start=1), Poisson(5), "uniform", orderings=False)
    for ordered, expected in ((False, -90.7386), (True, -90.0455)):
        posterior = Posterior(bits, y, prior, Effect(ordered=ordered), positive="p")
        assert posterior.counts(BEST_MUSHROOM) == (8124, 3916, 3916, 3916)
        assert posterior.max_likelihood_rates(BEST_MUSHROOM) == (0, 1)
        assert posterior.log_score(BEST_MUSHROOM) == pytest.approx(expected, abs=5e-5)


def test_the_posterior_keeps_what_it_looks_at():
    def native():
        return Posterior(
            BitMatrix.from_table(np.tile([[1, 0], [0, 1]], (20_000, 1))), [1, 0] * 20_000
        ).native

    held = native()
    gc.collect()
    filler = [np.zeros(20_000) for _ in range(50)]
    starts, ends = np.array([0, 1]), np.array([0, 1])
    *_, cells = held.score(starts, ends, *np.array([[0], [1]], dtype=np.int32))
    assert cells.tolist() == [[[[0, 20_000], [20_000, 0]]]]
    assert len(filler) == 50


@pytest.fixture(scope="module")
def small():
    table = {"odor": ["f", "n", "n", "f"], "x": [1, 0, 1, 1], "age": [1.5, 2.5, 3.5, 4.5]}
    return Posterior(LiteralEncoder(negations=False).fit_encode(table), ["a", "b", "a", "b"])


@pytest.mark.parametrize(
    ("function", "message"),
    [
        ("odour = f", "The function names column 'odour', which the table does not have. Did you "),
        ("odor = z", "Literal 'odor = z' is not among the 6 literals on offer. On offer for that "),
        (
            "odor != f",
            "Literal 'odor != f' is not among the 6 literals on offer. On offer for that ",
        ),
        ("age < 2", "Literal 'age < 2' is not among the 6 literals on offer. Encode with negation"),
        ("NOT x", "Encode with negations=True to offer it."),
        ("age >= 1", "On offer for that column: age >= "),
    ],
)
def test_functions_the_table_cannot_judge(small, function, message):
    with pytest.raises(UnknownColumnError) as caught:
        small.log_score(function)
    assert message in str(caught.value)


@pytest.mark.parametrize(("pi0", "pi1"), [(None, 0.5), (0.5, None), (-0.1, 0.5), (0.5, math.nan)])
def test_impossible_rates(small, pi0, pi1):
    with pytest.raises(ParameterError, match=r"must be between 0 and 1 \(give both or none\)"):
        small.log_likelihood("x", pi0, pi1)


@pytest.mark.parametrize("table", [{"a": [0, 1]}, np.eye(2), None])
def test_a_table_has_to_be_encoded(table):
    said = f"LiteralEncoder().fit_encode(X) makes of a table. Got {type(table).__name__} instead."
    with pytest.raises(InputError, match=re.escape(said)):
        Posterior(table, [0, 1])


def test_rows_that_do_not_match():
    bits = BitMatrix.from_table(np.eye(3))
    with pytest.raises(InputError, match="y has 2 entries for 3 rows of X"):
        Posterior(bits, [0, 1])
    with pytest.raises(InputError, match="sample_weight"):
        Posterior(bits, [0, 1, 0], sample_weight=[1, 1])
    ready = Posterior(bits, [0, 1, 0]).bits
    with pytest.raises(InputError, match="A table as read is needed"):
        Posterior(ready, [0, 1, 0])


def test_malformed_requests_to_the_core(small):
    def ask(term_starts, literal_starts, literals):
        return small.native.score(
            np.array(term_starts, dtype=np.int64),
            np.array(literal_starts, dtype=np.int64),
            np.array(literals, dtype=np.int32),
            np.ones(max(0, len(literal_starts) - 1), dtype=np.int32),
        )

    assert len(ask([0], [0], [])[0]) == 0
    for wrong in (
        ([], [0], []), ([0, 2], [0, 1], [0]), ([0, 1], [0, 2], [0]), ([0, 2, 1], [0, 1], [0]),
        ([1, 1], [0, 1], [0]), ([0, 1], [0, 1], [6]), ([0, 1], [0, 1], [-1]), ([0, -1], [], []),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=r"must|outside"):
            ask(*wrong)


def test_literals_left_out_beforehand_are_paid_for():
    X, y, _ = simulate(100, 8, random_state=0)
    whole = Posterior(BitMatrix.from_table(X), y)
    few = Posterior(BitMatrix.from_table(X[["x0", "x1", "x2"]]), y, among=8)
    for rule in ("x0", "x1 AND x2", "x0 OR x1 AND x2", "FALSE"):
        assert few.log_score(rule) == pytest.approx(whole.log_score(rule), abs=1e-12)
    with pytest.raises(ParameterError, match="'among' parameter of Posterior must be 3 or more"):
        Posterior(BitMatrix.from_table(X[["x0", "x1", "x2"]]), y, among=2)
