"""Results of scans: saved, read, joined from parts; damaged files are refused."""

import pandas as pd
import pytest

from bayesdnf.errors import InputError
from bayesdnf.genomics import Scan, merge, scan
from tests.genomics.markers.scanned import many


def test_parts_make_up_the_whole(tmp_path):
    genotypes, y = many()
    whole = scan(genotypes, y, top=40)
    for k in (1, 2, 3, 4):
        scan(genotypes, y, top=40, part=(k, 4)).save(tmp_path / f"part{k}.tsv")
    parts = [Scan.load(tmp_path / f"part{k}.tsv") for k in (3, 1, 4, 2)]
    pd.testing.assert_frame_equal(merge(parts).findings, whole.findings, check_dtype=False)
    with pytest.raises(InputError, match="part 2 of 4 is missing"):
        merge([part for part in parts if part.settings["part"] != [2, 4]])
    with pytest.raises(InputError, match="different scans: top is 40 in one and 41"):
        merge([parts[0], scan(genotypes, y, top=41, part=(1, 4))])


@pytest.mark.parametrize("text", ["", "marker\tcases\n", "# bayesdnf scan 1 {oops\n"])
def test_other_files_are_not_taken_for_scans(tmp_path, text):
    path = tmp_path / "scan.tsv"
    path.write_text(text)
    with pytest.raises(InputError, match=r"scan\.tsv"):
        Scan.load(path)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"size": 2', '"size": 4'),
        ('"part": [1, 1]', '"part": [0, 1]'),
        ('"part": [1, 1]', '"part": 1'),
        ('"variants": 20', '"variants": "20"'),
        ('"variants": 20', '"variants": 2'),
        ("# bayesdnf scan 1 {", "# bayesdnf scan 1 [{"),
        ("place_2", "place_3"),
        ("cases", "size"),
    ],
)
def test_a_forged_scan_is_refused(tmp_path, old, new):
    path = tmp_path / "scan.tsv"
    scan(*many(n_variants=20), top=5).save(path)
    Scan.load(path)
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    with pytest.raises(InputError, match=r"scan\.tsv: not a file of a scan, or a damaged one"):
        Scan.load(path)


def test_parts_of_a_scan_of_very_many_are_refused_at_once(tmp_path):
    part = scan(*many(n_variants=20), top=5)
    forged = Scan(part.findings, {**part.settings, "part": [1, 10**15]})
    with pytest.raises(InputError, match="part 2 of 1000000000000000 is missing"):
        merge([forged])
