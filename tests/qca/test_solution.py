"""Minimal models: as published, and as found by hand."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bayesdnf import BooleanFunction
from bayesdnf.errors import (
    ContradictionError,
    InputError,
    ParameterError,
    SizeLimitError,
    UnknownColumnError,
)
from bayesdnf.qca import minimize, parse_qca, truth_table
from tests.qca import quine
from tests.qca.published import krook, lipset

ALL_PRESENT = dict.fromkeys(["DEV", "URB", "LIT", "IND", "STB"], 1)


def functions(solution):
    return {model.function for model in solution.models}


def fits(model):
    return {term: tuple(model.terms.iloc[i, :4]) for i, term in enumerate(model.terms.index)}


@pytest.mark.parametrize(
    ("outcome", "kind", "expression"),
    [
        ("SURV", "complex", "DEV*~URB*LIT*STB + DEV*LIT*IND*STB"),
        ("SURV", "parsimonious", "DEV*STB"),
        ("~SURV", "complex", "~DEV*~URB*~IND + DEV*LIT*IND*~STB"),
        ("~SURV", "parsimonious", "~DEV + ~STB"),
    ],
)
def test_lipset_as_published(outcome, kind, expression):
    solution = minimize(truth_table(lipset(), outcome), kind, strict=True)
    assert functions(solution) == {parse_qca(expression)}
    [model] = solution.models
    assert (model.consistency, model.PRI, model.coverage) == (1, 1, 1)


def test_lipset_fit_of_the_terms_as_published():
    table = truth_table(lipset(), "SURV")
    [model] = minimize(table).models
    assert fits(model) == {
        "DEV*~URB*LIT*STB": (1, 1, 0.5, 0.25),
        "DEV*LIT*IND*STB": (1, 1, 0.75, 0.5),
    }
    assert model.terms.loc["DEV*~URB*LIT*STB", "cases"] == "FI, FR, IE, SE"
    [model] = minimize(truth_table(lipset(), "~SURV"), "parsimonious").models
    assert fits(model) == {"~DEV": (1, 1, 0.8, 0.3), "~STB": (1, 1, 0.7, 0.2)}


def test_lipset_simplifying_assumptions_as_published():
    solution = minimize(truth_table(lipset(), "SURV"), "parsimonious")
    rows = {"".join(map(str, row)) for row in solution.assumptions().to_numpy()}
    assert rows == {"10001", "10011", "11001", "11011", "11101"}


@pytest.mark.parametrize("expectations", [ALL_PRESENT, list(ALL_PRESENT)])
def test_lipset_intermediate_as_published(expectations):
    solution = minimize(truth_table(lipset(), "SURV"), "intermediate", expectations)
    assert functions(solution) == {parse_qca("DEV*LIT*STB")}


def test_expectations_decide_between_complex_and_parsimonious():
    table = truth_table(lipset(), "SURV")
    assert functions(minimize(table, "intermediate")) == functions(minimize(table))
    both = {name: [0, 1] for name in ALL_PRESENT}
    assert functions(minimize(table, "intermediate", both)) == functions(
        minimize(table, "parsimonious")
    )


def test_krook_two_tied_models_as_published():
    solution = minimize(truth_table(krook(), "WNP"), "parsimonious")
    assert functions(solution) == {
        parse_qca("WS + ES*WM + QU*LP + ~ES*LP"),
        parse_qca("WS + ES*WM + QU*LP + WM*LP"),
    }
    assert set(solution.primes) == {
        "WS", "~ES*LP", "ES*WM", "QU*LP", "WM*LP", "ES*~QU*~LP", "~QU*~WM*~LP",
    }  # fmt: skip
    assert str(solution).splitlines() == [
        "M1: WS + ES*WM + QU*LP + WM*LP -> WNP",
        "M2: WS + ES*WM + ~ES*LP + QU*LP -> WNP",
    ]
    raw = {name: fit[2] for model in solution.models for name, fit in fits(model).items()}
    assert {name: round(11 * share) for name, share in raw.items()} == {
        "WS": 5, "ES*WM": 6, "QU*LP": 6, "WM*LP": 7, "~ES*LP": 2,
    }  # fmt: skip
    assert functions(minimize(truth_table(krook(), "WNP"))) == {
        parse_qca("~ES*~WS*WM*LP + ES*QU*~WS*WM + ES*QU*~WS*LP + ES*WS*~WM*~LP + ES*WS*WM*LP")
    }
    assert functions(minimize(truth_table(krook(), "~WNP"))) == {
        parse_qca("~ES*~WS*WM*~LP + QU*~WS*~WM*~LP + ES*~QU*~WS*~WM*LP")
    }


@st.composite
def tables(draw):
    levels = draw(st.lists(st.integers(2, 3), min_size=1, max_size=3))
    if all(n == 2 for n in levels) and draw(st.booleans()):
        levels.append(2)
    row = st.tuples(*[st.integers(0, n - 1) for n in levels])
    seen = draw(st.lists(row, min_size=1, max_size=10, unique=True))
    outcome = draw(st.lists(st.integers(0, 1), min_size=len(seen), max_size=len(seen)))
    names = [f"c{j}" for j in range(len(levels))]
    frame = pd.DataFrame(seen, columns=names)
    frame["Y"] = outcome
    return frame, names


@pytest.mark.slow
@given(tables(), st.sampled_from(["complex", "parsimonious"]))
def test_all_models_equal_those_found_by_hand(drawn, kind):
    frame, names = drawn
    table = truth_table(frame, "Y")
    space = [tuple(row) for row in table.all_configurations().tolist()]
    on = [tuple(row) for row in frame.loc[frame["Y"] == 1, names].to_numpy().tolist()]
    off = [tuple(row) for row in frame.loc[frame["Y"] == 0, names].to_numpy().tolist()]
    if kind == "complex":
        off = [row for row in space if row not in on]
    assume(on and off)
    solution = minimize(table, kind)
    levels = [len(values) for values in table.cases.levels]
    primes, models = quine.models(levels, on, off)

    def cube(term):
        values = dict.fromkeys(names)
        for literal in term:
            number = {"true": 1, "false": 0}.get(literal.operator, literal.value)
            values[literal.attribute] = number
        return tuple(values.values())

    assert {cube(*parse_qca(text).literal_terms) for text in solution.primes} == primes
    found = [frozenset(cube(t) for t in m.function.literal_terms) for m in solution.models]
    assert len(found) == len(models)
    assert set(found) == models


@pytest.mark.slow
@given(tables(), st.data())
def test_intermediate_lies_between_complex_and_parsimonious(drawn, data):
    frame, names = drawn
    table = truth_table(frame, "Y")
    on, off = (table.with_outcome(value) for value in "10")
    assume(len(on) and len(off))
    expected = {
        name: data.draw(st.lists(st.sampled_from(levels), unique=True))
        for name, levels in zip(names, table.cases.levels, strict=True)
    }
    space = table.all_configurations()
    everything = pd.DataFrame(space, columns=names)
    long, short, between = (
        minimize(table, kind, expected if kind == "intermediate" else None)
        for kind in ("complex", "parsimonious", "intermediate")
    )
    simplest = [model.function(everything) for model in short.models]
    for model in between.models:
        marked = model.function(everything)
        assert (marked >= long.models[0].function(everything)).all()
        assert any((marked <= other).all() for other in simplest)
        assert model.function(frame).tolist() == (frame["Y"] == 1).tolist()
    sizes = [len(solution.models[0].function) for solution in (long, between, short)]
    assert sizes == sorted(sizes, reverse=True)


def contradictory():
    frame = pd.DataFrame({"A": [1, 1, 1, 0, 0], "B": [1, 1, 0, 0, 1], "Y": [1, 0, 1, 0, 0]})
    frame.index = ["p", "q", "r", "s", "t"]
    return frame


def test_contradictions_are_an_error_only_when_strict():
    table = truth_table(contradictory(), "Y")
    assert functions(minimize(table, "parsimonious")) == {parse_qca("A*~B")}
    with pytest.raises(ContradictionError) as error:
        minimize(table, strict=True)
    assert str(error.value) == (
        "Cases 'p' and 'q' hold the same conditions (A*B), yet 'p' has the outcome Y and 'q' does "
        "not; 1 configuration of the table has both outcomes."
    )


def test_fit_counts_cases_that_contradict():
    [model] = minimize(truth_table(contradictory(), "Y", incl_cut=0.5)).models
    assert model.function == BooleanFunction("A")
    assert model.consistency == pytest.approx(2 / 3)
    assert (model.PRI, model.coverage) == (model.consistency, 1)


def test_contradictory_configurations_are_never_marked():
    table = truth_table(contradictory(), "Y", incl_cut=(0.9, 0.3))
    assert (table.frame["OUT"] == "C").sum() == 1
    assert functions(minimize(table, "parsimonious")) == {parse_qca("A*~B")}


def test_configurations_with_too_few_cases_are_remainders():
    table = truth_table(pd.concat([lipset(), lipset().loc[["BE", "GR"]]]), "SURV", n_cut=2)
    assert functions(minimize(table, "parsimonious")) == {parse_qca("DEV"), parse_qca("LIT*STB")}


def test_no_configuration_with_the_outcome_gives_the_null():
    [model] = minimize(truth_table(pd.DataFrame({"A": [0, 1], "Y": [0, 0]}), "Y")).models
    assert model.function.is_null
    assert model.expression == "FALSE"
    assert np.isnan(model.coverage)
    assert len(model.terms) == 0


def test_nothing_to_leave_out_is_nothing_to_explain():
    table = truth_table(pd.DataFrame({"A": [0, 1], "Y": [1, 1]}), "Y")
    for kind in ("complex", "parsimonious"):
        with pytest.raises(InputError, match="nothing to explain"):
            minimize(table, kind)


def test_too_many_tied_models():
    table = truth_table(krook(), "WNP")
    with pytest.raises(SizeLimitError, match="More than 1 models are tied"):
        minimize(table, "parsimonious", max_models=1)
    assert len(minimize(table, "parsimonious", max_models=2).models) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"solution": "simple"}, "'solution' parameter of minimize must be one of complex"),
        ({"expectations": ["DEV"]}, "must be None unless solution"),
        ({"solution": "intermediate", "expectations": "DEV"}, "must be a dict or a list"),
        ({"solution": "intermediate", "expectations": ["A*B"]}, "made of single conditions"),
        ({"strict": 1}, "'strict' parameter of minimize must be True or False"),
        ({"max_models": 0}, "'max_models' parameter of minimize must be a whole number"),
    ],
)
def test_wrong_parameters(arguments, message):
    with pytest.raises(ParameterError, match=message):
        minimize(truth_table(lipset(), "SURV"), **arguments)


def test_expectations_of_what_is_not_there():
    table = truth_table(lipset(), "SURV")
    with pytest.raises(UnknownColumnError, match="'DEB' is not among the conditions"):
        minimize(table, "intermediate", {"DEB": 1})
    with pytest.raises(InputError, match="'DEV' never holds 7"):
        minimize(table, "intermediate", {"DEV": 7})


def test_only_truth_tables_are_minimized():
    with pytest.raises(ParameterError, match="'table' parameter of minimize must be a TruthTable"):
        minimize(lipset())
