"""The folder and the report of what was found in a study."""

import json

import numpy as np
import pandas as pd
import pytest

from bayesdnf import Draws
from bayesdnf.errors import InputError, MissingExtraError
from bayesdnf.genomics import MarkerModel, find_markers
from bayesdnf.report import save_markers, write_marker_report
from bayesdnf.report.marker_report import gather_markers
from tests.genomics.planted import QUICK, TRUTH, study

pytestmark = pytest.mark.usefixtures("no_trace_left")


@pytest.mark.slow
def test_the_folder_holds_everything(planted_markers, planted_genes, tmp_path):
    folder = tmp_path / "some" / "results"
    files = save_markers(
        planted_markers, folder, planted_genes, command="bayesdnf markers x", seconds={"read": 1.0}
    )
    names = sorted(file.name for file in files)
    assert names == sorted(
        ["markers.tsv", "variants.tsv", "pairs.tsv", "regions.tsv", "summary.txt", "manhattan.png",
         "qq.png", "marker1.png", "model.json", "draws.nc", "report.html", "markers.log"]
    )  # fmt: skip
    assert sorted(file.name for file in folder.iterdir()) == names
    markers = pd.read_csv(folder / "markers.tsv", sep="\t")
    assert markers["TERM"].tolist() == planted_markers.terms["TERM"].tolist()
    assert markers["LOG_BF"].to_numpy() == pytest.approx(planted_markers.terms["LOG_BF"], rel=1e-5)
    assert "GAMMA" in markers["GENE"][0]
    variants = pd.read_csv(folder / "variants.tsv", sep="\t")
    assert list(variants.columns[:6]) == ["CHR", "SNP", "BP", "A1", "A2", "FREQ"]
    assert len(variants) == 30
    assert variants.columns[-1] == "CHAINS"
    for name in ("markers", "variants", "pairs", "regions"):  # the verdict, in every row
        told = pd.read_csv(folder / f"{name}.tsv", sep="\t")["CHAINS"]
        assert set(told) == {planted_markers.draws.diagnose().level.value}
    assert (folder / "manhattan.png").read_bytes().startswith(b"\x89PNG")
    assert MarkerModel.load(folder / "model.json").function == planted_markers.function
    assert Draws.load(folder / "draws.nc").n_draws == QUICK["draws"]
    assert str(planted_markers.function).strip("()") in (folder / "summary.txt").read_text()
    log = (folder / "markers.log").read_text()
    wanted = ["bayesdnf markers x", "numpy ", "read: 1.0", "chains: ", "seed = "]
    assert [text for text in [*wanted, *planted_markers.history] if text not in log] == []


@pytest.mark.long
def test_the_same_bytes_from_the_same_seed_on_any_number_of_threads(tmp_path):
    written = []
    for jobs in (1, 2):
        again = find_markers(study(), n_jobs=jobs, **QUICK)
        files = save_markers(again, tmp_path / str(jobs))
        written.append({f.name: f.read_bytes() for f in files if f.suffix not in (".log", ".nc")})
    assert written[0] == written[1]
    assert TRUTH.strip("()") in written[0]["markers.tsv"].decode()


@pytest.mark.slow
def test_an_older_picture_of_a_term_does_not_stay(planted_markers, no_markers, tmp_path):
    save_markers(planted_markers, tmp_path)
    assert (tmp_path / "marker1.png").exists()
    save_markers(no_markers, tmp_path)
    assert not (tmp_path / "marker1.png").exists()
    assert pd.read_csv(tmp_path / "markers.tsv", sep="\t").empty
    assert json.loads((tmp_path / "model.json").read_text())["variants"] == []
    assert MarkerModel.load(tmp_path / "model.json").function.is_null


@pytest.mark.slow
def test_without_the_extra_for_draws_none_are_left(planted_markers, tmp_path, monkeypatch):
    save_markers(planted_markers, tmp_path)
    assert (tmp_path / "draws.nc").exists()

    def missing(self, path):
        raise MissingExtraError.of("Draws need ArviZ", "posterior")

    monkeypatch.setattr(Draws, "save", missing)
    files = save_markers(planted_markers, tmp_path)
    assert not (tmp_path / "draws.nc").exists()
    assert (tmp_path / "markers.log") in files


def test_a_folder_that_cannot_be_made_is_one_sentence(planted_markers, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="Cannot make the folder"):
        save_markers(planted_markers, tmp_path / "file" / "results")


def test_the_report_tells_of_genotypes_in_words(planted_markers, no_markers, tmp_path):
    page = write_marker_report(planted_markers, tmp_path / "report.html").read_text(
        encoding="utf-8"
    )
    for literal in planted_markers.function.literals:
        assert literal.attribute in page
    assert "at least one copy of" in page
    assert "is not None" not in page
    facts = gather_markers(planted_markers)
    genotypes, rule = planted_markers.study.genotypes, planted_markers.function
    for form in facts.case["attributes"]:  # what the form answers is what the rule says
        [copies] = genotypes.copies([genotypes.names.index(form["name"])])
        for place, literal in enumerate(rule.literals):
            if literal.attribute == form["name"]:
                says = np.array([place in form["holds"][c] for c in copies])  # -1: not known
                np.testing.assert_array_equal(says, genotypes.truth(literal))
    empty = write_marker_report(no_markers, tmp_path / "none.html").read_text(encoding="utf-8")
    assert "The data do not support any marker" in empty


@pytest.mark.slow
def test_the_report_shows_what_a_geneticist_looks_at(planted_markers, planted_genes, tmp_path):
    save_markers(planted_markers, tmp_path, planted_genes)
    page = (tmp_path / "report.html").read_text()
    assert page.count('src="data:image/png;base64,') == 3  # Manhattan, QQ, the surroundings
    assert "img-src data:;" in page
    [row] = planted_markers.terms.to_dict("records")
    for wanted in (row["TERM"], f"{row['OR']:.3g} [{row['OR_L95']:.3g}", "GAMMA", row["ACTS"],
                   "Genomic inflation λ is", "No change of one literal among all 30"):  # fmt: skip
        assert wanted in page
