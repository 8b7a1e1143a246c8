"""What was found in a study, in words."""

import re
from dataclasses import replace
from types import SimpleNamespace

from bayesdnf.genomics import Genotypes, Study, find_markers
from bayesdnf.genomics.markers.summary import summary
from bayesdnf.report.marker_report import gather_markers
from bayesdnf.sampling.judging.verdict import Level
from tests.genomics.planted import QUICK, TRUTH, study


def test_marker_risks_and_rows(planted_markers, planted_genes):
    text = summary(planted_markers, planted_genes)
    term = planted_markers.terms.iloc[0]
    y = planted_markers.study.y
    for said in (
        f"{y.sum():,} cases, {(~y).sum():,} controls, ",
        TRUTH,
        f"{term['CASES']:,} of {term['N_CASES']:,} cases",
        f"odds ratio {term['OR']:.3g} [{term['OR_L95']:.3g}, {term['OR_U95']:.3g}]",
        f"probability {term['PROB']:.3f} with linked variants",
        "of a population with 0.01 cases",
        f"{planted_markers.risk.mean:.4g} [",
        "rs4_A lies in ALPHA",
        "rs4_A dominant could also be ",
    ):
        assert said in text
    assert "Without a prevalence" not in text


def test_genes_are_told_only_where_they_are_known(planted_markers):
    assert " lies " not in summary(planted_markers)


def test_no_marker_has_one_risk(no_markers):
    text = summary(no_markers)
    assert "No marker: " in text
    assert "Risk of all samples: " in text
    assert "Without a prevalence these are risks in this sample" in text
    assert "Marker:\n" not in text


def test_inflated_tests_are_the_first_warning(planted_markers):
    adjustment = planted_markers.adjustment
    high = replace(adjustment, inflation=replace(adjustment.inflation, low=1.5))
    found = replace(
        planted_markers, adjustment=high,
        study=replace(planted_markers.study, warnings=("Relatives.",)),
    )  # fmt: skip
    assert found.warnings == (high.verdict, "Relatives.")
    text = summary(found)
    assert text.count("Tests are inflated") == 1
    assert text.index("Warning: Genomic inflation") < text.index("Warning: Relatives.")


def test_short_chains_are_told_first_only_where_the_marker_is_in_doubt(planted_markers):
    class Short:
        """Draws with a verdict of their own."""

        level, doubt, settled = Level.SHORT, "Too few for rs1_C recessive.", True

        def diagnose(self):
            return SimpleNamespace(verdict=self.doubt)

        def __getattr__(self, name):
            return getattr(planted_markers.draws, name)

    sure = summary(replace(planted_markers, draws=Short()))
    assert sure.endswith("Too few for rs1_C recessive.")
    assert sure.count("Too few") == 1
    unsure = summary(replace(planted_markers, draws=Short(), null_probability=0.2))
    assert unsure.startswith("Too few for rs1_C recessive.")
    assert unsure.count("Too few") == 1
    apart = Short()
    apart.level = Level.APART
    assert summary(replace(planted_markers, draws=apart)).startswith("Too few")


def test_all_texts_name_negations_by_the_other_allele():
    given = study()
    flipped = Genotypes.from_copies(2 - given.genotypes.copies(range(given.genotypes.n_variants)))
    found = find_markers(Study(flipped, given.y), **QUICK)
    assert str(found.function) == "(NOT v4_B recessive AND NOT v8_B recessive)"
    draws = found.draws
    items = [*draws.inclusion("literal")["what"], *draws.inclusion("term")["what"]]
    functions = [draws.text(i) for i in range(draws.n_functions)]
    facts = gather_markers(found).draws
    rivals = [text for rival in facts.rivals for text in rival.added]
    shown = [item.text for item in facts.literals]
    for texts in (items, functions, shown, [summary(found)]):
        assert any("v4_A dominant" in text for text in texts)
    for texts in (items, functions, rivals, shown, [summary(found), draws.diagnose().verdict]):
        assert not any(re.search(r"NOT \w+ (dominant|recessive)", text) for text in texts)
