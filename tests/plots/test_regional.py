"""The neighbourhood of each member of a marker."""

import numpy as np
import pytest

from bayesdnf import BooleanFunction, plots
from bayesdnf.errors import ParameterError


def test_regional_points_are_scores_of_the_function(planted_markers, planted_genes):
    axes = plots.region(planted_markers, 1, planted_genes)
    assert axes.shape == (2, 2)
    genotypes, posterior = planted_markers.study.genotypes, planted_markers.scoring
    for slot, ax in zip(planted_markers.slots[0], axes[0], strict=True):
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
        best = own.log_likelihood(planted_markers.function) - null
        assert points[:, 1].max() == pytest.approx(best)
        without = BooleanFunction(
            [[x for x in planted_markers.function.literals if x != slot.literal]]
        )
        dashed = ax.lines[0].get_ydata()[0]
        assert dashed == pytest.approx(own.log_likelihood(without) - null)
    assert any("ALPHA" in [text.get_text() for text in ax.texts] for ax in axes[1])


def test_regional_plots_are_of_terms_that_exist(planted_markers, no_markers):
    with pytest.raises(ParameterError, match="from 1 to 1, the number of terms"):
        plots.region(planted_markers, 2)
    with pytest.raises(ParameterError, match="there is no term"):
        plots.region(no_markers, 1)
