"""Files with one thing wrong in each, made from sets that are right."""

from __future__ import annotations

import gzip
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from bayesdnf.genomics import (
    read_covariates,
    read_genotypes,
    read_pgen,
    read_phenotype,
    read_plink,
    read_study,
    read_vcf,
)

# Five samples, three variants: rows of two bytes.
BED = b"\x6c\x1b\x01" + bytes([0b11100100, 0b11, 0b00000010, 0b01, 0b10111011, 0b10])
BIM = "1 rs1 0 100 A G\n1 rs2 0 200 C T\n2 rs3 0 50 G A\n"
FAM = "f1 a 0 0 1 2\nf2 b 0 0 2 1\nf3 c 0 0 0 2\nf4 d 0 0 1 1\nf5 e 0 0 2 -9\n"
PVAR = "##source=test\n#CHROM\tPOS\tID\tREF\tALT\n1\t100\trs1\tG\tA\n1\t200\trs2\tT\tC\n2\t50\trs3\tA\tG\n"
PSAM = "#FID\tIID\tSEX\tPHENO1\n" + "".join(
    f"f{i}\t{x}\t1\t{1 + i % 2}\n" for i, x in enumerate("abcde")
)
VCF_HEAD = (
    "##fileformat=VCFv4.2\n##contig=<ID=1>\n"
    '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">\n'
    '##FORMAT=<ID=DP,Number=1,Type=Integer,Description="Depth">\n'
    "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\tc\n"
)
VCF_LINE = "1\t100\trs1\tG\tA\t.\t.\t.\tGT\t0/1\t1|1\t./.\n"
VCF = VCF_HEAD + VCF_LINE + VCF_LINE.replace("100\trs1", "200\trs2")
PHENO = "FID IID Y\nf1 a 1\nf2 b 0\nf3 c NA\nf4 d 1\n"
COVAR = "FID IID age PC1\nf1 a 30 0.1\nf2 b 40 -0.2\nf3 c NA 0.5\n"


