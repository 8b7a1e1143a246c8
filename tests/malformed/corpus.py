"""Files with one thing wrong in each, made from sets that are right."""

from __future__ import annotations

import gzip
import struct
from collections.abc import Callable
from dataclasses import dataclass
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
PVAR = (
    "##source=test\n#CHROM\tPOS\tID\tREF\tALT\n"
    "1\t100\trs1\tG\tA\n1\t200\trs2\tT\tC\n2\t50\trs3\tA\tG\n"
)
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
    """The simplest kind of .pgen file, 0x02: two bits a call, copies of ALT or 3 for missing."""
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
    "keep.txt": "f1 a\nf2 b\n", "genes.bed": "chr1 99 200 GENE\n",
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

    def read(self, folder: Path) -> object:
        for name, content in {**GOOD, self.file: self.content}.items():
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
    "names": lambda folder, file: read_plink(folder / "study", samples=folder / file),
    "places": lambda folder, file: read_plink(folder / "study", regions=str(folder / file)),
}


def cases(reader: str, file: str, rows: list[tuple]) -> list[Case]:
    """Rows of title, content, place, perhaps what the error says and which file it names."""
    return [Case(title, reader, file, *rest) for title, *rest in rows]


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

CASES = [
    *cases("plink", "study.bed", [
        ("bed: empty", b"", "byte 0", "empty"),
        ("bed: one byte", b"\x6c", "byte 1", "6c 1b"),
        ("bed: text", "hello there\n", "byte 0", "6c 1b"),
        ("bed: first byte", b"\x6d" + BED[1:], "byte 0", "6c 1b"),
        ("bed: second byte", BED[:1] + b"\x1c" + BED[2:], "byte 1"),
        ("bed: by sample", BED[:2] + b"\0" + BED[3:], "byte 2", "by sample"),
        ("bed: third byte", BED[:2] + b"\x07" + BED[3:], "byte 2", "not 01"),
        ("bed: only magic", BED[:3], "byte 3", "0 variants"),
        ("bed: a byte short", cut(BED, 1), "byte 8", "and a part"),
        ("bed: a variant short", cut(BED, 2), "byte 7", "2 variants"),
        ("bed: a byte long", BED + b"\0", "byte 9", "10 bytes"),
        ("bed: a variant long", BED + b"\0\0", "byte 9", "4 variants"),
        ("bed: gzip", gzip.compress(BED), "byte 0", "6c 1b"),
        ("bed: absent", None, "", "no such file"),
    ]),
    *cases("plink", "study.bim", [
        ("bim: empty", "", "byte 0", "empty"),
        ("bim: blank", "\n \n\t\n", "byte 0", "empty"),
        ("bim: five fields", swap(BIM, "C T", "C"), "line 2", "5 fields"),
        ("bim: seven fields", swap(BIM, "C T", "C T x"), "line 2", "7 fields"),
        ("bim: five everywhere", BIM.replace(" 0 ", " "), "line 1", "6 ("),
        ("bim: commas", BIM.replace(" ", ","), "line 1", "commas"),
        ("bim: position", swap(BIM, "200", "2oo"), "line 2", "'2oo'"),
        ("bim: half a position", swap(BIM, "50", "50.5"), "line 3", "'50.5'"),
        ("bim: endless position", swap(BIM, "50", "inf"), "line 3", "'inf'"),
        ("bim: header", "CHR ID CM BP A1 A2\n" + BIM, "line 1", "'BP'"),
        ("bim: a line short", BIM[:32], "byte 7", "lists 2", "study.bed"),
        ("bim: a line long", BIM + "2 rs4 0 9 A C\n", "byte 9", "lists 4", "study.bed"),
        ("bim: a variant twice", swap(BIM, "1 rs2 0 200 C T", "1 rs1 0 100 A G"),
         "line 2", "line 1"),
        ("bim: a variant twice, alleles swapped", swap(BIM, "2 rs3 0 50 G A", "1 rs1 0 100 G A"),
         "line 3", "line 1"),
        ("bim: a variant twice, chromosome spelled anew",
         swap(BIM, "2 rs3 0 50 G A", "chr1 rs1 0 100 A G"), "line 3", "line 1"),
        ("bim: a nameless variant twice", "1 . 0 7 A G\n\n1 . 0 7 A G\n1 . 0 8 A G\n",
         "line 3", "line 1"),
        ("bim: binary", BIM.encode() + b"\0\1\2", "byte 47", "binary"),
        ("bim: Latin-1", swap(BIM, "rs2", "\xe9").encode("latin-1"), "line 2", "UTF-8"),
        ("bim: zstd", b"\x28\xb5\x2f\xfd....", "byte 0", "zstd"),
        ("bim: absent", None, "", "no such file"),
    ]),
    *cases("plink", "study.fam", [
        ("fam: empty", "", "byte 0", "empty"),
        ("fam: five fields", swap(FAM, "2 1\n", "2\n"), "line 2", "5 fields"),
        ("fam: seven fields", swap(FAM, "2 1\n", "2 1 9\n"), "line 2", "7"),
        ("fam: a name with a blank", swap(FAM, "f1 a", "f1 a x"), "line 1", "7"),
        ("fam: a sample twice", swap(FAM, "f4 d", "f2 b"), "line 4", "line 2"),
        ("fam: more samples", FAM + "".join(f"g {i} 0 0 0 1\n" for i in range(5)),
         "byte 9", "10 samples", "study.bed"),
        ("fam: few samples", FAM[:26], "byte 6", "2 samples", "study.bed"),
        ("fam: a folder's worth of zeros", bytes(100), "byte 0", "binary"),
        ("fam: UTF-16", FAM.encode("utf-16"), "byte 0", "UTF-16"),
        ("fam: absent", None, "", "no such file"),
    ]),
    *cases("fam", "study.fam", [
        ("fam: outcome 3", swap(FAM, "1 2\n", "1 3\n"), "line 1", "'3'"),
        ("fam: outcome in words", swap(FAM, "2 1\n", "2 ill\n"), "line 2", "'ill'"),
        ("fam: quantitative", swap(FAM, "2 1\n", "2 0.5\n"), "line 2", "'0.5'"),
        ("fam: no cases", FAM.replace(" 2\n", " 1\n"), "lines 1 to 5", "0 cases"),
        ("fam: coded 0 and 1", FAM.replace(" 1\n", " 0\n").replace(" 2\n", " 1\n"),
         "lines 1 to 5", "0 cases"),
        ("fam: no outcomes", FAM.replace(" 2\n", " -9\n").replace(" 1\n", " 0\n"),
         "lines 1 to 5", "0 controls"),
    ]),
    *cases("pgen", "two.pgen", [
        ("pgen: empty", b"", "byte 0", "empty"),
        ("pgen: text", "not a pgen file at all\n", "byte 0", "6c 1b"),
        ("pgen: header cut", PGEN[:9], "byte 9", "header"),
        ("pgen: a bed file", BED + b"\0\0\0\0", "byte 2", ".bed"),
        ("pgen: unknown kind", PGEN[:2] + b"\x77" + PGEN[3:], "first bytes"),
        ("pgen: truncated", cut(PGEN, 2), "first bytes", "file size"),
        ("pgen: other variants", pgen([[0, 1, 2, 3, 0]] * 4), "byte 3", "holds 4 variants"),
        ("pgen: other samples", pgen([[0, 1, 2, 3]] * 3), "byte 7", "holds 4 samples"),
        ("pgen: absent", None, "", "no such file"),
    ]),
    *cases("pgen", "two.pvar", [
        ("pvar: empty", "", "byte 0", "empty"),
        ("pvar: only comments", "##a\n##b\n", "line 2", "follows"),
        ("pvar: only a header", PVAR[:36], "line 2", "no variant"),
        ("pvar: another header", swap(PVAR, "#CHROM", "#CHR"), "line 2", "#CHROM"),
        ("pvar: no ALT", swap(PVAR, "\tALT", "\tALTS"), "line 2", "ALT"),
        ("pvar: a name twice", swap(PVAR, "\tREF", "\tID"), "line 2", "'ID'"),
        ("pvar: four fields", swap(PVAR, "\tT\tC", "\tT"), "line 4", "4 fields"),
        ("pvar: position", swap(PVAR, "200", "two"), "line 4", "'two'"),
        ("pvar: no header, seven fields", "1 rs1 0 5 A G x\n" * 3, "line 1", "5 or 6"),
        ("pvar: a variant twice", swap(PVAR, "1\t200\trs2\tT\tC", "1\t100\trs1\tG\tA"),
         "line 4", "line 3"),
        ("pvar: a line short", cut(PVAR.encode(), 13), "byte 3", "lists 2", "two.pgen"),
    ]),
    *cases("pgen", "two.psam", [
        ("psam: empty", "", "byte 0", "empty"),
        ("psam: only a header", "#IID\tSEX\n", "line 1", "no sample"),
        ("psam: no IID", swap(PSAM, "\tIID", "\tID"), "line 1", "IID"),
        ("psam: a sample twice", swap(PSAM, "f3\td", "f1\tb"), "line 5", "line 3"),
        ("psam: ragged", swap(PSAM, "f1\tb\t1\t2", "f1\tb\t1"), "line 3", "3 fields"),
        ("psam: no header, four fields", "f a 1 1\n", "line 1", "5 or 6"),
        ("psam: a sample short", cut(PSAM.encode(), 9), "byte 7", "lists 4", "two.pgen"),
    ]),
    *cases("vcf", "calls.vcf", [
        ("vcf: empty", "", "byte 0", "empty"),
        ("vcf: text", "hello\nworld\n", "line 1", "##fileformat"),
        ("vcf: binary", bytes(range(200, 256)), "line 1", "UTF-8"),
        ("vcf: no fileformat", VCF[21:], "line 1", "##fileformat"),
        ("vcf: no #CHROM line", VCF_HEAD[:21] + VCF_LINE, "line 2", "#CHROM"),
        ("vcf: only comments", VCF_HEAD[:37], "line 2", "#CHROM"),
        ("vcf: sites only", swap(VCF_HEAD, "\tFORMAT\ta\tb\tc", ""), "line 5", "no genotypes"),
        ("vcf: no samples", swap(VCF_HEAD, "\ta\tb\tc", ""), "line 5", "no sample"),
        ("vcf: blanks for tabs", swap(VCF, "#CHROM\tPOS", "#CHROM POS"), "line 5", "tabs"),
        ("vcf: header in another order", swap(VCF, "ID\tREF", "REF\tID"), "line 5", "ID is due"),
        ("vcf: a sample twice", swap(VCF, "\ta\tb\tc", "\ta\tb\ta"), "line 5", "sample a"),
        ("vcf: no variants", VCF_HEAD, "records", "none"),
        ("vcf: only REF", VCF_HEAD + "1\t1\t.\tG\t.\t.\t.\t.\tGT\t0/0\t0/0\t./.\n",
         "records", "ALT"),
        ("vcf: no GT", VCF_HEAD + "1\t1\t.\tG\tA\t.\t.\t.\tDP\t1\t2\t3\n", "line 6", "GT"),
        ("vcf: no GT on a later line", VCF + "1\t9\t.\tG\tA\t.\t.\t.\tDP\t1\t2\t3\n",
         "line 8", "GT"),
        ("vcf: a call short", VCF + cut(VCF_LINE.encode(), 5).decode() + "\n",
         "line 8", "11 fields"),
        ("vcf: few fields", VCF_HEAD + "1\t5\trs9\n", "line 6", "3 fields"),
        ("vcf: a blank line", VCF_HEAD + "\n" + VCF_LINE, "line 6", "blank"),
        ("vcf: position", swap(VCF, "\t200\t", "\tfive\t"), "line 7", "'five'"),
        ("vcf: letters in a call", swap(VCF, "1|1", "A/G"), "line 6", "of b is 'A/G'"),
        ("vcf: an allele too many", swap(VCF, "1|1", "0/2"), "line 6", "2 alleles"),
        ("vcf: triploid", swap(VCF, "1|1", "0/1/1"), "line 6", "more than two"),
        ("vcf: a cut line of a new chromosome",
         VCF + "10\trs2\tA\t.\t.\t.\tGT\t0/1\t1|1\t./.\n", "line 8", "10 fields"),
        ("vcf: a damaged call of a chromosome not in the header",
         swap(swap(VCF, "##contig=<ID=1>\n", ""), "1|1", "x/."), "line 5", "of b is 'x/.'"),
        ("vcf: a line that begins with a tab", VCF + "\tx\n", "line 8", "2 fields"),
        ("vcf: a variant twice", VCF_HEAD + 2 * VCF_LINE, "line 7", "line 6"),
    ]),
    *cases("vcf", "calls.vcf.gz", [
        ("vcf: truncated gzip", ZIPPED[: len(ZIPPED) // 2],
         f"byte {len(ZIPPED) // 2}", "truncated"),
        ("vcf: gzip cut in its header", ZIPPED[:30], "byte 30", "truncated"),
        ("vcf: damaged gzip", ZIPPED[:200] + bytes(50) + ZIPPED[250:], "byte", "damaged"),
        ("vcf: bgzip without its end", BGZF, f"byte {len(BGZF)}", "truncated"),
        ("vcf: gzip of text", gzip.compress(b"hello\n"), "line 1", "##fileformat"),
    ]),
    *cases("vcf", "calls.vcf", [
        ("vcf: absent", None, "", "no such file"),
    ]),
    *cases("vcf", "calls.bcf", [
        ("bcf: text", "hello\n", "line 1", "##fileformat"),
        ("bcf: header damaged", b"BCF\x02\x02" + bytes(20), "byte 5", "0 bytes"),
    ]),
    *cases("pheno", "pheno.txt", [
        ("pheno: empty", "", "byte 0", "empty"),
        ("pheno: only a header", "FID IID Y\n", "line 1", "no sample"),
        ("pheno: only names", "FID IID\nf1 a\n", "line 2", "only identifiers"),
        ("pheno: no IID", swap(PHENO, "IID", "id"), "line 1", "'id'"),
        ("pheno: another header", swap(PHENO, "FID IID", "fam id"), "line 1", "FID and IID"),
        ("pheno: two fields without a header", "a 1\nb 0\n", "line 1", "header"),
        ("pheno: one field", "a\nb\n", "line 1", "1 field,"),
        ("pheno: commas", PHENO.replace(" ", ","), "line 1", "commas"),
        ("pheno: value 3", swap(PHENO, "b 0", "b 3"), "line 3", "'3'"),
        ("pheno: a word", swap(PHENO, "d 1", "d case"), "line 5", "'case'"),
        ("pheno: a fraction", swap(PHENO, "b 0", "b 0.5"), "line 3", "'0.5'"),
        ("pheno: a missing cell", swap(PHENO, "b 0", "b"), "line 3", "2 fields"),
        ("pheno: a cell too many", swap(PHENO, "b 0", "b 0 1"), "line 3", "4 fields"),
        ("pheno: a sample twice", swap(PHENO, "f2 b", "f1 a"), "line 3", "line 2"),
        ("pheno: a column twice", "FID IID Y Y\nf a 1 0\nf b 0 1\n", "line 1", "'Y'"),
        ("pheno: two to choose from", "FID IID Y Z\nf a 1 0\nf b 0 1\n", "line 1", "name the one"),
        ("pheno: all one", "IID Y\na 1\nb 1\n", "lines 2 to 3", "0 controls"),
        ("pheno: all missing", "IID Y\na NA\nb -9\n", "lines 2 to 3", "0 cases"),
        ("pheno: UTF-16", UTF16, "byte 0", "UTF-16"),
        ("pheno: Latin-1", LATIN, "line 2", "UTF-8"),
        ("pheno: binary", b"FID IID Y\n\0\0\0\n", "byte 10", "binary"),
        ("pheno: truncated gzip", gzip.compress(PHENO.encode())[:-12], "byte", "truncated"),
        ("pheno: damaged gzip", b"\x1f\x8b\x08\0" + b"\xff" * 40, "byte", "damaged"),
    ]),
    *cases("study", "pheno.txt", [
        ("pheno: no match", "IID Y\nx1 1\nx2 0\n", "line 2", "none of its 2"),
        ("pheno: glued names", "IID Y\nf1_a 1\nf2_b 0\n", "line 2", "FID_IID"),
        ("pheno: other case", "IID Y\nA 1\nB 0\n", "line 2", "upper and lower"),
    ]),
    *cases("covar", "covar.txt", [
        ("covar: a word", swap(COVAR, "40", "old"), "line 3", "age is 'old'"),
        ("covar: endless", swap(COVAR, "0.5", "inf"), "line 4", "PC1 is 'inf'"),
        ("covar: a sample twice", swap(COVAR, "f3 c", "f1 a"), "line 4", "line 2"),
        ("covar: ragged", swap(COVAR, "40 -0.2", "40"), "line 3", "3 fields"),
        ("covar: empty", "\n", "byte 0", "empty"),
    ]),
    *cases("study", "covar.txt", [
        ("covar: no match", swap(COVAR, "f1 a", "f1 x").replace(" b ", " y ").replace(" c ", " z "),
         "line 2", "none of its 3"),
    ]),
    *cases("names", "keep.txt", [
        ("names: a short line", "f1 a\n\nb\n", "line 3", "the IID is field 2"),
        ("names: empty", "", "lines", "none names any samples"),
        ("names: only a header", "#FID IID\n", "lines", "none names any samples"),
        ("names: Latin-1", LATIN, "line 2", "UTF-8"),
        ("names: UTF-16", UTF16, "byte 0", "UTF-16"),
        ("names: truncated gzip", gzip.compress(FAM.encode())[:-12], "byte", "truncated"),
        ("names: absent", None, "", "no such file"),
    ]),
    *cases("places", "genes.bed", [
        ("places: two fields", "# genes\nchr1 9 20\nchr1 9\n", "line 3", "this is chr1 9"),
        ("places: a header", "chr start end\nchr1 9 20\n", "line 1", "a start and an end"),
        ("places: the end first", "chr1 20 9\n", "line 1", "before its start"),
        ("places: only comments", "# genes\ntrack name=x\n", "lines", "none is a region"),
        ("places: genotypes", BED, "line 1", "UTF-8"),
        ("places: absent", None, "", "no such file"),
    ]),
    *cases("any", "absent.bed", [
        ("nothing there", None, "", "absent.vcf.gz", "absent"),
    ]),
]  # fmt: skip
