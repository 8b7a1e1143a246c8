"""Pictures of draws: what stands in their axes, on ordinary draws and on odd ones."""

import itertools
import sys

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from bayesdnf import (
    BitMatrix,
    BooleanFunction,
    Geometric,
    Posterior,
    Prior,
    RuleList,
    plots,
    sample,
    simulate,
)
from bayesdnf.errors import InputError, MissingExtraError, ParameterError
from bayesdnf.plots.labels import NULL, probability_text

OF_DRAWS = {
    "rates": (plots.rates, (2, 2)),
    "trace": (plots.trace, (3, 2)),
    "function_posterior": (plots.function_posterior, None),
    "inclusion": (plots.inclusion, None),
    "inclusion of terms": (lambda draws, **k: plots.inclusion(draws, "term", **k), None),
    "coinclusion": (plots.coinclusion, None),
    "functions": (plots.functions, (2,)),
    "part_rates": (plots.part_rates, None),
}
LAID_OUT = ("trace", "function_posterior", "functions", "part_rates")  # by layers or strata


def drawn(n, p, names=None, prior=None, **settings):
    terms = settings.pop("terms", (2, 2))
    X, y, _ = simulate(n, p, terms=terms, random_state=1)
    if names is not None:
        X.columns = names
    posterior = Posterior(BitMatrix.from_table(X), y, prior or Prior())
    defaults = {"draws": 150, "warmup": 50, "thin": 20, "random_state": 1}
    return sample(posterior, **(defaults | settings))


LONG = [f"a column with a name too long for most plots, number {i:02d}" for i in range(12)]
PROBLEMS = {
    "two terms": lambda: drawn(150, 12),
    "no signal": lambda: drawn(100, 12, terms=BooleanFunction()),
    "only the null": lambda: drawn(
        20_000, 3, terms=BooleanFunction(), prior=Prior(Geometric(0.999999, start=0)), draws=20
    ),
    "one function": lambda: drawn(1500, 6, draws=20, warmup=20),
    "one chain": lambda: drawn(150, 12, chains=1),
    "one draw": lambda: drawn(150, 12, draws=1, warmup=0, chains=6),
    "one literal": lambda: drawn(150, 1, terms=(1,)),
    "long names": lambda: drawn(120, 12, names=LONG),
    "dollars": lambda: drawn(150, 4, names=["$a$", "$", "_b", "\\frac{$x$"]),
}


def drawn_lists(names=None, n=200, p=8, layers=3, labels=(), **settings):
    """Draws of lists on rows of three risks, other ones in every stratum."""
    rng = np.random.default_rng(1)
    X = rng.random((n, p)) < 0.5
    part = np.where(X[:, 0] & X[:, 1], 2, np.where(X[:, 2], 1, 0)) if p > 2 else 0 * X[:, 0]
    stratum = np.arange(n) % max(1, len(labels))
    y = rng.random(n) < np.array([0.1, 0.5, 0.9])[part] * (0.5 + 0.5 * (stratum == 0))
    table = pd.DataFrame(X, columns=names or [f"x{j}" for j in range(p)])
    strata = np.array(labels)[stratum] if len(labels) else None
    posterior = Posterior(BitMatrix.from_table(table), y, layers=layers, strata=strata)
    defaults = {"draws": 100, "warmup": 50, "thin": 20, "random_state": 1}
    return sample(posterior, **(defaults | settings))


PROBLEMS_OF_LISTS = {
    "lists": lambda: drawn_lists(),
    "lists in strata": lambda: drawn_lists(labels=["$f$", "m", "neither of these two"]),
    "many strata": lambda: drawn_lists(labels=[f"stratum {i:02d}" for i in range(14)], layers=2),
    "lists of long names": lambda: drawn_lists(names=LONG[:8], layers=4),
    "only the null list": lambda: drawn_lists(n=4000, p=2, layers=2, draws=5, warmup=5),
    "functions in strata": lambda: drawn_lists(layers=1, labels=["f", "m"]),
}


@pytest.fixture(scope="module")
def draws_of():
    """Return draws by name, each made once."""
    made = {}

    def get(name):
        if name not in made:
            made[name] = (PROBLEMS | PROBLEMS_OF_LISTS)[name]()
        return made[name]

    return get


@pytest.fixture
def two(draws_of):
    return draws_of("two terms")


def y_labels(ax):
    return [text.get_text() for text in ax.get_yticklabels()]


