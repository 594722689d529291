"""
Placeholders: a whole scalar `$axis` or `$axis.key` stands for a value of an axis.

`$$x` is the text `$x`. Keys, and texts that hold a `$` further on, are left as
they are; so are the values of axes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from toolassay.authoring.schema import near_hint
from toolassay.spec.yaml_text import Path, Value

__all__ = ["axes_used", "filled"]

_PLACEHOLDER: Final = re.compile(r"\$([a-z][a-z0-9-]*)((?:\.[A-Za-z0-9_-]+)*)")

Trouble = tuple[Path, str, str]
"""Where a placeholder stands for nothing, why, and a hint."""


def filled(value: Value, axes: Mapping[str, Value], path: Path, troubles: list[Trouble]) -> Value:
    """
    Put the values of axes in the place of placeholders.

    Args:
        value: Authored value.
        axes: The chosen value of each axis.
        path: Where the value stands.
        troubles: What could not be resolved is added here.
    """
    if isinstance(value, dict):
        return {key: filled(item, axes, (*path, key), troubles) for key, item in value.items()}
    if isinstance(value, list):
        return [filled(item, axes, (*path, at), troubles) for at, item in enumerate(value)]
    if not isinstance(value, str) or not value.startswith("$"):
        return value
    return value[1:] if value.startswith("$$") else _resolved(value, axes, path, troubles)


def axes_used(value: Value) -> Iterator[str]:
    """Name the axes that the placeholders in a value ask for."""
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from axes_used(item)
    elif isinstance(value, str) and (found := _PLACEHOLDER.fullmatch(value)):
        yield found[1]


def _resolved(text: str, axes: Mapping[str, Value], path: Path, troubles: list[Trouble]) -> Value:
    found = _PLACEHOLDER.fullmatch(text)
    if found is None:
        troubles.append((path, f"{text!r} is no placeholder", ""))
        return text
    name, keys = found[1], found[2].split(".")[1:]
    if name not in axes:
        troubles.append((path, f"{text!r} names no axis", near_hint(name, axes)))
        return text
    value = axes[name]
    for key in keys:
        if not isinstance(value, dict) or key not in value:
            known = value if isinstance(value, dict) else ()
            what = f"{text!r} finds no {key!r} in a value of the axis {name!r}"
            troubles.append((path, what, near_hint(key, known)))
            return text
        value = value[key]
    return value
