"""VCF and BCF files against a count in plain Python."""

import gzip
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesdnf.errors import MissingExtraError
from bayesdnf.genomics import read_genotypes, read_vcf
from tests.beside import DATA, adds

cyvcf2 = pytest.importorskip("cyvcf2")

FOLDER = DATA / "genomics/vcf"
HEAD = (
    "##fileformat=VCFv4.2\n##contig=<ID=1>\n##contig=<ID=X>\n"
    '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">\n'
)
FIXED = ["#CHROM", "POS", "ID", "REF", "ALT", "QUAL", "FILTER", "INFO", "FORMAT"]


def slow_copies(text):
    """Copies of each ALT of each line, by the words of the format, and the variants' names."""
    names, rows = [], []
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        cells = line.split("\t")
        assert cells[8].split(":")[0] == "GT"
        for number, alt in enumerate(cells[4].split(",") if cells[4] != "." else [], 1):
            row = []
            for cell in cells[9:]:
                parts = cell.split(":")[0].replace("|", "/").split("/")
                n = sum(part == str(number) for part in parts) * (2 if len(parts) == 1 else 1)
                row.append(-1 if "." in parts else n)
            names.append((cells[0], int(cells[1]), cells[2], alt, cells[3]))
            rows.append(row)
    return names, np.array(rows)