def x_labels(ax):
    return [text.get_text() for text in ax.get_xticklabels()]


def bars(ax):
    """Lengths of horizontal bars, in the order they were drawn."""
    return np.array([bar.get_width() for container in ax.containers[:1] for bar in container])


def whiskers(ax):
    (lines,) = [c for c in ax.collections if hasattr(c, "get_segments")]
    return np.array([segment[:, 0] for segment in lines.get_segments()])


def all_text(ax):
    return "\n".join(text.get_text() for text in ax.texts)


@pytest.mark.slow
@pytest.mark.parametrize(
    "problem",
    [
        name if name in ("two terms", "long names") else pytest.param(name, marks=pytest.mark.long)
        for name in PROBLEMS
    ],
)
@pytest.mark.parametrize("plot", OF_DRAWS)
def test_every_plot_is_legible_on_all_draws(plot, problem, draws_of):
    make, shape = OF_DRAWS[plot]
    axes = make(draws_of(problem))
    if shape is None:
        assert isinstance(axes, plt.Axes)
    else:
        assert axes.shape == shape
    check_legible(axes)


@pytest.mark.slow
@pytest.mark.parametrize("problem", PROBLEMS_OF_LISTS)
@pytest.mark.parametrize("plot", LAID_OUT)
def test_plots_of_lists_are_legible(plot, problem, draws_of):
    draws = draws_of(problem)
    axes = OF_DRAWS[plot][0](draws)
    if plot == "trace":
        assert axes.shape == (3 if draws.layers == 1 else 4, 2)
    check_legible(axes)


@pytest.mark.parametrize("plot", OF_DRAWS)
def test_every_plot_is_legible_in_large_letters(plot, draws_of):
    with plt.rc_context({"font.size": 16}):
        check_legible(OF_DRAWS[plot][0](draws_of("long names")))


def test_labels_fit_into_a_small_axes_of_a_figure(draws_of):
    axes = plt.subplots(2, 2, figsize=(10, 8), layout="constrained")[1]
    draws = draws_of("long names")
    plots.function_posterior(draws, 6, ax=axes[0, 0])
    plots.inclusion(draws_of("long names"), "term", 6, ax=axes[1, 1])
    check_legible(axes[[0, 1], [0, 1]])
    assert f"… (function {draws.answers.number[5]})" in y_labels(axes[0, 0])[5]


def check_legible(axes):
    """Labels do not touch each other and nothing reaches out of the figure."""
    figure = np.ravel(axes)[0].figure
    figure.draw_without_rendering()
    for ax in np.ravel(axes):
        for labels in (ax.get_yticklabels(), ax.get_xticklabels()):
            boxes = [label.get_window_extent() for label in labels if label.get_text()]
            upright = all(label.get_rotation() in (0, 90) for label in labels)
            if upright:
                touching = [pair for pair in itertools.pairwise(boxes) if pair[0].overlaps(pair[1])]
                assert touching == []
        box = ax.get_tightbbox()
        assert box.x0 >= -1
        assert box.y0 >= -1
        assert box.x1 <= figure.bbox.width + 1
        assert box.y1 <= figure.bbox.height + 1


@pytest.mark.parametrize("plot", OF_DRAWS)
def test_a_plot_draws_where_it_is_told(plot, two):
    make, shape = OF_DRAWS[plot]
    if shape is None:
        figure, given_ax = plt.subplots()
        assert make(two, ax=given_ax) is given_ax
    else:
        figure, given_axes = plt.subplots(1, int(np.prod(shape)))
        assert list(np.ravel(make(two, axes=given_axes))) == list(given_axes)
        with pytest.raises(
            ParameterError, match=r"The 'axes' parameter of plots\..* must be . Axes"
        ):
            make(two, axes=given_axes[:1])
    assert plt.get_fignums() == [figure.number]


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


def test_rates_of_parts_are_those_drawn(draws_of):
    draws = draws_of("lists in strata")
    number = int(np.flatnonzero(draws.n_layers == 2)[0])
    ax = plots.part_rates(draws, number)
    rule = draws.function(number)
    assert [name.replace("\n    ", "") for name in y_labels(ax)] == [
        f"if {rule.layers[0]}",
        f"elif {rule.layers[1]}",
        "else",
    ]
    rates = draws.rates[draws.index == number][:, :, [2, 1, 0]]
    medians = np.array([line.get_xdata() for line in ax.lines])
    assert medians == pytest.approx(np.median(rates, axis=0))
    ends = [[segment[:, 0] for segment in c.get_segments()] for c in ax.collections]
    expected = np.moveaxis(np.quantile(rates, [0.025, 0.975], axis=0), 0, -1)
    assert np.array(ends) == pytest.approx(expected)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == list(draws.strata)
    assert not any(text.get_parse_math() for text in ax.get_legend().get_texts())
    assert f"{(draws.index == number).sum():,} draw" in ax.get_xlabel()


