"""``get_params`` and ``set_params`` for priors and effects, as in scikit-learn."""

from __future__ import annotations

import copy
import inspect
from typing import Any, Self

from ..errors import ParameterError


class Parameters:
    """Base of classes with named settings: the constructor stores them, ``_check`` validates."""

    def _check(self) -> None:
        """Raise ParameterError for an invalid setting."""

    @classmethod
    def _names(cls) -> list[str]:
        return [name for name in inspect.signature(cls).parameters if name != "self"]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return every setting by name (``deep`` changes nothing: settings are plain values)."""
        return {name: getattr(self, name) for name in self._names()}

    def set_params(self, **params: Any) -> Self:
        """Change settings by name; if one of them is invalid, change none."""
        changed = copy.copy(self)
        for name, value in params.items():
            if name not in self._names():
                raise ParameterError(
                    f"{type(self).__name__} has no parameter {name!r}; "
                    f"it has {', '.join(self._names())}."
                )
            setattr(changed, name, value)
        changed._check()
        self.__dict__.update(changed.__dict__)
        return self

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self)).parameters
        shown = [
            f"{name}={value!r}"
            for name, value in self.get_params().items()
            if repr(value) != repr(defaults[name].default)
        ]
        return f"{type(self).__name__}({', '.join(shown)})"

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        assert isinstance(other, Parameters)
        return repr(self.get_params()) == repr(other.get_params())

    __hash__ = None  # type: ignore[assignment]
