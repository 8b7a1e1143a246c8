"""Runs of several chains: their starts, threads, interruptions, time limits and errors."""

import os
import signal
import threading
import time

import numpy as np
import pandas as pd
import pytest

from bayesdnf import (
    BitMatrix,
    BooleanFunction,
    Effect,
    Geometric,
    Posterior,
    Prior,
    RuleList,
    sample,
)
from bayesdnf.errors import InputError, ParameterError
from bayesdnf.model.rule import layers_of
from bayesdnf.sampling.kernel import MoveKernel
from bayesdnf.sampling.samplers import informed
from bayesdnf.search.result import SearchResult
from tests.sampling.runs import posterior_of, posterior_of_lists, same_draws

SHORT = {"draws": 60, "warmup": 20, "thin": 7}


@pytest.mark.parametrize("kernel", ["informed", "tempered", "reversible_jump", "single_term"])
def test_draws_do_not_depend_on_threads(kernel):
    posterior = posterior_of()
    runs = [
        sample(posterior, kernel=kernel, n_jobs=jobs, random_state=3, **SHORT) for jobs in (1, 2, 4)
    ]
    assert same_draws(runs[0], runs[1])
    assert same_draws(runs[0], runs[2])
    assert runs[0].index.shape == (4, 60)


def test_draws_of_lists_do_not_depend_on_threads():
    posterior = posterior_of_lists()
    one, other = (sample(posterior, n_jobs=jobs, random_state=3, **SHORT) for jobs in (1, 2))
    assert same_draws(one, other)
    assert one.strata == ("f", "m")
    assert one.rates.shape == (4, 60, 2, 4)


def test_as_many_draws_as_asked_for_however_long_the_warm_up():
    drawn = sample(posterior_of(), draws=3, warmup=40, thin=2, random_state=0)
    assert drawn.n_draws == 3
    assert drawn.settings["warmup"] == 40


def test_another_seed_gives_other_draws():
    posterior = posterior_of()
    one, other = (sample(posterior, random_state=seed, **SHORT) for seed in (1, 2))
    assert not same_draws(one, other)


def test_scores_of_draws_are_the_posteriors():
    posterior = posterior_of(seed=4)
    drawn = sample(posterior, random_state=0, **SHORT)
    functions = [drawn.function(i) for i in range(drawn.n_functions)]
    scores = posterior.scores(functions)
    assert np.array_equal(scores.log_score, drawn.log_score)
    assert np.array_equal(scores.marked, drawn.marked)
    assert drawn.n_terms.tolist() == [len(f) for f in functions]
    assert drawn.n_literals.tolist() == [f.n_literals for f in functions]


@pytest.mark.parametrize(("layers", "stratified"), [(3, True), (2, False), (1, True)])
def test_scores_of_drawn_lists_are_the_posteriors(layers, stratified):
    posterior = posterior_of_lists(layers) if stratified else posterior_of(layers=layers)
    drawn = sample(posterior, random_state=0, **SHORT)
    rules = [drawn.function(i) for i in range(drawn.n_functions)]
    assert {type(rule) for rule in rules} == {RuleList if layers > 1 else BooleanFunction}
    scores = posterior.scores(rules)
    assert np.array_equal(scores.log_score, drawn.log_score)
    assert np.array_equal(scores.cells, drawn.cells)
    assert drawn.n_layers.tolist() == [len(layers_of(rule)) for rule in rules]
    assert drawn.n_layers.max() >= min(2, layers)
    assert drawn.n_terms.tolist() == [sum(map(len, layers_of(rule))) for rule in rules]
    assert drawn.noun == ("list" if layers > 1 else "function")


def test_rates_of_drawn_lists():
    """Around the means of their Betas, in every stratum, and none for parts that are not there."""
    posterior = posterior_of_lists(prior=Prior(count=Geometric(0.9, start=0)))
    starts = ["if x0 AND x1 elif x2 else", "else"]
    kernel = MoveKernel("still", posterior, {"flip": 1.0})
    drawn = sample(
        posterior, kernel=kernel, starts=starts, chains=2, draws=2000, warmup=0, thin=1,
        random_state=0,
    )  # fmt: skip
    n_parts = drawn.n_layers[drawn.index][:, :, None] + 1
    there = np.arange(4) < n_parts[..., None]
    assert (np.isfinite(drawn.rates) == there).all()
    often = np.flatnonzero(drawn.counts.sum(axis=0) > 300)
    assert {0, 2} <= set(drawn.n_layers[often].tolist())
    for number in often:
        rates = drawn.rates[drawn.index == number]
        n = drawn.n_layers[number] + 1
        positives, rows = drawn.cells[number, :, :n, 0], drawn.cells[number, :, :n].sum(axis=-1)
        expected = (positives + 1) / (rows + 2)
        assert rates[:, :, :n].mean(axis=0) == pytest.approx(expected, abs=0.04)


def test_most_drawn_come_first_and_each_once():
    drawn = sample(posterior_of(), random_state=0, **SHORT)
    assert (np.diff(drawn.frequency) <= 0).all()
    assert drawn.frequency.sum() == pytest.approx(1)
    assert drawn.weights.sum() == pytest.approx(1)
    texts = [str(drawn.function(i)) for i in range(drawn.n_functions)]
    assert len(set(texts)) == len(texts)


