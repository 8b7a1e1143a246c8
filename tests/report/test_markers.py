"""Pictures and the folder of what was found in a study."""

import json
from dataclasses import replace

import matplotlib
import numpy as np
import pandas as pd
import pytest

from bayesdnf import BooleanFunction, Draws, Effect, plots
from bayesdnf.errors import InputError, MissingExtraError, ParameterError
from bayesdnf.genomics import Genes, MarkerModel, find_markers
from bayesdnf.report import save_markers, write_marker_report
from bayesdnf.report.marker_report import gather_markers
from genomics.planted import QUICK, TRUTH, study

matplotlib.use("Agg")
import matplotlib.pyplot as plt


@pytest.fixture(scope="module")
def found():
    effect = Effect(prevalence=0.01, sampling="case-control")
    return find_markers(study(proxies=3), effect=effect, **QUICK)


@pytest.fixture(scope="module")
def nothing():
    return find_markers(study(marker=False), **QUICK)


@pytest.fixture(scope="module")
def genes(tmp_path_factory):
    file = tmp_path_factory.mktemp("genes") / "genes.bed"
    lines = ["1 3900000 4100000 ALPHA", "1 4010000 4030000 BETA", "1 8010000 8020000 GAMMA"]
    file.write_text("\n".join(lines))
    return Genes.read(file)


@pytest.fixture(autouse=True)
def close():
    yield
    plt.close("all")


def texts(ax):
    return [text.get_text() for text in ax.texts]


def test_manhattan_names_and_joins_the_members(found, genes):
    ax = plots.manhattan(found, genes)
    said = texts(ax)
    names = [slot.literal.attribute for slot in found.slots[0]]
    assert sum(text.split("\n")[0] in names for text in said) == 2
    assert any("ALPHA" in text for text in said)
    assert any("near GAMMA" in text for text in said)
    assert any(text.startswith("probability ") for text in said)
    points = np.concatenate([c.get_offsets() for c in ax.collections[:2]])
    assert len(points) == found.study.genotypes.n_variants
    assert sorted(points[:, 1]) == pytest.approx(sorted(found.variants["PIP"]))
    assert ((points[:, 0] >= 0) & (points[:, 0] <= 1)).all()
    # Chromosomes follow each other, and alternate in shade.
    order = found.variants["CHR"].astype(int).to_numpy()
    shades = [np.unique(order[order % 2 == odd]).size for odd in (0, 1)]
    assert [len(c.get_offsets()) > 0 for c in ax.collections[:2]] == [n > 0 for n in shades[::-1]]


def test_manhattan_says_plainly_that_there_is_none(nothing):
    assert "No marker" in texts(plots.manhattan(nothing))


def test_manhattan_names_probable_variants_outside_the_function(found):
    variants = found.variants.copy()
    variants.loc[20, "PIP"] = 0.4
    ax = plots.manhattan(replace(found, variants=variants))
    name = found.study.genotypes.names[20]
    assert name in texts(ax)
    assert name not in texts(plots.manhattan(found))


def test_labels_do_not_overlap(found):
    from bayesdnf.plots.genome import _Names

    close = [0.5, 0.501, 0.502, 0.9, 0.99]
    names = _Names.of(["rs123456_A"] * 5, close)
    assert not names.upright
    assert np.diff(names.x).min() > 0.08
    assert min(names.x) > 0.03
    assert max(names.x) < 0.97
    assert _Names.of(["rs123456_A\nGENE"] * 30, list(np.linspace(0, 1, 30))).upright


def test_regional_points_are_scores_of_the_function(found, genes):
    axes = plots.region(found, 1, genes)
    assert axes.shape == (2, 2)
    genotypes, posterior = found.study.genotypes, found.scoring
    for slot, ax in zip(found.slots[0], axes[0], strict=True):
        assert ax.get_title(loc="left") == str(slot.literal)
        lead = genotypes.names.index(slot.literal.attribute)
        chromosome = genotypes.variants["CHR"] == genotypes.variants["CHR"][lead]
        away = (genotypes.variants["POS"] - genotypes.variants["POS"][lead]).abs()
        near = np.flatnonzero(chromosome & (away <= 250_000))
        points = np.concatenate([ax.collections[i].get_offsets() for i in (0, 2)])
        assert sorted(points[:, 0] * 1e6) == pytest.approx(
            sorted(genotypes.variants["POS"].iloc[near])
        )
        own = posterior.on(range(genotypes.n_variants))
        null = own.log_likelihood(BooleanFunction())
        best = own.log_likelihood(found.function) - null
        assert points[:, 1].max() == pytest.approx(best)
        without = BooleanFunction([[x for x in found.function.literals if x != slot.literal]])
        dashed = ax.lines[0].get_ydata()[0]
        assert dashed == pytest.approx(own.log_likelihood(without) - null)
    assert any("ALPHA" in texts(ax) for ax in axes[1])


