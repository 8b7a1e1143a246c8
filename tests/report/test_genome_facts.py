"""What a report on markers says of the genome."""

import base64

from bayesdnf.report.genome_facts import COLUMNS, genome_facts


def test_a_line_for_each_term_with_places_genes_and_proxies(planted_markers, planted_genes):
    facts = genome_facts(planted_markers, planted_genes)
    assert facts.columns == COLUMNS
    [row] = facts.rows
    said = dict(zip(COLUMNS, row, strict=True))
    term = planted_markers.terms.iloc[0]
    assert said["Term"] == term["TERM"]
    assert said["Place"] == "1:4,000,000 (ALPHA), 1:8,000,000 (near GAMMA)"
    assert said["Cases"] == f"{term['CASES']:,} of {term['N_CASES']:,}"
    assert said["Odds ratio"] == f"{term['OR']:.3g} [{term['OR_L95']:.3g}, {term['OR_U95']:.3g}]"
    assert said["Probability"] == f"{term['PROB']:.3f}"
    own = {str(slot.literal) for slot in planted_markers.slots[0]}
    assert said["Could also be"] != "–"  # rs4 has proxies
    assert own.isdisjoint(said["Could also be"].split(", "))


def test_places_without_genes(planted_markers):
    [row] = genome_facts(planted_markers).rows
    assert "(" not in row[COLUMNS.index("Place")]


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
