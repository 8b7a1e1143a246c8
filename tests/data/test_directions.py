"""Directions of columns: which literals they leave, and that answers then keep to them."""

import numpy as np
import pytest

from bayesdnf import DNFClassifier, Effect, LiteralEncoder, PosteriorDNFClassifier
from bayesdnf.errors import InputError

TABLE = {
    "age": [31.5, 45.5, 62.5, 50.0],
    "stage": [1, 2, 3, 4],
    "ill": [0, 1, 1, 0],
    "odor": ["f", "n", "a", "f"],
}


def offered(monotonic_cst, **settings):
    encoder = LiteralEncoder(monotonic_cst=monotonic_cst, **settings).fit(TABLE)
    return encoder, [str(x) for x in encoder.literals_ if x.attribute != "odor"]


@pytest.mark.parametrize("negations", [True, False])
def test_a_direction_leaves_one_half_of_the_literals(negations):
    rising = ["age >= 40", "age >= 50", "age >= 60", "stage >= 2", "stage >= 3", "stage >= 4"]
    falling = [text.replace(">=", "<") for text in rising]
    up = {"age": 1, "stage": 1, "ill": 1}
    assert offered(up, negations=negations)[1] == [*rising, "ill"]
    down = dict.fromkeys(up, -1)
    assert offered(down, negations=negations)[1] == [*falling, "NOT ill"]


def test_an_array_says_the_same_as_a_dict_and_files_keep_it():
    one, names = offered({"age": -1, "stage": 0})
    other, same = offered(np.array([-1, 0, 0, 0]))
    assert names == same
    assert one.directions_ == other.directions_ == {"age": -1}
    again = LiteralEncoder.from_dict(other.to_dict())
    assert (again.literals_, again.directions_) == (one.literals_, {"age": -1})
    older = other.to_dict() | {"version": 2}
    del older["parameters"]["monotonic_cst"]
    for attribute in older["attributes"]:
        del attribute["order"]
    assert LiteralEncoder.from_dict(older).directions_ == {}


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"age": 2}, "monotonic_cst"),
        ("age", "monotonic_cst"),
        ([1, 0], "2 entries for 4 columns"),
        ({"agee": 1}, "Did you mean 'age'"),
        ({"odor": 1}, "have no order"),
    ],
)
def test_wrong_directions(given, named):
    with pytest.raises(InputError, match=named):
        offered(given)


@pytest.mark.parametrize("direction", [1, -1])
@pytest.mark.parametrize("kind", [DNFClassifier, PosteriorDNFClassifier])
def test_risks_keep_to_the_direction(kind, direction):
    rng = np.random.default_rng(0)
    age, dose = rng.normal(50, 15, 300), rng.integers(0, 5, 300)
    y = rng.random(300) < np.where((age > 40) & (age < 60) | (dose == 2), 0.9, 0.1)
    few = {"draws": 100, "warmup": 50, "chains": 2} if kind is PosteriorDNFClassifier else {}
    model = kind(monotonic_cst=[direction, direction], random_state=0, **few)
    X = np.column_stack([age, dose])
    model.fit(X, y)
    ages, doses = np.meshgrid(np.linspace(-10, 120, 40), np.arange(-1, 8), indexing="ij")
    grid = model.predict_proba(np.column_stack([ages.ravel(), doses.ravel()]))[:, 1]
    grid = direction * grid.reshape(ages.shape)
    assert (np.diff(grid, axis=0) >= -1e-12).all()
    assert (np.diff(grid, axis=1) >= -1e-12).all()
    free = kind(random_state=0, **few).fit(X, y).predict_proba(X)[:, 1]
    assert not np.allclose(free, model.predict_proba(X)[:, 1])


@pytest.mark.parametrize(
    ("settings", "strata", "why"),
    [
        ({"layers": 2}, None, "more than one layer"),
        ({"effect": Effect(ordered=False)}, None, "ordered=False"),
        ({}, [0, 1] * 20, "with strata"),
    ],
)
def test_directions_need_ordered_risks(settings, strata, why):
    X, y = {"age": list(range(40))}, [0, 0, 1, 1] * 10
    model = DNFClassifier(monotonic_cst={"age": 1}, **settings)
    with pytest.raises(InputError, match=why):
        model.fit(X, y, strata=strata)
