"""The examples of README.md run, and print what they show.

``python`` blocks are doctests, each with names of its own. ``console`` blocks are run by bash,
command by command in one empty folder. ``sh`` blocks set a machine up and are not run; a test
keeps anything else out of them.
"""

import doctest
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

README = Path(__file__).parents[1] / "README.md"
OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
SETUP = re.compile(r"pip install .*|make \w+|git clone .*|cd \w+")


def blocks(language):
    """(line number, text) of the fenced blocks in one language."""
    text = README.read_text()
    return [
        pytest.param(match[1], id=f"line {text[: match.start()].count(chr(10)) + 1}")
        for match in re.finditer(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
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


@pytest.mark.parametrize("block", blocks("python"))
def test_python_examples(block):
    test = doctest.DocTestParser().get_doctest(block, {}, "README.md", str(README), 0)
    assert test.examples, "a python block holds >>> examples"
    report = []
    failed, _ = doctest.DocTestRunner(optionflags=OPTIONS).run(test, out=report.append)
    assert not failed, "".join(report)


@pytest.mark.parametrize("block", blocks("console"))
def test_shell_examples(block, tmp_path):
    beside_python = str(Path(sys.executable).parent)
    environment = {
        **os.environ,
        "PATH": os.pathsep.join([beside_python, os.environ["PATH"]]),
        "COLUMNS": "100",
    }
    if shutil.which("bayesdnf", path=beside_python) is None:
        pytest.skip("the bayesdnf command is not installed beside this Python")
    for command, shown in commands(block):
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


def test_blocks_that_are_not_run_only_set_a_machine_up():
    lines = [line for block in blocks("sh") for line in block.values[0].splitlines()]
    assert [line for line in lines if not SETUP.fullmatch(line)] == []


def test_every_block_has_a_language_that_this_file_knows():
    fences = re.findall(r"^```(.*)$", README.read_text(), re.MULTILINE)
    assert set(fences[::2]) == {"python", "console", "sh"}
    assert set(fences[1::2]) == {""}


def test_links_lead_somewhere():
    targets = re.findall(r"\]\(([^)#]+)[^)]*\)", README.read_text())
    local = [target for target in targets if "://" not in target]
    assert local
    assert [target for target in local if not (README.parent / target).exists()] == []
