"""The page in a real browser: the form answers as the model does, and nothing else ever runs."""

import re

import numpy as np
import pandas as pd
import pytest

from bayesdnf import DNFClassifier, PosteriorDNFClassifier, simulate
from bayesdnf.display.markup import shown
from bayesdnf.display.wording import between, percent
from estimators.planted_list import planted
from report.browsers import Page, open_browser
from report.reported import HOSTILE, hostile, mixed, noise

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


def set_case(page, attributes, row):
    """Fill in the form: numbers as they are, levels by the text of their option."""
    for place, attribute in enumerate(attributes):
        value = row[attribute]
        texts = page.texts(f"[data-place='{place}'] option")
        if texts:
            gone = value is None or value != value
            wanted = "not known" if gone else {0: "no (0)", 1: "yes (1)"}.get(value, str(value))
            wanted = str(value) if attribute == "stage" and not gone else wanted
            value = str(texts.index(wanted))
        elif value is None or np.isnan(value):
            value = ""
        page.run(
            "const e = document.querySelector(`[data-place='${arguments[0]}']`);"
            "e.value = arguments[1]; e.dispatchEvent(new Event('input', {bubbles: true}))",
            place,
            str(value),
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
    for row in rows:
        set_case(page, model.function_.attributes, row)
        told = model.explain(row)
        risk = model.risks_[int(told.marked)]
        answer = page.texts("#answer")[0].replace("\N{NO-BREAK SPACE}", " ")
        assert answer.startswith("The rule holds." if told.marked else "The rule does not hold.")
        assert percent(risk.mean) in answer
        assert between(risk.low, risk.high) in answer
        terms = page.texts("#answer li.fires")
        assert len(terms) == len(told.fired)
        changes = page.texts("#change li")
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
    for number, row in enumerate(rows):
        stratum = (None, 0, 1)[number % 3]
        page.run(
            "const e = document.getElementById('stratum');"
            "e.value = arguments[0]; e.dispatchEvent(new Event('input', {bubbles: true}))",
            "2" if stratum is None else str(stratum),
        )
        set_case(page, model.function_.attributes, row)
        told = model.explain(row, stratum)
        answer = page.texts("#answer")[0].replace("\N{NO-BREAK SPACE}", " ")
        said = f"Layer {told.part} decides." if told.part else "No layer holds."
        assert answer.startswith(said)
        assert percent(told.probability) in answer
        assert len(page.texts("#answer li.fires")) == len(told.fired)
        for word, change in (("lower", told.lower), ("higher", told.higher)):
            lines = page.texts(f"#{word} li")
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


def test_start_again_brings_back_the_first_case(page, ill):
    model, X, _ = ill
    at_first = page.texts("#answer")
    row = X[model.marked(X)].iloc[0].to_dict()
    set_case(page, model.function_.attributes, row)
    assert page.texts("#answer") != at_first
    page.find("#case button")[0].click()
    page.run("return new Promise(done => setTimeout(done, 50))")
    assert page.texts("#answer") == at_first


def test_the_table_of_terms_sorts_both_ways(page, ill):
    model, *_ = ill
    heads = page.find("#terms th button")
    names = [head.text.split()[0] for head in heads]
    assert names[:3] == ["No.", "Term", "Rows"]
    column = "#terms tbody td:nth-child(3)"
    rows = list(model.rules_["rows"])
    assert page.texts(column) == [f"{n:,}" for n in rows]
    heads[2].click()
    assert page.texts(column) == [f"{n:,}" for n in sorted(rows, reverse=True)]
    heads[2].click()
    assert page.texts(column) == [f"{n:,}" for n in sorted(rows)]
    assert page.find("#terms th[aria-sort=ascending]")[0].text.startswith("Rows")
    heads[1].click()
    texts = page.texts("#terms tbody td:nth-child(2)")
    assert texts == sorted(texts, key=str.lower)
    heads[0].click()
    heads[0].click()
    assert page.texts(column) == [f"{n:,}" for n in rows]
    assert page.errors() == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_it_fits_a_phone_and_a_desk_in_light_and_dark(page, width, scheme, tmp_path):
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
    for button in page.find("th button"):
        button.click()
    for element in page.find("#case select, a, th, td"):
        page.run(
            "arguments[0].focus();"
            "arguments[0].dispatchEvent(new MouseEvent('mouseover', {bubbles: true}))",
            element,
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
    column = "#rivals table.sortable td:first-child"
    shares = [float(cell.get_attribute("data-v")) for cell in page.find(column)]
    assert shares == sorted(shares, reverse=True)
    page.find("#rivals th button")[0].click()
    page.find("#rivals th button")[0].click()
    shares = [float(cell.get_attribute("data-v")) for cell in page.find(column)]
    assert shares == sorted(shares)
    assert page.errors() == []
