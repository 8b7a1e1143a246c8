"""All exceptions and warnings of the library.

All errors derive from :class:`BayesDNFError`. Each message is one sentence that names the object,
the value it got and what would be valid.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from itertools import islice

_LONGEST_SHOWN = 200
_MOST_COMPARED = 10_000  # names: beyond that it takes longer than it helps


def shown(value: object, longest: int = _LONGEST_SHOWN) -> str:
    """Write a value for an error, not too long.

    Examples
    --------
    >>> from bayesdnf.errors import shown
    >>> shown("f"), shown("x" * 300, longest=5), shown(10**9999)
    ("'f'", "'xxxx…", 'a huge whole number')
    """
    if isinstance(value, int) and value.bit_length() > 4 * longest:  # its digits may be too many
        return "a huge whole number"
    text = repr(value)
    return text if len(text) <= longest else f"{text[:longest]}…"


class BayesDNFError(Exception):
    """Base class of every error raised by bayesdnf."""


class InputError(BayesDNFError, ValueError):
    """The data given cannot be used."""


class ParameterError(InputError):
    """A parameter has an invalid value."""

    @classmethod
    def of(cls, name: str, owner: str, must: str, got: object) -> ParameterError:
        """Build the message for an invalid parameter."""
        return cls(f"The '{name}' parameter of {owner} must be {must}. Got {shown(got)} instead.")


class ParseError(InputError):
    """A text is not a Boolean function or a rule list."""


class FileFormatError(InputError):
    """A file does not have the expected format."""

    @classmethod
    def at(cls, path: object, place: str | None, why: str) -> FileFormatError:
        """Build the message from a file, a place in it such as "line 3", and the reason."""
        return cls(f"Cannot read {path}{f', {place}' if place else ''}: {why}.")


class UnknownColumnError(InputError):
    """A name is not among the known columns or literals."""


class ContradictionError(InputError):
    """No function fits every row."""


class SizeLimitError(BayesDNFError, RuntimeError):
    """A symbolic operation would exceed its limit."""


class OutOfMemoryError(BayesDNFError, MemoryError):
    """The data would not fit in memory; raised before anything is allocated."""


class ClusterError(BayesDNFError, RuntimeError):
    """A cluster cannot do the work: its scheduler is lost, or a worker refuses a task."""

    def saved_in(self, *files: object) -> ClusterError:
        """Return the error with the path of the work saved before it."""
        where = " and ".join(map(str, files))
        return ClusterError(f"{self} What was done is saved in {where}; run the same to resume.")


class MissingExtraError(BayesDNFError, ImportError):
    """An optional library is missing."""

    @classmethod
    def of(cls, need: str, extra: str) -> MissingExtraError:
        """Build the message from a requirement, such as "Plots need matplotlib"."""
        return cls(f"{need}: pip install 'bayesdnf[{extra}]'.")


class BayesDNFWarning(UserWarning):
    """Base class of every warning issued by bayesdnf."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return ``" Did you mean 'x'?"`` when a known name is close, else nothing."""
    known = [str(k) for k in islice(known, _MOST_COMPARED)]
    close = difflib.get_close_matches(str(name), known, n=1, cutoff=0.6)
    close = close or [k for k in known if k.casefold() == str(name).casefold()]
    return f" Did you mean {close[0]!r}?" if close else ""
