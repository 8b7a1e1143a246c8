"""Sizes and counts whose sum or product overflows are refused, not taken for small ones."""

import numpy as np
import pytest

from bayesdnf import BitMatrix, Effect, Posterior, _native, simulate

HUGE = 2**64 - 1
X, Y, _ = simulate(80, 4, random_state=0)
POSTERIOR = Posterior(BitMatrix.from_table(X), Y)
VIEW = POSTERIOR.bits.view()
WORDS = np.zeros((1, 4), dtype=np.uint64)


def test_rows_that_do_not_fit():
    sources = np.zeros(3, dtype=np.int64)
    with pytest.raises(ValueError, match="do not fit between"):
        _native.gather_rows(WORDS, 64, sources, [HUGE, 4], [0, 2, 4], WORDS.copy())
    with pytest.raises(ValueError, match="do not fit"):
        _native.append_rows(WORDS.copy(), HUGE, WORDS, 64)
    with pytest.raises(ValueError, match="within the view"):
        _native.Individuals(VIEW, [64, HUGE], [0, 1, 2], [], 1)
    planes = np.zeros((1, 3, 4), dtype=np.uint64)
    with pytest.raises(ValueError, match="planes must have shape"):
        _native.read_bed(np.zeros((1, 0), dtype=np.uint8), HUGE, planes)


def test_counts_that_add_up_to_too_much():
    bits = POSTERIOR.bits
    rows, offsets = list(bits.segments), [int(o) for o in bits.offsets]
    with pytest.raises(ValueError, match="more than 64 bits hold"):
        _native.Individuals(VIEW, rows, offsets, [2**62] * sum(rows), 1)
    with pytest.raises(ValueError, match="more than 64 bits hold"):
        _native.Likelihood(Effect().native(), 2**62, 2**62)


def test_weights_that_add_up_to_too_much():
    none = np.zeros(0, dtype=np.int32)
    for digits, last in ((63, 1), (64, 1), (62, 4)):
        weights = np.zeros((digits, 1), dtype=np.uint64)
        weights[-1] = 2**last - 1
        arguments = (np.zeros((1, 1), dtype=np.uint64), [8], [0, 1], weights)
        make = lambda: _native.BitView(*arguments, none, none.astype(np.uint8), none)  # noqa: B023, E731
        if digits == 63:
            assert make().totals == [2**62]
        else:
            with pytest.raises(ValueError, match="more than 64 bits hold"):
                make()


def test_implicants_worth_too_much():
    table = _native.Implicants(WORDS[:, :1], 2, WORDS[:, :1], 1)
    stop = _native.StopFlag()
    for weights, cost in (([2**62, 2**62], 0), ([1, 1], 2**63 - 1)):
        with pytest.raises(ValueError, match="more than 64 bits hold"):
            table.search(np.array(weights), cost, 1, False, 10, 10, stop)


@pytest.mark.parametrize("weight", [-(2**63), 2**43])
def test_log_weights_that_no_sum_can_hold(weight):
    tables = POSTERIOR.prior.tables(POSTERIOR.bits.table, POSTERIOR.n)
    weights = np.full(VIEW.n_literals, weight, dtype=np.int64)
    with pytest.raises(ValueError, match="log weight of a literal is too large"):
        _native.Posterior(
            VIEW, POSTERIOR.support.native, tables.by_count, tables.by_size, weights,
            Effect().native(),
        )  # fmt: skip


@pytest.mark.parametrize("price", [-(2**63), 2**62])
@pytest.mark.parametrize("what", ["sizes", "literals", "prices"])
def test_prices_that_no_worth_can_hold(what, price):
    given = zero_prices()
    given[what][1] = price
    with pytest.raises(ValueError, match="too large"):
        priced(given)


def test_a_floor_that_nothing_lies_below():
    with pytest.raises(ValueError, match="floor is too low"):
        priced(zero_prices(), floor=-(2**63))
    table, stop = _native.Implicants(WORDS[:, :1], 2, WORDS[:, :1], 1), _native.StopFlag()
    with pytest.raises(ValueError, match="floor is too low"):
        table.search(np.array([1, 1]), 0, -(2**63), False, 10, 10, stop)


def zero_prices():
    p = VIEW.n_literals
    lengths = {"sizes": p + 1, "literals": p, "prices": 64 * VIEW.n_words}
    return {name: np.zeros(n, dtype=np.int64) for name, n in lengths.items()}


def priced(given, floor=0):
    none, stop = np.zeros(0, dtype=np.uint64), _native.StopFlag()
    literals = list(range(VIEW.n_literals))
    return _native.priced_terms(
        POSTERIOR.native, literals, True, True, *given.values(), 0, none, floor, 9, True, 80, 80,
        99, stop,
    )  # fmt: skip


