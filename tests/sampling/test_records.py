"""Records of chains, stretch by stretch."""

import numpy as np

from bayesdnf import BooleanFunction, _native
from bayesdnf.model.streams import Streams
from bayesdnf.sampling.records import ChainRecord, join, merge
from bayesdnf.sampling.samplers import informed
from tests.sampling.runs import posterior_of


def stretches(n=3, every=2, draws=20):
    """Draw in so many stretches; return their records and the record of the chain."""
    posterior = posterior_of()
    kernel = informed(posterior)
    snapshot = kernel.init(BooleanFunction(), Streams(0, "test")[0])
    record, infos = ChainRecord(snapshot), []
    for _ in range(n):
        snapshot, info = kernel.advance(snapshot, draws * every, every, _native.StopFlag())
        infos.append(info)
        record = record.then(snapshot, info)
    return infos, record


def test_a_record_counts_its_draws_and_is_joined_into_one():
    infos, record = stretches()
    assert len(record) == sum(len(info.draws) for info in infos)
    joined = record.joined()
    assert len(joined.pieces) == 1
    assert len(joined) == len(record)
    assert joined.snapshot == record.snapshot
    empty = ChainRecord(record.snapshot)
    assert len(empty) == 0
    assert empty.joined() is empty


def test_joined_stretches_hold_what_each_holds():
    infos, _ = stretches()
    one = join(infos)
    scores = [(i.log_prior + i.log_likelihood)[i.draws] for i in infos]
    assert np.array_equal((one.log_prior + one.log_likelihood)[one.draws], np.concatenate(scores))
    assert np.array_equal(one.tried, sum(i.tried for i in infos))
    assert np.array_equal(one.changed, sum(i.changed for i in infos))


def test_each_function_is_numbered_once():
    infos, _ = stretches()
    table, numbers = merge(infos)
    literals = posterior_of().bits.table
    spelled = [table.functions.spelt(i, literals) for i in range(len(table))]
    assert len(set(spelled)) == len(table)
    for info, number in zip(infos, numbers, strict=True):
        own = [info.functions.spelt(i, literals) for i in range(len(info.log_prior))]
        assert own == [spelled[i] for i in number]
        assert np.array_equal(table.cells[number], info.cells)


def test_functions_that_renaming_makes_equal_are_one():
    infos, _ = stretches()
    p = posterior_of().bits.n_literals
    table, numbers = merge(infos, rename=np.zeros(p, dtype=np.int32))
    assert len(table) < sum(len(info.log_prior) for info in infos)
    assert max(number.max() for number in numbers) == len(table) - 1


def test_some_functions_are_taken_in_any_order():
    table, _ = merge(stretches()[0])
    order = np.array([len(table) - 1, 0])
    taken = table.take(order)
    assert np.array_equal(taken.log_prior, table.log_prior[order])
    assert np.array_equal(taken.cells, table.cells[order])
