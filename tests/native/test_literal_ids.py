"""A literal id outside the table is refused by every binding that takes one."""

import numpy as np
import pytest

from bayesdnf import BitMatrix, Posterior, _native, simulate

P = 6
X, Y, _ = simulate(80, P, random_state=0)
POSTERIOR = Posterior(BitMatrix.from_table(X), Y)
SUPPORT, VIEW = POSTERIOR.support.native, POSTERIOR.bits.view()
STOP = _native.StopFlag()
ONE = np.array([0, 1], dtype=np.int64)


def ids(*literals):
    return np.array(literals, dtype=np.int32)


def support(**knowledge):
    meaning = np.arange(P, dtype=np.int32)
    op = np.zeros(P, dtype=np.uint8)
    return _native.Support(
        meaning, meaning, op, meaning, True, False, False, 1, None, None, **knowledge
    )


def chain(starts=(), listed=()):
    problem = _native.ChainProblem(POSTERIOR.native, POSTERIOR.individuals)
    terms = [list(term) for term in listed]
    return _native.Chain(
        problem, {"flip": 1.0}, 0.2, 0.4, [1.0], terms, [1.0] * len(terms), [1.0], 10,
        [[list(term) for term in starts]], [[1] * len(starts)], _native.Philox([1, 2]), 0,
    )  # fmt: skip


BINDINGS = {
    "Support, apart": lambda bad: support(apart=[[[0], [bad]]]),
    "Support, at_most_one": lambda bad: support(at_most_one=[[[bad], [1]]]),
    "Support, required": lambda bad: support(required=[[0, bad]]),
    "Support.implies": lambda bad: SUPPORT.implies(bad, 0),
    "Support.excludes": lambda bad: SUPPORT.excludes(0, bad),
    "Support.addable, term": lambda bad: SUPPORT.addable([bad], []),
    "Support.addable, rest": lambda bad: SUPPORT.addable([0], [[1], [bad]]),
    "Support.check": lambda bad: SUPPORT.check([[0], [1, bad]], [1, 1], [1, 1], 0),
    "Posterior.score": lambda bad: POSTERIOR.native.score(ONE, ONE, ids(bad), ids(1)),
    "BitView.term_masks": lambda bad: VIEW.term_masks(ONE, ids(bad)),
    "beam_search": lambda bad: _native.beam_search(POSTERIOR.native, [[0, bad]], 4, STOP),
    "recombine, start": lambda bad: _native.recombine(POSTERIOR.native, [[bad]], [[0]], STOP),
    "recombine, pool": lambda bad: _native.recombine(POSTERIOR.native, [[0]], [[1, bad]], STOP),
    "Chain, starts": lambda bad: chain(starts=[[0], [bad]]),
    "Chain, listed": lambda bad: chain(listed=[[bad]]),
}


@pytest.mark.parametrize("bad", [-1, P, 2**31 - 1, -(2**31)])
@pytest.mark.parametrize("binding", BINDINGS)
def test_an_id_outside_the_table_is_refused(binding, bad):
    with pytest.raises(ValueError, match="a literal id is outside the literal table"):
        BINDINGS[binding](bad)


@pytest.mark.parametrize("binding", BINDINGS)
def test_the_last_id_of_the_table_is_taken(binding):
    BINDINGS[binding](P - 1)


def test_a_catalogue_refuses_negative_ids():
    with pytest.raises(ValueError, match="a literal id is outside the literal table"):
        _native.Catalogue().number(ONE, ONE, ids(-1), ids(1))


def test_terms_without_bounds_are_refused():
    with pytest.raises(ValueError, match="literal_starts must rise from 0"):
        VIEW.term_masks(np.array([], dtype=np.int64), ids())
