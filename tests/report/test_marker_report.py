"""The facts and the page of a report on markers."""

import re
from dataclasses import replace

import numpy as np
import pytest

from bayesdnf.report.doubts import checks_of
from bayesdnf.report.facts import File
from bayesdnf.report.marker_report import gather_markers, write_marker_report


def test_facts_are_those_of_what_was_found(planted_markers):
    facts = gather_markers(
        planted_markers, "ill", [File("genotypes", "a.bed", "0" * 64)], "bayesdnf"
    )
    study = planted_markers.study
    assert (facts.positive, facts.negative) == ("ill", "control")
    assert (facts.data.rows, facts.data.positives) == (len(study.y), study.y.sum())
    assert (facts.unmarked, facts.marked) == (planted_markers.other_risk, planted_markers.risk)
    assert facts.data.columns == study.genotypes.n_variants
    assert facts.files[0].name == "a.bed"
    assert not facts.is_held_out
    assert sum(part.rows for part in facts.parts) == len(study.y)


def test_the_form_has_the_copies_of_each_variant(planted_markers):
    case = gather_markers(planted_markers).case
    function, genotypes = planted_markers.function, planted_markers.study.genotypes
    assert [one["name"] for one in case["attributes"]] == list(function.attributes)
    for one in case["attributes"]:
        [copies] = genotypes.copies([genotypes.place[one["name"]]])
        assert one["start"] == np.bincount(copies[copies >= 0], minlength=3).argmax()
        assert len(one["options"]) == len(one["holds"]) == 4
        assert one["holds"][-1] == []  # not known: nothing holds
        # The literals of TRUTH are dominant: one copy or two.
        assert [len(held) for held in one["holds"][:3]] == [0, 1, 1]


def test_missing_calls_are_counted(planted_markers):
    data = gather_markers(planted_markers).data
    calls = planted_markers.study.genotypes.copies(range(data.columns))
    assert data.missing_cells == (calls < 0).sum()
    assert data.missing_rows == (calls < 0).any(axis=0).sum()


def test_nothing_found_is_a_report_too(no_markers, tmp_path):
    facts = gather_markers(no_markers)
    assert facts.is_null
    assert facts.case is None
    assert facts.overlap is None
    assert facts.terms == ()
    file = write_marker_report(no_markers, tmp_path / "r.html", outcome="<b>ill</b>")
    page = file.read_text(encoding="utf-8")
    assert "<b>ill</b>" not in page
    assert "&lt;b&gt;ill" in page


@pytest.mark.parametrize("which", ["planted_markers", "no_markers"])
def test_a_page_on_a_study_has_a_geneticists_words(which, request, tmp_path):
    found = request.getfixturevalue(which)
    page = write_marker_report(found, tmp_path / "r.html").read_text(encoding="utf-8")
    text = re.sub(r"<style>.*?</style>|<script.*?</script>|<[^>]+>", " ", page, flags=re.DOTALL)
    # "What the columns mean" is of a table of the page itself.
    strange = re.findall(r".*\b(?:rules?|rows?|columns? (?!mean)).*", text, flags=re.IGNORECASE)
    assert strange == []
    for word in ("samples", "marker", "variants"):
        assert word in text


def test_terms_tested_on_samples_held_out_are_no_doubt(planted_markers):
    held = {"HELD_OR": 2.0, "HELD_L95": 1.5, "HELD_U95": 2.5, "HELD_N": 77}
    found = replace(planted_markers, terms=planted_markers.terms.assign(**held))
    checks = {check.title: check for check in checks_of(gather_markers(found))}
    assert checks["Tested on held-out samples"].text.startswith("77 samples ")
    titles = [check.title for check in checks_of(gather_markers(planted_markers))]
    assert "Not tested on held-out samples" in titles
