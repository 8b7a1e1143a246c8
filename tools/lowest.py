"""Print the lowest versions that pyproject.toml declares, as pip's requirements.

What has no lower bound, or is another extra of the package, is left to pip.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path


def lowest(requirements: list[str]) -> list[str]:
    """Turn ``name[extra]>=1.2`` into ``name[extra]==1.2``."""
    found = [re.match(r"([\w\-\[\],]+)>=([\d.]+)", text) for text in requirements]
    return [f"{match[1]}=={match[2]}" for match in found if match]


def main() -> None:
    """Print a line for each."""
    project = tomllib.loads(Path("pyproject.toml").read_text("utf-8"))["project"]
    extras = [text for texts in project["optional-dependencies"].values() for text in texts]
    sys.stdout.write("\n".join(lowest([*project["dependencies"], *extras])) + "\n")


if __name__ == "__main__":
    main()
