"""The page in a real browser: the form answers as the model does, and nothing else ever runs."""

import re

import numpy as np
import pandas as pd
import pytest

from bayesdnf import DNFClassifier, PosteriorDNFClassifier, simulate
from bayesdnf.display.markup import shown
from bayesdnf.display.wording import between, percent
from tests.estimators.planted_list import planted
from tests.report.browsers import Page, open_browser
from tests.report.reported import HOSTILE, hostile, mixed, noise

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def driver():
    driver = open_browser()
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def ill():
    X, y = mixed()
    return DNFClassifier(positive="ill", negations=True, random_state=0).fit(X, y), X, y


@pytest.fixture
def page(driver, ill, tmp_path):
    return Page(driver, ill[0].report(*ill[1:], tmp_path / "report.html"))


def put(page, attributes, row):
    """What to write into the form: numbers as they are, levels by the place of their option."""
    values = []
    for texts, attribute in zip(page.options, attributes, strict=True):
        value = row[attribute]
        gone = value is None or value != value
        if texts:
            wanted = "not known" if gone else {0: "no (0)", 1: "yes (1)"}.get(value, str(value))
            wanted = str(value) if attribute == "stage" and not gone else wanted
            value = texts.index(wanted)
        values.append("" if gone and not texts else str(value))
    return values


def ask(page, attributes, rows, strata=()):
    """Answers of the form about rows, in one round trip: all, terms that hold, changes."""
    page.options = page.run(
        "return Array.from(document.querySelectorAll('[data-place]'),"
        " e => Array.from(e.options || [], o => o.text))"
    )
    return page.run(
        "const texts = s => Array.from(document.querySelectorAll(s), e => e.innerText.trim());"
        "return arguments[0].map((values, k) => {"
        "  values.forEach((value, place) => {"
        "    document.querySelector(`[data-place='${place}']`).value = value });"
        "  if (arguments[1].length) document.getElementById('stratum').value = arguments[1][k];"
        "  document.getElementById('case').dispatchEvent(new Event('input'));"
        "  return {all: texts('#answer')[0].replaceAll('\\u00a0', ' '),"
        "    fires: texts('#answer li.fires'), change: texts('#change li'),"
        "    lower: texts('#lower li'), higher: texts('#higher li')} })",
        [put(page, attributes, row) for row in rows],
        list(strata),
    )


def changed(row, told):
    """The row after the change that the page suggests, by the first value it offers."""
    after = dict(row)
    for line in told:
        name, _, wanted = re.fullmatch(r"(\w+): from (.*?) to (.*)", line).groups()
        if name == "age":
            bound = float(re.search(r"[\d.]+", wanted).group())
            after[name] = bound - 1 if wanted.startswith("below") else bound
        else:
            first = re.split(r", | or ", wanted)[0]
            after[name] = {"no (0)": 0, "yes (1)": 1}.get(first, first)
            after[name] = int(first) if first.isdigit() else after[name]
    return after


def test_the_form_answers_as_the_model_explains(page, ill):
    model, X, _ = ill
    rows = X.sample(25, random_state=3).to_dict("records")
    rows[0]["age"], rows[1]["odor"] = np.nan, None
    sizes = set()
    for row, said in zip(rows, ask(page, model.function_.attributes, rows), strict=True):
        told = model.explain(row)
        risk = model.risks_[int(told.marked)]
        answer = said["all"]
        assert answer.startswith("The rule holds." if told.marked else "The rule does not hold.")
        assert percent(risk.mean) in answer
        assert between(risk.low, risk.high) in answer
        assert len(said["fires"]) == len(told.fired)
        changes = said["change"]
        assert len(changes) == len(told.change)
        assert model.explain(changed(row, changes)).marked != told.marked
        sizes.add((told.marked, len(changes)))
    assert len({marked for marked, _ in sizes}) == 2
    assert max(size for _, size in sizes) > 1
    assert page.errors() == []


