"""Pages about draws: rivals, inclusion, averages and a verdict."""

import numpy as np
import pytest

from bayesdnf import DNFClassifier, PosteriorDNFClassifier, simulate
from bayesdnf.display.wording import percent
from bayesdnf.report.doubts import checks_of
from bayesdnf.report.facts import gather
from tests.report.pages import OF_DRAWS, Read, page_of
from tests.report.reported import noise


@pytest.mark.slow
def test_draws_bring_rivals_inclusion_and_a_verdict(tmp_path):
    X, y, _ = simulate(150, 12, terms=(2, 2), random_state=3)
    post = PosteriorDNFClassifier(layers=1, draws=300, warmup=100, random_state=0).fit(X, y)
    best = DNFClassifier(random_state=0).fit(X, y)
    averaged = Read(page_of(post, X, y, tmp_path))
    assert [section["id"] for section in averaged.named("section")] == OF_DRAWS
    alone = Read(page_of(best, X, y, tmp_path, draws=post.draws_))
    for text in (averaged.text, alone.text):
        assert percent(post.functions_["probability"].iloc[0]) in text
        assert percent(post.inclusion_["probability"].iloc[0]) in text
        assert post.diagnostics_.verdict in text
        assert "from another posterior" not in text
    assert "Risks of “1” are averaged over" in averaged.text
    assert "Risks of “1” are averaged over" not in alone.text
    other = DNFClassifier(random_state=0).fit(X[:100], y[:100])
    assert "from another posterior" in Read(page_of(other, X, y, tmp_path, draws=post.draws_)).text


def test_a_posterior_without_a_rule(tmp_path):
    X, y = noise()
    post = PosteriorDNFClassifier(layers=1, draws=200, warmup=50, random_state=0).fit(X, y)
    assert post.map_.is_null
    text = Read(page_of(post, X, y, tmp_path)).text
    assert "The data do not support any rule" in text
    assert f"“No rule” has probability {percent(post.null_probability_)}" in text


def test_a_posterior_shows_the_rule_that_stands_for_the_average():
    X, y, _ = simulate(120, 12, terms=(2, 2), pi0=0.15, pi1=0.85, random_state=7)
    post = PosteriorDNFClassifier(layers=1, draws=300, warmup=100, random_state=0).fit(X, y)
    stands, best = post.representative(), post.functions_.iloc[0]
    assert best["probability"] < 0.5
    assert not stands.rule.is_null
    facts = gather(post, X, y)
    assert facts.rule == str(stands.rule)
    assert facts.parts[0].risk == stands.risks[1]
    risk, own = post.predict_proba(X)[:, 1], post.representative_proba(X)[:, 1]
    for bin_ in facts.averaged.bins:  # row by row
        inside = [bin_.low <= r < bin_.high or r == bin_.high == 1 for r in risk]
        assert bin_.positives == sum(i and k == 1 for i, k in zip(inside, y, strict=True))
        assert bin_.positives + bin_.negatives == sum(inside)
    likely = [[p if k == 1 else 1 - p for p, k in zip(r, y, strict=True)] for r in (risk, own)]
    told = {row.name: (row.averaged, row.shown) for row in facts.averaged.beside}
    assert told["Log loss"] == tuple(f"{-np.mean(np.log(p)):.4f}" for p in likely)
    [doubt] = [c for c in checks_of(facts) if c.title == "Other rules are possible"]
    assert percent(best["probability"]) in doubt.text
    assert facts.performance.accuracy == np.mean((risk > 0.5) == (np.asarray(y) == 1))
