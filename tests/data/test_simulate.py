"""Simulated tables follow the model they claim, and bad requests are named."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayesdnf.boolean.function import BooleanFunction
from bayesdnf.boolean.literal import Literal
from bayesdnf.data import memory
from bayesdnf.data.simulate import simulate
from bayesdnf.errors import InputError, OutOfMemoryError, ParameterError


def marked_by(X, terms):
    """The OR of ANDs, spelled out: the slow twin of the function."""
    table = X.to_numpy()
    return np.array([any(all(row[j] for j in term) for term in terms) for row in table])


def assert_rate(outcomes, expected, sigmas=4.5):
    n = len(outcomes)
    assert n > 100
    spread = np.sqrt(expected * (1 - expected) / n)
    assert abs(np.mean(outcomes) - expected) <= sigmas * spread


def test_types_and_defaults():
    sample = simulate(random_state=0)
    assert sample.X.shape == (1000, 100)
    assert list(sample.X.columns) == [f"x{j}" for j in range(100)]
    assert set(sample.X.dtypes) == {np.dtype(np.uint8)}
    assert sample.y.dtype == np.uint8
    assert sample.y.shape == (1000,)
    assert set(np.unique(sample.y)) == set(np.unique(sample.X)) == {0, 1}


def literals(*names):
    return [Literal(name, "true") for name in names]


@pytest.mark.parametrize(
    ("terms", "expected"),
    [
        ((2, 2), [[0, 1], [2, 3]]),
        ([3], [[0, 1, 2]]),
        (np.array([1, 2]), [[0], [1, 2]]),
        ([[0, 1], [0, 5]], [[0, 1], [0, 5]]),
        ([(7,), {2, 3}], [[7], [2, 3]]),
    ],
)
def test_terms(terms, expected):
    X, y, function = simulate(400, 8, terms=terms, pi0=0, pi1=1, random_state=3)
    assert function == BooleanFunction([literals(*(f"x{j}" for j in t)) for t in expected])
    np.testing.assert_array_equal(y, marked_by(X, expected))


def test_a_function_with_negations():
    given_function = BooleanFunction([[Literal("x4", "true"), Literal("x1", "false")]])
    X, y, function = simulate(400, 6, terms=given_function, pi0=0, pi1=1, random_state=3)
    assert function == given_function
    np.testing.assert_array_equal(y, (X["x4"] == 1) & (X["x1"] == 0))


@pytest.mark.parametrize("sampling", ["random", "case-control"])
def test_the_null_function_marks_nobody(sampling):
    null = BooleanFunction([])
    sample = simulate(
        5000, 3, terms=null, pi0=0.5, pi1=1, beta=0.3, sampling=sampling, random_state=1
    )
    assert sample.function == null
    assert_rate(sample.y, 0.5)
    assert_rate(sample.X["x1"], 0.3)


@pytest.mark.parametrize(("pi0", "pi1"), [(0.1, 0.9), (0.3, 0.35), (0.8, 0.2)])
def test_rates_of_positives(pi0, pi1):
    X, y, _ = simulate(20_000, 10, terms=(2, 1), pi0=pi0, pi1=pi1, random_state=11)
    marked = marked_by(X, [[0, 1], [2]])
    assert_rate(y[marked], pi1)
    assert_rate(y[~marked], pi0)


def test_beta_of_each_column():
    beta = np.array([0.0, 0.02, 0.3, 0.5, 0.97, 1.0])
    X = simulate(20_000, 6, beta=beta, random_state=5).X
    for name, probability in zip(X, beta, strict=True):
        assert_rate(X[name], probability)


def test_one_beta_for_all_columns():
    assert_rate(simulate(2000, 50, beta=0.2, random_state=5).X.to_numpy().ravel(), 0.2)


def test_range_of_beta():
    means = simulate(20_000, 200, beta=(0.1, 0.9), random_state=5).X.mean().to_numpy()
    assert means.min() < 0.15
    assert means.max() > 0.85
    assert means.min() > 0.08
    assert means.max() < 0.92
    # Uniform on the range: mean 0.5, standard deviation 0.8 / sqrt(12).
    assert abs(means.mean() - 0.5) < 4.5 * 0.8 / np.sqrt(12 * 200)
    assert abs(means.std() - 0.8 / np.sqrt(12)) < 0.04


def test_a_list_of_two_is_one_beta_per_column():
    X = simulate(100, 2, terms=[1], beta=[0, 1], random_state=0).X
    assert X["x0"].sum() == 0
    assert X["x1"].sum() == 100


def test_columns_are_independent():
    X = simulate(20_000, 8, beta=0.5, random_state=9).X
    correlations = np.corrcoef(X.to_numpy(dtype=float).T) - np.eye(8)
    assert np.abs(correlations).max() < 4.5 / np.sqrt(20_000)


def same(a, b):
    return a.X.equals(b.X) and np.array_equal(a.y, b.y) and a.function == b.function


@pytest.mark.parametrize("sampling", ["random", "case-control"])
def test_same_seed_same_bytes(sampling):
    first = simulate(300, 30, sampling=sampling, random_state=42)
    assert same(first, simulate(300, 30, sampling=sampling, random_state=np.int64(42)))
    sequence = np.random.SeedSequence(42)
    assert same(first, simulate(300, 30, sampling=sampling, random_state=sequence))
    assert same(first, simulate(300, 30, sampling=sampling, random_state=sequence))
    generator = np.random.Generator(np.random.Philox(np.random.SeedSequence(42)))
    assert same(first, simulate(300, 30, sampling=sampling, random_state=generator))
    assert not same(first, simulate(300, 30, sampling=sampling, random_state=generator))
    assert not same(first, simulate(300, 30, sampling=sampling, random_state=43))


def test_no_seed_and_no_global_state():
    state = np.random.get_state()[1].copy()
    assert not same(simulate(50, 30), simulate(50, 30))
    np.testing.assert_array_equal(np.random.get_state()[1], state)


def test_blocks_leave_the_stream_as_it_is(monkeypatch):
    # Cells are drawn row by row, whatever the size of the blocks.
    whole = simulate(300, 30, random_state=1)
    monkeypatch.setattr("bayesdnf.data.simulate._BLOCK", 64)
    assert same(whole, simulate(300, 30, random_state=1))


@given(
    n=st.integers(2, 60),
    p=st.integers(1, 6),
    seed=st.integers(0, 2**63),
    data=st.data(),
)
@settings(max_examples=15)
def test_case_control_counts_are_exact(n, p, seed, data):
    cases = data.draw(st.integers(1, n - 1) | st.none())
    sample = simulate(n, p, terms=[1], sampling="case-control", n_cases=cases, random_state=seed)
    assert sample.X.shape == (n, p)
    assert sample.y.sum() == (n // 2 if cases is None else cases)


def test_case_control_keeps_the_distribution_within_each_class():
    # pi = .02 / .10 with a share of 1/4 marked: P(marked | case) = .1*.25 / (.1*.25 + .02*.75).
    X, y, _ = simulate(
        20_000,
        5,
        terms=(2,),
        beta=0.5,
        pi0=0.02,
        pi1=0.1,
        sampling="case-control",
        n_cases=8000,
        random_state=2,
    )
    marked = marked_by(X, [[0, 1]])
    assert y.sum() == 8000
    assert_rate(marked[y == 1], 0.025 / 0.04)
    assert_rate(marked[y == 0], 0.225 / 0.96)
    assert_rate(X["x3"][y == 1], 0.5)
    # Unmarked cases are an even mix of the three other patterns.
    assert_rate(X["x0"][(y == 1) & ~marked], 1 / 3)
    # Classes are in random order: the first half holds its share of the cases.
    assert_rate(y[:10_000], 0.4)


def test_rare_cases_are_found():
    sample = simulate(1000, 50, pi0=0, pi1=0.01, sampling="case-control", random_state=0)
    assert sample.y.sum() == 500
    np.testing.assert_array_equal(marked_by(sample.X, [[0, 1], [2, 3]])[sample.y == 1], True)


def test_cases_too_rare_to_reach():
    with pytest.raises(InputError) as caught:
        simulate(100, 10, pi0=0, pi1=1e-6, beta=0.5, sampling="case-control", random_state=0)
    text = str(caught.value)
    assert "positives in 1,0" in text
    assert "(a rate of " in text
    assert "too few to reach the 50 asked for" in text


def test_controls_too_rare_to_reach():
    with pytest.raises(InputError, match=r"found 0 negatives in .* \(a rate of 0\)"):
        simulate(100, 10, pi0=1, pi1=1, sampling="case-control", random_state=0)


BAD = [
    ("n_rows", 0),
    ("n_rows", 2.5),
    ("n_rows", True),
    ("n_columns", -1),
    ("pi0", -0.1),
    ("pi1", 1.5),
    ("pi1", float("nan")),
    ("pi0", "0.5"),
    ("beta", 1.2),
    ("beta", (0.5, 0.4)),
    ("beta", (-0.1, 0.4)),
    ("beta", (0.1, float("nan"))),
    ("beta", [0.1, 0.2, 0.3]),
    ("beta", ((0.1, 0.2), (0.3, 0.4))),
    ("beta", "half"),
    ("beta", None),
    ("terms", ()),
    ("terms", []),
    ("terms", 3),
    ("terms", "2,2"),
    ("terms", (2, 0)),
    ("terms", (2, 1.5)),
    ("terms", [[0, 1], []]),
    ("terms", [[0, 1], 2]),
    ("terms", (6, 5)),
    ("terms", [[0, 10]]),
    ("terms", [[-1]]),
    ("sampling", "cases"),
    ("n_cases", 5),
    ("random_state", -1),
    ("random_state", "seed"),
]


@pytest.mark.parametrize(("name", "value"), BAD, ids=repr)
def test_bad_parameters(name, value):
    arguments = {"n_rows": 100, "n_columns": 10, name: value}
    with pytest.raises(ParameterError) as caught:
        simulate(**arguments)
    text = str(caught.value)
    assert text.startswith(f"The '{name}' parameter of simulate must be ")
    assert text.endswith(f" Got {value!r} instead.")


@pytest.mark.parametrize("n_cases", [0, 100, 2.5, -1])
def test_bad_number_of_cases(n_cases):
    with pytest.raises(ParameterError, match=r"'n_cases' .* from 1 to 99 \(n_rows - 1\)"):
        simulate(100, 10, sampling="case-control", n_cases=n_cases)


def test_case_control_needs_two_rows():
    with pytest.raises(ParameterError, match=r"'n_rows' .* 2 or more for case-control"):
        simulate(1, 10, sampling="case-control")


def test_too_few_columns_are_named():
    with pytest.raises(ParameterError, match=r"within the 3 columns, x0 to x2\. Got \(2, 2\)"):
        simulate(10, 3, terms=(2, 2))


@pytest.mark.parametrize(
    ("literal", "match"),
    [
        (Literal("x10", "true"), "within the 10 columns, x0 to x9"),
        (Literal("age", "true"), "within the 10 columns, x0 to x9"),
        (Literal("x01", "true"), "within the 10 columns, x0 to x9"),
        (Literal("x1", "=", "f"), "a function of 0/1 columns"),
    ],
)
def test_functions_of_other_columns(literal, match):
    with pytest.raises(ParameterError, match=match):
        simulate(10, 10, terms=BooleanFunction([[literal]]))


def test_too_large_a_table(monkeypatch):
    monkeypatch.setattr(memory, "available_memory", lambda: 2**34)
    with pytest.raises(OutOfMemoryError) as caught:
        simulate(10**12, 100)
    assert str(caught.value) == (
        "A table of 1,000,000,000,000 rows by 100 columns needs 100.0 TiB, and 16.0 GiB are free. "
        "Use fewer rows or columns."
    )
