"""Each of the paper's tables and figures in its quick form, and the direction of every claim."""

import functools

import matplotlib as mpl
import pytest

from bayesdnf import BooleanFunction
from bayesdnf.experiments import NAMES, appendix, reproduce, table4, table5
from bayesdnf.experiments.output.layout import as_data, as_frame, as_text
from bayesdnf.experiments.output.page import page
from bayesdnf.experiments.reproduction import FAITHFUL, OURS, PAPER

mpl.use("Agg")
import matplotlib.pyplot as plt

pytestmark = pytest.mark.slow

# The default prior takes seven short terms (9 literals) where six longer ones (11) do as well;
# the paper's mean is 6.7 terms. The page says so too.
NOT_AS_WANTED = {"our defaults: no more terms than the paper's 6.7"}


@functools.cache
def made(name):
    return reproduce(name, quick=True)


LONGEST = ("figure1", "table3", "table4")


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(name, marks=pytest.mark.long) if name in LONGEST else name for name in NAMES
    ],
)
def result(request):
    """Tests of one name follow each other, so that two workers seldom make it twice."""
    return made(request.param)


def test_what_is_claimed_comes_out(result):
    claims = result.claims
    assert claims
    assert {claim.text for claim in claims if not claim.holds} <= NOT_AS_WANTED


def test_paper_and_ours_stand_side_by_side(result):
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


# --- tables 1 to 3


@pytest.mark.long
def test_more_chains_more_rows_more_terms():
    table2, table3 = made("table2"), made("table3")

    def rate(result, *cell):
        row = result.row(FAITHFUL, *cell).values
        return row["term_1"] + row["term_2"]

    assert rate(table2, 1, 1) < rate(table2, 1, 20)
    assert rate(table3, 100) < rate(table3, 500)


def test_our_defaults_find_both_terms():
    assert made("table2").value("both", OURS) == 1
    assert made("table3").value("both", OURS, 500) == 1
    assert made("table3").value("both", OURS, 250) >= 0.9
    assert made("table3").value("both", OURS, 250) > made("table3").value("both", FAITHFUL, 250)


def test_few_steps_leave_long_functions():
    table1 = made("table1")
    assert table1.value("sum_k", FAITHFUL, 20, 1, 10, 0.5) > 100
    assert table1.value("exact", OURS) == 1


def test_the_sets_of_a_seed_do_not_depend_on_threads():
    assert reproduce("table1", quick=True, jobs=2).rows == made("table1").rows


# --- mushroom


def test_our_rules_are_perfect_and_shorter():
    for name in ("table4", "table5"):
        result = made(name)
        ours = result.row(OURS, *(("mean",) if name == "table5" else ()))
        assert ours.values["auc"] == 1
        assert ours.values["sum_k"] < 14.9


def test_literals_grow_with_theta():
    sizes = [made("table4").value("sum_k", FAITHFUL, theta, 0.1) for theta in (2, 30)]
    assert sizes[1] > 2 * sizes[0]


def test_the_papers_tables_agree_with_each_other():
    functions = [BooleanFunction.parse(text) for text in appendix.PRINTED]
    sizes = [(len(function), function.n_literals) for function in functions]
    assert sizes == [line[1:3] for line in table5.PRINTED]
    means = [sum(line[i] for line in table5.PRINTED) / 10 for i in (1, 2, 3)]
    assert (5, 0.1, *means) == pytest.approx(table4.PRINTED[3], abs=5e-5)


def test_the_papers_first_expression_has_the_auc_that_its_table_prints():
    assert made("appendix").value("auc", PAPER, 0) == pytest.approx(0.9990, abs=5e-5)


def test_the_appendix_lists_expressions_in_the_papers_form():
    for row in made("appendix").rows:
        function = BooleanFunction.parse(row.expression)
        assert row.expression.startswith("(")
        assert row.expression.count(") OR (") == len(function) - 1
        assert (len(function), function.n_literals) == (row.values["m"], row.values["sum_k"])


# --- figures


def test_a_constant_prior_loses_the_chains():
    figure2 = made("figure2")
    assert figure2.value("chains", FAITHFUL) > 0.9
    assert figure2.value("chains", OURS) > 0.9
    assert figure2.value("chains", "constant prior") < 0.3


# --- the page


def test_the_page_shows_all_and_names_what_does_not_come_out():
    text = page([made(name) for name in NAMES])
    for name in NAMES:
        assert f"]({name}.png)" in text
        assert f"({name}.csv)" in text
        assert as_text(made(name)).splitlines()[0] in text
    start = text.index("did not\n")
    listed = " ".join(text[start : text.index("## Figure 1")].split())
    failed = [c.text for name in NAMES for c in made(name).claims if not c.holds]
    assert failed
    assert all(claim in listed for claim in failed)