def test_the_form_of_a_list_answers_as_the_model_explains(driver, tmp_path):
    X, y, strata = *planted(), np.arange(1200) % 2
    model = DNFClassifier(layers=4, positive="ill", random_state=0).fit(X, y, strata=strata)
    page = Page(driver, model.report(X, y, tmp_path / "list.html", strata=strata))
    rows = X.sample(30, random_state=3).to_dict("records")
    for number, row in enumerate(rows[:10]):  # gaps
        row[list(row)[number % 5]] = None
    seen = set()
    of = [(None, 0, 1)[number % 3] for number in range(len(rows))]
    options = ["2" if stratum is None else str(stratum) for stratum in of]
    answers = ask(page, model.function_.attributes, rows, options)
    for row, stratum, answered in zip(rows, of, answers, strict=True):
        told = model.explain(row, stratum)
        answer = answered["all"]
        said = f"Layer {told.part} decides." if told.part else "No layer holds."
        assert answer.startswith(said)
        assert percent(told.probability) in answer
        assert len(answered["fires"]) == len(told.fired)
        for word, change in (("lower", told.lower), ("higher", told.higher)):
            lines = answered[word]
            if change is None:
                assert f"No part has a {word} one." in answer
                continue
            assert len(lines) == len(change.changes)
            assert f"to a {word} risk: {percent(change.probability)}" in answer
            after = model.explain(changed(row, lines), stratum)
            assert after.part == change.part
        seen.add(told.part)
    assert seen == {0, 1, 2, 3}
    assert page.errors() == []
    for width, scheme in ((390, "light"), (1280, "dark")):
        page.resize(width, scheme)
        assert page.run("return document.documentElement.scrollWidth") <= width


def test_the_form_of_classes_answers_as_the_model_explains(driver, tmp_path):
    X, ill = planted()
    y = np.where(X["age"] >= 60, "old", ill)
    model = DNFClassifier(random_state=0).fit(X, y)
    page = Page(driver, model.report(X, y, tmp_path / "classes.html"))
    rows = X.sample(20, random_state=3).to_dict("records")
    answers = ask(page, model.function_.attributes, rows)
    seen = set()
    for row, answered in zip(rows, answers, strict=True):
        told = model.explain(row)
        answer = answered["all"]
        assert answer.startswith(f"Layer {told.part}" if told.part else "No layer holds.")
        assert told.prediction in answer.split("\n")
        for label, share in told.probabilities.items():
            assert percent(share) in answer
            assert label == told.prediction or f"{label}: {percent(share)}" in answer
        assert f"to another class: {told.change.prediction}" in answer
        assert len(answered["change"]) == len(told.change.changes)
        assert model.explain(changed(row, answered["change"])).part == told.change.part
        seen.add(told.prediction)
    assert len(seen) > 1
    assert page.errors() == []
    for width, scheme in ((390, "light"), (1280, "dark")):
        page.resize(width, scheme)
        assert page.run("return document.documentElement.scrollWidth") <= width


def test_start_again_brings_back_the_first_case(page, ill):
    model, X, _ = ill
    at_first = page.texts("#answer")
    row = X[model.marked(X)].iloc[0].to_dict()
    ask(page, model.function_.attributes, [row])
    assert page.texts("#answer") != at_first
    page.find("#case button")[0].click()
    page.run("return new Promise(done => setTimeout(done, 50))")
    assert page.texts("#answer") == at_first


def test_the_table_of_terms_sorts_both_ways(page, ill):
    model, *_ = ill
    heads = page.find("#rule th button")
    names = [head.text.split()[0] for head in heads]
    assert names[:3] == ["No.", "All", "Rows"]
    column = "#rule tbody td:nth-child(3)"
    rows = list(model.rules_["rows"])
    assert page.texts(column) == [f"{n:,}" for n in rows]
    heads[2].click()
    assert page.texts(column) == [f"{n:,}" for n in sorted(rows, reverse=True)]
    heads[2].click()
    assert page.texts(column) == [f"{n:,}" for n in sorted(rows)]
    assert page.find("#rule th[aria-sort=ascending]")[0].text.startswith("Rows")
    heads[1].click()
    texts = page.texts("#rule tbody td:nth-child(2)")
    assert texts == sorted(texts, key=str.lower)
    heads[0].click()
    heads[0].click()
    assert page.texts(column) == [f"{n:,}" for n in rows]
    assert page.errors() == []


def test_it_fits_a_phone_and_a_desk_in_light_and_dark(page, tmp_path):
    for width, scheme in ((390, "light"), (390, "dark"), (1280, "light"), (1280, "dark")):
        page.resize(width, scheme)
        assert page.run("return document.documentElement.scrollWidth") <= width
        colours = page.run(
            "const s = getComputedStyle(document.body); return [s.color, s.backgroundColor]"
        )
        ink, paper = (sum(map(int, re.findall(r"\d+", colour)[:3])) for colour in colours)
        assert (ink < paper) == (scheme == "light")
    page.picture(tmp_path / "page.png")
    assert (tmp_path / "page.png").stat().st_size > 20_000
    assert page.errors() == []


