"""Lists of layers by DNFClassifier: what is found, the tables, the answers, the exports."""

import pickle
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from bayesdnf import BooleanFunction, DNFClassifier, Effect, RuleList
from bayesdnf.data.tables import read_table
from bayesdnf.errors import ParameterError
from bayesdnf.estimators.explaining.changes import RowChanges
from boolean.running import asked, compiled
from estimators.planted_list import RISKS, TRUTH, planted, with_gaps
from estimators.test_explain import ENCODERS, LEVELS, ROWS


@pytest.fixture(scope="module")
def fitted():
    X, y = planted()
    return DNFClassifier(layers=4, positive="ill", random_state=0).fit(X, y), X, y


def test_the_planted_list_is_found(fitted):
    model, X, y = fitted
    assert isinstance(model.function_, RuleList)
    assert model.function_.equivalent_to(TRUTH)
    for risk, truth in zip(model.risks_, RISKS, strict=True):
        assert abs(risk.mean - truth) < 0.05
    parts = model.parts(X)
    assert (parts == TRUTH(X)).all()
    assert (model.marked(X) == (parts > 0)).all()
    assert model.counts_.n_marked == int((parts > 0).sum())
    positive = np.bincount(parts, weights=y == "ill")
    assert (model.cells_[0] == np.column_stack([positive, np.bincount(parts) - positive])).all()


def test_the_tables_of_layers_and_terms_count_rows(fitted):
    model, X, y = fitted
    parts, ill = model.parts(X), y == "ill"
    assert list(model.layers_["part"]) == [3, 2, 1, 0]
    assert list(model.layers_["rule"]) == [*map(str, model.function_.layers), "else"]
    assert list(model.layers_["risk"]) == ["raised", "raised", "lowered", "lowered"]
    for row in model.layers_.itertuples():
        own = parts == row.part
        a, b = 1 + int((own & ill).sum()), 1 + int((own & ~ill).sum())
        assert (row.rows, row.positives) == (own.sum(), (own & ill).sum())
        assert row.rate == pytest.approx(a / (a + b), abs=1e-12)
        assert (row.low, row.high) == pytest.approx(beta.ppf([0.025, 0.975], a, b), abs=1e-9)
    assert [risk.mean for risk in model.risks_] == list(model.layers_["rate"][::-1])
    assert list(model.rules_.columns)[:3] == ["layer", "rule", "size"]
    for row in model.rules_.itertuples():
        decided = BooleanFunction(row.rule)(X) & (parts <= row.layer)
        assert (row.rows, row.positives) == (decided.sum(), (decided & ill).sum())
        assert row.log_gain > 3
    assert "Rule list for ill: 3 layers" in model.summary()
    assert "raised" in model._repr_html_()


def test_the_parameter_decides_what_kind_of_rule_it_is():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (300, 3))
    y = rng.random(300) < np.where(X[:, 0], 0.9, 0.1)
    for layers, kind in ((None, BooleanFunction), (1, BooleanFunction), (3, RuleList)):
        rule = DNFClassifier(layers=layers, random_state=0).fit(X, y).function_
        assert isinstance(rule, kind)
        assert len(rule) == 1
    null = DNFClassifier(layers=2, random_state=0).fit(X, rng.permutation(np.arange(300) % 2))
    assert isinstance(null.function_, RuleList)
    assert null.function_.is_null
    assert len(null.risks_) == len(null.layers_) == 1
    assert (null.predict_proba(X)[:, 1] == null.risks_[0].mean).all()
    assert "beats the null list" in null.summary()
    assert null.explain(X[0]).lower is None
    assert "no part has a higher one" in str(null.explain(X[0]))


def test_functions_keep_their_tables_and_have_two_parts():
    X, y = planted()
    model = DNFClassifier(positive="ill", random_state=0).fit(X, y)
    assert "layer" not in model.rules_
    assert list(model.layers_["part"]) == [1, 0]
    assert list(model.layers_["rate"]) == [risk.mean for risk in model.risks_[::-1]]
    assert (model.parts(X) == model.marked(X)).all()
    assert model.stratum_layers_ is None
    assert model.effect_.ordered is not False


def test_all_exports_agree_with_predict_on_rows_with_gaps(fitted):
    model, *_ = fitted
    rows = with_gaps()
    expected = model.predict_proba(rows)[:, list(model.classes_).index("ill")]
    rules, risks = model.function_, [risk.mean for risk in model.risks_]
    assert len(set(expected)) == 4
    dicts = rows.astype(object).where(rows.notna(), None).to_dict("records")
    by_python = compiled(rules.to_python(risks=risks), "rules")
    assert [by_python(row) for row in dicts] == list(expected)

    table = SimpleNamespace(columns=list(rows.columns), rows=lambda: dicts)
    assert asked(table, rules.to_sql(risks)) == list(expected)
    again = RuleList.parse(rules.to_text(risks))
    assert [risks[part] for part in again(rows)] == list(expected)
    assert RuleList.from_json(rules.to_json()) == rules
    assert r"\begin{cases}" in rules.to_latex(risks)


