"""The page: its parts in order, true to the model, whole in one file, and safe with any text."""

import re
import sys
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

from bayesdnf import DNFClassifier, Effect, PosteriorDNFClassifier, RuleList, simulate
from bayesdnf.data.tables import read_table
from bayesdnf.display.markup import shown
from bayesdnf.display.wording import percent
from bayesdnf.errors import InputError, MissingExtraError
from bayesdnf.report.doubts import checks_of
from bayesdnf.report.facts import gather
from bayesdnf.report.html import write_report
from tests.estimators.planted_list import confounded, planted
from tests.report.reported import HOSTILE, hostile, mixed, noise

SECTIONS = ["rule", "try", "test", "rivals", "overlap", "data", "repeat"]
OF_DRAWS = [
    "rule",
    "averaged",
    "sure",
    "try",
    "test",
    "attributes",
    "rivals",
    "overlap",
    "trust",
    "data",
    "repeat",
]


class Read(HTMLParser):
    """Elements and texts of a page, as a browser without scripts would see them."""

    def __init__(self, page):
        super().__init__()
        self.elements, self.pieces, self.raw = [], [], False
        self.feed(page)
        self.text = " ".join(" ".join(self.pieces).split()).replace("\N{NO-BREAK SPACE}", " ")

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        self.raw = tag in ("script", "style")

    def handle_endtag(self, tag):
        self.raw = False

    def handle_data(self, data):
        if not self.raw:
            self.pieces.append(data)

    def named(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.fixture(scope="module")
def fitted():
    X, y = mixed()
    return DNFClassifier(positive="ill", negations=True, random_state=0).fit(X, y), X, y


def page_of(model, X, y, folder, **options):
    path = write_report(model, X, y, folder / "report.html", **options)
    assert path.stat().st_size < 1_500_000
    return path.read_text("utf-8")


def test_the_parts_come_in_order_and_say_what_the_model_says(fitted, tmp_path):
    model, X, y = fitted
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
    told = read.text[read.text.index("Read the layers") : read.text.index("At first the form")]
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


@pytest.fixture(scope="module")
def of_classes():
    """Three classes, one of them with a name that would like to be markup."""
    rng = np.random.default_rng(3)
    table = pd.DataFrame({f"x{j}": rng.integers(0, 2, 300) for j in range(5)})
    part = RuleList(["x0 AND x1", "x2"])(read_table(table)).astype(int)
    wrong = np.where(rng.random(300) < 0.1, rng.integers(0, 3, 300), part)
    return table, np.array(["a", "b", HOSTILE[0]])[wrong]


def test_classes_are_a_ladder_with_their_shares(of_classes, tmp_path):
    X, y = of_classes
    model = DNFClassifier(random_state=0).fit(X[:200], y[:200])
    page = page_of(model, X[200:], y[200:], tmp_path, held_out=np.ones(100, dtype=bool))
    read = Read(page)
    assert [section["id"] for section in read.named("section")] == SECTIONS
    assert "<script>window" not in page
    assert "A list of 2 layers and 2 terms tells 3 classes apart" in read.text
    told = read.text[read.text.index("Read the layers") : read.text.index("At first the form")]
    for row in model.layers_.itertuples():
        assert f"{row.rows} rows {shown(row[4])} {percent(row.share)} " in told
    for c, label in enumerate(model.classes_):
        shares = [percent(part[c].mean) for part in model.shares_[::-1]]
        place = told.index(f" {shown(label)} {shares[0]}", told.index("The share of every class"))
        assert all(share in told[place : place + 120] for share in shares)
    facts = gather(model, X[200:], y[200:])
    answered = model.predict(X[200:])
    for answer, row in zip(model.classes_, facts.performance.table, strict=True):
        own = y[200:][answered == answer]
        assert row == tuple(int(np.sum(own == label)) for label in model.classes_)
    assert facts.predict_accuracy == np.mean(answered == y[200:])
    assert f"Accuracy on held-out rows {percent(facts.predict_accuracy)} by predict" in read.text
    assert "Balanced accuracy" in read.text


def test_averages_of_classes(of_classes, tmp_path):
    X, y = of_classes
    few = {"draws": 60, "warmup": 40, "chains": 2, "thin": 20, "random_state": 0}
    model = PosteriorDNFClassifier(layers=2, **few).fit(X[:200], y[:200])
    read = Read(page_of(model, X[200:], y[200:], tmp_path))
    assert [section["id"] for section in read.named("section")] == OF_DRAWS
    assert "Probabilities of 3 classes are averaged over" in read.text
    facts = gather(model, X[200:], y[200:])
    assert sum(b.positives + b.negatives for b in facts.averaged.bins) == 100
    right = np.mean(model.predict(X[200:]) == y[200:])
    assert sum(b.positives for b in facts.averaged.bins) == round(100 * right)
    assert [len(part.shares) for part in facts.parts] == [3] * len(facts.parts)


def test_no_rule_for_classes_strata_and_many_of_them(tmp_path):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({f"x{j}": rng.integers(0, 2, 240) for j in range(4)})
    noise_y = rng.permutation(np.repeat(list("abc"), 80))
    read = Read(page_of(DNFClassifier(random_state=0).fit(X, noise_y), X, noise_y, tmp_path))
    assert "The data do not support any rule for the class" in read.text
    assert "The same shares for all" in read.text
    many = np.where(X["x0"] == 1, rng.integers(0, 6, 240), rng.integers(6, 12, 240))
    site = np.arange(240) % 2
    model = DNFClassifier(layers=1, random_state=0).fit(X, many, strata=site)
    facts = gather(model, X, many, strata=site)
    assert sorted(c.color for c in facts.classes) == [0] * 4 + list(range(1, 9))
    assert sum(c.fitted for c in facts.classes) == 240
    read = Read(page_of(model, X, many, tmp_path, strata=site))
    assert "4 other classes" in read.text
    assert "The classes in each stratum" in read.text


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


def test_it_is_one_file_that_loads_nothing(fitted, tmp_path):
    page = page_of(*fitted, tmp_path)
    read = Read(page)
    loading = {"src", "srcset", "data", "action", "poster", "background"}
    assert [e for e in read.elements if loading & set(e[1])] == []
    assert read.named("link") == read.named("iframe") == read.named("base") == []
    assert all(a["href"].startswith("#") for a in read.named("a"))
    assert not re.search(r"url\(|@import|https?:", page)
    [policy] = [m["content"] for m in read.named("meta") if "http-equiv" in m]
    assert policy.startswith("default-src 'none';")


def test_the_same_facts_give_the_same_bytes(fitted, tmp_path):
    assert page_of(*fitted, tmp_path) == page_of(*fitted, tmp_path)


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
    assert "No combination of the 8 literals on offer tells" in text
    assert "Negations, such as age < " in text
    assert "1 column gave no literals: 'site'." in text
    assert "Some literals were not offered" in text
    assert "finding" not in text
    assert '<li class="fine"' not in page


# --- which rows were held out


def test_rows_of_the_fit_are_never_called_held_out(fitted, tmp_path):
    model, X, y = fitted
    text = Read(page_of(model, X.sample(frac=1, random_state=1), y, tmp_path)).text
    assert "There are no held-out rows" in text  # of other labels: cannot be told apart, so no
    shuffled = X.assign(y=y).sample(frac=1, random_state=1)
    text = Read(page_of(model, shuffled.drop(columns="y"), shuffled["y"], tmp_path)).text
    assert "All 600 rows were in the fit" in text
    assert "There are no held-out rows" in text
    assert "Accuracy on held-out rows" not in text


def test_other_rows_are_held_out(fitted, tmp_path):
    model, *_ = fitted
    X, y = mixed(300, seed=9)
    read = Read(page_of(model, X, y, tmp_path))
    assert "None of these 300 rows was in the fit" in read.text
    assert "There are no held-out rows" not in read.text
    right = float(np.mean(model.marked(X) == (y == "ill")))
    assert f"Accuracy on held-out rows {percent(right)}" in read.text


def test_rows_among_which_those_of_the_fit_are_hidden_are_not_held_out(fitted, tmp_path):
    model, X, y = fitted
    more, labels = mixed(300, seed=9)
    both = pd.concat([more, X], ignore_index=True)
    text = Read(page_of(model, both, np.concatenate([labels, y]), tmp_path)).text
    assert "cannot be called held out" in text
    assert "There are no held-out rows" in text


def test_rows_known_to_be_held_out_are_measured_alone(fitted, tmp_path):
    model, X, y = fitted
    more, labels = mixed(300, seed=9)
    both, every = pd.concat([X, more], ignore_index=True), np.concatenate([y, labels])
    text = Read(page_of(model, both, every, tmp_path, held_out=np.arange(900) >= 600)).text
    assert "600 of 900 rows were in the fit; 300 were held out" in text
    right = float(np.mean(model.marked(more) == (labels == "ill")))
    assert f"Accuracy on held-out rows {percent(right)} by predict and marked, of 300 rows" in text


def test_both_accuracies_are_named_where_they_differ(tmp_path):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"gene": rng.integers(0, 2, 1000), "other": rng.integers(0, 2, 1000)})
    y = rng.random(1000) < np.where(X["gene"] == 1, 0.3, 0.01)
    model = DNFClassifier(random_state=0).fit(X[:500], y[:500])
    rest = page_of(model, X[500:], y[500:], tmp_path, held_out=np.ones(500, dtype=bool))
    by_predict, by_rule = np.mean(~y[500:]), np.mean(y[500:] == (X["gene"][500:] == 1))
    text = Read(rest).text
    assert f"{percent(by_predict)} by predict, {percent(by_rule)} by marked, of 500 rows" in text
    assert f"predict: accuracy {by_predict:.4f} (balanced 0.5000)" in text
    assert f"marked: accuracy {by_rule:.4f}" in " ".join(text.split())


