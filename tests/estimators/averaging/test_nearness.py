"""Losses of rules against averages, beside a slow twin."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayesdnf import BitMatrix, BooleanFunction, Posterior, sample
from bayesdnf.estimators.averaging import nearness
from bayesdnf.estimators.averaging.nearness import AveragedRows
from bayesdnf.estimators.averaging.representative import find_representative
from bayesdnf.model.flat_functions import as_flat
from tests.estimators.averaging.averaged_worlds import SETTINGS, world


@pytest.mark.parametrize("name", SETTINGS)
@given(seed=st.integers(0, 10_000))
@settings(max_examples=3)
def test_losses_are_those_of_the_slow_twin(name, seed):
    drawn, posterior, slow = world(seed, **SETTINGS[name])
    rows = AveragedRows(drawn, posterior)
    chosen = np.arange(min(8, drawn.n_functions))
    losses = rows.losses(drawn.functions.take(chosen)) / rows.total
    [base] = rows.losses(as_flat([()])) / rows.total
    for i in chosen:
        expected = slow.loss(drawn.function(int(i)))
        assert rows.exact_loss(drawn.functions.take([i])) == pytest.approx(expected, abs=1e-12)
        means = slow.means(drawn.function(int(i)))
        parts = drawn.function(int(i))(slow.table).astype(int)
        predicted = rows.predicted(drawn.functions.take([i]))[slow.strata, parts]
        np.testing.assert_allclose(predicted, means, atol=1e-12)
        # Rounded risks, and without the entropy of the averaged risks.
        same = slow.loss(BooleanFunction())
        assert losses[i] - base == pytest.approx(expected - same, abs=3e-4)


def test_of_large_tables_some_rows_are_looked_at(monkeypatch):
    drawn, posterior, slow = world(7, layers=2, n=400, strata=True)
    whole = find_representative(drawn, posterior, 4)
    monkeypatch.setattr(nearness, "_MOST_ROWS", 50)
    monkeypatch.setattr(nearness, "_MOST_OFFERED", 3)
    rows = AveragedRows(drawn, posterior)
    assert rows.total < 200
    assert len(rows.offered) == 3
    part = find_representative(drawn, posterior, 4)
    assert part.loss == pytest.approx(slow.loss(part.rule), abs=1e-12)
    assert part.loss < whole.base_loss
    assert part.cells.sum() == posterior.n


def test_crossed_rows_do_not_make_a_table_large(monkeypatch):
    drawn, posterior, _ = world(7, layers=2, n=400, strata=True)
    for most, share in ((posterior.bits.n_stored, 1), (posterior.bits.n_stored - 1, 2)):
        monkeypatch.setattr(nearness, "_MOST_ROWS", most)
        rows = AveragedRows(drawn, posterior, n_crossed=300)
        looked_at = -(-(posterior.bits.n_stored + 300) // share)
        assert rows.size == looked_at * len(rows.offered)


def test_parts_without_rows_predict_wider_means():
    rng = np.random.default_rng(0)
    north = np.arange(300) < 100
    # One column is never true in the south, the other never in the north.
    X = pd.DataFrame({"a": north, "b": ~north}) & (rng.random((300, 2)) < 0.5)
    y = rng.random(300) < np.where(X.any(axis=1), 0.9, 0.1)
    posterior = Posterior(BitMatrix.from_table(X), y, layers=2, strata=north)
    drawn = sample(posterior, draws=50, warmup=50, chains=1, thin=5, random_state=0)
    rows = AveragedRows(drawn, posterior, n_crossed=0)
    a, b = ([str(x) for x in drawn.literals].index(name) for name in X)
    rule = as_flat([[(1, [a]), (2, [a, b])]])
    cells, predicted = rows.averaged_cells(rule), rows.predicted(rule)
    south = posterior.strata.labels.index(False)
    assert cells[south, 1].sum() == cells[:, 2].sum() == 0
    np.testing.assert_allclose(predicted[south, 1], predicted[1 - south, 1])
    everywhere = cells.sum(axis=(0, 1)) / cells.sum()
    np.testing.assert_allclose(predicted[:, 2], [everywhere, everywhere])
