"""The page: its parts in order, true to the model, whole in one file, and safe with any text."""

import re
import sys

import numpy as np
import pandas as pd
import pytest

from bayesdnf import DNFClassifier, Effect
from bayesdnf.display.markup import shown
from bayesdnf.display.wording import percent
from bayesdnf.errors import InputError, MissingExtraError
from bayesdnf.report.doubts import checks_of
from bayesdnf.report.facts import gather
from bayesdnf.report.html import write_report
from tests.estimators.planted_list import confounded, planted
from tests.report.pages import SECTIONS, Read, page_of
from tests.report.reported import HOSTILE, hostile, mixed, noise


def test_the_parts_come_in_order_and_say_what_the_model_says(labelled, tmp_path):
    model, X, y = labelled
    read = Read(page_of(model, X, y, tmp_path))
    assert [section["id"] for section in read.named("section")] == SECTIONS
    unmarked, marked = model.risks_
    for risk in (unmarked.mean, marked.mean):
        assert percent(risk) in read.text
    for row in model.rules_.itertuples():
        assert f" {row.rows} {percent(row.rate)} " in read.text
    assert "odor is f" in read.text
    assert re.search(r"age is below 3\d", read.text)
    assert re.search(r"age is \d+ or more", read.text)
    assert "constant: every value that is not missing is 'A'" in read.text
    assert f"{int(X['age'].isna().sum())} values" in read.text
    assert "copy" in read.text
    assert "random_state" in read.text
    assert model.record_.content in read.text


@pytest.fixture(scope="module")
def listed():
    X, y = planted()
    return DNFClassifier(layers=4, positive="ill", random_state=0).fit(X, y), X, y


def test_a_list_is_a_ladder_of_layers(listed, tmp_path):
    model, X, y = listed
    read = Read(page_of(model, X, y, tmp_path))
    assert [section["id"] for section in read.named("section")] == SECTIONS
    rungs = [li["class"].split() for li in read.named("li") if "rung" in li.get("class", "")]
    assert rungs == [["rung", word] for word in model.layers_["risk"]]
    told = read.text[read.text.index("Read the layers") : read.text.index("The form starts with")]
    places = [told.index(f"Layer {part}") for part in (3, 2, 1)] + [told.index("Otherwise")]
    assert places == sorted(places)
    for row in model.layers_.itertuples():
        assert f"{row.rows} rows" in told
        assert percent(row.rate) in told
    assert told.count("raised") >= 2
    assert told.count("lowered") >= 2
    assert "A list of 3 layers and 3 terms" in read.text
    assert "Each point is a part." in read.text
    assert ">if (odor = f) elif" in page_of(model, X, y, tmp_path)


def test_strata_have_their_risks_in_the_report(tmp_path):
    X, y, site = confounded()
    for layers in (1, 2):
        model = DNFClassifier(layers=layers, random_state=0).fit(
            X[:600], y[:600], strata=site[:600]
        )
        page = page_of(model, X[600:], y[600:], tmp_path, strata=site[600:])
        read = Read(page)
        for row in model.stratum_layers_.itertuples():
            assert percent(row.rate) in read.text
        assert "Compared with its stratum" in read.text
        assert read.text.count("north") >= 2
        assert '"strata": ["north", "south"]' in page
    facts = gather(model, X[600:], y[600:], strata=site[600:])
    probabilities = model.predict_proba(X[600:], strata=site[600:])
    assert facts.performance.accuracy == np.mean(np.argmax(probabilities, axis=1) == y[600:])
    assert sum(part.positives for part in facts.performance.parts) == y[600:].sum()
    for part in facts.performance.parts:
        own = model.parts(X[600:]) == part.number
        assert part.seen.predicted == pytest.approx(probabilities[own, 1].mean())
        assert part.seen.observed == y[600:][own].mean()
    with pytest.raises(InputError, match="strata holds 'east'"):
        write_report(model, X, y, tmp_path / "r.html", strata=["east"] * len(y))


def test_a_list_without_layers_is_no_rule(tmp_path):
    X, y = noise()
    read = Read(page_of(DNFClassifier(layers=3, random_state=0).fit(X, y), X, y, tmp_path))
    assert "The data do not support any rule for “control”" in read.text
    assert [section["id"] for section in read.named("section")] == [
        name for name in SECTIONS if name not in ("try", "overlap")
    ]


def test_it_is_one_file_that_loads_nothing(labelled, tmp_path):
    page = page_of(*labelled, tmp_path)
    read = Read(page)
    loading = {"src", "srcset", "data", "action", "poster", "background"}
    assert [e for e in read.elements if loading & set(e[1])] == []
    assert read.named("link") == read.named("iframe") == read.named("base") == []
    assert all(a["href"].startswith("#") for a in read.named("a"))
    assert not re.search(r"url\(|@import|https?:", page)
    [policy] = [m["content"] for m in read.named("meta") if "http-equiv" in m]
    assert policy.startswith("default-src 'none';")


def test_the_same_facts_give_the_same_bytes(labelled, tmp_path):
    assert page_of(*labelled, tmp_path) == page_of(*labelled, tmp_path)


def test_without_a_rule_it_says_so_and_gives_one_risk(tmp_path):
    X, y = noise()
    model = DNFClassifier(positive="case", random_state=0).fit(X, y)
    assert model.function_.is_null
    read = Read(page_of(model, X, y, tmp_path))
    assert "The data do not support any rule" in read.text
    assert percent(model.risks_[0].mean) in read.text
    assert "All rows" in read.text
    ids = [section["id"] for section in read.named("section")]
    assert ids == [name for name in SECTIONS if name not in ("try", "overlap")]
    assert read.named("form") == []
    assert "The rule holds" not in read.text
    assert "optimistic" not in read.text


