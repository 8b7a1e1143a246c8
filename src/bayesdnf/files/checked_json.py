"""Read a JSON file that may be damaged or hostile, field by field."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

from ..checks import is_whole
from ..errors import InputError, shown

Made = TypeVar("Made")
_LONGEST_SHOWN = 60


def read_json(path: str | os.PathLike[str], kind: str) -> JsonFields:
    """Parse a JSON file whose top is an object; every failure is one InputError.

    Parameters
    ----------
    path : path
        The file.
    kind : str
        What it should be, for errors: "model file".
    """
    try:
        with open(path, "rb") as file:
            return parse_json(file.read(), str(path), kind)
    except OSError as error:
        raise InputError(f"Cannot read {path}: {error.strerror}.") from error


def parse_json(data: bytes, name: str, kind: str) -> JsonFields:
    """Parse JSON whose top is an object; errors name it by ``name``."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{name} is not a {kind}: it is not text (byte {error.start:,})."
        ) from error
    try:
        top = json.loads(text, parse_constant=_no_constant, object_pairs_hook=_distinct)
    except RecursionError as error:
        raise InputError(f"{name} is not a {kind}: its JSON is nested too deeply.") from error
    except ValueError as error:  # JSONDecodeError, and numbers with too many digits
        raise InputError(f"{name} is not a {kind}: it is not valid JSON ({error}).") from error
    fields = JsonFields(top, f"{name} is not a usable {kind}", "")
    if not isinstance(top, dict):
        fields.fail("the top", "an object", top)
    return fields


def as_json(document: dict[str, Any]) -> bytes:
    """Write an object as JSON for people."""
    text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:  # half a surrogate pair in some text
        return json.dumps(document, indent=2, allow_nan=False).encode("ascii")


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        raise ValueError("a name appears twice in an object")
    return result


class JsonFields:
    """The fields of one object in the file, read by name and type."""

    def __init__(self, values: dict[str, Any], problem: str, place: str) -> None:
        self._values = values
        self._problem = problem
        self._place = place

    def fail(self, where: str, must: str, got: object) -> NoReturn:
        """Raise the one wording used for a wrong field."""
        raise InputError(f"{self._problem}: {where} must be {must}. Got {_shown(got)} instead.")

    def expect(self, *names: str) -> None:
        """Require exactly these fields."""
        for name in names:
            self.any(name)
        for name in self._values:
            if name not in names:
                raise InputError(
                    f"{self._problem}: {self.named(name)} is not known to this version."
                )

    def there(self, *names: str) -> tuple[str, ...]:
        """Return those of some optional fields that the object has."""
        return tuple(name for name in names if name in self._values)

    def any(self, name: str) -> Any:
        """Return a field of any type."""
        if name not in self._values:
            raise InputError(f"{self._problem}: {self.named(name)} is missing.")
        return self._values[name]

    def text(self, name: str, among: tuple[str, ...] | None = None) -> str:
        """Return a text, perhaps one of a few."""
        value = self.any(name)
        if not isinstance(value, str) or (among is not None and value not in among):
            must = "a text" if among is None else f"one of {', '.join(among)}"
            self.fail(self.named(name), must, value)
        return value

    def flag(self, name: str) -> bool:
        """Return true or false."""
        value = self.any(name)
        if not isinstance(value, bool):
            self.fail(self.named(name), "true or false", value)
        return value

    def whole(self, name: str, least: int, most: int | None = None) -> int:
        """Return a whole number within bounds."""
        value = self.any(name)
        if not is_whole(value, least, most):
            bound = f"from {least} to {most:,}" if most is not None else f"{least} or more"
            self.fail(self.named(name), f"a whole number, {bound}", value)
        return int(value)

    def number(
        self,
        name: str,
        low: float = -math.inf,
        high: float = math.inf,
        *,
        null: float | None = None,
    ) -> float:
        """Return a finite number within bounds; ``null`` is what JSON's null stands for."""
        value = self.any(name)
        if value is None and null is not None:
            return null
        try:
            # A whole number of hundreds of digits overflows here, and is then refused like
            # infinity.
            usable = not isinstance(value, (bool, str)) and math.isfinite(value)
        except (TypeError, OverflowError):
            usable = False
        if not usable or not low <= value <= high:
            bounds = f" from {low:g} to {high:g}" if math.isfinite(high) else ""
            self.fail(self.named(name), f"a finite number{bounds}", value)
        return float(value)

    def part(self, name: str) -> JsonFields:
        """Return the fields of an object within."""
        return self._within(self.any(name), self.named(name), f"{self._place}{name}.")

    def parts(self, name: str) -> list[JsonFields]:
        """Return the fields of each object in a list within."""
        values = self.any(name)
        if not isinstance(values, list):
            self.fail(self.named(name), "a list", values)
        return [
            self._within(value, self.named(f"{name}[{i}]"), f"{self._place}{name}[{i}].")
            for i, value in enumerate(values)
        ]

    def make(self, name: str, build: Callable[[], Made]) -> Made:
        """Build an object from a field; errors name the field."""
        try:
            return build()
        except (InputError, TypeError, ValueError, OverflowError, RecursionError) as error:
            problem = str(error) or type(error).__name__
            raise InputError(f"{self._problem}: {self.named(name)}: {problem}") from error

    def _within(self, value: Any, named: str, place: str) -> JsonFields:
        if not isinstance(value, dict):
            self.fail(named, "an object", value)
        return JsonFields(value, self._problem, place)

    def named(self, name: str) -> str:
        """Describe which field it is, for errors."""
        return f"field '{self._place}{name[:_LONGEST_SHOWN]}'"


def _shown(value: object) -> str:
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return f"a list of {len(value):,}"
    return shown(value, _LONGEST_SHOWN)
