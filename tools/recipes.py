"""Check the recipes under packaging/: their form, and that they say what pyproject.toml says.

No conda is needed: Jinja is rendered with names in place of conda's functions, then YAML is read.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path
from typing import Any

import jinja2
import yaml

ROOT = Path(__file__).parents[1]
SECTIONS = {"package", "source", "build", "requirements", "about", "extra"}


def conda_forge() -> dict[str, Any]:
    """Read the recipe of rattler-build, which is YAML with ``${{ }}`` inside values."""
    recipe: dict[str, Any] = yaml.safe_load(_text("conda-forge/recipe.yaml"))
    version = recipe["context"]["version"]
    recipe["package"]["version"] = recipe["package"]["version"].replace("${{ version }}", version)
    return recipe


def bioconda() -> dict[str, Any]:
    """Read the recipe of conda-build, which is Jinja first and YAML then."""
    names = {
        "compiler": lambda language: f"{language} compiler",
        "stdlib": lambda language: f"{language} library",
        "pin_subpackage": lambda name, max_pin: f"{name} to {max_pin}",
        "PYTHON": "python",
    }
    template = jinja2.Environment(undefined=jinja2.StrictUndefined, autoescape=False)
    text = template.from_string(_text("bioconda/meta.yaml")).render(names)
    recipe: dict[str, Any] = yaml.safe_load(text)
    return recipe


def complaints(recipe: dict[str, Any], project: dict[str, Any], extras: list[str]) -> list[str]:
    """Say in which points a recipe departs from the project's table and build requirements."""
    metadata = project["project"]
    wanted = {
        "version": (str(recipe["package"]["version"]), metadata["version"]),
        "summary": (recipe["about"]["summary"], metadata["description"]),
        "license": (recipe["about"]["license"], metadata["license"]),
        "run": (
            _spaced(recipe["requirements"]["run"]) - {"python"},
            _spaced([*metadata["dependencies"], *extras]),
        ),
        "host": (
            _spaced(recipe["requirements"]["host"]) - {"python", "pip"},
            _spaced(project["build-system"]["requires"]),
        ),
    }
    found = [f"{key}: {is_!r}, but {want!r}" for key, (is_, want) in wanted.items() if is_ != want]
    found += [f"section {name} is missing" for name in sorted(SECTIONS - recipe.keys())]
    return found


def _text(path: str) -> str:
    return (ROOT / "packaging" / path).read_text("utf-8")


def _spaced(requirements: list[str]) -> set[str]:
    """Conda's way to write requirements: ``numpy >=2.0``, without markers."""
    return {re.sub(r"\s*(>=)", r" \1", text.split(";")[0].strip()) for text in requirements}


def main() -> int:
    """Print what is wrong with either recipe."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    vcf = project["project"]["optional-dependencies"]["genomics"]
    found = [f"conda-forge: {text}" for text in complaints(conda_forge(), project, [])]
    found += [f"bioconda: {text}" for text in complaints(bioconda(), project, vcf)]
    sys.stdout.write("\n".join([*found, f"recipes: {len(found)} complaints"]) + "\n")
    return min(1, len(found))


if __name__ == "__main__":
    sys.exit(main())
