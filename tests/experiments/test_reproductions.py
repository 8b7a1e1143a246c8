"""Each of the paper's tables and figures, on one data set; claims in the quick form of ten sets."""

import functools
from importlib import import_module

import matplotlib as mpl
import pytest

from bayesdnf.experiments import NAMES, reproduce
from bayesdnf.experiments.output.layout import as_data, as_frame, as_text
from bayesdnf.experiments.output.page import page
from bayesdnf.experiments.reproduction import FAITHFUL, OURS, PAPER
from tests.experiments.made import OneSet, made

mpl.use("Agg")
import matplotlib.pyplot as plt

pytestmark = pytest.mark.slow

# The default prior takes seven short terms (9 literals) where six longer ones (11) do as well;
# the paper's mean is 6.7 terms. The page says so too.
NOT_AS_WANTED = {"our defaults: no more terms than the paper's 6.7"}


@functools.cache
def on_one_set(name):
    return import_module(f"bayesdnf.experiments.{name}").run(OneSet(quick=True))


@pytest.fixture(
    scope="module",
    # 24 annealings on mushroom: the other tables take few.
    params=[pytest.param(x, marks=pytest.mark.long) if x == "table4" else x for x in NAMES],
)
def result(request):
    """Tests of one name follow each other, so that two workers seldom make it twice."""
    return on_one_set(request.param)


def test_paper_and_ours_stand_side_by_side(result):
    assert result.claims
    sources = {row.source for row in result.rows}
    assert {FAITHFUL, OURS} <= sources
    assert (PAPER in sources) or result.name.startswith("figure")  # its figures have no numbers
    names = {measure.name for measure in result.measures}
    assert all(set(row.values) <= names for row in result.rows)
    assert all(set(row.values) == names for row in result.rows if row.source in (FAITHFUL, OURS))


def test_text_table_and_data_say_the_same(result):
    text, frame, data = as_text(result), as_frame(result), as_data(result)
    assert text.startswith(result.title)
    assert all(claim.text in text and claim.found in text for claim in result.claims)
    assert len(frame) == len(data["rows"]) == len(result.rows)
    assert frame["source"].tolist() == [row["source"] for row in data["rows"]]


def test_the_picture_holds_every_source(result):
    figure = result.draw(result)
    try:
        figure.canvas.draw()
        texts = [text.get_text() for text in figure.findobj(mpl.text.Text)]
        assert any(FAITHFUL in text for text in texts)
        assert any(OURS in text for text in texts)
    finally:
        plt.close(figure)


def test_the_sets_of_a_seed_do_not_depend_on_threads():
    again = import_module("bayesdnf.experiments.table1").run(OneSet(quick=True, jobs=2))
    assert [row.values for row in again.rows] == [row.values for row in on_one_set("table1").rows]


# --- in the quick form


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_what_is_claimed_comes_out(name):
    claims = made(name).claims
    assert {claim.text for claim in claims if not claim.holds} <= NOT_AS_WANTED


@pytest.mark.long
def test_the_page_shows_all_and_names_what_does_not_come_out():
    text = page([made(name) for name in NAMES])
    for name in NAMES:
        assert f"]({name}.png)" in text
        assert f"({name}.csv)" in text
        assert as_text(made(name)).splitlines()[0] in text
    start = text.index("were not reproduced:\n")
    listed = " ".join(text[start : text.index("## Figure 1")].split())
    failed = [c.text for name in NAMES for c in made(name).claims if not c.holds]
    assert failed
    assert all(claim in listed for claim in failed)


@pytest.mark.long
def test_a_quick_table_does_not_depend_on_threads():
    assert reproduce("table1", quick=True, jobs=2).rows == made("table1").rows
