"""What is known of functions: every search and every sampler keeps to it."""

import functools
import itertools

import numpy as np
import pandas as pd
import pytest

from bayesdnf import (
    BitMatrix,
    BooleanFunction,
    DNFClassifier,
    LiteralEncoder,
    Posterior,
    Prior,
    Tabulated,
    anneal,
    best_function,
    best_term,
    hunt,
    sample,
)
from bayesdnf.errors import InputError, ParameterError, UnknownColumnError
from bayesdnf.model.enumerate import enumerate_functions
from bayesdnf.model.support import Verdict
from tests.fewer import first

P = 5
GROUPS = [
    {"apart": [["x0", "x1"]]},
    {"apart": [["x0", "x1", "x2"], ["x2", "x4"]]},
    {"at_most_one": [["x0", "x2"]]},
    {"at_most_one": [["x0", "x1", "x3"], ["x1", "x4"]]},
    {"required": ["x4"]},
    {"required": ["x3", "x4"]},
    {"apart": [["x0", "x1"]], "at_most_one": [["x2", "x3"]], "required": ["x4"]},
    {"apart": [["x3", "x4"]], "required": ["x3", "x4"]},
]
STRANDING = GROUPS[-1]  # a row holds both; shrunk to a term that is allowed it holds one
KNOWLEDGE = [
    *GROUPS,
    {"disjoint": True},
    {"max_terms": 1},
    {"max_terms": 2},
    {"max_literals": 3},
    {"size": Tabulated([0, 0, 1, 1])},  # no marker of a single literal, none of more than three
    {"count": Tabulated([0, 1, 1]), "size": Tabulated([0, 1, 0, 1])},  # a gap between the sizes
    {"weights": {"x0": 0.05, "x4": 20.0}},
    {"weights": {"x2": 9.0}, "size": Tabulated([0, 0, 1, 1]), "disjoint": True, "max_terms": 2},
]


def posterior_of(seed=0, n=60, **knowledge):
    rng = np.random.default_rng(seed)
    X = (rng.random((n, P)) < 0.5).astype(int)
    y = (X[:, 0] & X[:, 1]) | (X[:, 2] & X[:, 3]) | (rng.random(n) < 0.1)
    return Posterior(BitMatrix.from_table(X), y, Prior(**knowledge))


def keeps(
    function, apart=(), at_most_one=(), required=(), disjoint=False, max_terms=99, max_literals=99,
    size=None, count=None, weights=None,
):  # fmt: skip
    """The slow, obvious answer, from texts; weights rule nothing out."""
    terms = [set(term) for term in function.terms]
    used = set().union(*terms) if terms else set()
    return (
        all(len(term & set(group)) < 2 for term in terms for group in apart)
        and all(len(used & set(group)) < 2 for group in at_most_one)
        and set(required) <= used
        and (not disjoint or sum(map(len, terms)) == len(used))
        and len(terms) <= max_terms
        and sum(map(len, terms)) <= max_literals
        and (
            size is None or all(k < len(size.weights) and size.weights[k] for k in map(len, terms))
        )
        and (count is None or (len(terms) < len(count.weights) and count.weights[len(terms)] > 0))
    )


@functools.cache
def everything():
    return [
        BooleanFunction([[f"x{i}" for i in term] for term in terms])
        for terms in enumerate_functions(P)
    ]


@functools.cache
def allowed_otherwise():
    return posterior_of().scores(everything()).verdict == Verdict.ALLOWED


@pytest.mark.slow
@pytest.mark.parametrize("knowledge", first(GROUPS[::-1], 2))
def test_verdicts_are_the_slow_ones(knowledge):
    functions, otherwise = everything(), allowed_otherwise()
    told = posterior_of(**knowledge).scores(functions).verdict == Verdict.ALLOWED
    expected = otherwise & np.array([keeps(f, **knowledge) for f in functions])
    assert np.array_equal(told, expected)
    assert 0 < told.sum() < otherwise.sum()


