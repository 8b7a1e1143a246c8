"""Rates, traces and the posterior of functions, chain by chain."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from bayesdnf import (
    plots,
)
from bayesdnf.errors import InputError
from bayesdnf.plots.labels import NULL, probability_text
from tests.plots.problems import all_text, bars, y_labels


def test_rates_are_those_drawn(two):
    axes = plots.rates(two)
    for (line_panel, beside), rates in zip(axes, (two.pi0, two.pi1), strict=True):
        assert np.array_equal([line.get_ydata() for line in line_panel.lines], rates)
        assert [line.get_label() for line in line_panel.lines] == [
            f"chain {i}" for i in (1, 2, 3, 4)
        ]
        for stairs in beside.patches:
            assert stairs.get_data().values.sum() == pytest.approx(1)
    assert [text.get_text() for text in axes[0, 0].get_legend().get_texts()] == [
        f"chain {i}" for i in (1, 2, 3, 4)
    ]
    assert axes[0, 0].get_ylabel().startswith("π0")


@pytest.mark.parametrize("name", ["lists", "functions in strata"])
def test_more_than_two_rates_have_a_plot_of_their_own(name, draws_of):
    with pytest.raises(InputError, match=r"more than two rates; plots\.part_rates draws"):
        plots.rates(draws_of(name))
    assert plt.get_fignums() == []


def test_one_chain_needs_no_legend(draws_of):
    draws = draws_of("one chain")
    assert plots.rates(draws)[0, 0].get_legend() is None
    ax = plots.function_posterior(draws)
    assert ax.get_legend() is None
    assert not ax.lines


def test_traces_are_those_drawn_each_chain_in_its_lane(two):
    axes = plots.trace(two)
    scalars = two.scalars()
    assert np.array_equal([x.get_ydata() for x in axes[0, 0].lines], scalars["log_posterior"])
    for row, name in ((1, "terms"), (2, "literals")):
        shown = np.array([line.get_ydata() for line in axes[row, 0].lines])
        assert np.array_equal(np.round(shown), scalars[name])
        lanes = np.round(shown - scalars[name], 6)
        assert [len(set(lane)) for lane in lanes] == [1] * 4
        assert len({lane[0] for lane in lanes}) == 4
        for chain, container in enumerate(axes[row, 1].containers):
            _, times = np.unique(scalars[name][chain], return_counts=True)
            assert np.allclose([bar.get_width() for bar in container], times / two.n_draws)


def test_traces_of_lists_show_their_layers(draws_of):
    draws = draws_of("lists")
    axes = plots.trace(draws)
    assert [ax.get_ylabel() for ax in axes[:, 0]][-1] == "layers"
    shown = np.array([line.get_ydata() for line in axes[3, 0].lines])
    assert np.array_equal(np.round(shown), draws.n_layers[draws.index])


def test_lists_that_part_the_rows_alike_are_one_bar(draws_of):
    draws = draws_of("lists")
    answers = draws.answers
    assert len(answers) < draws.n_functions
    ax = plots.function_posterior(draws, most=5)
    assert np.allclose(bars(ax), answers.probability[:5])
    assert bars(ax).tolist() == pytest.approx(draws.top(5)["same_rows"].tolist())
    marks = np.array([line.get_xdata() for line in ax.lines])
    assert np.allclose(marks, answers.counts[:, :5] / draws.n_draws)
    names = [" ".join(name.split()) for name in y_labels(ax)]
    texts = [draws.text(i).removesuffix(" else") for i in answers.number[:5].tolist()]
    assert names == texts
    rest = probability_text(answers.probability[5:].sum())
    assert f"{len(answers) - 5:,} more partitions share {rest}" in ax.get_xlabel()


def test_function_posterior_shows_shares_of_all_and_of_each_chain(two):
    ax = plots.function_posterior(two, most=5)
    best = np.argsort(-two.probability, kind="stable")[:5]
    assert np.allclose(bars(ax), two.probability[best])
    assert [name.replace("\n", " ") for name in y_labels(ax)] == [
        str(two.function(i)) for i in best
    ]
    marks = np.array([line.get_xdata() for line in ax.lines])
    assert np.allclose(marks, two.counts[:, best] / two.n_draws)
    rest = probability_text(two.probability.sum() - two.probability[best].sum())
    assert f"{two.n_functions - 5:,} more functions share {rest}" in ax.get_xlabel()
    assert [text.get_text() for text in ax.texts] == [
        probability_text(p) for p in two.probability[best]
    ]


def test_the_null_function_is_named(draws_of):
    draws = draws_of("no signal")
    null = next(i for i in range(draws.n_functions) if draws.function(i).is_null)
    assert y_labels(plots.function_posterior(draws, null + 1))[null] == NULL
    assert NULL in all_text(plots.functions(draws, null + 1)[0])