def test_weights_are_told(tmp_path):
    X, y = mixed(200)
    weights = np.arange(200) % 3
    model = DNFClassifier(positive="ill", random_state=0).fit(X, y, sample_weight=weights)
    text = Read(page_of(model, X[weights > 0], y[weights > 0], tmp_path)).text
    assert "All 133 rows were in the fit. The fit weighted them; here each counts once." in text
    # The rows that did not count are new to the rule, the others are not.
    assert "cannot be called held out" in Read(page_of(model, X, y, tmp_path)).text


# --- the posterior


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


def test_doubts_come_before_what_is_well(fitted, tmp_path):
    model, X, y = fitted
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


def test_wrong_labels_and_lengths(fitted, tmp_path):
    model, X, y = fitted
    with pytest.raises(InputError, match=r"y holds .*'dead'.* in row 3; the rule was fitted on"):
        model.report(X, np.where(np.arange(600) == 3, "dead", y), tmp_path / "r.html")
    with pytest.raises(InputError, match="y has 5 entries for 600 rows of X"):
        model.report(X, y[:5], tmp_path / "r.html")
    with pytest.raises(InputError, match=r"folder .* does not exist"):
        model.report(X, y, tmp_path / "no" / "r.html")
    assert list(tmp_path.iterdir()) == []


def test_without_jinja_one_sentence_says_how_to_get_it(fitted, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(MissingExtraError, match=r"Reports need Jinja2: pip install 'bayesdnf\[rep"):
        fitted[0].report(*fitted[1:], tmp_path / "r.html")
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
