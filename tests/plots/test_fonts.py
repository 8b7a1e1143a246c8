"""Texts of pictures in fonts that have their characters, and one warning where none has."""

import io
import warnings

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest

from bayesdnf import plots
from bayesdnf.errors import BayesDNFWarning
from bayesdnf.plots import fonts
from bayesdnf.plots.fonts import find_fonts, legible
from tests.plots.problems import drawn

NAMES = ["温度", "湿度", "age", "\N{GREEK SMALL LETTER LAMDA}"]
PICTURES = [
    plots.inclusion,
    plots.coinclusion,
    plots.functions,
    plots.function_posterior,
    plots.part_rates,
]


@pytest.fixture(scope="module")
def named():
    return drawn(150, 4, names=NAMES, terms=(2,))


def saved(axes):
    """Warnings while a picture is saved."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        figure = getattr(axes, "figure", None) or axes.flat[0].figure
        figure.savefig(io.BytesIO())
    return [str(one.message) for one in told]


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.__name__)
def test_characters_that_no_font_has_are_one_warning(named, picture):
    with pytest.warns(BayesDNFWarning) as told:
        axes = picture(named)
    [one] = told
    assert str(one.message).startswith("The picture shows boxes for ")
    assert {"温", "度", "湿"} <= set(str(one.message))
    assert one.filename == __file__
    assert saved(axes) == []
    plt.close("all")


def test_a_font_that_has_the_characters_is_put_behind_those_of_the_user():
    family = ["cmr10", "cmss10"]
    with mpl.rc_context({"font.family": family, "axes.formatter.use_mathtext": True}):
        _, ax = plt.subplots()
        text, plain = ax.set_title("λ of age"), ax.set_xlabel("age")
        assert legible(ax) is ax
        assert mpl.rcParams["font.family"] == family
    assert text.get_fontfamily() == [*family, "DejaVu Sans"]
    assert plain.get_fontfamily() == family
    assert saved(ax) == []
    assert find_fonts(ax) == []
    assert text.get_fontfamily() == [*family, "DejaVu Sans"]
    plt.close("all")


def test_fonts_are_as_few_as_do(monkeypatch):
    """Of the installed ones, whatever they are called; one of bitmaps or damaged has nothing."""
    held = {"One Sans": "温", "Other": "温度", "Third Sans": "湿", "Fourth": "湿"}

    class Font:
        style, weight = "normal", 400

        def __init__(self, name):
            self.name = self.fname = name

    known = [Font(name) for name in held]
    monkeypatch.setattr(mpl.font_manager.fontManager, "ttflist", known)
    monkeypatch.setattr(fonts, "_held", lambda path, some: some & frozenset(held[path]))
    found, left = fonts._found(frozenset("温度湿度λ"), -1)
    assert found == ["Other", "Third Sans"]
    assert left == {"λ"}


def test_files_that_are_no_fonts_have_no_characters(tmp_path):
    file = tmp_path / "font.ttf"
    file.write_bytes(b"no font")
    assert fonts._held(str(file), frozenset("a")) == frozenset()
    assert fonts._held(str(tmp_path / "none.ttf"), frozenset("a")) == frozenset()


def test_the_same_characters_lack_a_font_when_asked_again():
    _, ax = plt.subplots()
    ax.set_title("温度 \n a")
    assert find_fonts(ax) == find_fonts(ax) == ["温", "度"]
    plt.close("all")