def test_layers_are_a_parameter_like_others(fitted):
    model, X, y = fitted
    assert clone(model).layers == 4
    again = pickle.loads(pickle.dumps(model))
    assert (again.predict_proba(X) == model.predict_proba(X)).all()
    X, y = X[:300], y[:300]
    few = {"restarts": 8, "random_state": 0, "positive": "ill"}
    grid = GridSearchCV(DNFClassifier(**few), {"layers": [1, 3]}, cv=2, scoring="neg_log_loss").fit(
        X, y
    )
    assert grid.best_params_ == {"layers": 3}
    repeated = DNFClassifier(**few, layers=2).fit(pd.concat([X, X]), [*y, *y])
    weighted = DNFClassifier(**few, layers=2).fit(X, y, sample_weight=np.full(300, 2))
    assert repeated.function_ == weighted.function_
    assert repeated.log_posterior_ == weighted.log_posterior_


@pytest.mark.parametrize("layers", [0, True, 1.5, 100, "2", -1])
def test_layers_outside_their_meaning_are_refused(layers):
    with pytest.raises(ParameterError) as caught:
        DNFClassifier(layers=layers).fit([[0], [1]], [0, 1])
    assert str(caught.value) == (
        "The 'layers' parameter of DNFClassifier must be a whole number, from 1 to 8, or None. "
        f"Got {layers!r} instead."
    )


@pytest.mark.parametrize(
    ("effect", "message"),
    [
        (Effect(ordered=True), "'ordered' parameter of Effect must be None or False with more"),
        (Effect(pi0=0.1, pi1=0.9), "'pi0' and 'pi1' parameters of Effect must be None with more"),
    ],
)
def test_what_is_known_of_two_rates_is_refused(effect, message):
    with pytest.raises(ParameterError, match=message):
        DNFClassifier(layers=2, effect=effect).fit([[0], [1]] * 9, [0, 1] * 9)


# --- explain


def test_explain_says_which_layer_decides(fitted):
    model, *_ = fitted
    row = {"odor": "n", "age": 60, "flag": 1, "other": 1, "stage": "c"}
    told = model.explain(row)
    assert (told.part, told.marked, told.prediction) == (2, True, "ill")
    assert told.probability == told.risks[2] == model.risks_[2].mean
    assert (told.lower.part, told.higher.part) == (1, 3)
    assert [change.attribute for change in told.higher.changes] == ["odor"]
    lines = str(told).splitlines()
    assert lines[0].startswith("Layer 2 decides on this row: P(ill) = 0.7")
    assert lines[1].startswith("Terms of it that hold: (age >= ")
    assert lines[3].endswith("by layer 3: odor, now n, to odor = f.")
    top = model.explain({**row, "odor": "f"})
    assert top.higher is None
    assert "higher risk: no part has a higher one." in str(top)
    assert "Layer 3" in top._repr_html_()


@st.composite
def lists(draw):
    encoder = ENCODERS[draw(st.booleans())]
    term = st.lists(st.sampled_from(encoder.literals_), min_size=1, max_size=3)
    layer = st.lists(term, min_size=1, max_size=2).map(BooleanFunction)
    layers = st.lists(layer, min_size=1, max_size=3)
    return encoder, RuleList([x for x in draw(layers) if not x.is_null])


def part_of(rules, encoder, row):
    return int(rules(encoder.as_table({name: [value] for name, value in row.items()}))[0])


@pytest.mark.slow
@given(lists(), ROWS, st.sets(st.integers(0, 3), min_size=1))
@settings(max_examples=60, deadline=None)
def test_the_change_to_other_parts_is_the_smallest(given_list, row, wanted):
    encoder, rules = given_list
    changes = RowChanges(rules, encoder, encoder.as_table({k: [v] for k, v in row.items()}))
    assert changes.part == part_of(rules, encoder, row)
    wanted = sorted(x for x in wanted - {changes.part} if x <= len(rules))
    # The part of every combination of values, a row of a table each.
    values = np.array(np.meshgrid(*(range(len(v)) for v in LEVELS.values()))).reshape(4, -1).T
    every = {
        name: [levels[i] for i in column]
        for (name, levels), column in zip(LEVELS.items(), values.T, strict=True)
    }
    reached = [dict(zip(every, x, strict=True)) for x in zip(*every.values(), strict=True)]
    parts = {}
    for changed in reached:
        for mask in range(16):
            one = {n: changed[n] if mask >> i & 1 else row[n] for i, n in enumerate(LEVELS)}
            parts.setdefault(tuple(one.values()), (one, mask.bit_count()))
    table = pd.DataFrame([one for one, _ in parts.values()], columns=list(LEVELS), dtype=object)
    found_parts = rules(encoder.as_table({n: table[n].tolist() for n in LEVELS}))
    fewest = min(
        (
            sum(one[n] != row[n] for n in LEVELS)
            for (one, _), part in zip(parts.values(), found_parts, strict=True)
            if part in wanted
        ),
        default=None,
    )
    found = changes.nearest(wanted)
    assert (found is None) == (fewest is None)
    if found is None:
        return
    part, told = found
    assert part in wanted
    assert len(told) == fewest
    conditions = BooleanFunction([[c for x in told for c in x.condition.split(" AND ")]])
    ways = 0
    for changed in reached:
        after = {**row, **{x.attribute: changed[x.attribute] for x in told}}
        if conditions(read_table({n: [v] for n, v in after.items()}))[0]:
            ways += 1
            assert part_of(rules, encoder, after) == part
    assert ways > 0
