"""
The shape of a file of vectors, judged by its JSON Schema.

jsonschema finds the faults; the words are ours, so that they are the same with
every version of it and point at a line.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path as FilePath
from typing import Any, Final

import msgspec
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from toolassay.authoring import errors
from toolassay.near import near
from toolassay.spec.yaml_text import Document, Path, Value

__all__ = ["choices", "near_hint", "shape_faults"]

SCHEMA_FILE: Final = FilePath(__file__).parent.parent / "spec" / "schemas" / "vector.json"
"""The schema of a file of vectors."""

_TYPE_NAMES: Final = {
    "string": "a text",
    "object": "a mapping",
    "array": "a list",
    "boolean": "true or false",
    "integer": "a whole number",
}
_KNOWN_MAX: Final = 20
_SHOWN_MAX: Final = 60


class _Fault(msgspec.Struct, frozen=True):
    """One fault of the validator, with what is needed of it."""

    path: Path
    rule: str
    wanted: Value
    value: Value
    about: str
    known: tuple[str, ...]
    branches: tuple[tuple[_Fault, ...], ...]
    placeholder: bool


def shape_faults(document: Document) -> Mapping[int, tuple[errors.AuthoringError, ...]]:
    """
    Find all faults in the shape of a file.

    Returns:
        Faults by the index of the vector, -1 for the file as a whole; vectors
        without an entry have the right shape.
    """
    found: dict[int, dict[tuple[str, str], errors.AuthoringError]] = {}
    for raw in _validator().iter_errors(document.value):
        fault = _fault(raw)
        index = fault.path[0] if fault.path else -1
        of_vector = found.setdefault(int(index), {})
        for error in _explained(document, fault):
            of_vector.setdefault((error.where, error.message), error)
    return {
        index: tuple(sorted(of_vector.values(), key=_place_of))
        for index, of_vector in sorted(found.items())
    }


def near_hint(name: str, known: Iterable[str]) -> str:
    """Suggest known names that look like a name, or list them all if they are few."""
    names = sorted(known)
    if similar := near(name, names):
        return f"did you mean {' or '.join(similar)}?"
    return f"known: {', '.join(names)}" if 0 < len(names) <= _KNOWN_MAX else ""


def choices(names: Sequence[str]) -> str:
    """Join names as alternatives."""
    head = ", ".join(names[:-1])
    return f"{head} or {names[-1]}" if head else names[-1]


def _place_of(error: errors.AuthoringError) -> tuple[int, int, str]:
    return error.line, error.column, error.message


# --- reading the validator ---------------------------------------------------------------------


@functools.cache
def _validator() -> Draft202012Validator:
    schema: dict[str, Any] = msgspec.json.decode(SCHEMA_FILE.read_bytes())
    return Draft202012Validator(schema)


def _fault(raw: ValidationError) -> _Fault:
    schema: Value = raw.schema
    branches: dict[int, list[_Fault]] = {}
    for deeper in raw.context or ():
        step = deeper.relative_schema_path[0]
        branches.setdefault(int(step), []).append(_fault(deeper))
    return _Fault(
        path=tuple(raw.absolute_path),
        rule=str(raw.validator),
        wanted=raw.validator_value,
        value=raw.instance,
        about=str(schema.get("description", "allowed here")),
        known=tuple(schema.get("properties", ())),
        branches=tuple(tuple(faults) for _, faults in sorted(branches.items())),
        placeholder=str(schema.get("description", "")).startswith("a placeholder"),
    )


def _branch(fault: _Fault) -> tuple[_Fault, ...]:
    """Give the faults of the first alternative whose type fits, or none."""
    for faults in fault.branches:
        if not any(_misfits(deeper, fault) for deeper in faults):
            return faults
    return ()


def _misfits(fault: _Fault, parent: _Fault) -> bool:
    """Tell whether a fault says only that this alternative is not the one that was meant."""
    other = fault.rule == "type" or fault.placeholder
    other = other or (fault.rule == "anyOf" and not _branch(fault))
    return other and fault.path == parent.path


def _types_of(fault: _Fault) -> list[str]:
    """Collect the types of all alternatives, placeholders aside."""
    names: list[str] = []
    for deeper in (inner for faults in fault.branches for inner in faults):
        if deeper.rule == "anyOf":
            names += _types_of(deeper)
        elif deeper.rule == "type" and not deeper.placeholder:
            names += _as_list(deeper.wanted)
    return list(dict.fromkeys(names)) or ["another value"]


def _as_list(value: Value) -> list[Value]:
    return value if isinstance(value, list) else [value]


# --- in our words ------------------------------------------------------------------------------


def _explained(document: Document, fault: _Fault) -> Iterator[errors.AuthoringError]:
    """Turn one fault of the validator into ours."""
    deeper = _branch(fault)
    if deeper:
        for inner in deeper:
            yield from _explained(document, inner)
    elif fault.rule == "additionalProperties":
        yield from _unknown_keys(document, fault)
    elif fault.rule == "propertyNames":
        path = (*fault.path, fault.value)
        what = f"{fault.value!r} is not {fault.about}"
        yield errors.VectorValueError.at_key(document, path, what)
    elif fault.rule == "anyOf":
        yield _wrong_type(document, fault, _types_of(fault))
    elif fault.rule == "type":
        yield _wrong_type(document, fault, _as_list(fault.wanted))
    else:
        yield _simple(document, fault)


def _simple(document: Document, fault: _Fault) -> errors.AuthoringError:
    path, place = fault.path, _place(fault.path)
    match fault.rule:
        case "required":
            missing = [f"`{key}`" for key in fault.wanted if key not in fault.value]
            what = f"{place} has no {' and no '.join(missing)}"
            return errors.VectorMissingError.at(document, path, what)
        case "enum" | "const":
            return _wrong_word(document, fault)
        case "pattern":
            leaf = errors.VectorSlugError if path[1:] == ("id",) else errors.VectorValueError
            return leaf.at(document, path, f"{_shown(fault.value)} is not {fault.about}")
        case "minItems" | "minProperties" | "minLength":
            return errors.VectorShapeError.at(document, path, f"{place} is too short")
        case "minimum":
            return errors.VectorValueError.at(document, path, f"{place} is below {fault.wanted}")
        case "uniqueItems":
            return errors.VectorShapeError.at(document, path, f"{place} repeats a value")
        case rule:
            return errors.VectorShapeError.at(document, path, f"{place} breaks the rule {rule!r}")


def _wrong_word(document: Document, fault: _Fault) -> errors.AuthoringError:
    words = [_shown(word).strip("'") for word in _as_list(fault.wanted)]
    what = f"{_shown(fault.value)} is not {choices(words)}"
    similar = near(fault.value, words) if isinstance(fault.value, str) else ()
    hint = f"did you mean {' or '.join(similar)}?" if similar else ""
    return errors.VectorValueError.at(document, fault.path, what, hint)


def _wrong_type(document: Document, fault: _Fault, names: Sequence[str]) -> errors.AuthoringError:
    wanted = choices([_TYPE_NAMES.get(name, name) for name in names])
    what = f"{_place(fault.path)} is {_shown(fault.value)}, not {wanted}"
    scalar = isinstance(fault.value, bool | int | float)
    hint = "put quotes around it" if scalar and "string" in names else ""
    return errors.VectorTypeError.at(document, fault.path, what, hint)


def _unknown_keys(document: Document, fault: _Fault) -> Iterator[errors.AuthoringError]:
    for key in fault.value:
        if key not in fault.known:
            what = f"unknown key {key!r} in {_place(fault.path)}"
            path = (*fault.path, key)
            yield errors.VectorKeyError.at_key(document, path, what, near_hint(key, fault.known))


def _place(path: Path) -> str:
    """Name a value by its last key."""
    keys = [step for step in path if isinstance(step, str)]
    if not keys:
        return "the vector" if path else "the file"
    return f"an item of `{keys[-1]}`" if isinstance(path[-1], int) else f"`{keys[-1]}`"


def _shown(value: Value) -> str:
    """Show a wrong value in a few words."""
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    if value is None:
        return "empty"
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    text = re.sub(r"\s+", " ", text)
    return text if len(text) <= _SHOWN_MAX else f"{text[: _SHOWN_MAX - 3]}..."