@pytest.mark.parametrize("knowledge", GROUPS)
def test_a_literal_may_join_when_the_longer_term_is_allowed(knowledge):
    support = posterior_of(**(knowledge | {"required": None})).support
    table = support.bits.table
    for size in (1, 2, 3):
        for term in itertools.combinations(range(P), size):
            rest = BooleanFunction([["x2"]]) if 2 not in term else BooleanFunction()
            if not keeps(
                BooleanFunction([[f"x{i}" for i in term], *rest.terms]),
                knowledge.get("apart", ()),
                knowledge.get("at_most_one", ()),
            ):
                continue
            may = support.addable([table[i] for i in term], rest)
            for i in set(range(P)) - set(term):
                longer = BooleanFunction([[f"x{j}" for j in (*term, i)], *rest.terms])
                assert may[i] == keeps(
                    longer, knowledge.get("apart", ()), knowledge.get("at_most_one", ())
                )


@pytest.mark.slow
@pytest.mark.parametrize("seed", first(range(2)))
@pytest.mark.parametrize("knowledge", first(KNOWLEDGE[::-1], 8))
def test_searches_find_the_best_that_is_allowed(knowledge, seed):
    posterior = posterior_of(seed, **knowledge)
    exact = posterior.enumerate()
    assert all(keeps(f, **knowledge) for f in exact["function"])
    top = exact["log_posterior"].iloc[0]
    assert best_function(posterior).log_posterior == pytest.approx(top, abs=1e-9)
    found = hunt(posterior, random_state=seed)
    assert keeps(found.function, **knowledge)
    assert found.log_posterior == pytest.approx(top, abs=1e-9)
    singles = exact[exact["terms"] <= 1]
    single = best_term(posterior)
    if len(singles):
        assert single.proved
        assert keeps(single.function, **knowledge)
        assert single.log_posterior == pytest.approx(singles["log_posterior"].iloc[0], abs=1e-9)


@pytest.mark.parametrize("knowledge", [k for k in KNOWLEDGE if k != STRANDING])
@pytest.mark.parametrize("adaptive", [False, True])
def test_the_papers_annealing_keeps_to_it(knowledge, adaptive):
    posterior = posterior_of(1, **knowledge)
    found = anneal(posterior, chains=5, steps=3000, adaptive=adaptive, random_state=0)
    assert keeps(found.function, **knowledge)
    inside = [end for end in found.chains if np.isfinite(end.objective)]
    assert all(keeps(end.function, **knowledge) for end in inside)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("knowledge", "kernel"),
    [
        pytest.param(knowledge, kernel, marks=[pytest.mark.long] * (kernel != "informed" or i % 2))
        for kernel in ("informed", "tempered", "reversible_jump")
        for i, knowledge in enumerate(KNOWLEDGE)
    ],
)
def test_samples_are_allowed_and_have_the_exact_probabilities(knowledge, kernel):
    posterior = posterior_of(n=25, **knowledge)
    exact = posterior.enumerate()
    drawn = sample(posterior, kernel=kernel, draws=1500, thin=20, warmup=100, random_state=1)
    found = {drawn.function(i): drawn.frequency[i] for i in range(drawn.n_functions)}
    assert all(keeps(f, **knowledge) for f in found)
    shares = np.array([found.get(f, 0.0) for f in exact["function"]])
    assert abs(shares - exact["probability"]).sum() / 2 < 0.15


@pytest.mark.slow
@pytest.mark.parametrize(
    "knowledge", first([k for k in KNOWLEDGE if k != STRANDING and "count" not in k], 7)
)
def test_the_chain_of_one_term_keeps_to_it(knowledge):
    posterior = posterior_of(n=25, **knowledge)
    exact = posterior.enumerate()
    exact = exact[exact["terms"] == 1]
    drawn = sample(posterior, kernel="single_term", draws=1500, thin=20, warmup=100, random_state=1)
    found = {drawn.function(i): drawn.frequency[i] for i in range(drawn.n_functions)}
    assert all(keeps(f, **knowledge) for f in found)
    shares = np.array([found.get(f, 0.0) for f in exact["function"]])
    expected = exact["probability"] / exact["probability"].sum()
    assert abs(shares - expected).sum() / 2 < 0.1