def test_rates_keep_their_order_and_the_null_has_one():
    posterior = posterior_of(seed=1, prior=Prior(count=Geometric(0.9, start=0)), n=20)
    drawn = sample(posterior, random_state=0, **SHORT)
    null = (drawn.n_terms == 0)[drawn.index]
    assert null.any()
    assert (drawn.pi0[null] == drawn.pi1[null]).all()
    assert (drawn.pi0[~null] < drawn.pi1[~null]).all()


def test_rates_are_the_populations_when_the_prevalence_is_known():
    posterior = posterior_of(effect=Effect(prevalence=0.01, sampling="case-control"))
    drawn = sample(posterior, random_state=0, **SHORT)
    assert drawn.pi0.max() < 0.05


def test_equal_columns_are_one():
    rng = np.random.default_rng(0)
    X = (rng.random((80, 3)) < 0.5).astype(int)
    y = X[:, 0] ^ (rng.random(80) < 0.1)
    table = pd.DataFrame({"first": X[:, 0], "second": X[:, 1], "copy": X[:, 0]})
    drawn = sample(Posterior(BitMatrix.from_table(table), y), random_state=0, **SHORT)
    names = [str(literal) for literal in drawn.literals]
    assert "copy" not in names
    assert [str(x) for x in drawn.equal[names.index("first")]] == ["copy"]


def test_starts_are_kept_to():
    posterior = posterior_of()
    start = BooleanFunction("x0 AND x1")
    drawn = sample(
        posterior, starts=[start, "x2"], chains=2, draws=1, warmup=0, thin=1, random_state=0
    )
    assert drawn.index.shape == (2, 1)
    with pytest.raises(ParameterError, match="4 functions"):
        sample(posterior, starts=[start])
    with pytest.raises(InputError, match=r"cannot start at .*implied by another term"):
        sample(posterior, starts=["x0 OR x0 AND x1"], chains=1)
    with pytest.raises(InputError, match="prior probability is 0"):
        sample(
            posterior_of(prior=Prior(count=Geometric(0.5))), starts=[BooleanFunction()], chains=1
        )


def test_time_limit_returns_what_there_is():
    began = time.monotonic()
    drawn = sample(posterior_of(), draws=10**7, warmup=10**6, time_limit=1.0, random_state=0)
    assert time.monotonic() - began < 30  # and not the hours that it would take
    assert drawn.settings["stopped"] == "time limit"
    assert drawn.n_draws >= 1
    assert len({len(row) for row in drawn.index}) == 1


def test_interrupt_returns_what_there_is():
    posterior = posterior_of()
    seen = threading.Event()

    def press():
        seen.wait(60)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=press, daemon=True).start()
    # A shell that starts the tests in the background has them ignore the signal.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        drawn = sample(
            posterior,
            draws=10**7,
            random_state=0,
            n_jobs=2,
            progress=lambda records, total: seen.set(),
        )
    finally:
        signal.signal(signal.SIGINT, before)
    assert drawn.settings["stopped"] == "interrupted"
    assert drawn.n_draws >= 1


def test_interrupt_between_rounds_returns_what_there_is():
    def press(records, total):
        raise KeyboardInterrupt

    drawn = sample(posterior_of(), draws=10**7, random_state=0, progress=press)
    assert drawn.settings["stopped"] == "interrupted"
    assert drawn.n_draws >= 1


def test_interrupt_before_the_first_draw_goes_on(monkeypatch):
    found = SearchResult(BooleanFunction(), 0.0, stopped="interrupted", agreement=1, restarts=1)
    monkeypatch.setattr("bayesdnf.sampling.run.hunt", lambda *_, **__: found)
    with pytest.raises(KeyboardInterrupt, match="stopped before the first draw"):
        sample(posterior_of(), random_state=0, **SHORT)


def test_progress_is_told_of_every_chain():
    told = []
    sample(
        posterior_of(),
        progress=lambda records, total: told.append(([len(r) for r in records], total)),
        random_state=0,
        **SHORT,
    )
    assert told[-1] == ([80] * 4, 80)


def test_a_kernel_of_ones_own():
    posterior = posterior_of()
    kernel = informed(posterior)
    assert same_draws(
        sample(posterior, kernel=kernel, random_state=0, **SHORT),
        sample(posterior, random_state=0, **SHORT),
    )


@pytest.mark.parametrize(
    ("name", "value", "must"),
    [
        ("draws", 0, "1 or more"),
        ("warmup", -1, "0 or more"),
        ("chains", 1.5, "a whole number"),
        ("thin", True, "a whole number"),
        ("n_jobs", 0, "1 or more"),
        ("time_limit", 0, "above 0"),
        ("kernel", "gibbs", "'informed', 'tempered'"),
        ("random_state", "x", "a whole number"),
    ],
)
def test_bad_parameters_are_named(name, value, must):
    with pytest.raises(ParameterError, match=f"'{name}' parameter of sample must be .*{must}"):
        sample(posterior_of(n=20, p=4), **{name: value})
