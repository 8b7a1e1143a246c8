"""List the longest files and functions with a reason each: ``make longest``.

python tools/longest.py docs/developing/longest.md

A length is that of the code: docstrings, comments and blank lines are left out. The command fails
when something long has no reason in ``REASONS``.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LONG_FILE, LONG_FUNCTION = 300, 60
# A C++ function: a line that begins at the margin, its parameters, and a brace that ends a line.
HEAD = re.compile(r"^[A-Za-z][^;{}()#]*?([\w:~]+)\([^;{}#]*\)[^;{}()]*\{$", re.MULTILINE)
BINDINGS = "one statement for each name that Python sees, with its checks"
PAPER = "one experiment from its data to its sentences, read beside the paper"
REASONS = {
    "native/sampling/moves.cpp": "all moves of the sampler, which share proposals and ratios",
    "native/search/anneal.cpp": "the paper's annealing as a whole, with counts of its own",
    "native/search/hunt.cpp": "the steps of one restart, all on one state and its buffers",
    "native/search/beam.cpp": "growing, rebuilding and polishing terms share one beam",
    "native/genomics/simd/pairs.cpp": "one loop for three instruction sets",
    "src/bayesdnf/cli/__init__.py": "four commands; each lists its options",
    "native/search/term_sets.cpp": "one branch and bound whose steps share counts of rows",
    "src/bayesdnf/search/boxes.py": "one branch and bound: boxes, pricing, cutting",
    "src/bayesdnf/sampling/drawn/draws_file.py": "writing draws; reading with every array checked",
    "src/bayesdnf/sampling/run.py": "a run from its starts to its draws, with its checks",
    "src/bayesdnf/cli/__init__.py::fit": "checks, the search, three kinds of test",
    "src/bayesdnf/cli/__init__.py::predict": "four kinds of model in, one kind of table out",
    "src/bayesdnf/report/facts.py": "every fact of a report, with its type",
    "src/bayesdnf/report/facts.py::gather": "one expression for each fact of a report",
    "src/bayesdnf/search/hunt.py::hunt": "checks, three places to run restarts, and what ends them",
    "src/bayesdnf/sampling/run.py::sample": "checks, starts, and two places to run chains",
    "src/bayesdnf/genomics/scanning/cuda_pairs.py": "one scan: memory, launches and findings",
    "native/bindings/bits.cpp": "bindings of planes and sweeps, each with its checks",
    "native/bindings/scan.cpp": "bindings of scans on processors and GPUs, each with its checks",
    "native/bindings/search.cpp::bind_search": "one binding after the other",
    "native/genomics/stratum_bound.cpp::stratum_bound": "one bound: its curve, lines and slack",
    "native/cuda/pairs.cu": "one source, compiled at run time on the user's machine",
    "native/cuda/pairs.cu::scan_pairs": "a kernel: parts of it could not share registers",
    **{
        f"native/bindings/{name}.cpp::bind_{name}": BINDINGS
        for name in ("bits", "chain", "exact", "genotypes", "model", "rng", "scan")
    },
    **{
        f"src/bayesdnf/experiments/{name}.py::run": PAPER
        for name in ("appendix", "table2", "table3", "table4", "table5")
    },
}


def code_lines(text: str, comment: str) -> set[int]:
    """Numbers of the lines that hold code."""
    return {
        number
        for number, line in enumerate(text.splitlines(), start=1)
        if line.strip() and not line.strip().startswith(comment)
    }


def python_lengths(path: Path) -> Iterator[tuple[str, int]]:
    """Yield the lengths of a module and of its functions, without docstrings."""
    text = path.read_text(encoding="utf-8")
    lines, tree = code_lines(text, "#"), ast.parse(text)
    for node in ast.walk(tree):
        # Strings that stand alone are docstrings, of modules, classes, functions or attributes.
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            lines -= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    yield "", len(lines)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            body = range(node.body[0].lineno, (node.end_lineno or node.lineno) + 1)
            yield node.name, len(lines & set(body))


def native_lengths(path: Path) -> Iterator[tuple[str, int]]:
    """Yield the lengths of a source and of the functions that begin and end at a margin."""
    text = re.sub(r"__launch_bounds__\([^)]*\)", "", path.read_text(encoding="utf-8"))
    lines = code_lines(text, "//")
    yield "", len(lines)
    for found in HEAD.finditer(text):
        first = text[: found.end()].count("\n") + 2
        length = (text[found.end() :] + "\n}").index("\n}")
        last = first + text[found.end() : found.end() + length].count("\n")
        yield found[1], len(lines & set(range(first, last)))


def longest() -> list[tuple[str, int]]:
    """Return what is long, files first, the longest first; names are path or path::function."""
    found: dict[str, int] = {}
    for folder, endings, lengths in (
        ("src", (".py",), python_lengths),
        ("native", (".cpp", ".hpp", ".cu"), native_lengths),
    ):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix not in endings or "tests" in path.parts:
                continue
            for name, length in lengths(path):
                at = path.relative_to(ROOT).as_posix() + (f"::{name}" if name else "")
                if length >= (LONG_FUNCTION if name else LONG_FILE):
                    found[at] = max(length, found.get(at, 0))
    return sorted(found.items(), key=lambda item: ("::" in item[0], -item[1], item[0]))


def main() -> None:
    """Write the page; end with status 1 where reasons and lengths do not match."""
    rows = longest()
    lines = [
        "# The longest files and functions",
        "",
        f"Files of {LONG_FILE} lines of code or more, and functions of {LONG_FUNCTION} or more.",
        "Docstrings, comments and blank lines are not counted. `make longest` writes this",
        "page, and fails when something long has no reason in `tools/longest.py`.",
        "",
        "| lines | where | why it is not shorter |",
        "|---:|---|---|",
        *(f"| {length} | `{at}` | {REASONS.get(at, '')} |" for at, length in rows),
    ]
    Path(sys.argv[1]).write_text("\n".join(lines) + "\n", encoding="utf-8")
    if lacking := [at for at, _ in rows if at not in REASONS]:
        sys.exit(f"Without a reason in tools/longest.py: {', '.join(lacking)}")


if __name__ == "__main__":
    main()
