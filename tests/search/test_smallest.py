"""The smallest function that fits every row, against trying all of them."""

import numpy as np
import pytest

from bayesdnf import BitMatrix, BooleanFunction, LiteralEncoder, datasets, smallest_function
from bayesdnf.errors import InputError, ParameterError
from bayesdnf.search import exact
from tests.search.labelled_tables import endgames


def test_mushroom_with_negations():
    X, y = datasets.load_mushroom()
    poisonous = np.asarray(y) == "p"
    bits = LiteralEncoder(negations=True).fit_encode(X)
    fewest_terms = smallest_function(bits, y, positive="p", random_state=0)
    assert fewest_terms.proved
    assert (fewest_terms.n_terms, fewest_terms.n_literals) == (3, 9)
    fewest_literals = smallest_function(bits, y, positive="p", minimize="literals", random_state=0)
    assert fewest_literals.proved
    assert (fewest_literals.n_terms, fewest_literals.n_literals) == (4, 8)
    for found in (fewest_terms, fewest_literals):
        assert (found.function(X) == poisonous).all()


def hard_table(n=150, p=40):
    rng = np.random.default_rng(5)
    return rng.integers(0, 2, (n, p)), rng.integers(0, 2, n)


def test_a_time_limit_ends_with_a_function_that_fits_and_a_bound():
    X, y = hard_table()
    bits = LiteralEncoder(negations=True).fit_encode(X)
    found = smallest_function(bits, y, method="exact", time_limit=1.0, random_state=0)
    assert not found.proved
    assert found.stopped == "time limit"
    assert 1 <= found.bound < found.n_terms
    assert found.gap == pytest.approx(1 - found.bound / found.n_terms)
    assert (found.function(bits) == (y == 1)).all()


def test_no_time_at_all_still_gives_a_function_that_fits():
    X, y = endgames()
    found = smallest_function(X, y, time_limit=1e-6, random_state=0)
    assert (found.function(X) == y).all()
    assert found.stopped == "time limit"


def test_interrupting_returns_the_best_so_far():
    X, y = hard_table(60, 20)
    bits = LiteralEncoder(negations=True).fit_encode(X)

    def interrupt(done, most, best):
        raise KeyboardInterrupt

    found = smallest_function(bits, y, progress=interrupt, random_state=0)
    assert found.stopped == "interrupted"
    assert not found.proved
    assert (found.function(bits) == (y == 1)).all()


def test_progress_tells_bound_and_size():
    told = []
    X, y = datasets.load_mushroom()
    found = smallest_function(
        X, y, positive="p", random_state=0, progress=lambda *numbers: told.append(numbers)
    )
    assert told[-1] == (found.n_terms, found.n_terms, found.n_terms)
    bounds = [bound for bound, _, _ in told]
    assert bounds == sorted(bounds)


def test_same_seed_same_function_on_any_number_of_threads():
    X, y = hard_table(80, 12)
    bits = LiteralEncoder(negations=True).fit_encode(X)
    runs = [
        smallest_function(bits, y, method="shadow", random_state=3, n_jobs=n_jobs)
        for n_jobs in (1, 2, 1)
    ]
    assert runs[0] == runs[1] == runs[2]


def test_rows_in_any_order_and_repeated_change_no_size():
    X, y = endgames()
    order = np.random.default_rng(0).permutation(np.repeat(np.arange(len(X)), 2))
    found = smallest_function(X.iloc[order], y[order], random_state=0)
    assert (found.n_terms, found.n_literals, found.proved) == (8, 24, True)


def test_without_positives_the_null_function():
    found = smallest_function(np.eye(3, dtype=int), [0, 0, 0])
    assert found.function == BooleanFunction()
    assert found.proved
    assert (found.n_terms, found.n_literals, found.bound, found.gap) == (0, 0, 0, 0)


def test_without_negatives_literals_that_cover_every_row():
    X = np.array([[1, 1, 0], [1, 0, 1], [0, 0, 1]])
    found = smallest_function(BitMatrix.from_table(X), [True, True, True])
    assert (found.n_terms, found.n_literals, found.proved) == (2, 2, True)
    assert found.function(X).all()


def test_one_label_needs_to_be_named():
    with pytest.raises(InputError, match="one label only, 'p'"):
        smallest_function(np.eye(2, dtype=int), ["p", "p"])
    assert smallest_function(np.eye(2, dtype=int), ["p", "p"], positive="p").n_terms == 2
    assert smallest_function(np.eye(2, dtype=int), ["p", "p"], positive=["q"]).n_terms == 0


def test_the_exact_searches_offer_it_too():
    assert exact.smallest_function is smallest_function


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"minimize": "rows"}, "'minimize' parameter of smallest_function must be one of terms"),
        ({"method": "fast"}, "'method' parameter of smallest_function must be one of auto"),
        ({"time_limit": 0}, "'time_limit' parameter of smallest_function must be a finite number"),
        ({"n_jobs": 0}, "'n_jobs' parameter of smallest_function must be a whole number"),
        ({"random_state": "x"}, "'random_state' parameter of smallest_function must be"),
        ({"positive": "z"}, "must be among the labels"),
    ],
)
def test_wrong_parameters(change, message):
    with pytest.raises(ParameterError, match=message):
        smallest_function(np.eye(2, dtype=int), [0, 1], **change)


def test_as_many_labels_as_rows():
    with pytest.raises(InputError, match="y has 3 entries for 2 rows"):
        smallest_function(np.eye(2, dtype=int), [0, 1, 1])