@st.composite
def texts(draw):
    n = draw(st.sampled_from([1, 3, 64, 70]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    lines = ["\t".join([*FIXED, *(f"s{i}" for i in range(n))])]
    for position in range(1, draw(st.integers(2, 9))):
        alts = ["C", "G", "<DEL>", "*"][: rng.integers(0, 5)] if position > 1 else ["C"]
        alleles = [".", *map(str, range(len(alts) + 1))]
        calls = [
            rng.choice(["/", "|"]).join(rng.choice(alleles, rng.choice([1, 2], p=[0.1, 0.9])))
            for _ in range(n)
        ]
        name = rng.choice([".", f"rs{position}"])
        cells = ["1", str(position), name, "A", ",".join(alts) or ".", ".", ".", ".", "GT:DP"]
        lines.append("\t".join([*cells, *(f"{call}:7" for call in calls)]))
    return HEAD + "\n".join(lines) + "\n"


def check(read, text):
    names, expected = slow_copies(text)
    assert list(read.variants.itertuples(index=False, name=None)) == names
    np.testing.assert_array_equal(read.copies(range(len(names))), expected)


@given(texts())
def test_any_calls_are_read_as_plain_python_reads_them(tmp_path_factory, text):
    folder = tmp_path_factory.mktemp("vcf")
    (folder / "a.vcf").write_text(text)
    with gzip.open(folder / "b.vcf.gz", "wt") as file:
        file.write(text)
    check(read_genotypes(folder / "a", allele="first"), text)
    check(read_vcf(folder / "b.vcf.gz", allele="first", n_jobs=2), text)


def test_bcf_and_bgzip(tmp_path):
    text = HEAD + "\t".join([*FIXED, "a", "b", "c"]) + "\n"
    text += "1\t5\trs1\tA\tC,G\t.\t.\t.\tGT\t0/1\t2|1\t./1\nX\t7\t.\tA\tC\t.\t.\t.\tGT\t0\t1\t0/1\n"
    (tmp_path / "a.vcf").write_text(text)
    for name, mode in (("b.bcf", "wb"), ("c.vcf.gz", "wz")):
        reader = cyvcf2.VCF(str(tmp_path / "a.vcf"))
        writer = cyvcf2.Writer(str(tmp_path / name), reader, mode)
        for record in reader:
            writer.write_record(record)
        writer.close()
        read = read_vcf(tmp_path / name, allele="first")
        check(read, text)
        assert read.copies([0, 1, 2]).tolist() == [[1, 1, -1], [0, 1, -1], [0, 2, 1]]
        assert "Split 1 multiallelic line into 2." in read.history


def test_only_what_is_chosen_is_read(tmp_path):
    lines = ["\t".join([*FIXED, "a", "b", "c"])]
    for chromosome, position in (("1", 5), ("1", 9), ("X", 5), ("X", 9)):
        cells = [
            chromosome,
            str(position),
            f"{chromosome}_{position}",
            "A",
            "C",
            ".",
            ".",
            ".",
            "GT",
        ]
        lines.append("\t".join([*cells, "0/1", "1/1", "0/0"]))
    (tmp_path / "a.vcf").write_text(HEAD + "\n".join(lines) + "\n")
    read = read_vcf(
        tmp_path / "a.vcf", allele="first", samples=["c", "b"], regions=["1:6-9", "chrX"]
    )
    assert list(read.variants["ID"]) == ["1_9", "X_5", "X_9"]
    assert list(read.samples["IID"]) == ["b", "c"]
    assert read.copies([0]).tolist() == [[2, 0]]
    (tmp_path / "places.bed").write_text("chr1\t5\t9\nchrX\t0\t9\n")
    same = read_vcf(tmp_path / "a.vcf", regions=str(tmp_path / "places.bed"))
    assert list(same.variants["ID"]) == ["1_9", "X_5", "X_9"]
    read = read_vcf(tmp_path / "a.vcf", variants=["X_5", "1_5"])
    assert list(read.variants["ID"]) == ["1_5", "X_5"]
    assert "2 of 4 variants were asked for." in read.history


def test_many_pieces_are_joined_in_order(tmp_path, monkeypatch):
    monkeypatch.setattr(
        "bayesdnf.genomics.files.vcf.CHUNK_BYTES", 12
    )  # four variants of three samples
    rng = np.random.default_rng(3)
    lines = ["\t".join([*FIXED, "a", "b", "c"])]
    for position in range(1, 30):
        calls = [f"{x}/{y}" for x, y in rng.integers(0, 3, (3, 2))]
        lines.append("\t".join(["1", str(position), ".", "A", "C,G", ".", ".", ".", "GT", *calls]))
    text = HEAD + "\n".join(lines) + "\n"
    (tmp_path / "a.vcf").write_text(text)
    check(read_vcf(tmp_path / "a.vcf", allele="first"), text)


def test_htslib_speaks_again_after_reading(tmp_path, capfd):
    (tmp_path / "a.vcf").write_text(
        HEAD + "\t".join([*FIXED, "a"]) + "\n1\t5\t.\tA\tC\t.\t.\t.\tGT\t0/1\n"
    )
    read_vcf(tmp_path / "a.vcf")
    assert capfd.readouterr().err == ""
    with pytest.raises(OSError, match="absent"):
        cyvcf2.VCF(str(tmp_path / "absent.vcf"))
    assert "absent.vcf" in capfd.readouterr().err


@adds("VCF file that others wrote")
@pytest.mark.parametrize(
    ("name", "n_variants", "n_missing"),
    [
        ("fastlmm_1kg_chr22_small", 101, 0),
        ("hail_sample2_1kg_100samples", 1175, 13709),
        ("hail_sample_1kg_chr20_100samples", 346, 880),
    ],
)
def test_real_files(name, n_variants, n_missing):
    path = FOLDER / f"{name}.vcf.gz"
    read = read_vcf(path, allele="first")
    check(read, gzip.decompress(path.read_bytes()).decode())
    known, _, _ = read.counts().T
    assert read.n_variants == n_variants
    assert int((read.n_samples - known).sum()) == n_missing
    assert len(set(read_vcf(path).names)) == n_variants


@pytest.mark.parametrize(
    ("library", "call", "extra"),
    [("cyvcf2", "read_vcf('{0}.vcf')", "genomics"), ("pgenlib", "read_pgen('{0}')", "pgen")],
)
def test_a_missing_extra_is_named(tmp_path, library, call, extra):
    (tmp_path / "a.vcf").write_text(HEAD + "\t".join([*FIXED, "a"]) + "\n")
    (tmp_path / "a.psam").write_text("#IID\na\n")
    code = f"""
import sys
sys.modules[{library!r}] = None
from bayesdnf.genomics import read_pgen, read_vcf
from bayesdnf.errors import MissingExtraError
try:
    {call.format(tmp_path / "a")}
except MissingExtraError as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={**os.environ}
    )
    assert done.stdout.strip().endswith(f"pip install 'bayesdnf[{extra}]'.")
    assert issubclass(MissingExtraError, ImportError)
