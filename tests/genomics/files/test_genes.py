"""Names for places, against an obvious search."""

import numpy as np
import pandas as pd
import pytest

from bayesdnf.errors import InputError
from bayesdnf.genomics import Genes


def written(tmp_path, text):
    file = tmp_path / "genes.bed"
    file.write_text(text)
    return file


def test_names_agree_with_an_obvious_search(tmp_path):
    rng = np.random.default_rng(0)
    starts = rng.integers(0, 3_000_000, 60)
    rows = [
        (rng.choice(["chr1", "2", "chrX"]), s, s + int(rng.integers(100, 120_000)), f"G{i}")
        for i, s in enumerate(starts)
    ]
    genes = Genes.read(written(tmp_path, "\n".join("\t".join(map(str, r)) for r in rows)))
    where = pd.DataFrame(
        {"CHR": rng.choice(["1", "chr2", "23", "7"], 400), "BP": rng.integers(1, 3_300_000, 400)}
    )
    same = {"1": "chr1", "chr2": "2", "23": "chrX", "7": None}
    for chromosome, position, name in zip(where["CHR"], where["BP"], genes.of(where), strict=True):
        here = [(s + 1, e, n) for c, s, e, n in rows if c == same[chromosome]]
        inside = {n for s, e, n in here if s <= position <= e}
        away = {n: max(s - position, position - e) for s, e, n in here}
        if inside:
            assert set(name.split(";")) == inside
        elif away and min(away.values()) <= 50_000:
            assert away[name.removeprefix("near ")] == min(away.values())
            assert name.startswith("near ")
        else:
            assert name == ""


def test_transcripts_of_one_gene_are_one(tmp_path):
    text = "#c\ntrack name=x\nchr1 100 300 A\nchr1 200 500 A\nchr1 100 300 A\nchr1 9000 9100 A\n"
    genes = Genes.read(written(tmp_path, text))
    assert genes.table.to_numpy().tolist() == [["1", 101, 500, "A"], ["1", 9001, 9100, "A"]]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("chr1 5 9\n", "line 1: a gene has a chromosome, a start, an end and a name"),
        ("chr1 5 9 A\nchr1 x 9 B\n", "line 2: a BED line"),
        ("# nothing\n", "none names a gene"),
    ],
)
def test_a_wrong_file_is_one_sentence(tmp_path, text, named):
    with pytest.raises(InputError, match=named):
        Genes.read(written(tmp_path, text))


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match="there is no such file"):
        Genes.read(tmp_path / "genes.bed")
