"""A diagnosis compares shares of draws with exact scores."""

from dataclasses import replace

import numpy as np
import pytest

from bayesdnf import Literal, sample
from tests.sampling.scored_draws import noisy


@pytest.fixture(scope="module")
def fair():
    """Independent draws of an enumerated posterior, and their scores."""
    posterior = noisy()
    drawn = sample(posterior, draws=500, warmup=100, thin=10, random_state=0)
    rng = np.random.default_rng(0)
    share = np.exp(drawn.log_mass - np.logaddexp.reduce(drawn.log_mass))
    return replace(drawn, index=rng.choice(len(share), size=(4, 500), p=share))


def test_draws_that_fit_their_scores_are_fine(fair):
    assert fair.diagnose().odds is None
    assert fair.diagnose().level == "fine"


def test_a_function_that_all_chains_draw_too_seldom_is_named(fair):
    """The chains agree with each other, and not with exact scores."""
    null = int(np.flatnonzero(fair.n_terms == 0)[0])
    share = np.exp(fair.log_mass - np.logaddexp.reduce(fair.log_mass))
    share[null] /= 10
    rng = np.random.default_rng(0)
    index = rng.choice(len(share), size=(4, 500), p=share / share.sum())
    wrong = replace(fair, index=index)
    diagnosis = wrong.diagnose()
    assert diagnosis.level == "apart"
    assert diagnosis.agreement.ok
    assert diagnosis.odds.function == "FALSE"
    assert "where exact scores give" in diagnosis.verdict
    # Its probability is known all the same.
    truth = np.exp(fair.log_null - np.logaddexp.reduce(fair.log_mass))
    assert wrong.null_probability == pytest.approx(truth, abs=0.02)


def test_a_mode_that_only_the_search_has_seen_counts(fair):
    known = replace(fair, undrawn=(("x9 AND x8", float(fair.log_mass.max())),))
    diagnosis = known.diagnose()
    assert diagnosis.level == "apart"
    assert "x9 AND x8 was drawn 0.0% of the time" in diagnosis.verdict
    faint = replace(fair, undrawn=(("x9 AND x8", float(fair.log_mass.max()) - 9),))
    assert faint.diagnose().level == "fine"


def test_one_chain_that_draws_by_other_shares_is_named(fair):
    index = fair.index.copy()
    best = int(fair.log_mass.argmax())
    rng = np.random.default_rng(0)
    index[2] = np.where(rng.random(500) < 0.25, best, index[2])
    diagnosis = replace(fair, index=index).diagnose()
    assert diagnosis.level == "apart"
    assert "hain 3" in diagnosis.verdict


def test_sentences_and_tables_write_literals_as_they_are_told_to(fair):
    known = replace(fair, undrawn=(("x9 AND x8", float(fair.log_mass.max())),))
    told = known.writing(lambda x: Literal(f"v {x.attribute[1:]}", x.operator))
    assert '"v 8" AND "v 9") was drawn 0.0% of the time' in told.diagnose().verdict
    for number in range(told.n_functions):
        assert "x" not in told.text(number)
        assert told.function(number) == fair.function(number)
    for kind in ("literal", "term", "pair"):
        tables = fair.inclusion(kind), told.inclusion(kind)
        probabilities = [table["probability"].to_numpy() for table in tables]
        assert (probabilities[0] == probabilities[1]).all()
        assert not tables[1]["what"].str.contains("x").any()
    assert told.inclusion("attribute").equals(fair.inclusion("attribute"))