def test_the_chain_of_one_term_says_when_there_is_none():
    with pytest.raises(InputError, match="No function of one term is allowed"):
        sample(posterior_of(**STRANDING), kernel="single_term", random_state=0)


@pytest.mark.parametrize("knowledge", KNOWLEDGE)
def test_draws_from_the_prior_are_allowed(knowledge):
    posterior = posterior_of(**knowledge)
    assert all(keeps(f, **knowledge) for f in posterior.prior.sample(posterior.bits, 200))


def test_a_column_stands_for_all_its_literals():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"odor": rng.choice(list("abc"), 60), "size": rng.choice(list("st"), 60)})
    y = (table["odor"] == "a") & (table["size"] == "s")
    bits = LiteralEncoder().fit_encode(table)
    together = BooleanFunction("odor = a AND size = s")
    assert Posterior(bits, y).support.allowed(together)
    apart = Posterior(bits, y, Prior(apart=[["odor", "size"]]))
    assert apart.support.reason(together) == (
        "the term 'odor = a AND size = s' holds literals that apart keeps from meeting"
    )
    # Two literals of one column are not two of the group.
    either = BooleanFunction("odor = a OR odor = b")
    assert Posterior(bits, y, Prior(at_most_one=[["odor", "size"]])).support.allowed(either)
    one = Posterior(bits, y, Prior(apart=[["odor = a", "size"]])).support
    assert one.allowed(BooleanFunction("odor = b AND size = s"))
    assert not one.allowed(together)


def test_reasons_are_given_in_words():
    required = posterior_of(required=["x4"]).support
    assert "required x4" in required.reason(BooleanFunction("x0"))
    assert "required x4" in required.reason(BooleanFunction())
    group = posterior_of(at_most_one=[["x0", "x1"]]).support
    assert "at_most_one" in group.reason(BooleanFunction("x0 OR x1"))


@pytest.mark.slow
def test_required_literals_are_found_among_many_columns():
    rng = np.random.default_rng(3)
    X = (rng.random((300, 200)) < 0.5).astype(int)
    y = (X[:, 0] & X[:, 1]) | (rng.random(300) < 0.1)
    posterior = Posterior(BitMatrix.from_table(X), y, Prior(required=["x150", "x151"]))
    found = hunt(posterior, random_state=0)
    assert {"x0", "x1", "x150", "x151"} <= {x for term in found.function.terms for x in term}
    drawn = sample(posterior, draws=50, warmup=20, thin=20, random_state=0)
    assert all(keeps(drawn.function(i), required=["x150", "x151"]) for i in range(20))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("apart", "x0"),
        ("apart", ["x0", "x1"]),
        ("at_most_one", [[0, 1]]),
        ("required", "x0"),
        ("required", [3]),
    ],
)
def test_wrong_shapes_are_refused(name, value):
    with pytest.raises(ParameterError, match=f"'{name}' parameter of Prior must be"):
        Prior(**{name: value})


def test_unknown_names_are_named():
    with pytest.raises(UnknownColumnError, match="'required' parameter of Prior names 'x9'"):
        posterior_of(required=["x9"])


def test_models_with_knowledge_are_saved(tmp_path):
    X, y = np.tile(np.eye(4, dtype=int), (20, 1)), np.tile([1, 0, 0, 1], 20)
    prior = Prior(apart=[["x0", "x1"]], at_most_one=[["x2", "x1"]], required=["x0"])
    clf = DNFClassifier(prior=prior, random_state=0).fit(X, y)
    clf.save(tmp_path / "model.json")
    again = DNFClassifier.load(tmp_path / "model.json")
    assert again.prior_ == prior
    assert again.function_ == clf.function_
