"""How chains are doing while they run."""

import math

import numpy as np

from bayesdnf import sample
from bayesdnf.sampling.records import ChainRecord
from bayesdnf.sampling.watching import so_far
from tests.sampling.runs import posterior_of


def records():
    """What two chains had recorded when they were asked last."""
    told = []
    settings = {"draws": 60, "warmup": 20, "thin": 2, "chains": 2, "random_state": 0}
    sample(posterior_of(), progress=lambda now, total: told.append(list(now)), **settings)
    return told[-1]


def test_numbers_are_those_of_the_draws():
    chains = records()
    scores = []
    for chain in chains:
        piece = chain.joined().pieces[0]
        scores.append((piece.log_prior + piece.log_likelihood)[piece.draws])
    now = so_far(chains)
    assert now.draws == min(map(len, scores))
    assert now.best == max(score.max() for score in scores)
    later = [score[now.draws // 2 : now.draws] for score in scores]
    assert math.isclose(now.mean, np.mean(later))
    pieces = [piece for chain in chains for piece in chain.pieces]
    tried = sum(piece.tried.sum() for piece in pieces)
    assert now.accepted == sum(piece.changed.sum() for piece in pieces) / tried
    assert math.isnan(now.rhat)


def test_r_hat_is_reckoned_where_it_is_wanted():
    assert 0.9 < so_far(records(), with_rhat=True).rhat < 3
    assert math.isnan(so_far(records()[:1], with_rhat=True).rhat)  # one chain


def test_before_the_first_draw_nothing_is_known():
    nothing = so_far([ChainRecord(record.snapshot) for record in records()], with_rhat=True)
    assert nothing.draws == 0
    assert all(map(math.isnan, nothing[1:]))