def test_words_of_a_phone_are_whole_and_large_enough(driver, tmp_path):
    """Parts were broken into "Oth / erwi / se", and the histogram's text was 6 pixels high."""
    X, y, strata = *planted(), np.arange(1200) % 2
    few = {"draws": 50, "warmup": 50, "chains": 2, "thin": 20, "random_state": 0}
    model = PosteriorDNFClassifier(layers=4, positive="ill", **few).fit(X, y, strata=strata)
    page = Page(driver, model.report(X, y, tmp_path / "list.html", strata=strata))
    page.resize(360)
    parts = page.find("#strata td:nth-child(2)")
    assert parts
    assert {cell.text for cell in parts} >= {"Layer 1", "Otherwise"}
    line = page.run("return parseFloat(getComputedStyle(arguments[0]).lineHeight)", parts[0])
    assert all(
        page.run("const r = document.createRange(); r.selectNodeContents(arguments[0]);"
                 "return r.getBoundingClientRect().height", cell) < 1.5 * line
        for cell in parts
    )  # fmt: skip
    sizes = page.run(
        "return Array.from(document.querySelectorAll('.histogram text'), e =>"
        " parseFloat(getComputedStyle(e).fontSize) * e.getScreenCTM().a)"
    )
    assert min(sizes) >= 7
    page.resize(1280)


_FOLDED = "return Array.from(document.querySelectorAll('details code'), e => e.checkVisibility())"


def test_printed_it_has_no_form_and_nothing_folded(page):
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        assert not page.find("#try")[0].is_displayed()
        assert all(page.run(_FOLDED))
    finally:
        page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    assert page.find("#try")[0].is_displayed()
    assert not any(page.run(_FOLDED))


@pytest.mark.parametrize("guarded", [True, False], ids=["as written", "without its policy"])
def test_nothing_in_the_data_ever_runs(driver, tmp_path, guarded):
    X, y = hostile()
    model = DNFClassifier(positive=HOSTILE[1], random_state=0).fit(X, y)
    path = model.report(X, y, tmp_path / "report.html")
    if not guarded:  # escaping alone must do
        text = path.read_text("utf-8")
        path.write_text(re.sub(r"<meta http-equiv=[^>]*>", "", text), "utf-8")
        assert "Content-Security-Policy" not in path.read_text("utf-8")
    page = Page(driver, path)
    for select in range(len(page.find("#case select"))):  # every option, as text that is written
        page.run(
            "const e = document.querySelectorAll('#case select')[arguments[0]];"
            "for (const o of e.options) {"
            "  e.value = o.value; e.dispatchEvent(new Event('input', {bubbles: true})) }",
            select,
        )
    page.run(
        "for (const e of document.querySelectorAll('th button')) { e.click() }"
        "for (const e of document.querySelectorAll('#case select, a, th, td, summary')) {"
        "  e.focus(); e.dispatchEvent(new MouseEvent('mouseover', {bubbles: true})) }"
    )
    assert page.run("return window.ran") is None
    assert page.run("return document.scripts.length") == 2
    assert page.run("return document.querySelectorAll('img, iframe, object, b script').length") == 0
    used = [shown(name) for name in model.function_.attributes]
    squeeze = [" ".join(label.split()) for label in used]
    assert [text.split("\n")[0] for text in page.texts("#case label")] == squeeze
    assert page.errors() == []


def test_pages_without_a_rule_and_with_draws_run_clean(driver, tmp_path):
    X, y = noise()
    page = Page(driver, DNFClassifier(random_state=0).fit(X, y).report(X, y, tmp_path / "n.html"))
    assert page.texts("h1") == ["The data do not support any rule for “control”"]
    assert page.find("#case") == []
    assert page.errors() == []
    X, y, _ = simulate(150, 12, terms=(2, 2), random_state=3)
    post = PosteriorDNFClassifier(layers=1, draws=200, warmup=100, random_state=0)
    post.fit(pd.DataFrame(X), y)
    page = Page(driver, post.report(X, y, tmp_path / "p.html"))
    assert page.texts("#rivals tbody tr:first-child td:first-child") == [
        percent(post.functions_["probability"][0])
    ]
    assert page.errors() == []