def test_without_a_direction_no_rule_is_no_finding(tmp_path):
    X = pd.DataFrame({"age": np.arange(200) / 7, "site": ["A"] * 200})
    y = np.where(np.arange(200) < 90, "case", "control")
    model = DNFClassifier(positive="case", negations=False, random_state=0).fit(X, y)
    assert model.function_.is_null
    page = page_of(model, X, y, tmp_path)
    text = Read(page).text
    assert "No rule among the literals on offer for “case”" in text
    assert "No combination of the 8 literals on offer separates" in text
    assert "Negations, such as age < " in text
    assert "1 column gave no literals: 'site' (constant: every value " in text
    assert "Some literals were not offered" in text
    assert "finding" not in text
    assert '<li class="fine"' not in page


def test_doubts_come_before_what_is_well(labelled, tmp_path):
    model, X, y = labelled
    checks = checks_of(gather(model, X, y))
    assert [check.good for check in checks] == [False, True]
    page = page_of(model, X, y, tmp_path)
    assert page.index(checks[0].title) < page.index(checks[1].title) < page.index("<section")


def test_a_known_prevalence_is_told_and_not_compared_with_the_rows(tmp_path):
    X, y = mixed()
    effect = Effect(prevalence=0.01, sampling="case-control")
    model = DNFClassifier(positive="ill", effect=effect, random_state=0).fit(X, y)
    text = Read(page_of(model, X, y, tmp_path)).text
    assert "a population in which 1.0 % are “ill”" in text
    assert "cannot be compared" in text


# --- texts of strangers, and wrong input


def test_hostile_texts_stay_texts(tmp_path):
    X, y = hostile()
    model = DNFClassifier(positive=HOSTILE[1], negations=False, random_state=0).fit(X, y)
    assert len(model.function_) > 3
    page = page_of(model, X, y, tmp_path, command=HOSTILE[0])
    read = Read(page)
    kinds = [script.get("type") for script in read.named("script")]
    assert kinds == ["application/json", None]
    assert read.named("img") == []
    assert [e for e in read.elements if any(name.startswith("on") for name in e[1])] == []
    for literal in model.function_.literals:
        assert " ".join(shown(literal).split()) in read.text
    assert not re.search("[\u2028\u2029\u202e\x00\ud800]", page)


def test_wrong_labels_and_lengths(labelled, tmp_path):
    model, X, y = labelled
    with pytest.raises(InputError, match=r"y holds .*'dead'.* in row 3; the rule was fitted on"):
        model.report(X, np.where(np.arange(600) == 3, "dead", y), tmp_path / "r.html")
    with pytest.raises(InputError, match="y has 5 entries for 600 rows of X"):
        model.report(X, y[:5], tmp_path / "r.html")
    with pytest.raises(InputError, match=r"folder .* does not exist"):
        model.report(X, y, tmp_path / "no" / "r.html")
    assert list(tmp_path.iterdir()) == []


def test_without_jinja_one_sentence_says_how_to_get_it(labelled, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(MissingExtraError, match=r"Reports need Jinja2: pip install 'bayesdnf\[rep"):
        labelled[0].report(*labelled[1:], tmp_path / "r.html")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_wide_table_stays_a_small_file(tmp_path):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 2, (80, 3000))).rename(columns="a rather long name {}".format)
    X.iloc[rng.integers(0, 80, 2000), :1500] = np.nan
    y = X.iloc[:, 2999].to_numpy().astype(int)
    model = DNFClassifier(random_state=0, restarts=2).fit(X, y)
    assert len(page_of(model, X, y, tmp_path)) < 200_000


def test_endless_levels_and_equal_columns_stay_a_small_file(tmp_path):
    levels = [f"{i} {'level ' * 30}" for i in range(3000)]
    y = np.arange(3000) % 3 == 0
    X = {
        "level": [levels[0] if ill else level for ill, level in zip(y, levels, strict=True)],
        **{f"copy {j} {'of a long name ' * 5}": y.astype(int) for j in range(300)},
    }
    asked = {"kinds": {"level": "categorical"}, "random_state": 0, "restarts": 2}
    model = DNFClassifier(positive=True, **asked).fit(X, y)
    page = page_of(model, X, y, tmp_path)
    assert len(page) < 300_000
    alone = DNFClassifier(positive=True, **asked).fit({"level": X["level"]}, y)
    page = page_of(alone, {"level": X["level"]}, y, tmp_path)
    assert len(page) < 300_000
    assert page.count("<option") == 202  # with "another value" and "not known"
    assert levels[0].strip() in page


@pytest.mark.filterwarnings("ignore:No rule")
def test_a_search_that_was_cut_off_does_not_say_that_there_is_no_rule(tmp_path):
    X = np.random.default_rng(0).integers(0, 2, (2000, 400))
    y = (X[:, 5] & X[:, 7]) | (X[:, 9] & X[:, 11])
    model = DNFClassifier(time_limit=1e-5, random_state=0).fit(X, y)
    page = page_of(model, X, y, tmp_path)
    assert "No rule was found in time for “1”" in page
    assert "The search was stopped by its time limit before a rule was found" in page
    assert "The search was cut short." in page
    assert "do not support any rule" not in page
    assert "No combination of" not in page
