"""PLINK 1 files: what is read is what was written, whatever is chosen of it."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesdnf.errors import InputError, ParameterError
from bayesdnf.genomics import Genotypes, read_genotypes, read_plink, write_plink
from tests.beside import DATA, adds
from tests.genomics.test_genotypes import copies, to_bed

PLINK = DATA / "genomics/plink"


def random_calls(n_variants, n_samples, seed=0):
    rng = np.random.default_rng(seed)
    share = rng.uniform(0.05, 0.95, (n_variants, 1))
    calls = rng.binomial(2, share, (n_variants, n_samples)).astype(np.int8)
    calls[rng.random(calls.shape) < 0.05] = -1
    return calls


@given(calls=copies(widths=[1, 3, 4, 5, 64, 65, 130]).filter(len), n_jobs=st.sampled_from([1, 2]))
def test_what_is_written_is_read(tmp_path_factory, calls, n_jobs):
    prefix = tmp_path_factory.mktemp("plink") / "a.b"  # a prefix may have a dot
    write_plink(Genotypes.from_copies(calls), prefix)
    assert Path(f"{prefix}.bed").read_bytes() == b"\x6c\x1b\x01" + to_bed(calls).tobytes()
    for name in (prefix, f"{prefix}.bed", f"{prefix}.bim", f"{prefix}.fam"):
        read = read_plink(name, allele="first", n_jobs=n_jobs)
        np.testing.assert_array_equal(read.copies(range(len(calls))), calls)
    assert list(read.variants["A1"]) == ["B"] * len(calls)
    assert list(read.samples["IID"]) == [f"s{i + 1}" for i in range(calls.shape[1])]


@pytest.mark.parametrize("allele", ["minor", "first", "second"])
def test_the_allele_that_is_counted_is_named(tmp_path, allele):
    calls = random_calls(40, 101)
    packed = Genotypes.from_copies(calls)
    write_plink(packed, tmp_path / "s")
    read = read_plink(tmp_path / "s", allele=allele)
    swapped = (read.variants["A1"] == "A").to_numpy()
    expected = {"minor": packed.frequency > 0.5, "first": np.zeros(40), "second": np.ones(40)}
    np.testing.assert_array_equal(swapped, expected[allele].astype(bool))
    other = np.where(calls < 0, -1, 2 - calls)
    np.testing.assert_array_equal(read.copies(range(40)), np.where(swapped[:, None], other, calls))
    assert f"{allele} allele" in read.history[-1]


def test_only_what_is_chosen_is_read(tmp_path):
    calls = random_calls(60, 150)
    packed = Genotypes.from_copies(calls)
    packed.variants["CHR"] = ["1"] * 20 + ["chr2"] * 20 + ["X"] * 20
    write_plink(packed, tmp_path / "s")
    (tmp_path / "keep.txt").write_text("#FID IID\nx s3\nx s150\nx nobody\n")
    read = read_plink(
        tmp_path / "s",
        allele="first",
        samples=tmp_path / "keep.txt",
        regions=["2:25-30", "23"],
        variants=["v26", "v28", "v29", "v60", "v1"],
    )
    np.testing.assert_array_equal(read.copies(range(4)), calls[np.ix_([25, 27, 28, 59], [2, 149])])
    assert list(read.variants["ID"]) == ["v26", "v28", "v29", "v60"]
    assert list(read.samples["IID"]) == ["s3", "s150"]
    assert read.history[1:4] == (
        "2 of 150 samples were asked for (1 of 3 names are not in the data: nobody).",
        "26 of 60 variants lie in 2:25-30, 23.",
        "5 of 60 variants were asked for.",
    )


def test_the_minor_allele_is_that_of_the_samples_read(tmp_path):
    calls = np.array([[2, 2, 0, 0, 0, 0]])
    write_plink(Genotypes.from_copies(calls), tmp_path / "s")
    assert read_plink(tmp_path / "s").names == ["v1_B"]
    assert read_plink(tmp_path / "s", samples=["s1", "s2", "s3"]).names == ["v1_A"]


def test_choices_that_leave_nothing_are_refused(tmp_path):
    write_plink(Genotypes.from_copies(random_calls(5, 9)), tmp_path / "s")
    with pytest.raises(InputError, match=r"None of the samples asked for is in .*s.fam"):
        read_plink(tmp_path / "s", samples=["x"])
    with pytest.raises(InputError, match=r"No variant of .*s.bim lies in 7; its chromosomes are 1"):
        read_plink(tmp_path / "s", regions="7")
    with pytest.raises(InputError, match="both 'regions' and 'variants'"):
        read_plink(tmp_path / "s", regions="1:1-2", variants=["v5"])
    for bad in ({"allele": "rare"}, {"n_jobs": 0}, {"regions": []}, {"variants": []}):
        with pytest.raises(ParameterError, match=next(iter(bad))):
            read_plink(tmp_path / "s", **bad)
    with pytest.raises(InputError, match="Region '1:9-2' ends before it starts"):
        read_plink(tmp_path / "s", regions="1:9-2")


def test_regions_may_be_in_a_bed_file(tmp_path):
    calls = random_calls(9, 5)
    write_plink(Genotypes.from_copies(calls), tmp_path / "s")
    (tmp_path / "genes.bed").write_text("chr1 2 5 A\nchr1 7 8 B\n")
    read = read_plink(tmp_path / "s", allele="first", regions=tmp_path / "genes.bed")
    np.testing.assert_array_equal(read.copies(range(4)), calls[[2, 3, 4, 7]])
    assert "4 of 9 variants lie in genes.bed." in read.history


def test_variants_with_a_negative_position_are_left_out(tmp_path):
    packed = Genotypes.from_copies(random_calls(3, 9))
    packed.variants["POS"] = [5, -1, 7]
    write_plink(packed, tmp_path / "s")
    read = read_plink(tmp_path / "s")
    assert list(read.variants["ID"]) == ["v1", "v3"]
    assert "Left out: 1 variant with a negative position." in read.history


def test_progress_ends_at_the_number_of_variants(tmp_path):
    write_plink(Genotypes.from_copies(random_calls(30, 9)), tmp_path / "s")
    seen = []
    read_plink(tmp_path / "s", progress=lambda done, of: seen.append((done, of)))
    assert seen[-1] == (30, 30)


def test_a_failed_write_leaves_the_old_files(tmp_path):
    packed = Genotypes.from_copies(random_calls(3, 9))
    write_plink(packed, tmp_path / "s")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    for y in ([1, 0], np.full(9, 2)):
        with pytest.raises(InputError, match="y must hold"):
            write_plink(packed, tmp_path / "s", y=y)
    packed.variants["ID"] = ["a b", "c", "d"]
    with pytest.raises(InputError, match="ID of row 0 is 'a b'"):
        write_plink(packed, tmp_path / "s")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


MEMORY = """
import re, sys
from bayesdnf.genomics import read_plink
small, large, call = sys.argv[1:]
read = {"all": read_plink, "some": lambda p: read_plink(p, samples=p + ".keep")}[call]
read(small)
def kilobytes(what):  # not getrusage, whose peak may be that of the process it came from
    return int(re.search(what + r":\\s+(\\d+)", open("/proc/self/status").read())[1])
