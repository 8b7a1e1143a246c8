"""The examples of README.md and of the pages in docs/ run, and links lead somewhere.

``python`` blocks of a page are doctests, run from top to bottom. ``console`` blocks are run by
bash, command by command in one empty folder. ``sh`` blocks set a machine up and are not run; a test
keeps anything else out of them. ``text`` is no code. Walk-throughs (docs/gallery) are run by
``make docs``.
"""

import doctest
import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]
OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
SETUP = re.compile(r"pip install .*|make \w+|git clone .*|cd \w+")
FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\(([^)#\s]+)")

# Which pages show examples. A page that loses its last one, or whose fences are no longer
# recognised, would pass every test below.
EXAMPLES = {
    "python": {
        "README.md",
        "docs/layers.md",
        "docs/markers.md",
        "docs/model.md",
        "docs/model_file.md",
        "docs/priors.md",
        "docs/qca.md",
        "docs/report.md",
        "docs/sampling.md",
        "docs/start.md",
        "docs/attributes.md",
        "docs/columns.md",
        "docs/thresholds.md",
        "docs/trust.md",
    },
    "console": {
        "README.md",
        "docs/markers.md",
        "docs/report.md",
        "docs/scale.md",
        "docs/start.md",
        "docs/thresholds.md",
    },
    "sh": {"README.md", "docs/index.md", "docs/start.md"},
}


def pages_with(found, long=()):
    """Run a test on the pages where something to be tested is found."""
    pages = [
        pytest.param(page, id=name_of(page), marks=[pytest.mark.long] * (name_of(page) in long))
        for page in PAGES
        if found(page)
    ]
    return pytest.mark.parametrize("page", pages)


def name_of(page):
    return page.relative_to(ROOT).as_posix()


def fences(page):
    return re.findall(r"^```(.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)


def links(page):
    return LINK.findall(page.read_text(encoding="utf-8"))


def blocks(page, language):
    """(line number, text) of a page's fenced blocks in one language."""
    text = page.read_text(encoding="utf-8")
    return [
        (text[: match.start()].count("\n") + 1, match[2])
        for match in FENCE.finditer(text)
        if match[1] == language
    ]


def commands(block):
    """(command, output shown) pairs of a console block; ``> `` continues a command."""
    pairs = []
    for line in block.splitlines():
        if line.startswith("$ "):
            pairs.append([line[2:], ""])
        elif line.startswith("> "):
            pairs[-1][0] += "\n" + line[2:]
        else:
            pairs[-1][1] += line + "\n"
    return pairs


# Pages and parts of pages that commands write, and these commands.
MEASURED = [
    ("docs/averaging.md", "make bench-averaging"),
    ("docs/comparison.md", "make bench-peers"),
    ("docs/defaults.md", "python -m benchmarks.defaults --part literals"),
    ("docs/defaults.md", "python -m benchmarks.defaults --part prior"),
    ("docs/hiv.md", "python -m benchmarks.hiv"),
    ("docs/layers.md", "python -m benchmarks.steadiness"),
    ("docs/null-studies.md", "make null-studies"),
    ("docs/power.md", "make power"),
    ("docs/reproduction/index.md", "make reproduce"),
    ("docs/scale.md", "python -m benchmarks.wide"),
    ("docs/trust.md", "make attack"),
    ("docs/trust.md", "python -m benchmarks.chain_weights --quick"),
    ("docs/trust.md", "python -m benchmarks.gaps"),
    ("docs/trust.md", "python -m benchmarks.verdicts"),
]


@pytest.mark.parametrize(("page", "command"), MEASURED)
def test_measured_pages_name_their_command_and_commit(page, command):
    """And ``make figures`` runs it."""
    text = (ROOT / page).read_text(encoding="utf-8")
    assert re.search(rf"[Mm]easured by `{command}` at commit [0-9a-f]{{7,}}[^\w-]", text)
    figures = (ROOT / "Makefile").read_text().partition("\nFIGURES :=")[2].partition("\nfigures:")
    name = command.removeprefix("make ").removeprefix("python -m benchmarks.").split()[0]
    assert {name, f"figures-{name}"} & set(re.findall(r"[\w-]+", figures[0]))


def test_all_measured_pages_are_listed():
    said = {
        (name_of(page), command)
        for page in PAGES
        for command in re.findall(r"[Mm]easured by `([^`]+)`", page.read_text(encoding="utf-8"))
    }
    assert said == set(MEASURED)


def test_benchmarks_that_pages_name_are_there():
    for page in PAGES:
        for name in re.findall(r"benchmarks\.(\w+)", page.read_text(encoding="utf-8")):
            assert (ROOT / "benchmarks" / f"{name}.py").exists(), f"{name_of(page)}: {name}"


@pytest.mark.parametrize("language", EXAMPLES)
def test_the_pages_that_show_examples(language):
    """A page that gains its first example is added to the list."""
    assert {name_of(page) for page in PAGES if blocks(page, language)} == EXAMPLES[language]


@pytest.mark.slow
@pages_with(
    lambda page: blocks(page, "python"),
    long=["docs/layers.md", "docs/markers.md", "docs/sampling.md", "docs/trust.md"],
)
def test_python_examples(page):
    report, names = [], {}
    for line, block in blocks(page, "python"):
        test = doctest.DocTestParser().get_doctest(block, names, page.name, str(page), line)
        assert test.examples, f"{page.name}, line {line}: a python block holds >>> examples"
        doctest.DocTestRunner(optionflags=OPTIONS).run(test, out=report.append, clear_globs=False)
        names = test.globs
    assert not report, "".join(report)


@pytest.mark.slow
@pages_with(
    lambda page: blocks(page, "console"),
    long=[
        "docs/markers.md",
        "docs/report.md",
        "docs/scale.md",
        "docs/start.md",
        "docs/thresholds.md",
    ],
)
def test_shell_examples(page, tmp_path):
    beside_python = str(Path(sys.executable).parent)
    environment = {
        **os.environ,
        "PATH": os.pathsep.join([beside_python, os.environ["PATH"]]),
        "COLUMNS": "100",
    }
    shell = blocks(page, "console")
    if shutil.which("bayesdnf", path=beside_python) is None:
        pytest.skip("the bayesdnf command is not installed beside this Python")
    pairs = [pair for _, block in shell for pair in commands(block)]
    assert len(pairs) >= len(shell), "a console block holds commands after $"
    for command, shown in pairs:
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", command],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"$ {command}\n{done.stderr}"
        if shown:
            matches = doctest.OutputChecker().check_output(shown, done.stdout, OPTIONS)
            assert matches, f"$ {command}\nshown:\n{shown}got:\n{done.stdout}"


@pages_with(lambda page: blocks(page, "sh"))
def test_blocks_that_are_not_run_only_set_a_machine_up(page):
    lines = [line for _, block in blocks(page, "sh") for line in block.splitlines()]
    assert lines
    assert [line for line in lines if not SETUP.fullmatch(line)] == []


@pages_with(fences)
def test_every_block_has_a_language_that_this_file_knows(page):
    """What would be run is run; what stands in braces is a directive of the site."""
    found = fences(page)
    opened = {fence for fence in found[::2] if not re.match(r"\{[\w-]+\}", fence)}
    assert opened <= {"python", "console", "sh", "text"}
    assert set(found[1::2]) <= {""}


def test_the_examples_are_found():
    """A fence that is not recognised would be an example that nobody runs."""
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    found = sum(len(blocks(page, "python")) for page in PAGES)
    assert found == len(re.findall(r"^```python$", text, re.MULTILINE)) > 20
    assert text.count(">>> ") == sum(
        block.count(">>> ") for page in PAGES for _, block in blocks(page, "python")
    )


@pages_with(links)
def test_links_lead_somewhere(page):
    for link in links(page):
        target = page.parent / link
        if "://" not in link:
            assert target.exists(), f"{page.name} links to {link}, which is not there"


def test_the_site_links_to_walk_throughs_where_a_checkout_links_to_their_scripts():
    conf = runpy.run_path(str(DOCS / "conf.py"))
    for text, expected in [
        ("See [a](gallery/4_checking.py).", "See [a](walkthroughs/4_checking.rst)."),
        ("[all](gallery/) [one\nmore](gallery/2_markers.py)",
         "[all](walkthroughs/index.rst) [one\nmore](walkthroughs/2_markers.rst)"),
        ("[a](qca.md) and gallery/4_checking.py", "[a](qca.md) and gallery/4_checking.py"),
    ]:  # fmt: skip
        source = [text]
        conf["to_walkthroughs"](None, "page", source)
        assert source == [expected]
