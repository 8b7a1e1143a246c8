"""The smallest function that fits every row, against trying all of them."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesdnf import BitMatrix, BooleanFunction, LiteralEncoder, datasets, smallest_function
from bayesdnf.errors import ContradictionError, InputError, ParameterError
from bayesdnf.search import cover, exact
from bayesdnf.search.decisive import decisive_rows

ORDERS = {"terms": lambda m, k: (m, k), "literals": lambda m, k: (k, m)}


def antichains(p):
    """Every set of terms none of which contains another: all monotone functions but true."""
    terms = [frozenset(s) for k in range(1, p + 1) for s in itertools.combinations(range(p), k)]

    def extend(chosen, rest):
        yield chosen
        for i, term in enumerate(rest):
            if not any(term <= other or other <= term for other in chosen):
                yield from extend([*chosen, term], rest[i + 1 :])

    return extend([], terms)


ANTICHAINS = {p: list(antichains(p)) for p in range(1, 5)}


def brute_force(X, y, minimize):
    """Size of the smallest function that fits, first number first; None when there is none."""
    best = None
    for terms in ANTICHAINS[X.shape[1]]:
        marked = np.zeros(len(X), dtype=bool)
        for term in terms:
            marked |= X[:, sorted(term)].all(axis=1)
        if (marked == y).all():
            size = ORDERS[minimize](len(terms), sum(map(len, terms)))
            best = size if best is None or size < best else best
    return best


def fewest_by_covers(truth, y, minimize, most=5):
    """The same for more literals: all consistent terms, then all small sets of minimal ones."""
    p = truth.shape[1]
    primes = []
    for k in range(1, p + 1):
        for term in map(frozenset, itertools.combinations(range(p), k)):
            holds = truth[:, sorted(term)].all(axis=1)
            if not (holds & ~y).any() and holds.any() and not any(q <= term for q, _ in primes):
                primes.append((term, holds))
    best = None
    for m in range(1, most + 1):
        for chosen in itertools.combinations(primes, m):
            if np.any([holds for _, holds in chosen], axis=0)[y].all():
                size = ORDERS[minimize](m, sum(len(term) for term, _ in chosen))
                best = size if best is None or size < best else best
        if best is not None and minimize == "terms":
            break
    return best


def sizes(found, minimize):
    return ORDERS[minimize](found.n_terms, found.n_literals)


def endgames():
    """Final boards of tic-tac-toe when x begins, and whether x has won."""
    lines = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
    boards, seen = {}, set()

    def play(board, player):
        if board in seen:
            return
        seen.add(board)
        for who in "xo":
            if any(all(board[i] == who for i in line) for line in lines):
                boards[board] = who == "x"
                return
        if "b" not in board:
            boards[board] = False
            return
        for i in range(9):
            if board[i] == "b":
                play(board[:i] + player + board[i + 1 :], "o" if player == "x" else "x")

    play("b" * 9, "x")
    table = pd.DataFrame([list(board) for board in boards], columns=[f"s{i}" for i in range(9)])
    return table, np.array(list(boards.values()))


@st.composite
def small_tables(draw, most_literals=4):
    p = draw(st.integers(1, most_literals))
    rows = draw(st.lists(st.integers(0, 2**p - 1), min_size=1, max_size=14))
    X = np.array([[row >> j & 1 for j in range(p)] for row in rows], dtype=bool)
    if draw(st.booleans()):  # mostly tables that some function fits
        truth = draw(st.sampled_from(ANTICHAINS[min(p, 4)]))
        y = np.zeros(len(X), dtype=bool)
        for term in truth:
            y |= X[:, sorted(term)].all(axis=1)
    else:
        y = np.array(draw(st.lists(st.booleans(), min_size=len(X), max_size=len(X))))
    return X, y


@given(small_tables(), st.sampled_from(["terms", "literals"]), st.booleans())
def test_equals_trying_every_monotone_function(table, minimize, by_generation):
    X, y = table
    bits = BitMatrix.from_table(X.astype(int))
    expected = brute_force(X, y, minimize)
    with pytest.MonkeyPatch.context() as patch:
        if by_generation:  # too many primes to list, as far as the search can tell
            patch.setattr(cover, "_ALL_TERMS", 0)
        if expected is None:
            with pytest.raises(ContradictionError):
                smallest_function(bits, y, minimize=minimize, random_state=0)
            return
        found = smallest_function(bits, y, minimize=minimize, random_state=0)
    assert sizes(found, minimize) == expected
    assert found.proved
    assert found.stopped == "proved"
    assert (found.bound, found.second_bound) == expected
    assert found.gap == 0 or y.sum() == 0
    assert (found.function(bits) == y).all()


@given(st.integers(0, 2**32), st.sampled_from(["terms", "literals"]), st.booleans())
def test_equals_all_covers_with_levels_negations_and_gaps(seed, minimize, by_generation):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 30))
    table = pd.DataFrame(
        {
            "a": rng.choice(["u", "v", "w"], n),
            "b": np.where(rng.random(n) < 0.1, np.nan, rng.integers(0, 2, n)),
            "c": rng.integers(0, 2, n),
        }
    )
    negations = bool(rng.integers(2))
    encoder = LiteralEncoder(negations=negations)
    bits = encoder.fit_encode(table)
    truth = np.column_stack([bits.truth(literal) for literal in bits.table])
    y = (table["a"] == "u") & (table["c"] == 1) | (table["b"] == 1) & (table["a"] != "v")
    y = y.to_numpy()
    expected = fewest_by_covers(truth, y, minimize)
    with pytest.MonkeyPatch.context() as patch:
        if by_generation:
            patch.setattr(cover, "_ALL_TERMS", 0)
        if not y.any():
            assert smallest_function(bits, y, random_state=0).function.is_null
            return
        try:
            found = smallest_function(bits, y, minimize=minimize, random_state=0)
        except ContradictionError:
            assert expected is None
            return
    assert found.proved
    assert (found.function(bits) == y).all()
    if expected is not None:
        assert sizes(found, minimize) == expected


@pytest.mark.parametrize("minimize", ["terms", "literals"])
def test_tic_tac_toe_is_the_eight_lines(minimize):
    X, y = endgames()
    assert (len(X), int(y.sum())) == (958, 626)
    bits = LiteralEncoder(negations=False).fit_encode(X)
    found = smallest_function(bits, y, minimize=minimize, random_state=0)
    assert found.proved
    assert (found.n_terms, found.n_literals) == (8, 24)
    assert (found.function(X) == y).all()
    assert all(text.endswith("= x") for term in found.function.terms for text in term)


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


def test_shadow_clustering_fits_and_claims_no_proof():
    X, y = datasets.load_mushroom()
    found = smallest_function(X, y, positive="p", method="shadow", random_state=0)
    assert (found.function(X) == (np.asarray(y) == "p")).all()
    assert found.n_terms <= 8
    assert not found.proved
    assert found.stopped == "shadow"
    assert found.bound == 1
    assert 0 < found.gap < 1


@given(small_tables(), st.sampled_from(["terms", "literals"]))
def test_shadow_clustering_fits_whatever_can_be_fitted(table, minimize):
    X, y = table
    bits = BitMatrix.from_table(X.astype(int))
    expected = brute_force(X, y, minimize)
    if expected is None:
        return
    found = smallest_function(bits, y, minimize=minimize, method="shadow", random_state=1)
    assert (found.function(bits) == y).all()
    assert sizes(found, minimize) >= expected
    assert found.bound <= expected[0]


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


def test_equal_rows_of_both_kinds_are_named_with_their_values():
    table = pd.DataFrame({"odor": ["f", "n", "n", "f"], "size": ["big", "big", "low", "big"]})
    with pytest.raises(ContradictionError) as error:
        smallest_function(table, ["p", "e", "e", "e"])
    assert str(error.value) == (
        "Row 0 is positive and row 3 is not, yet both hold the same literals (odor = f, "
        "size = big), so no function tells them apart."
    )


def test_a_row_within_a_negative_one_is_named():
    X = np.array([[0, 1, 0], [1, 0, 0], [1, 0, 1]])
    with pytest.raises(ContradictionError) as error:
        smallest_function(BitMatrix.from_table(X), [1, 1, 0])
    assert str(error.value) == (
        "Row 1 is positive and row 2 is not, yet every literal true in row 1 (x0) is also true in "
        "row 2, which only adds 'x2'; no function of these literals tells them apart. Encode with "
        "negations=True to offer more."
    )
    bits = LiteralEncoder(negations=True).fit_encode(X)
    assert (smallest_function(bits, [1, 1, 0]).function(bits) == [True, True, False]).all()


def test_a_positive_row_without_any_literal_is_named():
    X = np.array([[0, 1], [0, 0], [1, 0]])
    with pytest.raises(ContradictionError, match="Row 1 is positive but satisfies none of the 2"):
        smallest_function(BitMatrix.from_table(X), [1, 1, 0])
    with pytest.raises(ContradictionError, match="Row 1 is positive but satisfies none of the 2"):
        smallest_function(BitMatrix.from_table(X), [1, 1, 1])


def test_a_literal_true_on_every_negative_row_is_no_way_out():
    X = np.array([[1, 0], [1, 1], [1, 1]])
    with pytest.raises(ContradictionError, match="Row 0 is positive and row 1 is not"):
        smallest_function(BitMatrix.from_table(X), [1, 0, 0])


def test_missing_values_satisfy_neither_sign():
    table = pd.DataFrame({"a": [1, np.nan, 0], "b": [0, 1, 0]})
    bits = LiteralEncoder(negations=True).fit_encode(table)
    found = smallest_function(bits, [1, 1, 0])
    assert (found.function(table) == [True, True, False]).all()
    assert found.n_terms == 2


def test_rows_and_literals_that_decide_nothing_are_left_out():
    X = np.array(
        [
            [1, 1, 0, 1],  # holds all of the next row
            [1, 0, 0, 1],
            [0, 1, 1, 1],
            [0, 1, 0, 1],  # within the row before
        ]
    )
    rows, literals = decisive_rows(BitMatrix.from_table(X), np.array([True, True, False, False]))
    assert (rows.n_positive, rows.n_negative) == (1, 1)
    assert literals.tolist() == [0]


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