start = kilobytes("VmRSS")
planes = read(large).planes.nbytes
print((kilobytes("VmHWM") - start) * 1024 / planes)
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux's /proc")
@pytest.mark.parametrize("call", ["all", "some"])
def test_memory_stays_within_one_and_a_half_times_the_planes(tmp_path, call):
    tile = random_calls(50, 8_000)
    for name, n in (("small", 50), ("large", 30_000)):
        packed = Genotypes.from_copies(tile[:, :8_000])
        write_plink(packed, tmp_path / name)
        data = (tmp_path / f"{name}.bed").read_bytes()
        with open(tmp_path / f"{name}.bed", "wb") as file:
            file.write(data[:3])
            for _ in range(n // 50):
                file.write(data[3:])
        lines = (f"1\tv{i}\t0\t{i}\tB\tA\n" for i in range(1, n + 1))
        (tmp_path / f"{name}.bim").write_text("".join(lines))
        keep = "".join(f"s{i}\n" for i in range(1, 8_001) if i % 8)
        (tmp_path / f"{name}.keep").write_text(keep)
    command = [sys.executable, "-c", MEMORY, tmp_path / "small", tmp_path / "large", call]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert 0.9 < float(done.stdout) < 1.5


def test_it_reads_what_bed_reader_reads(tmp_path):
    bed_reader = pytest.importorskip("bed_reader")
    calls = random_calls(70, 203)
    bed_reader.to_bed(tmp_path / "s.bed", np.where(calls < 0, np.nan, calls).T.astype(np.float32))
    read = read_plink(tmp_path / "s.bed", allele="first")
    np.testing.assert_array_equal(read.copies(range(70)), calls)


@adds("PLINK file that others wrote")
@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("hapmap_ceu_yri", (9305, 120)),
        ("bedreader_some_missing", (100, 100)),
        ("pandasplink_chr11", (779, 14)),
        ("regenie_example", (1000, 500)),
    ],
)
def test_real_files(name, shape):
    bed_reader = pytest.importorskip("bed_reader")
    with bed_reader.open_bed(PLINK / f"{name}.bed") as bed:
        theirs = bed.read(dtype="int8").T
        ids, iids, first = bed.sid, bed.iid, bed.allele_1
    read = read_genotypes(PLINK / name, allele="first")
    assert theirs.shape == shape
    np.testing.assert_array_equal(read.copies(range(len(theirs))), np.where(theirs < 0, -1, theirs))
    assert list(read.variants["ID"]) == list(ids)
    assert list(read.samples["IID"]) == list(iids)
    assert list(read.variants["A1"]) == list(first)
    minor = read_genotypes(PLINK / name).frequency
    assert (minor[~np.isnan(minor)] <= 0.5).all()
