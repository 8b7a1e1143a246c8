"""Appendix A: expressions for poisonous mushrooms."""

import pytest

from bayesdnf import BooleanFunction
from bayesdnf.experiments import table5
from bayesdnf.experiments.appendix import PRINTED
from bayesdnf.experiments.reproduction import PAPER
from tests.experiments.made import made


def test_the_papers_expressions_have_the_sizes_of_its_table_5():
    functions = [BooleanFunction.parse(text) for text in PRINTED]
    sizes = [(len(function), function.n_literals) for function in functions]
    assert sizes == [line[1:3] for line in table5.PRINTED]


@pytest.mark.long
def test_the_papers_first_expression_has_the_auc_that_its_table_prints():
    assert made("appendix").value("auc", PAPER, 0) == pytest.approx(0.9990, abs=5e-5)


@pytest.mark.slow
def test_expressions_are_in_the_papers_form():
    for row in made("appendix").rows:
        function = BooleanFunction.parse(row.expression)
        assert row.expression.startswith("(")
        assert row.expression.count(") OR (") == len(function) - 1
        assert (len(function), function.n_literals) == (row.values["m"], row.values["sum_k"])


@pytest.mark.slow
@pytest.mark.usefixtures("no_trace_left")
def test_the_picture_counts_expressions_that_use_a_literal():
    appendix = made("appendix")
    [ax] = appendix.draw(appendix).axes
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert len(names) <= 26
    most = names[0]
    with_it = sum(most in row.expression for row in appendix.rows)
    assert sum(bars[0].get_width() for bars in ax.containers) == with_it > 3
    assert ax.get_xlabel() == "expressions, of 2, that hold the literal"
