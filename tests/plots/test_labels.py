"""Labels of plots: shortened where they must be, and never two alike."""

from hypothesis import given
from hypothesis import strategies as st

from bayesdnf.plots.labels import fitted, shortened


@given(
    names=st.lists(st.text("ab =c", min_size=1, max_size=60), unique=True, max_size=8),
    width=st.integers(3, 40),
)
def test_short_names_stay_different(names, width):
    plain = {" ".join(name.split()) for name in names}
    short = shortened(names, width)
    assert len(short) == len(names)
    assert len(set(short)) == len(plain)


def test_names_are_cut_only_in_functions_that_would_take_too_many_lines():
    name = "a name of many letters"
    long = [[f"{name} {i}" for i in range(6)]]
    kept, cut = fitted([[[f"{name} 0"]], long], 40, 3)
    assert kept == [f"({name} 0)"]
    assert len(cut) <= 3
    assert "…" in cut[0]
