"""Tables whose rules are known, for reports."""

import numpy as np
import pandas as pd

HOSTILE = [
    "<script>window.ran = 1</script>",
    "</script><script>window.ran = 1</script>",
    "<img src=x onerror='window.ran = 1'>",
    "\" onmouseover=\"window.ran = 1\" x=\"",
    "' onfocus='window.ran = 1' autofocus='",
    "javascript:window.ran=1",
    "{{ 7 * 7 }}{% raw %}",
    "<!--", "-->", "]]>", "</style><svg onload=window.ran=1>", "</title>",
    "line\u2028separator\u2029and\nbreak\r\t\x00",
    "right\u202eleft", "\ud800", "${window.ran=1}", "&lt;b&gt;", "`window.ran=1`", "é 中 🧬",
]  # fmt: skip


def mixed(n=600, seed=0):
    """Texts, numbers, levels, flags and gaps, and labels that follow a rule of four terms."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "odor": rng.choice(["f", "n", "a", "l"], n, p=[0.15, 0.45, 0.2, 0.2]),
            "age": rng.integers(20, 80, n).astype(float),
            "stage": rng.integers(1, 5, n),
            "flag": rng.integers(0, 2, n),
            "other": rng.integers(0, 2, n),
            "same": "A",
        }
    )
    table["copy"] = table["flag"]
    ill = (
        (table["odor"] == "f")
        | ((table["age"] >= 50) & (table["flag"] == 1) & (table["stage"] >= 3))
        | ((table["odor"] == "a") & (table["other"] == 1))
        | ((table["stage"] == 1) & (table["age"] < 35))
    )
    table.loc[rng.random(n) < 0.03, "age"] = np.nan
    return table, np.where(ill, "ill", "well")


def noise(n=200, seed=0):
    """Labels that follow nothing."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame({f"gene{j}": rng.integers(0, 2, n) for j in range(12)})
    return table, rng.permutation(np.repeat(["case", "control"], n // 2))


def hostile(n=200, seed=0):
    """Names, values and labels that would like to be markup, and a rule that shows them."""
    rng = np.random.default_rng(seed)
    values = np.array([*HOSTILE], dtype=object)
    first, second = rng.choice(values, n), rng.choice(values, n)
    table = {
        HOSTILE[0]: first,
        HOSTILE[1]: second,
        **{name: rng.choice(values[:3], n) for name in HOSTILE[2:]},
        "constant <b>": np.repeat(HOSTILE[2], n),
        "copy <i>": first,
    }
    marked = np.isin(first, HOSTILE[:9]) | (second == HOSTILE[1])
    return table, np.where(marked, HOSTILE[1], HOSTILE[2])
