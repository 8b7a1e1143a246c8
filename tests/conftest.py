"""Settings of the whole suite."""

import os

import pytest
from hypothesis import settings

from tests.gpu.present import gpu  # noqa: F401

# Property-based tests try other examples on every run at a desk. The gate repeats one choice, so
# that it answers for the change and not for the day's luck; `make calibrate` tries many.
settings.register_profile("desk", max_examples=30, deadline=None)
settings.register_profile("gate", settings.get_profile("desk"), derandomize=True)
settings.register_profile("thorough", settings.get_profile("desk"), max_examples=200)
settings.load_profile("gate" if os.environ.get("CI") else "desk")


@pytest.fixture
def no_trace_left(monkeypatch):
    """Pictures are drawn, never shown, and leave no trace."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    monkeypatch.setattr(plt, "show", lambda *_: pytest.fail("a plot was shown"))
    before = dict(mpl.rcParams)
    yield
    plt.close("all")
    assert dict(mpl.rcParams) == before


# What is found in the planted studies, once for all who draw it or write it down.


@pytest.fixture(scope="session")
def planted_markers():
    from bayesdnf import Effect
    from bayesdnf.genomics import find_markers
    from tests.genomics.planted import QUICK, study

    effect = Effect(prevalence=0.01, sampling="case-control")
    return find_markers(study(proxies=3), effect=effect, **QUICK)


@pytest.fixture(scope="session")
def no_markers():
    from bayesdnf.genomics import find_markers
    from tests.genomics.planted import QUICK, study

    return find_markers(study(marker=False), **QUICK)


@pytest.fixture(scope="session")
def planted_genes(tmp_path_factory):
    from bayesdnf.genomics import Genes

    file = tmp_path_factory.mktemp("genes") / "genes.bed"
    lines = ["1 3900000 4100000 ALPHA", "1 4010000 4030000 BETA", "1 8010000 8020000 GAMMA"]
    file.write_text("\n".join(lines))
    return Genes.read(file)