@pytest.mark.parametrize("position", [-(2**63), 2**62])
def test_positions_whose_difference_no_whole_number_holds(position):
    planes = np.zeros((2, 3, 1), dtype=np.uint64)
    places = np.zeros(2, dtype=np.int32), np.array([0, position])
    with pytest.raises(ValueError, match="position is too large"):
        _native.prune(planes, *places, 10, 0.5)
    segments = np.array([[1], [2]], dtype=np.uint64)
    with pytest.raises(ValueError, match="position is too large"):
        _native.ScanTable(planes, segments, Effect().native(), [0], True, True, 1, 0, *places)


def test_a_deadline_beyond_the_clock_is_none():
    stop = _native.StopFlag()
    stop.set_deadline(float("inf"))
    assert not stop()
    stop.set_deadline(0.0)
    assert stop()


def test_a_scan_of_nobody():
    places = np.zeros(1, dtype=np.int32), np.zeros(1, dtype=np.int64)
    with pytest.raises(ValueError, match="needs samples"):
        _native.ScanTable(
            np.zeros((1, 3, 0), dtype=np.uint64), np.zeros((2, 0), dtype=np.uint64),
            Effect().native(), [0], True, True, 1, 0, *places,
        )  # fmt: skip


def test_a_scan_keeps_at_least_one_finding():
    with pytest.raises(ValueError, match="at least one finding"):
        _native.Findings(0)


def scan_table(planes, cases, controls):
    whose = np.zeros(len(planes), dtype=np.int32), np.zeros(len(planes), dtype=np.int64)
    return _native.ScanTable(
        np.array(planes, dtype=np.uint64), np.array([[cases], [controls]], dtype=np.uint64),
        Effect().native(), [0], False, False, 5, 0, *whose,
    )  # fmt: skip


def test_genotypes_that_contradict_themselves():
    known, carrier, two = [[0b1111]], [[0b0111]], [[0b0011]]
    assert scan_table([[*known, *carrier, *two]] * 3, 0b0011, 0b1100).n_tasks > 0
    for planes in ([*known, *two, *carrier], [*carrier, *known, *two]):
        with pytest.raises(ValueError, match="planes must rise"):
            scan_table([planes] * 3, 0b0011, 0b1100)
    with pytest.raises(ValueError, match="both a case and a control"):
        scan_table([[*known, *carrier, *two]] * 3, 0b0111, 0b1100)


def test_steps_of_a_scan_go_forward():
    table = scan_table([[[0b1111], [0b0111], [0b0011]]] * 3, 0b0011, 0b1100)
    with pytest.raises(ValueError, match="tasks are outside the scan"):
        table.size_of(0, 1, 0)


def test_numbers_of_attributes_only_tell_them_apart():
    one, equal = np.zeros(2, dtype=np.uint8), np.arange(2, dtype=np.int32)
    support = [
        _native.Support(
            np.array(attributes, dtype=np.int32),
            equal,
            one,
            equal,
            True,
            False,
            False,
            0,
            None,
            None,
        )
        for attributes in ([0, 0], [2**31 - 1, 2**31 - 1], [0, 1], [7, 2**31 - 1])
    ]  # once a list as long as the largest number
    assert [s.excludes(0, 1) for s in support] == [True, True, False, False]


@pytest.mark.parametrize("parameters", [(0.5, 1, 1e300, 1), (1e-300, 1, 1, 1)])
def test_beta_parameters_that_nothing_is_left_of(parameters):
    with pytest.raises(ValueError, match=r"from 1e-12 to 1e12"):
        _native.log_order_probability(*parameters)


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ((0.5, 0.5, 1e9, 1e9), -np.log(2)),
        ((1e9, 1e9, 0.5, 0.5), -np.log(2)),
        ((2.5, 2.5, 1e9, 1e9), -np.log(2)),
        ((0.5, 1, 1e12, 1), 0),
        ((0.5, 1, 1e9, 1e9), 0.5 * np.log(0.5)),  # P(X <= 1/2) = sqrt(1/2)
    ],
)
def test_very_unequal_beta_variables_are_compared_at_once(parameters, expected):
    assert _native.log_order_probability(*parameters) == pytest.approx(expected, abs=1e-4)


def test_likelihoods_of_more_rows_than_any_table():
    """Beyond the tables each value is worked out, as the same function of the counts."""
    from scipy.special import betaln

    n = 10**8
    likelihood = _native.Likelihood(Effect(ordered=False).native(), n, n)
    for a, b in ((0, 0), (3, n), (n // 2, 5), (n, n // 3)):
        exact = betaln(1 + a, 1 + b) + betaln(1 + n - a, 1 + n - b)
        assert likelihood(a, b) == pytest.approx(exact, rel=1e-12, abs=1e-5)


def test_the_memory_of_a_posterior_does_not_grow_with_the_weights():
    weighted = Posterior(BitMatrix.from_table(X), Y, sample_weight=np.full(80, 10**8))
    assert weighted.n == 80 * 10**8  # tables of so many rows would take 64 GB each
    assert len(weighted.prior.tables(weighted.bits.table, weighted.n).by_count) < 2**21
    assert np.isfinite(weighted.log_score("x0"))
