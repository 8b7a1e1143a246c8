"""Variants along the genome, and the names that stand beside them."""

from dataclasses import replace

import numpy as np
import pytest

from bayesdnf import plots
from bayesdnf.plots.genome import _Names


def texts(ax):
    return [text.get_text() for text in ax.texts]


def test_manhattan_names_and_joins_the_members(planted_markers, planted_genes):
    ax = plots.manhattan(planted_markers, planted_genes)
    said = texts(ax)
    names = [slot.literal.attribute for slot in planted_markers.slots[0]]
    assert sum(text.split("\n")[0] in names for text in said) == 2
    assert any("ALPHA" in text for text in said)
    assert any("near GAMMA" in text for text in said)
    assert any(text.startswith("term ") for text in said)
    points = np.concatenate([c.get_offsets() for c in ax.collections[:2]])
    assert len(points) == planted_markers.study.genotypes.n_variants
    assert sorted(points[:, 1]) == pytest.approx(sorted(planted_markers.variants["PIP"]))
    assert ((points[:, 0] >= 0) & (points[:, 0] <= 1)).all()
    # Chromosomes follow each other, and alternate in shade.
    order = planted_markers.variants["CHR"].astype(int).to_numpy()
    shades = [np.unique(order[order % 2 == odd]).size for odd in (0, 1)]
    assert [len(c.get_offsets()) > 0 for c in ax.collections[:2]] == [n > 0 for n in shades[::-1]]


def test_manhattan_says_plainly_that_there_is_none(no_markers):
    assert "No marker" in texts(plots.manhattan(no_markers))


def test_manhattan_names_probable_variants_outside_the_function(planted_markers):
    variants = planted_markers.variants.copy()
    variants.loc[20, "PIP"] = 0.4
    ax = plots.manhattan(replace(planted_markers, variants=variants))
    name = planted_markers.study.genotypes.names[20]
    assert name in texts(ax)
    assert name not in texts(plots.manhattan(planted_markers))


def test_labels_do_not_overlap():
    close = [0.5, 0.501, 0.502, 0.9, 0.99]
    names = _Names.of(["rs123456_A"] * 5, close)
    assert not names.upright
    assert np.diff(names.x).min() > 0.08
    assert min(names.x) > 0.03
    assert max(names.x) < 0.97
    assert _Names.of(["rs123456_A\nGENE"] * 30, list(np.linspace(0, 1, 30))).upright
