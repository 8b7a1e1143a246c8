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
        _native.Individuals(VIEW, [64, HUGE], [0, 1, 2], [])
    planes = np.zeros((1, 3, 4), dtype=np.uint64)
    with pytest.raises(ValueError, match="planes must have shape"):
        _native.read_bed(np.zeros((1, 0), dtype=np.uint8), HUGE, planes)


def test_counts_that_add_up_to_too_much():
    bits = POSTERIOR.bits
    rows, offsets = list(bits.segments), [int(o) for o in bits.offsets]
    with pytest.raises(ValueError, match="more than 64 bits hold"):
        _native.Individuals(VIEW, rows, offsets, [2**62] * sum(rows))
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


def test_a_deadline_beyond_the_clock_is_none():
    stop = _native.StopFlag()
    stop.set_deadline(float("inf"))
    assert not stop()
    stop.set_deadline(0.0)
    assert stop()
