"""The checkpoint of find_markers: a folder in which each long step saves its state.

A step checks that a state belongs to the same step and resumes from it; a finished step is not
repeated. Short steps are repeated. Searches and chains depend on earlier results, so the names of
their files contain a hash of these results.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
from pathlib import Path

from ...errors import InputError
from ...files.atomic import writable

_MARK = ".state"  # ends the name of a state; sampling adds .0, .1 and .search
# Full names of states and of their temporary files: the folder may hold other files, such
# as a table us.states.csv.
_OWN = re.compile(
    r"\.?(pairs(-and|-cells)?|triples|(search|layers|chains)-[0-9a-f]{16}|permutations)"
    r"((\.state)?\.bayesdnf-part-\w+)?\.state(\.0|\.1|\.search)?"
)


class StepFiles:
    """Names the files of the steps.

    Parameters
    ----------
    folder : path or None
        The folder, made if need be; None: no step keeps anything.

    Examples
    --------
    >>> import tempfile
    >>> from bayesdnf.genomics.markers.step_files import StepFiles
    >>> files = StepFiles(tempfile.mkdtemp())
    >>> files("pairs").name
    'pairs.state'
    >>> files("search", "rs4_A dominant").name == files("search", "rs8_A dominant").name
    False
    >>> StepFiles(None)("pairs") is None
    True
    """

    def __init__(self, folder: str | os.PathLike[str] | None) -> None:
        self.folder = None if folder is None else Path(folder)
        if self.folder is None:
            return
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"Cannot make the folder {self.folder}: {error.strerror}.") from error
        writable(self.folder / f"pairs{_MARK}")

    def __call__(self, step: str, *depends: object) -> Path | None:
        """Return the file of a step, named after what the step depends on."""
        if self.folder is None:
            return None
        digest = hashlib.sha256("\n".join(map(str, depends)).encode()).hexdigest()
        return self.folder / f"{step}{'-' + digest[:16] if depends else ''}{_MARK}"

    def remove(self) -> None:
        """Remove the states, and the folder unless something else is in it."""
        if self.folder is None:
            return
        with contextlib.suppress(OSError):
            for file in list(self.folder.iterdir()):
                if _OWN.fullmatch(file.name):
                    file.unlink()
            self.folder.rmdir()
