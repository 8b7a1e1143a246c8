"""Columns that decide the outcome alone are named; compared with a loop over rows."""

import numpy as np
import pytest

from bayesdnf import DNFClassifier, LiteralEncoder, Posterior
from bayesdnf.estimators.leakage import deciding_columns


def slow_errors(values, y):
    """Rows that are not of the class of most other rows with their value."""
    wrong = 0
    for i, value in enumerate(values):
        others = [y[j] for j in range(len(y)) if j != i and values[j] == value]
        alike = sum(other == y[i] for other in others)
        wrong += alike <= len(others) - alike
    return wrong


@pytest.mark.parametrize("seed", range(6))
def test_against_a_loop_over_rows(seed):
    rng = np.random.default_rng(seed)
    n = 300
    y = rng.random(n) < 0.4
    noisy = np.where(rng.random(n) < rng.choice([0, 0.002, 0.05]), ~y, y)
    level = np.where(noisy, rng.choice(["a", "b"], n), rng.choice(["c", "d", ""], n))
    number = np.where(noisy, 10.5, 0) + rng.random(n)
    table = {"level": level, "number": number, "stage": noisy * 2 + 1, "flag": noisy}
    table["other"] = rng.integers(0, 4, n)
    encoder = LiteralEncoder()
    found = deciding_columns(Posterior(encoder.fit_encode(table), y))
    cuts = sorted({x.value for x in encoder.literals_ if x.attribute == "number"})
    table["number"] = np.searchsorted(cuts, number, side="right")
    limit = 0.01 * min(y.sum(), (~y).sum())
    assert found == tuple(c for c, values in table.items() if slow_errors(values, y) <= limit)


def test_values_of_single_rows_decide_nothing_and_directions_do_not_matter():
    y = np.array([0, 1] * 40)
    table = {"id": [f"n{i}" for i in range(80)], "dose": y * 5.0 + np.arange(80) % 3 / 10}
    for direction in (0, 1, -1):
        encoder = LiteralEncoder(kinds={"id": "categorical"}, monotonic_cst={"dose": direction})
        assert deciding_columns(Posterior(encoder.fit_encode(table), y)) == ("dose",)


def test_the_summary_names_it():
    y = [0, 1] * 40
    model = DNFClassifier(random_state=0, restarts=2).fit({"paid": y, "age": range(80)}, y)
    assert "Possible leakage: 'paid' decides the outcome alone." in model.summary()
    assert "Possible leakage" in model._repr_html_()