def test_rates_of_parts_of_what_is_most_probable(two, draws_of):
    draws = draws_of("lists")
    likely = draws.function(int(draws.answers.number[0]))
    assert len(y_labels(plots.part_rates(draws))) == len(likely) + 1
    ax = plots.part_rates(two)
    assert ax.get_legend() is None
    drawn = two.index == 0
    medians = [np.median(two.pi1[drawn]), np.median(two.pi0[drawn])]
    assert ax.lines[0].get_xdata().tolist() == pytest.approx(medians)
    assert y_labels(plots.part_rates(draws_of("only the null list"))) == ["every row"]
    for number in (-1, two.n_functions, 0.5):
        with pytest.raises(ParameterError, match=r"'number' parameter of plots\.part_rates must"):
            plots.part_rates(two, number)


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


def test_plots_of_lists_speak_of_lists(draws_of):
    draws = draws_of("lists")
    assert "the list holds the literal" in plots.inclusion(draws).get_xlabel()
    assert "the list uses" in plots.inclusion(draws, "attribute").get_xlabel()
    assert "the list holds the literal" in plots.coinclusion(draws).get_title()
    null = draws_of("only the null list")
    assert null.null_probability == 1
    assert y_labels(plots.function_posterior(null)) == ["no marker (the null list)"]
    for make in (plots.inclusion, plots.coinclusion):
        assert "Every draw is the null list" in all_text(make(null))
    assert all_text(plots.functions(null)[0]) == "no marker (the null list)"


def test_layers_are_drawn_below_each_other(draws_of):
    draws = draws_of("lists")
    terms, shares = plots.functions(draws, most=5)
    numbers = draws.answers.number[:5].tolist()
    assert y_labels(terms) == [str(i) for i in numbers]
    assert terms.get_ylabel() == "list"
    assert np.allclose(bars(shares), draws.answers.probability[:5])
    names = x_labels(terms)
    edges = [0.0]
    for middle in terms.get_yticks():
        edges.append(2 * middle - edges[-1])
    words = {text.get_position()[1]: text.get_text() for text in terms.texts}
    for number, (top, bottom) in zip(numbers, itertools.pairwise(edges), strict=True):
        rule = draws.function(number)
        starts = sorted(height for height in words if top < height < bottom)
        assert [words[height] for height in starts] == ["if", "elif", "elif"][: len(rule)]
        layers = [[] for _ in starts]
        for line in terms.lines:
            height = line.get_ydata()[0]
            if top < height < bottom:
                held = [names[int(x)] for x in line.get_xdata()]
                layers[np.searchsorted(starts, height, side="right") - 1].append(held)
        assert RuleList(map(BooleanFunction, layers)) == rule
    assert "layers are asked from top to bottom" in terms.get_xlabel()


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


def test_where_only_the_null_was_drawn_the_axes_say_so(draws_of):
    draws = draws_of("only the null")
    assert not draws.literals
    for make in (plots.inclusion, plots.coinclusion):
        assert "Every draw is the null function" in all_text(make(draws))
    assert y_labels(plots.function_posterior(draws)) == [NULL]
    terms, shares = plots.functions(draws)
    assert all_text(terms) == NULL
    assert bars(shares).tolist() == [1]


def test_where_no_term_has_two_literals_there_are_no_pairs(draws_of):
    ax = plots.inclusion(draws_of("one literal"), "pair")
    assert all_text(ax) == "No term holds two literals."


@pytest.mark.parametrize("kind", ["literal", "attribute", "term", "pair"])
def test_inclusion_bars_are_the_probabilities_with_their_range_over_chains(kind, two):
    ax = plots.inclusion(two, kind, most=6)
    table = two.inclusion(kind)
    assert np.allclose(bars(ax), table["probability"][:6])
    assert [name.replace("\n", " ") for name in y_labels(ax)] == table["what"][:6].tolist()
    shares = two.inclusion_by_chain(kind)
    by_name = dict(zip(shares.names, shares.frequency.T, strict=True))
    for what, (low, high) in zip(table["what"], whiskers(ax), strict=False):
        assert low == pytest.approx(by_name[what].min())
        assert high == pytest.approx(by_name[what].max())
    assert f"{(table['probability'] > 0).sum() - 6:,} more" in ax.get_xlabel()


