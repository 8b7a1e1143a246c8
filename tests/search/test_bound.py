"""Bounds against scoring every function."""

import itertools

import numpy as np
import pytest

from bayesdnf import (
    BitMatrix,
    DNFClassifier,
    LiteralEncoder,
    Posterior,
    bound,
    hunt,
    simulate,
)
from bayesdnf.errors import InputError, ParameterError


def multiplexer():
    """Two address bits choose one of four: 64 rows, three each, without noise."""
    X = np.repeat(np.array(list(itertools.product([0, 1], repeat=6))), 3, axis=0)
    y = X[np.arange(len(X)), 2 + 2 * X[:, 0] + X[:, 1]]
    table = {f"x{j}": column for j, column in enumerate(X.T)}
    return Posterior(LiteralEncoder().fit_encode(table), y)


def test_the_multiplexer_is_proved():
    posterior, heard = multiplexer(), []
    known = hunt(posterior, random_state=0)
    found = bound(posterior, known.function, progress=lambda *told: heard.append(told))
    assert heard[-1][1:] == (0, 0.0)
    assert found.proved
    assert found.log_posterior == known.log_posterior


def test_a_time_limit_leaves_a_gap_that_holds():
    posterior = multiplexer()
    found = bound(posterior, "x0", time_limit=1e-9)
    assert found.stopped == "time limit"
    assert found.log_posterior + found.gap >= hunt(posterior, random_state=0).log_posterior
    later = bound(posterior, "x0", time_limit=0.5)
    assert later.gap < found.gap


def test_few_literals_are_proved_by_scoring_all():
    X, y, truth = simulate(300, 5, random_state=1)
    posterior = Posterior(BitMatrix.from_table(X), y)
    found = bound(posterior, "x0")
    assert found.proved
    assert found.gap == 0
    assert found.log_posterior >= posterior.log_score(truth)


def test_the_classifier_tells_the_gap(tmp_path):
    X, y, _ = simulate(200, 4, random_state=1)
    model = DNFClassifier(prove=True, random_state=0).fit(X, y)
    assert (model.gap_, model.proved_, model.stopped_) == (0.0, True, "proved")
    model.save(tmp_path / "model.json")
    again = DNFClassifier.load(tmp_path / "model.json")
    assert (again.gap_, again.prove, again.summary()) == (0.0, True, model.summary())
    assert DNFClassifier(random_state=0).fit(X, y).gap_ is None
    X, y, _ = simulate(200, 12, random_state=1)
    short = DNFClassifier(prove=True, time_limit=0.3, random_state=0).fit(X, y)
    assert short.gap_ > 0
    assert f"No function scores more than {short.gap_:,.4g} nats higher." in short.summary()
    with pytest.raises(ParameterError, match="'prove' parameter of DNFClassifier must be False"):
        DNFClassifier(prove=True, layers=2).fit(X, y)
    with pytest.raises(ParameterError, match="must be True or False"):
        DNFClassifier(prove="yes").fit(X, y)


def test_wrong_input_is_refused():
    X, y, _ = simulate(60, 4, random_state=1)
    bits = BitMatrix.from_table(X)
    for posterior, has in (
        (Posterior(bits, y, layers=2), "2 layers, 1 stratum and 2 classes"),
        (Posterior(bits, y, strata=[0, 1] * 30), "1 layer, 2 strata and 2 classes"),
        (Posterior(bits, [0, 1, 2] * 20), "1 layer, 1 stratum and 3 classes"),
    ):
        with pytest.raises(InputError, match=f"two classes; the posterior has {has}."):
            bound(posterior)
    with pytest.raises(ParameterError, match="time_limit"):
        bound(Posterior(bits, y), time_limit=-1)
