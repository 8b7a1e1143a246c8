"""What a report on markers says of the genome."""

import base64
from dataclasses import replace

import numpy as np

from bayesdnf.report.genome_facts import genome_facts


def test_a_line_for_each_term_with_places_genes_and_proxies(planted_markers, planted_genes):
    facts = genome_facts(planted_markers, planted_genes)
    assert "Adjusted odds ratio" not in facts.columns  # there are no covariates
    [row] = facts.rows
    said = dict(zip(facts.columns, row, strict=True))
    term = planted_markers.terms.iloc[0]
    assert said["Term"] == term["TERM"]
    assert said["Position"] == "1:4000000 (ALPHA); 1:8000000 (near GAMMA)"
    assert said["Cases"] == f"{term['CASES']:,} of {term['N_CASES']:,}"
    low, high = (f"{term[column]:.3g}" for column in ("OR_L95", "OR_U95"))
    assert said["Odds ratio"] == f"{term['OR']:.3g} [{low}, {high}]"
    assert said["Probability"] == f"{term['PROB']:.3f}"
    own = {str(slot.literal) for slot in planted_markers.slots[0]}
    assert said["Could also be"] != "–"  # rs4 has proxies
    assert own.isdisjoint(said["Could also be"].split(", "))


def test_places_without_genes(planted_markers):
    facts = genome_facts(planted_markers)
    [row] = facts.rows
    assert "(" not in row[facts.columns.index("Position")]


def test_odds_ratios_of_covariates_and_of_samples_held_out(planted_markers):
    more = {"ADJ_OR": 2.0, "ADJ_L95": 1.5, "ADJ_U95": 2.5}
    held = {f"HELD_{name}": np.nan for name in ("OR", "L95", "U95")}
    found = replace(planted_markers, terms=planted_markers.terms.assign(**more, **held))
    facts = genome_facts(found)
    [row] = facts.rows
    said = dict(zip(facts.columns, row, strict=True))
    assert said["Adjusted odds ratio"] == "2 [1.5, 2.5]"
    assert said["Odds ratio, held out"] == "–"  # not estimable


def test_sentences_are_those_of_the_steps(planted_markers, no_markers):
    said = genome_facts(planted_markers).sentences
    assert planted_markers.adjustment.verdict in said
    assert planted_markers.rivals.sentence in said
    nothing = genome_facts(no_markers)
    assert nothing.rows == ()
    assert no_markers.rivals.sentence not in nothing.sentences


def test_pictures_stand_in_the_page(planted_markers, tmp_path):
    files = [tmp_path / name for name in ("manhattan.png", "qq.png", "marker2.png")]
    for file in files:
        file.write_bytes(file.name.encode())
    pictures = genome_facts(planted_markers, pictures=files).pictures
    assert pictures[2].title == "Around term 2"
    assert len({picture.title for picture in pictures}) == 3
    assert base64.b64decode(pictures[0].data) == b"manhattan.png"
