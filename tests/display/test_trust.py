"""How far to trust a search."""

import pytest

from bayesdnf import BooleanFunction
from bayesdnf.display.trust import search_is_sure, search_trust
from bayesdnf.search.result import SearchResult


def found(**changes):
    given = {"stopped": "agreement", "agreement": 12, "restarts": 16, "ways": 5}
    return SearchResult(BooleanFunction("a"), -65.5, **(given | changes))


def test_agreement_is_sure_and_no_proof():
    assert search_is_sure(found())
    text = search_trust(found())
    assert "12 of 16 restarts, by 5 different strategies, ended" in text
    assert "-65.5000" in text
    assert "not a proof" in text


def test_a_proof_needs_no_restarts():
    proved = found(stopped="proved", proved=True)
    assert search_is_sure(proved)
    assert "(proved)" in search_trust(proved)
    assert "restarts" not in search_trust(proved)


@pytest.mark.parametrize("stopped", ["restarts", "time limit", "interrupted"])
def test_searches_that_ended_early_are_not_sure(stopped):
    early = found(stopped=stopped)
    assert not search_is_sure(early)
    assert "too few restarts, or too few strategies, to rely on" in search_trust(early)
    assert ("time limit" in search_trust(early)) == (stopped == "time limit")
    assert ("interrupted" in search_trust(early)) == (stopped == "interrupted")


def test_one_restart_by_one_way():
    text = search_trust(found(agreement=1, restarts=1, ways=1))
    assert "1 of 1 restart ended" in text


def test_rivals_and_gaps_are_told():
    text = search_trust(found(near=3, gap=0.25), "list")
    assert "3 lists score the same or within one nat" in text
    assert "No list scores more than 0.25 nats higher" in text
    assert "within one nat" not in search_trust(found(near=1))
