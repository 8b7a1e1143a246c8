"""Of which sources the module with deliberate mistakes was built: run, it prints their digest."""

import hashlib
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "build" / "faults"
STAMP = FOLDER / ".built"
MISSING = "the module with faults is not built: make build/faults/.built"
STALE = "the module with faults was built of other sources: make build/faults/.built"


def digest(root=ROOT):
    """Hash names and contents of everything that goes into the module."""
    native = root / "native"
    kept = {".cpp", ".hpp", ".txt"}
    files = [path for path in native.rglob("*") if path.suffix in kept and path.is_file()]
    state = hashlib.sha256()
    for path in sorted([root / "CMakeLists.txt", *files]):
        content = path.read_bytes()
        state.update(f"{path.relative_to(root).as_posix()} {len(content)}\n".encode() + content)
    return state.hexdigest()


def complaint(root=ROOT):
    """Say what is wrong with the build, or None: it is missing, or it is not of these sources."""
    stamp = root / STAMP.relative_to(ROOT)
    if not stamp.exists():
        return MISSING
    if stamp.read_text().strip() != digest(root):
        return STALE
    return None


if __name__ == "__main__":
    print(digest())  # noqa: T201
