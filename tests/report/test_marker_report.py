"""The facts and the page of a report on markers."""

import numpy as np

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
