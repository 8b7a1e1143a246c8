"""Which kind of files a path stands for."""

import pytest

from bayesdnf.errors import FileFormatError
from bayesdnf.genomics import Genotypes, read_genotypes, write_plink
from bayesdnf.genomics.files.opening import open_genotypes
from bayesdnf.genomics.files.plink import PlinkFiles
from bayesdnf.genomics.files.vcf import VcfFile

VCF = (
    "##fileformat=VCFv4.2\n##contig=<ID=1>\n"
    '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">\n'
    "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ts1\ts2\n"
    "1\t5\trs1\tA\tG\t.\t.\t.\tGT\t0/1\t1/1\n"
)


@pytest.fixture
def study(tmp_path):
    write_plink(Genotypes.from_copies([[0, 1, 2], [2, 1, 0]]), tmp_path / "study")
    return tmp_path / "study"


@pytest.mark.parametrize("ending", ["", ".bed", ".BIM", ".fam"])
def test_a_prefix_or_any_of_its_files(study, ending):
    if ending == ".BIM":
        ending = ".bim"
    found = open_genotypes(f"{study}{ending}")
    assert isinstance(found, PlinkFiles)
    assert found.samples["IID"].tolist() == ["s1", "s2", "s3"]
    assert [file.suffix for file in found.files] == [".bed", ".bim", ".fam"]


def test_files_of_plink_1_come_before_others_of_the_name(study, tmp_path):
    (tmp_path / "study.vcf").write_text(VCF)
    assert isinstance(open_genotypes(study), PlinkFiles)
    assert isinstance(open_genotypes(tmp_path / "study.vcf"), VcfFile)
    (tmp_path / "study.bed").unlink()
    assert isinstance(open_genotypes(study), VcfFile)


def test_nothing_there_names_what_was_looked_for(tmp_path):
    with pytest.raises(FileFormatError, match=r"none of no\.bed, no\.pgen, no\.vcf,.* is there"):
        open_genotypes(tmp_path / "no")


def test_genotypes_are_read_through_one_door(study, tmp_path):
    both = read_genotypes(study, allele="first")
    assert both.copies([0, 1]).tolist() == [[0, 1, 2], [2, 1, 0]]
    assert read_genotypes(study, variants=["v2"]).n_variants == 1