def test_regional_plots_are_of_terms_that_exist(found, nothing):
    with pytest.raises(ParameterError, match="from 1 to 1, the number of terms"):
        plots.region(found, 2)
    with pytest.raises(ParameterError, match="there is no term"):
        plots.region(nothing, 1)


def test_the_folder_holds_everything(found, genes, tmp_path):
    folder = tmp_path / "some" / "results"
    files = save_markers(found, folder, genes, command="bayesdnf markers x", seconds={"read": 1.0})
    names = sorted(file.name for file in files)
    assert names == sorted(
        ["markers.tsv", "variants.tsv", "pairs.tsv", "regions.tsv", "summary.txt", "manhattan.png",
         "marker1.png", "model.json", "draws.nc", "report.html", "markers.log"]
    )  # fmt: skip
    assert sorted(file.name for file in folder.iterdir()) == names
    markers = pd.read_csv(folder / "markers.tsv", sep="\t")
    assert markers["TERM"].tolist() == found.terms["TERM"].tolist()
    assert markers["LOG_BF"].to_numpy() == pytest.approx(found.terms["LOG_BF"], rel=1e-5)
    assert "GAMMA" in markers["GENE"][0]
    variants = pd.read_csv(folder / "variants.tsv", sep="\t")
    assert list(variants.columns[:6]) == ["CHR", "SNP", "BP", "A1", "A2", "FREQ"]
    assert len(variants) == 30
    assert (folder / "manhattan.png").read_bytes().startswith(b"\x89PNG")
    assert MarkerModel.load(folder / "model.json").function == found.function
    assert Draws.load(folder / "draws.nc").n_draws == QUICK["draws"]
    assert str(found.function).strip("()") in (folder / "summary.txt").read_text()
    log = (folder / "markers.log").read_text()
    wanted = ["bayesdnf markers x", "numpy ", "read: 1.0", "chains: ", "seed = "]
    assert [text for text in [*wanted, *found.history] if text not in log] == []


def test_the_same_bytes_from_the_same_seed_on_any_number_of_threads(tmp_path):
    written = []
    for jobs in (1, 2):
        again = find_markers(study(), n_jobs=jobs, **QUICK)
        files = save_markers(again, tmp_path / str(jobs))
        written.append({f.name: f.read_bytes() for f in files if f.suffix not in (".log", ".nc")})
    assert written[0] == written[1]
    assert TRUTH.strip("()") in written[0]["markers.tsv"].decode()


def test_an_older_picture_of_a_term_does_not_stay(found, nothing, tmp_path):
    save_markers(found, tmp_path)
    assert (tmp_path / "marker1.png").exists()
    save_markers(nothing, tmp_path)
    assert not (tmp_path / "marker1.png").exists()
    assert pd.read_csv(tmp_path / "markers.tsv", sep="\t").empty
    assert json.loads((tmp_path / "model.json").read_text())["variants"] == []
    assert MarkerModel.load(tmp_path / "model.json").function.is_null


def test_without_the_extra_for_draws_none_are_left(found, tmp_path, monkeypatch):
    save_markers(found, tmp_path)
    assert (tmp_path / "draws.nc").exists()

    def missing(self, path):
        raise MissingExtraError.of("Draws need ArviZ", "posterior")

    monkeypatch.setattr(Draws, "save", missing)
    files = save_markers(found, tmp_path)
    assert not (tmp_path / "draws.nc").exists()
    assert (tmp_path / "markers.log") in files


def test_a_folder_that_cannot_be_made_is_one_sentence(found, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="Cannot make the folder"):
        save_markers(found, tmp_path / "file" / "results")


def test_the_report_tells_of_genotypes_in_words(found, nothing, tmp_path):
    page = write_marker_report(found, tmp_path / "report.html").read_text(encoding="utf-8")
    for literal in found.function.literals:
        assert literal.attribute in page
    assert "at least one copy of" in page
    assert "is not None" not in page
    facts = gather_markers(found)
    genotypes, rule = found.study.genotypes, found.function
    for form in facts.case["attributes"]:  # what the form answers is what the rule says
        [copies] = genotypes.copies([genotypes.names.index(form["name"])])
        for place, literal in enumerate(rule.literals):
            if literal.attribute == form["name"]:
                says = np.array([place in form["holds"][c] for c in copies])  # -1: not known
                np.testing.assert_array_equal(says, genotypes.truth(literal))
    empty = write_marker_report(nothing, tmp_path / "none.html").read_text(encoding="utf-8")
    assert "The data do not support any rule" in empty
