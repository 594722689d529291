"""
The shape of a file of vectors, judged by its JSON Schema.

jsonschema finds the faults; the words are ours, so that they are the same with
every version of it and point at a line.
"""

from __future__ import annotations

import difflib
import functools
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path as FilePath
from typing import Any, Final

import msgspec
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from toolassay.authoring import errors
from toolassay.spec.yaml_text import Document, Path

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


def shape_faults(document: Document) -> tuple[errors.AuthoringError, ...]:
    """Find all faults in the shape of a file; none means that it can be read as vectors."""
    found: dict[tuple[str, str], errors.AuthoringError] = {}
    for fault in _validator().iter_errors(document.value):
        for error in _explained(document, fault):
            found.setdefault((error.where, error.message), error)
    return tuple(sorted(found.values(), key=lambda error: (error.line, error.column)))


def near_hint(name: str, known: Iterable[str]) -> str:
    """Suggest known names that look like a name, or list them all if they are few."""
    names = sorted(known)
    near = difflib.get_close_matches(name, names, n=3, cutoff=0.6)
    if near:
        return f"did you mean {' or '.join(near)}?"
    return f"known: {', '.join(names)}" if 0 < len(names) <= 20 else ""


def choices(names: Sequence[str]) -> str:
    """Join names as alternatives."""
    head = ", ".join(names[:-1])
    return f"{head} or {names[-1]}" if head else names[-1]


@functools.cache
def _validator() -> Draft202012Validator:
    schema: dict[str, Any] = msgspec.json.decode(SCHEMA_FILE.read_bytes())
    return Draft202012Validator(schema)


def _explained(document: Document, fault: ValidationError) -> Iterator[errors.AuthoringError]:
    """Turn one fault of the validator into ours."""
    path: Path = tuple(fault.absolute_path)
    if fault.validator == "anyOf":
        for deeper in _branch(fault):
            yield from _explained(document, deeper)
        if not _branch(fault):
            yield _wrong_type(document, path, fault, _types_of(fault))
    elif fault.validator == "additionalProperties":
        yield from _unknown_keys(document, path, fault)
    elif fault.validator == "propertyNames":
        yield from _wrong_names(document, path, fault)
    else:
        yield _simple(document, path, fault)


def _simple(document: Document, path: Path, fault: ValidationError) -> errors.AuthoringError:
    wanted: Any = fault.validator_value
    match fault.validator:
        case "type":
            names = [wanted] if isinstance(wanted, str) else wanted
            return _wrong_type(document, path, fault, names)
        case "required":
            missing = [f"`{key}`" for key in wanted if key not in fault.instance]
            what = f"{_place(path)} has no {' and no '.join(missing)}"
            return errors.VectorMissingError.at(document, path, what)
        case "enum" | "const":
            return _wrong_word(document, path, fault.instance, wanted)
        case "pattern":
            leaf = errors.VectorSlugError if path[1:] == ("id",) else errors.VectorValueError
            about = str(fault.schema.get("description", "allowed here"))
            return leaf.at(document, path, f"{fault.instance!r} is not {about}")
        case "minItems" | "minProperties" | "minLength":
            what = f"{_place(path)} has less than {wanted}"
            return errors.VectorShapeError.at(document, path, what)
        case "minimum":
            what = f"{_place(path)} is below {wanted}"
            return errors.VectorValueError.at(document, path, what)
        case "uniqueItems":
            return errors.VectorShapeError.at(document, path, f"{_place(path)} repeats a value")
        case other:
            what = f"{_place(path)} breaks the rule {other!r}"
            return errors.VectorShapeError.at(document, path, what)


def _wrong_word(
    document: Document, path: Path, value: object, wanted: object
) -> errors.AuthoringError:
    allowed = wanted if isinstance(wanted, list) else [wanted]
    words = [str(word).lower() if isinstance(word, bool) else str(word) for word in allowed]
    what = f"{_shown(value)} is not {choices(words)}"
    hint = near_hint(value, words) if isinstance(value, str) else ""
    hint = "" if hint.startswith("known") else hint
    return errors.VectorValueError.at(document, path, what, hint)


def _wrong_type(
    document: Document, path: Path, fault: ValidationError, names: Sequence[str]
) -> errors.AuthoringError:
    wanted = choices([_TYPE_NAMES.get(name, name) for name in names])
    what = f"{_place(path)} is {_shown(fault.instance)}, not {wanted}"
    hint = "put quotes around it" if "string" in names and _is_scalar(fault.instance) else ""
    return errors.VectorTypeError.at(document, path, what, hint)


def _unknown_keys(
    document: Document, path: Path, fault: ValidationError
) -> Iterator[errors.AuthoringError]:
    known = fault.schema.get("properties", {})
    for key in fault.instance:
        if key not in known:
            what = f"unknown key {key!r} in {_place(path)}"
            hint = near_hint(key, known)
            yield errors.VectorKeyError.at_key(document, (*path, key), what, hint)


def _wrong_names(
    document: Document, path: Path, fault: ValidationError
) -> Iterator[errors.AuthoringError]:
    name = fault.instance
    about = fault.schema.get("description", "allowed here")
    yield errors.VectorValueError.at_key(document, (*path, name), f"{name!r} is not {about}")


def _branch(fault: ValidationError) -> list[ValidationError]:
    """Give the faults of the first alternative whose type fits, or none."""
    branches: dict[int, list[ValidationError]] = {}
    for deeper in fault.context or ():
        branches.setdefault(int(deeper.relative_schema_path[0]), []).append(deeper)
    for _, faults in sorted(branches.items()):
        fitting = [f for f in faults if not _misfits(f, fault)]
        if len(fitting) == len(faults):
            return faults
    return []


def _misfits(fault: ValidationError, parent: ValidationError) -> bool:
    """Tell whether a fault says only that this alternative is not the one that was meant."""
    here = fault.absolute_path == parent.absolute_path
    placeholder = str(fault.schema.get("description", "")).startswith("a placeholder")
    nested = fault.validator == "anyOf" and not _branch(fault)
    return here and (fault.validator == "type" or placeholder or nested)


def _types_of(fault: ValidationError) -> list[str]:
    """Collect the types of all alternatives, placeholders aside."""
    names: list[str] = []
    for deeper in fault.context or ():
        if deeper.validator == "anyOf":
            names += _types_of(deeper)
        elif deeper.validator == "type" and not _is_placeholder(deeper):
            value: Any = deeper.validator_value
            names += [value] if isinstance(value, str) else value
    return list(dict.fromkeys(names)) or ["another value"]


def _is_placeholder(fault: ValidationError) -> bool:
    return str(fault.schema.get("description", "")).startswith("a placeholder")


def _is_scalar(value: object) -> bool:
    return value is not None and not isinstance(value, dict | list)


def _place(path: Path) -> str:
    """Name a value by its last key."""
    keys = [step for step in path if isinstance(step, str)]
    if not keys:
        return "the vector" if path else "the file"
    return f"an item of `{keys[-1]}`" if isinstance(path[-1], int) else f"`{keys[-1]}`"


def _shown(value: object) -> str:
    """Show a wrong value in a few words."""
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    if value is None:
        return "empty"
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    text = re.sub(r"\s+", " ", text)
    return text if len(text) <= 60 else f"{text[:57]}..."
