"""Every malformed file gets one sentence that names the file and the line or byte."""

import re
import traceback

import pytest

from bayesdnf.errors import BayesDNFError, FileFormatError
from tests.malformed.corpus import CASES, GOOD, READERS

NEEDS = {"vcf": "cyvcf2", "pgen": "pgenlib"}


def test_the_corpus_is_large_and_its_titles_differ():
    assert len(CASES) >= 60
    assert len({case.title for case in CASES}) == len(CASES)


@pytest.mark.parametrize("reader", sorted(READERS.keys() - {"any"}))
def test_what_the_corpus_starts_from_is_right(reader, tmp_path):
    pytest.importorskip(NEEDS.get(reader, "numpy"))
    for name, content in GOOD.items():
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    named = {"vcf": "calls.vcf", "names": "keep.txt", "places": "genes.bed"}
    file = named.get(reader, f"{reader}.txt")
    assert READERS[reader](tmp_path, file) is not None


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.title)
def test_a_malformed_file_gets_one_sentence(case, tmp_path, capfd):
    pytest.importorskip(NEEDS.get(case.reader, "numpy"))
    with pytest.raises(BayesDNFError) as caught:
        case.read(tmp_path)
    text = str(caught.value)
    assert isinstance(caught.value, FileFormatError)
    assert text.startswith(f"Cannot read {tmp_path / (case.blames or case.file)}")
    rest = text.removeprefix(f"Cannot read {tmp_path / (case.blames or case.file)}")
    place, _, why = rest.partition(": ")
    assert case.place in place
    if case.content is not None:
        assert re.search(r"\b(line|lines|byte|bytes|variants|header|records) ?\d*", place)
    assert case.says in why
    assert why.endswith(".")
    assert "\n" not in text
    assert not re.search(r"\. [A-Z]", why)
    shown = "".join(traceback.format_exception(caught.value))
    assert not re.search(r"pandas\.errors|cyvcf2\.pyx|RuntimeError|UnicodeDecodeError", shown)
    assert capfd.readouterr() == ("", "")