def test_equal_columns_are_named_where_they_fit():
    X, y, _ = simulate(150, 4, random_state=1)
    X["twin"] = X["x0"]
    X["a twin with a name that fits nowhere, as it goes on and on"] = X["x1"]
    posterior = Posterior(BitMatrix.from_table(X), y)
    draws = sample(posterior, draws=20, warmup=20, thin=20, random_state=0)
    names = y_labels(plots.inclusion(draws))
    assert "x0 (or twin)" in names
    assert "x1" in names


def test_coinclusion_agrees_with_counting_functions_one_by_one(two):
    ax = plots.coinclusion(two, most=5)
    names = y_labels(ax)
    assert names == x_labels(ax)
    assert names == two.inclusion("literal")["what"][:5].tolist()
    shown = ax.images[0].get_array()
    for i, j in itertools.product(range(5), repeat=2):
        if j > i:
            assert shown.mask[i, j]
            continue
        share = sum(
            two.weights[number]
            for number in range(two.n_functions)
            if any({names[i], names[j]} <= set(term) for term in two.function(number).terms)
        )
        assert shown[i, j] == pytest.approx(share)
        written = [t.get_text() for t in ax.texts if t.get_position() == (j, i)]
        if share == 0:
            assert written == []
        elif 0.005 < share < 0.995:
            assert float(written[0]) == pytest.approx(share, abs=0.005001)


def test_functions_are_drawn_with_their_own_literals(two):
    terms, shares = plots.functions(two, most=4)
    assert np.allclose(bars(shares), two.answers.probability[:4])
    names = x_labels(terms)
    edges = [0.0]
    middles = terms.get_yticks()
    for middle in middles:
        edges.append(2 * middle - edges[-1])
    for number, (top, bottom) in enumerate(itertools.pairwise(edges)):
        lines = [line for line in terms.lines if top < line.get_ydata()[0] < bottom]
        drawn_terms = [[names[int(x)] for x in line.get_xdata()] for line in lines]
        assert BooleanFunction(drawn_terms) == two.function(number)
        longer = [line.get_ydata()[0] for line in lines if len(line.get_xdata()) > 1]
        assert len(set(longer)) == len(longer)
    assert y_labels(terms) == ["0", "1", "2", "3"]


def test_a_term_of_several_functions_keeps_its_colour_and_others_are_hollow(two):
    terms, _ = plots.functions(two, most=6)
    names = x_labels(terms)
    seen = {}
    for line in terms.lines:
        key = tuple(names[int(x)] for x in line.get_xdata())
        seen.setdefault(key, []).append((line.get_color(), line.get_markerfacecolor()))
    for styles in seen.values():
        assert len(set(styles)) == 1
        assert (styles[0][1] == "white") == (len(styles) == 1)


def test_names_with_dollar_signs_are_no_formulas(draws_of):
    draws = draws_of("dollars")
    texts = [
        *plots.inclusion(draws).get_yticklabels(),
        *plots.function_posterior(draws).get_yticklabels(),
        *plots.coinclusion(draws).get_xticklabels(),
        *plots.functions(draws)[0].get_xticklabels(),
    ]
    assert any("$a$" in text.get_text() for text in texts)
    assert not any(text.get_parse_math() for text in texts)


@pytest.mark.parametrize("most", [0, -1, 2.5, True, "all"])
@pytest.mark.parametrize(
    "make", [plots.function_posterior, plots.coinclusion, plots.functions, plots.inclusion]
)
def test_a_bad_number_to_show_is_refused(make, most, two):
    with pytest.raises(ParameterError, match=r"The 'most' parameter of plots\..* must be a whole"):
        make(two, most=most)
    assert plt.get_fignums() == []


def test_an_unknown_kind_is_refused(two):
    with pytest.raises(ParameterError, match="The 'kind' parameter"):
        plots.inclusion(two, "colour")


def test_without_matplotlib_one_sentence_says_how_to_get_it(two, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    for make, _ in OF_DRAWS.values():
        with pytest.raises(MissingExtraError) as raised:
            make(two)
        assert str(raised.value) == "Plots need matplotlib: pip install 'bayesdnf[plot]'."
