"""Damage to files: wrong bytes, and wrong values in JSON documents."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

WRONG: list[Any] = [
    None, True, -1, 0, 2**31, 2**64, 10**400, -0.5, 1e308, "", "x", "\0", "a\nb", "é" * 1000,
    [], [[]], [1, "a"], {}, {"a": 1},
]  # fmt: skip


def flipped(content: bytes, rng: random.Random, n: int) -> Iterator[bytes]:
    """Change, cut, or lengthen a file's bytes."""
    for i in range(n):
        changed = bytearray(content)
        for _ in range(rng.choice([1, 3, 20])):
            changed[rng.randrange(len(changed))] = rng.randrange(256)
        yield bytes(changed[: rng.randrange(len(changed))]) if i % 3 == 0 else bytes(changed)


def mutated(document: Any, rng: random.Random, n: int) -> Iterator[Any]:
    """Put something wrong in the place of a value anywhere in a JSON document, or take one out."""
    places: list[tuple[Any, ...]] = []

    def walk(part: Any, place: tuple[Any, ...]) -> None:
        if not isinstance(part, (dict, list)):
            return
        for key, value in part.items() if isinstance(part, dict) else enumerate(part):
            places.append((*place, key))
            walk(value, (*place, key))

    walk(document, ())
    for _ in range(n):
        copy = json.loads(json.dumps(document))
        *path, last = rng.choice(places)
        part = copy
        for key in path:
            part = part[key]
        if rng.random() < 0.15:
            del part[last]
        else:
            part[last] = rng.choice(WRONG)
        yield copy


def written(path: Path, content: bytes) -> Path:
    """Write a file and return its path."""
    path.write_bytes(content)
    return path
