"""What is wrong with a VCF file, found without a library."""

import gzip

import pytest

from bayesdnf.errors import FileFormatError
from bayesdnf.genomics.files.vcf_text import (
    check_first_records,
    read_to_the_end,
    record_place,
    refuse_record,
    vcf_samples,
)

FIXED = "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT"
START = "##fileformat=VCFv4.2\n"
HEAD = f"{START}{FIXED}\ts1\ts2\n"


def record(call="0/1", pos="5", form="GT", alt="G"):
    return f"1\t{pos}\t.\tA\t{alt}\t.\t.\t.\t{form}\t0/0\t{call}\n"


@pytest.fixture
def write(tmp_path):
    def write(data):
        (tmp_path / "a.vcf").write_bytes(data if isinstance(data, bytes) else data.encode())
        return tmp_path / "a.vcf"

    return write


@pytest.mark.parametrize("pack", [str.encode, lambda text: gzip.compress(text.encode())])
def test_samples_stand_after_the_fixed_columns(write, pack):
    assert vcf_samples(write(pack(HEAD + record()))) == ["s1", "s2"]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ("", "byte 0: it is empty"),
        ("CHROM\n", "line 1: a VCF file begins with ##fileformat=VCF"),
        (START + record(), "line 2: the line that begins with #CHROM"),
        (START + "#CHROM\tPOS\tNAME\n", "line 2: ID is due where the header has 'NAME'"),
        (START + FIXED.removesuffix("\tFORMAT") + "\n", "no FORMAT and no sample"),
        (START + FIXED + "\n", "it names no sample after FORMAT"),
        (HEAD.replace("s2", "s1"), "sample s1 comes 2 times"),
        (HEAD.encode().replace(b"s2", b"\xff"), "line 2: byte 0xff is not UTF-8"),
    ],
)
def test_wrong_headers_are_named_by_line(write, data, said):
    with pytest.raises(FileFormatError, match=said):
        vcf_samples(write(data))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (record().replace("\t0/0", ""), "it has 10 fields, and the header has 11"),
        (record(pos="x"), "position 'x' is not a whole number"),
        (record(form="DP"), r"without genotypes \(GT\)"),
        (record(call="0/x"), "the genotype of s2 is '0/x'"),
        (record(call="0/1/1"), "more than two alleles"),
        (record(call="0/2"), "and the line has 2 alleles"),
        ("\n", "it is blank"),
    ],
)
def test_what_is_wrong_with_a_record(write, line, said):
    path = write(HEAD + record() + line)
    with pytest.raises(FileFormatError, match=f"line 4: .*{said}"):
        refuse_record(path, 1, "htslib cannot read it")
    with pytest.raises(FileFormatError, match=f"line 3: .*{said}"):
        check_first_records(write(HEAD + line))


def test_a_record_that_looks_well_has_the_reason_that_was_given(write):
    path = write(HEAD + record() + record(call=".|."))
    assert record_place(path, 1) == "line 4"
    assert record_place(path, 5) == "record 6"
    with pytest.raises(FileFormatError, match="line 4: htslib cannot read it"):
        refuse_record(path, 1, "htslib cannot read it")
    check_first_records(path)


@pytest.mark.parametrize("call", ["0/1", "0|1", "./.", ".", "1", "0/1:35", "./1"])
def test_calls_that_are_well(write, call):
    check_first_records(write(HEAD + record(call, form="GT:DP" if ":" in call else "GT")))


def test_named_chromosomes_are_left_to_the_library(write):
    check_first_records(write(HEAD.replace("#CHROM", "##contig=<ID=1>\n#CHROM", 1) + record("x")))


def test_a_file_that_ends_early(write):
    whole = gzip.compress((HEAD + record() * 500).encode())
    read_to_the_end(write(whole))
    with pytest.raises(FileFormatError, match="truncated"):
        read_to_the_end(write(whole[:-20]))