def pgen(rows: list[list[int]]) -> bytes:
    """The simplest kind of .pgen file, 0x02: two bits a call, 0, 1, 2 copies of ALT or 3 missing."""
    n = len(rows[0])
    padded = np.zeros((len(rows), -(-n // 4) * 4), dtype=np.uint8)
    padded[:, :n] = rows
    quads = padded.reshape(len(rows), -1, 4) << np.array([0, 2, 4, 6], dtype=np.uint8)
    head = b"\x6c\x1b\x02" + struct.pack("<II", len(rows), n) + b"\x40"
    return head + quads.sum(axis=2).astype(np.uint8).tobytes()


PGEN = pgen([[0, 1, 2, 3, 0], [2, 2, 1, 0, 0], [0, 0, 1, 0, 3]])
GOOD = {
    "study.bed": BED, "study.bim": BIM, "study.fam": FAM,
    "two.pgen": PGEN, "two.pvar": PVAR, "two.psam": PSAM,
    "calls.vcf": VCF, "pheno.txt": PHENO, "covar.txt": COVAR,
}  # fmt: skip


@dataclass(frozen=True)
class Case:
    """A file that is wrong: what it holds instead, and where the error must point."""

    title: str
    reader: str
    file: str
    content: bytes | str | None
    place: str
    says: str = ""
    blames: str = ""
    others: dict[str, bytes | str | None] = field(default_factory=dict)

    def read(self, folder: Path) -> object:
        for name, content in {**GOOD, self.file: self.content, **self.others}.items():
            if content is not None:
                data = content if isinstance(content, bytes) else content.encode()
                (folder / name).write_bytes(data)
        return READERS[self.reader](folder, self.file)


READERS: dict[str, Callable[[Path, str], object]] = {
    "plink": lambda folder, _: read_plink(folder / "study"),
    "pgen": lambda folder, _: read_pgen(folder / "two"),
    "vcf": lambda folder, file: read_vcf(folder / file),
    "any": lambda folder, _: read_genotypes(folder / "absent"),
    "pheno": lambda folder, file: read_phenotype(folder / file),
    "covar": lambda folder, file: read_covariates(folder / file),
    "study": lambda folder, _: read_study(
        folder / "study", pheno=folder / "pheno.txt", covar=folder / "covar.txt"
    ),
    "fam": lambda folder, _: read_study(folder / "study"),
}


def swap(text: str, old: str, new: str) -> str:
    assert old in text, old
    return text.replace(old, new, 1)


def cut(data: bytes, n: int) -> bytes:
    return data[: len(data) - n]


def lines_of(n: int) -> str:
    return "".join(VCF_LINE.replace("100\trs1", f"{i}\trs{i}") for i in range(1, n))


ZIPPED = gzip.compress((VCF_HEAD + lines_of(3000)).encode(), mtime=0)
UTF16 = PHENO.encode("utf-16")
LATIN = "FID IID Y\nf1 Ren\xe9 1\nf2 b 0\n".encode("latin-1")
# What bgzip writes but for the empty block at its end.
BGZF = b"\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0\x1b\0\x03\0"

BED_CASES = [
    Case("bed: empty", "plink", "study.bed", b"", "byte 0", "empty"),
    Case("bed: one byte", "plink", "study.bed", b"\x6c", "byte 1", "6c 1b"),
    Case("bed: text", "plink", "study.bed", "hello there\n", "byte 0", "6c 1b"),
    Case("bed: first byte", "plink", "study.bed", b"\x6d" + BED[1:], "byte 0", "6c 1b"),
    Case("bed: second byte", "plink", "study.bed", BED[:1] + b"\x1c" + BED[2:], "byte 1"),
    Case("bed: by sample", "plink", "study.bed", BED[:2] + b"\0" + BED[3:], "byte 2", "by sample"),
    Case("bed: third byte", "plink", "study.bed", BED[:2] + b"\x07" + BED[3:], "byte 2", "not 01"),
    Case("bed: only magic", "plink", "study.bed", BED[:3], "byte 3", "0 variants"),
    Case("bed: a byte short", "plink", "study.bed", cut(BED, 1), "byte 8", "and a part"),
    Case("bed: a variant short", "plink", "study.bed", cut(BED, 2), "byte 7", "2 variants"),
    Case("bed: a byte long", "plink", "study.bed", BED + b"\0", "byte 9", "10 bytes"),
    Case("bed: a variant long", "plink", "study.bed", BED + b"\0\0", "byte 9", "4 variants"),
    Case("bed: gzip", "plink", "study.bed", gzip.compress(BED), "byte 0", "6c 1b"),
    Case("bed: absent", "plink", "study.bed", None, "", "no such file"),
]
BIM_CASES = [
    Case("bim: empty", "plink", "study.bim", "", "byte 0", "empty"),
    Case("bim: blank", "plink", "study.bim", "\n \n\t\n", "byte 0", "empty"),
    Case("bim: five fields", "plink", "study.bim", swap(BIM, "C T", "C"), "line 2", "5 fields"),
    Case("bim: seven fields", "plink", "study.bim", swap(BIM, "C T", "C T x"), "line 2", "7 fields"),
    Case("bim: five everywhere", "plink", "study.bim", BIM.replace(" 0 ", " "), "line 1", "6 ("),
    Case("bim: commas", "plink", "study.bim", BIM.replace(" ", ","), "line 1", "commas"),
    Case("bim: position", "plink", "study.bim", swap(BIM, "200", "2oo"), "line 2", "'2oo'"),
    Case("bim: half a position", "plink", "study.bim", swap(BIM, "50", "50.5"), "line 3", "'50.5'"),
    Case("bim: endless position", "plink", "study.bim", swap(BIM, "50", "inf"), "line 3", "'inf'"),
    Case("bim: header", "plink", "study.bim", "CHR ID CM BP A1 A2\n" + BIM, "line 1", "'BP'"),
    Case("bim: a line short", "plink", "study.bim", BIM[:32], "byte 7", "lists 2", "study.bed"),
    Case("bim: a line long", "plink", "study.bim", BIM + "2 rs4 0 9 A C\n", "byte 9", "lists 4",
         "study.bed"),
    Case("bim: a variant twice", "plink", "study.bim", swap(BIM, "1 rs2 0 200 C T", "1 rs1 0 100 A G"),
         "line 2", "line 1"),
    Case("bim: a variant twice, alleles swapped", "plink", "study.bim",
         swap(BIM, "2 rs3 0 50 G A", "1 rs1 0 100 G A"), "line 3", "line 1"),
    Case("bim: a nameless variant twice", "plink", "study.bim",
         "1 . 0 7 A G\n\n1 . 0 7 A G\n1 . 0 8 A G\n", "line 3", "line 1"),
    Case("bim: binary", "plink", "study.bim", BIM.encode() + b"\0\1\2", "byte 47", "binary"),
    Case("bim: Latin-1", "plink", "study.bim", swap(BIM, "rs2", "\xe9").encode("latin-1"), "line 2",
         "UTF-8"),
    Case("bim: zstd", "plink", "study.bim", b"\x28\xb5\x2f\xfd....", "byte 0", "zstd"),
    Case("bim: absent", "plink", "study.bim", None, "", "no such file"),
]  # fmt: skip
FAM_CASES = [
    Case("fam: empty", "plink", "study.fam", "", "byte 0", "empty"),
    Case("fam: five fields", "plink", "study.fam", swap(FAM, "2 1\n", "2\n"), "line 2", "5 fields"),
    Case("fam: seven fields", "plink", "study.fam", swap(FAM, "2 1\n", "2 1 9\n"), "line 2", "7"),
    Case("fam: a name with a blank", "plink", "study.fam", swap(FAM, "f1 a", "f1 a x"), "line 1", "7"),
    Case("fam: a sample twice", "plink", "study.fam", swap(FAM, "f4 d", "f2 b"), "line 4", "line 2"),
    Case("fam: more samples", "plink", "study.fam", FAM + "".join(f"g {i} 0 0 0 1\n" for i in range(5)),
         "byte 9", "10 samples", "study.bed"),
    Case("fam: few samples", "plink", "study.fam", FAM[:26], "byte 6", "2 samples", "study.bed"),
    Case("fam: a folder's worth of zeros", "plink", "study.fam", bytes(100), "byte 0", "binary"),
    Case("fam: UTF-16", "plink", "study.fam", FAM.encode("utf-16"), "byte 0", "UTF-16"),
    Case("fam: absent", "plink", "study.fam", None, "", "no such file"),
    Case("fam: outcome 3", "fam", "study.fam", swap(FAM, "1 2\n", "1 3\n"), "line 1", "'3'"),
    Case("fam: outcome in words", "fam", "study.fam", swap(FAM, "2 1\n", "2 ill\n"), "line 2", "'ill'"),
    Case("fam: quantitative", "fam", "study.fam", swap(FAM, "2 1\n", "2 0.5\n"), "line 2", "'0.5'"),
    Case("fam: no cases", "fam", "study.fam", FAM.replace(" 2\n", " 1\n"), "lines 1 to 5", "0 cases"),
    Case("fam: coded 0 and 1", "fam", "study.fam",
         FAM.replace(" 1\n", " 0\n").replace(" 2\n", " 1\n"), "lines 1 to 5", "0 cases"),
    Case("fam: no outcomes", "fam", "study.fam", FAM.replace(" 2\n", " -9\n").replace(" 1\n", " 0\n"),
         "lines 1 to 5", "0 controls"),
]  # fmt: skip
PGEN_CASES = [
    Case("pgen: empty", "pgen", "two.pgen", b"", "byte 0", "empty"),
    Case("pgen: text", "pgen", "two.pgen", "not a pgen file at all\n", "byte 0", "6c 1b"),
    Case("pgen: header cut", "pgen", "two.pgen", PGEN[:9], "byte 9", "header"),
    Case("pgen: a bed file", "pgen", "two.pgen", BED + b"\0\0\0\0", "byte 2", ".bed"),
    Case("pgen: unknown kind", "pgen", "two.pgen", PGEN[:2] + b"\x77" + PGEN[3:], "first bytes"),
    Case("pgen: truncated", "pgen", "two.pgen", cut(PGEN, 2), "first bytes", "file size"),
    Case("pgen: other variants", "pgen", "two.pgen", pgen([[0, 1, 2, 3, 0]] * 4), "byte 3",
         "holds 4 variants"),
    Case("pgen: other samples", "pgen", "two.pgen", pgen([[0, 1, 2, 3]] * 3), "byte 7",
         "holds 4 samples"),
    Case("pgen: absent", "pgen", "two.pgen", None, "", "no such file"),
    Case("pvar: empty", "pgen", "two.pvar", "", "byte 0", "empty"),
    Case("pvar: only comments", "pgen", "two.pvar", "##a\n##b\n", "line 2", "follows"),
    Case("pvar: only a header", "pgen", "two.pvar", PVAR[:36], "line 2", "no variant"),
    Case("pvar: another header", "pgen", "two.pvar", swap(PVAR, "#CHROM", "#CHR"), "line 2", "#CHROM"),
    Case("pvar: no ALT", "pgen", "two.pvar", swap(PVAR, "\tALT", "\tALTS"), "line 2", "ALT"),
    Case("pvar: a name twice", "pgen", "two.pvar", swap(PVAR, "\tREF", "\tID"), "line 2", "'ID'"),
    Case("pvar: four fields", "pgen", "two.pvar", swap(PVAR, "\tT\tC", "\tT"), "line 4", "4 fields"),
    Case("pvar: position", "pgen", "two.pvar", swap(PVAR, "200", "two"), "line 4", "'two'"),
    Case("pvar: no header, seven fields", "pgen", "two.pvar", "1 rs1 0 5 A G x\n" * 3, "line 1", "5 or 6"),
    Case("pvar: a variant twice", "pgen", "two.pvar", swap(PVAR, "1\t200\trs2\tT\tC", "1\t100\trs1\tG\tA"),
         "line 4", "line 3"),
    Case("pvar: a line short", "pgen", "two.pvar", cut(PVAR.encode(), 13), "byte 3", "lists 2", "two.pgen"),
    Case("psam: empty", "pgen", "two.psam", "", "byte 0", "empty"),
    Case("psam: only a header", "pgen", "two.psam", "#IID\tSEX\n", "line 1", "no sample"),
    Case("psam: no IID", "pgen", "two.psam", swap(PSAM, "\tIID", "\tID"), "line 1", "IID"),
    Case("psam: a sample twice", "pgen", "two.psam", swap(PSAM, "f3\td", "f1\tb"), "line 5", "line 3"),
    Case("psam: ragged", "pgen", "two.psam", swap(PSAM, "f1\tb\t1\t2", "f1\tb\t1"), "line 3", "3 fields"),
    Case("psam: no header, four fields", "pgen", "two.psam", "f a 1 1\n", "line 1", "5 or 6"),
    Case("psam: a sample short", "pgen", "two.psam", cut(PSAM.encode(), 9), "byte 7", "lists 4", "two.pgen"),
]  # fmt: skip
VCF_CASES = [
    Case("vcf: empty", "vcf", "calls.vcf", "", "byte 0", "empty"),
    Case("vcf: text", "vcf", "calls.vcf", "hello\nworld\n", "line 1", "##fileformat"),
    Case("vcf: binary", "vcf", "calls.vcf", bytes(range(200, 256)), "line 1", "UTF-8"),
    Case("vcf: no fileformat", "vcf", "calls.vcf", VCF[21:], "line 1", "##fileformat"),
    Case("vcf: no #CHROM line", "vcf", "calls.vcf", VCF_HEAD[:21] + VCF_LINE, "line 2", "#CHROM"),
    Case("vcf: only comments", "vcf", "calls.vcf", VCF_HEAD[:37], "line 2", "#CHROM"),
    Case("vcf: sites only", "vcf", "calls.vcf", swap(VCF_HEAD, "\tFORMAT\ta\tb\tc", ""), "line 5",
         "no genotypes"),
    Case("vcf: no samples", "vcf", "calls.vcf", swap(VCF_HEAD, "\ta\tb\tc", ""), "line 5", "no sample"),
    Case("vcf: blanks for tabs", "vcf", "calls.vcf", swap(VCF, "#CHROM\tPOS", "#CHROM POS"), "line 5",
         "tabs"),
    Case("vcf: header in another order", "vcf", "calls.vcf", swap(VCF, "ID\tREF", "REF\tID"), "line 5",
         "ID is due"),
    Case("vcf: a sample twice", "vcf", "calls.vcf", swap(VCF, "\ta\tb\tc", "\ta\tb\ta"), "line 5",
         "sample a"),
    Case("vcf: no variants", "vcf", "calls.vcf", VCF_HEAD, "records", "none"),
    Case("vcf: only REF", "vcf", "calls.vcf",
         VCF_HEAD + "1\t1\t.\tG\t.\t.\t.\t.\tGT\t0/0\t0/0\t./.\n", "records", "ALT"),
    Case("vcf: no GT", "vcf", "calls.vcf", VCF_HEAD + "1\t1\t.\tG\tA\t.\t.\t.\tDP\t1\t2\t3\n", "line 6",
         "GT"),
    Case("vcf: no GT on a later line", "vcf", "calls.vcf", VCF + "1\t9\t.\tG\tA\t.\t.\t.\tDP\t1\t2\t3\n",
         "line 8", "GT"),
    Case("vcf: a call short", "vcf", "calls.vcf", VCF + cut(VCF_LINE.encode(), 5).decode() + "\n",
         "line 8", "11 fields"),
    Case("vcf: few fields", "vcf", "calls.vcf", VCF_HEAD + "1\t5\trs9\n", "line 6", "3 fields"),
    Case("vcf: a blank line", "vcf", "calls.vcf", VCF_HEAD + "\n" + VCF_LINE, "line 6", "blank"),
    Case("vcf: position", "vcf", "calls.vcf", swap(VCF, "\t200\t", "\tfive\t"), "line 7", "'five'"),
    Case("vcf: letters in a call", "vcf", "calls.vcf", swap(VCF, "1|1", "A/G"), "line 6", "of b is 'A/G'"),
    Case("vcf: an allele too many", "vcf", "calls.vcf", swap(VCF, "1|1", "0/2"), "line 6", "2 alleles"),
    Case("vcf: triploid", "vcf", "calls.vcf", swap(VCF, "1|1", "0/1/1"), "line 6", "more than two"),
    Case("vcf: a variant twice", "vcf", "calls.vcf", VCF_HEAD + 2 * VCF_LINE, "line 7", "line 6"),
    Case("vcf: truncated gzip", "vcf", "calls.vcf.gz", ZIPPED[: len(ZIPPED) // 2],
         f"byte {len(ZIPPED) // 2}", "truncated"),
    Case("vcf: gzip cut in its header", "vcf", "calls.vcf.gz", ZIPPED[:30], "byte 30", "truncated"),
    Case("vcf: damaged gzip", "vcf", "calls.vcf.gz",
         ZIPPED[:200] + bytes(50) + ZIPPED[250:], "byte", "damaged"),
    Case("vcf: bgzip without its end", "vcf", "calls.vcf.gz", BGZF, f"byte {len(BGZF)}", "truncated"),
    Case("vcf: gzip of text", "vcf", "calls.vcf.gz", gzip.compress(b"hello\n"), "line 1", "##fileformat"),
    Case("vcf: absent", "vcf", "calls.vcf", None, "", "no such file"),
    Case("bcf: text", "vcf", "calls.bcf", "hello\n", "line 1", "##fileformat"),
    Case("bcf: header damaged", "vcf", "calls.bcf", b"BCF\x02\x02" + bytes(20), "byte 5", "0 bytes"),
]  # fmt: skip
PHENO_CASES = [
    Case("pheno: empty", "pheno", "pheno.txt", "", "byte 0", "empty"),
    Case("pheno: only a header", "pheno", "pheno.txt", "FID IID Y\n", "line 1", "no sample"),
    Case("pheno: only names", "pheno", "pheno.txt", "FID IID\nf1 a\n", "line 2", "only identifiers"),
    Case("pheno: no IID", "pheno", "pheno.txt", swap(PHENO, "IID", "id"), "line 1", "'id'"),
    Case("pheno: another header", "pheno", "pheno.txt", swap(PHENO, "FID IID", "fam id"), "line 1",
         "FID and IID"),
    Case("pheno: two fields without a header", "pheno", "pheno.txt", "a 1\nb 0\n", "line 1", "header"),
    Case("pheno: one field", "pheno", "pheno.txt", "a\nb\n", "line 1", "1 field,"),
    Case("pheno: commas", "pheno", "pheno.txt", PHENO.replace(" ", ","), "line 1", "commas"),
    Case("pheno: value 3", "pheno", "pheno.txt", swap(PHENO, "b 0", "b 3"), "line 3", "'3'"),
    Case("pheno: a word", "pheno", "pheno.txt", swap(PHENO, "d 1", "d case"), "line 5", "'case'"),
    Case("pheno: a fraction", "pheno", "pheno.txt", swap(PHENO, "b 0", "b 0.5"), "line 3", "'0.5'"),
    Case("pheno: a missing cell", "pheno", "pheno.txt", swap(PHENO, "b 0", "b"), "line 3", "2 fields"),
    Case("pheno: a cell too many", "pheno", "pheno.txt", swap(PHENO, "b 0", "b 0 1"), "line 3", "4 fields"),
    Case("pheno: a sample twice", "pheno", "pheno.txt", swap(PHENO, "f2 b", "f1 a"), "line 3", "line 2"),
    Case("pheno: a column twice", "pheno", "pheno.txt", "FID IID Y Y\nf a 1 0\nf b 0 1\n", "line 1", "'Y'"),
    Case("pheno: two to choose from", "pheno", "pheno.txt", "FID IID Y Z\nf a 1 0\nf b 0 1\n", "line 1",
         "name the one"),
    Case("pheno: all one", "pheno", "pheno.txt", "IID Y\na 1\nb 1\n", "lines 2 to 3", "0 controls"),
    Case("pheno: all missing", "pheno", "pheno.txt", "IID Y\na NA\nb -9\n", "lines 2 to 3", "0 cases"),
    Case("pheno: UTF-16", "pheno", "pheno.txt", UTF16, "byte 0", "UTF-16"),
    Case("pheno: Latin-1", "pheno", "pheno.txt", LATIN, "line 2", "UTF-8"),
    Case("pheno: binary", "pheno", "pheno.txt", b"FID IID Y\n\0\0\0\n", "byte 10", "binary"),
    Case("pheno: truncated gzip", "pheno", "pheno.txt", gzip.compress(PHENO.encode())[:-12],
         "byte", "truncated"),
    Case("pheno: damaged gzip", "pheno", "pheno.txt", b"\x1f\x8b\x08\0" + b"\xff" * 40, "byte", "damaged"),
    Case("pheno: no match", "study", "pheno.txt", "IID Y\nx1 1\nx2 0\n", "line 2", "none of its 2"),
    Case("pheno: glued names", "study", "pheno.txt", "IID Y\nf1_a 1\nf2_b 0\n", "line 2", "FID_IID"),
    Case("pheno: other case", "study", "pheno.txt", "IID Y\nA 1\nB 0\n", "line 2", "upper and lower"),
    Case("covar: a word", "covar", "covar.txt", swap(COVAR, "40", "old"), "line 3", "age is 'old'"),
    Case("covar: endless", "covar", "covar.txt", swap(COVAR, "0.5", "inf"), "line 4", "PC1 is 'inf'"),
    Case("covar: a sample twice", "covar", "covar.txt", swap(COVAR, "f3 c", "f1 a"), "line 4", "line 2"),
    Case("covar: ragged", "covar", "covar.txt", swap(COVAR, "40 -0.2", "40"), "line 3", "3 fields"),
    Case("covar: empty", "covar", "covar.txt", "\n", "byte 0", "empty"),
    Case("covar: no match", "study", "covar.txt", swap(COVAR, "f1 a", "f1 x").replace(" b ", " y ")
         .replace(" c ", " z "), "line 2", "none of its 3"),
    Case("nothing there", "any", "absent.bed", None, "", "absent.vcf.gz", "absent"),
]  # fmt: skip
CASES = [*BED_CASES, *BIM_CASES, *FAM_CASES, *PGEN_CASES, *VCF_CASES, *PHENO_CASES]
