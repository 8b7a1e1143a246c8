"""What notebooks show: bars while fitting, in a real kernel, and classifiers, rules and draws."""

import io
import re
import sys

import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from bayesdnf import BooleanFunction, DNFClassifier, PosteriorDNFClassifier, simulate
from bayesdnf.display import bars

pytestmark = pytest.mark.slow

FIT = """
from bayesdnf import DNFClassifier, PosteriorDNFClassifier, simulate
from bayesdnf.display import bars
bars._PATIENCE = bars._PAUSE = 0
X, y, _ = simulate(200, 20, pi0=0.3, pi1=0.7, random_state=1)
{}
"""
HUNT = "_ = DNFClassifier(verbose={}, random_state=0).fit(X, y)"
SAMPLE = "_ = PosteriorDNFClassifier(verbose=1, draws=200, warmup=50, random_state=0).fit(X, y)"


@pytest.fixture(scope="module")
def kernel():
    manager = pytest.importorskip("jupyter_client").manager.start_new_kernel(
        kernel_name="python3", startup_timeout=120
    )
    yield manager[1]
    manager[1].stop_channels()
    manager[0].shutdown_kernel(now=True)


def run(client, code):
    """Run a cell; the HTML it showed and changed, in order, and what went to its streams."""
    shown, streams = [], []

    def note(message):
        content = message["content"]
        if message["msg_type"] in ("display_data", "update_display_data"):
            shown.append(content["data"]["text/html"])
        elif message["msg_type"] == "stream":
            streams.append(content["text"])

    reply = client.execute_interactive(code, output_hook=note, timeout=120)
    assert reply["content"]["status"] == "ok", reply["content"]
    return shown, "".join(streams)


@pytest.mark.parametrize("code", [HUNT.format(1), SAMPLE], ids=["search", "sampling"])
def test_a_bar_is_drawn_in_a_notebook_and_taken_away(kernel, code):
    shown, streams = run(kernel, FIT.format(code))
    assert streams == ""
    *drawn, last = shown
    assert last == ""
    done = [int(re.search(r'<progress value="(\d+)"', text).group(1)) for text in drawn]
    assert done == sorted(done)
    assert len(done) > 1
    assert all("best" in text for text in drawn)


def test_lines_are_told_when_they_are_asked_for(kernel):
    assert run(kernel, FIT.format(HUNT.format(0))) == ([], "")
    shown, streams = run(kernel, FIT.format(HUNT.format(2)))
    assert shown == []
    assert "Restart 1 of at most 256" in streams


def test_verbose_draws_a_bar_on_a_terminal_and_lines_elsewhere(monkeypatch, capsys):
    class Screen(io.StringIO):
        def isatty(self):
            return True

    X, y, _ = simulate(100, 8, random_state=0)
    DNFClassifier(verbose=1, random_state=0).fit(X, y)
    assert "Restart 1 of at most 256" in capsys.readouterr().err
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(bars, "_PATIENCE", 60)
    DNFClassifier(verbose=1, random_state=0).fit(X, y)
    assert screen.getvalue() == ""  # it was over before a bar would have appeared


def test_everything_shows_itself_small_and_without_colours_of_its_own():
    X, y, _ = simulate(150, 12, terms=(2, 2), random_state=3)
    best = DNFClassifier(random_state=0).fit(X, y)
    post = PosteriorDNFClassifier(layers=1, draws=100, warmup=20, random_state=0).fit(X, y)
    own = {
        "rule": best.function_._repr_html_(),
        "draws": post.draws_._repr_html_(),
        "best": best._repr_mimebundle_()["text/html"].rpartition("</style>")[2],
        "post": post._repr_mimebundle_()["text/html"].rpartition("</style>")[2],
    }
    for text in (own["rule"], own["draws"]):
        assert len(text) < 8_000
        # Ink and paper stay the page's; grey lines are seen on both.
        assert not re.search(
            r"(?<!-)color:|#[0-9a-f]{3,6}\b|background: (?!none|transparent)", text
        )
    assert "x0" in own["rule"]
    assert str(post.draws_.function(0)) in own["draws"]
    assert "4 chains of 100 draws" in own["draws"]
    assert "Rule for 1: 2 terms" in own["best"]
    assert str(post.map_) in own["post"]
    assert "FALSE" in BooleanFunction()._repr_html_()


def test_a_pipeline_keeps_its_diagram():
    X, y, _ = simulate(100, 8, random_state=0)
    for model in (
        DNFClassifier(random_state=0),
        PosteriorDNFClassifier(draws=50, warmup=20, random_state=0),
    ):
        shown = make_pipeline(FunctionTransformer(), model).fit(X, y)._repr_html_()
        assert "sk-container" in shown
        assert type(model).__name__ in shown
        assert "Rule for" not in shown
        assert "Posterior of" not in shown


def test_long_functions_are_shown_whole_and_hostile_names_as_text():
    name = "a long name " * 20 + "<script>"
    table = {name: ["f", "n"] * 40, "b": [0, 1, 1, 0] * 20}
    post = PosteriorDNFClassifier(layers=1, draws=100, warmup=20, random_state=0).fit(
        table, [1, 0] * 40
    )
    text = post.draws_._repr_html_()
    assert "a long name " * 20 + "&lt;script&gt;" in text
    assert "<script>" not in text
