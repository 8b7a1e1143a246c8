"""PLINK 2 files, written by Pgenlib."""

import numpy as np
import pytest

from bayesdnf.errors import FileFormatError
from bayesdnf.genomics import read_genotypes, read_pgen, read_study

pgenlib = pytest.importorskip("pgenlib")

CALLS = np.random.default_rng(1).choice([-9, 0, 1, 2], (50, 77)).astype(np.int8)


def write(folder, rows, alts=None, n_samples=77):
    """Write rows of copies, or of pairs of alleles for a variant with several ALTs."""
    alts = alts or ["A"] * len(rows)
    several = max(alt.count(",") + 2 for alt in alts)
    writer = pgenlib.PgenWriter(
        bytes(folder / "s.pgen"), n_samples, variant_ct=len(rows), nonref_flags=False,
        allele_ct_limit=several,
    )  # fmt: skip
    for row, alt in zip(rows, alts, strict=True):
        if "," in alt:
            writer.append_alleles(np.asarray(row, dtype=np.int32), allele_ct=alt.count(",") + 2)
        else:
            writer.append_biallelic(np.asarray(row, dtype=np.int8))
    writer.close()
    lines = [f"1\t{i}\tv{i}\tG\t{alt}\n" for i, alt in enumerate(alts, 1)]
    (folder / "s.pvar").write_text("##any\n#CHROM\tPOS\tID\tREF\tALT\n" + "".join(lines))
    people = [f"s{i}\t{i % 3 or 'NA'}\t{1 + i % 2}\n" for i in range(n_samples)]
    (folder / "s.psam").write_text("#IID\tSEX\till\n" + "".join(people))


def test_what_pgenlib_writes_is_read(tmp_path):
    write(tmp_path, CALLS)
    for name in ("s", "s.pgen", "s.pvar", "s.psam"):
        read = read_genotypes(tmp_path / name, allele="first")
        np.testing.assert_array_equal(read.copies(range(50)), np.where(CALLS < 0, -1, CALLS))
    assert list(read.variants.iloc[4]) == ["1", 5, "v5", "A", "G"]
    assert list(read.samples["SEX"].iloc[:4]) == [0, 1, 2, 0]
    assert read_pgen(tmp_path / "s", allele="second").names[0] == "v1_G"


def test_only_what_is_chosen_is_read(tmp_path):
    write(tmp_path, CALLS)
    read = read_pgen(tmp_path / "s", allele="first", samples=["s3", "s70"], regions="1:11-20")
    np.testing.assert_array_equal(
        read.copies(range(10)), np.where(CALLS < 0, -1, CALLS)[10:20, [3, 70]]
    )


def test_files_without_headers_are_read_as_those_of_plink_1(tmp_path):
    write(tmp_path, CALLS[:2])
    people = "".join(f"f s{i} 0 0 2 1\n" for i in range(77))
    (tmp_path / "s.psam").write_text(people)
    for lines in ("1 v1 0 5 A G\n1 v2 0 6 C T\n", "1 v1 5 A G\n1 v2 6 C T\n"):
        (tmp_path / "s.pvar").write_text(lines)
        read = read_pgen(tmp_path / "s", allele="first")
        assert read.variants.to_numpy().tolist() == [
            ["1", 5, "v1", "A", "G"],
            ["1", 6, "v2", "C", "T"],
        ]
        assert set(read.samples["SEX"]) == {2}


@pytest.mark.parametrize("keep", [None, ["s1", "s2", "s3"]])
def test_variants_with_several_alts_are_split(tmp_path, keep):
    pairs = np.array([[0, 1], [1, 2], [2, 2], [-9, -9], [0, 3]])
    rows = [[0, 1, 2, 0, -9], pairs.ravel(), [2, 2, 1, 0, 0]]
    write(tmp_path, rows, ["A", "A,C,T", "C"], n_samples=5)
    read = read_pgen(tmp_path / "s", allele="first", samples=keep)
    expected = [np.where(pairs[:, 0] < 0, -1, (pairs == a).sum(axis=1)) for a in (1, 2, 3)]
    expected = np.array([np.where(np.array(rows[0]) < 0, -1, rows[0]), *expected, rows[2]])
    chosen = slice(None) if keep is None else slice(1, 4)
    np.testing.assert_array_equal(read.copies(range(5)), expected[:, chosen])
    assert list(read.variants["A1"]) == ["A", "A", "C", "T", "C"]
    assert "Split 1 multiallelic variant into 3." in read.history


def test_calls_of_several_alts_that_the_pvar_file_does_not_list_are_refused(tmp_path):
    pairs = [0, 1, 1, 2, 2, 2, -9, -9]
    write(tmp_path, [[0, 1, 2, 0], pairs, [0, 0, 1, 1]], ["A", "A,C", "C"], n_samples=4)
    text = (tmp_path / "s.pvar").read_text()
    (tmp_path / "s.pvar").write_text(text.replace("A,C", "A"))
    with pytest.raises(FileFormatError, match=r"s\.pvar, line 4: it has one ALT allele"):
        read_pgen(tmp_path / "s")
    (tmp_path / "s.pvar").write_text(text.replace("\tA\n", "\tA,T\n", 1))  # one never seen
    read = read_pgen(tmp_path / "s", allele="first")
    assert read.copies([0, 1]).tolist() == [[0, 1, 2, 0], [0, 0, 0, 0]]


def test_an_alt_that_a_file_of_two_alleles_cannot_hold_has_no_copies(tmp_path):
    # Kind 02: two bits a call and no index. Pgenlib crashes when asked for a third allele.
    (tmp_path / "s.pgen").write_bytes(b"\x6c\x1b\x02\x01\0\0\0\x04\0\0\0\x40" + bytes([0b11100100]))
    (tmp_path / "s.pvar").write_text("#CHROM POS ID REF ALT\n1 5 rs1 G A,C\n")
    (tmp_path / "s.psam").write_text("#IID\na\nb\nc\nd\n")
    read = read_pgen(tmp_path / "s", allele="first")
    assert read.copies([0, 1]).tolist() == [[0, 1, 2, -1], [0, 0, 0, -1]]


def test_outcomes_of_the_psam_file(tmp_path):
    write(tmp_path, CALLS)
    study = read_study(tmp_path / "s")
    np.testing.assert_array_equal(study.y, np.arange(77) % 2 == 1)
    assert study.genotypes.n_variants == 50


def test_a_damaged_record_is_refused(tmp_path):
    write(tmp_path, CALLS)
    data = bytearray((tmp_path / "s.pgen").read_bytes())
    (tmp_path / "s.pgen").write_bytes(data[:-30])
    with pytest.raises(FileFormatError, match=r"s\.pgen, .*: "):
        read_pgen(tmp_path / "s")
