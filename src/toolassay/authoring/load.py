"""
From files to vectors: `load_vectors`.

What is judged here needs one vector alone, its axes not yet expanded; `lint`
judges the rest.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path as FilePath
from typing import Final

import msgspec

from toolassay.authoring import errors
from toolassay.authoring.axes import BUILTIN_AXES
from toolassay.authoring.model import Axis, AxisValue, Chosen, Expected, Related, Vector
from toolassay.authoring.schema import near_hint, shape_faults
from toolassay.spec.input_errors import TextError
from toolassay.spec.yaml_text import MAX_BYTES, Document, Path, Value, load_yaml

__all__ = ["Loaded", "load_vectors", "vector_files"]

_SLUG: Final = re.compile(r"[a-z]+\.[a-z0-9]+(?:-[a-z0-9]+)*")
_LINK: Final = re.compile(r"https://[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+(?::[0-9]+)?(?:[/?#]\S*)?")
_CASE: Final = re.compile(r"B[0-9]{3}")
_TITLE_MAX: Final = 100
_GIVEN: Final[Mapping[str, frozenset[str]]] = {
    "turn/run": frozenset(("model", "tools", "policy", "users", "subscribers", "sequential")),
    "event/validate": frozenset(("event", "event_text")),
    "arguments/sanitize": frozenset(("arguments",)),
}


class Loaded(msgspec.Struct, frozen=True):
    """What files of vectors hold."""

    vectors: tuple[Vector, ...]
    """The vectors whose own shape is right, in the order of the files."""
    errors: tuple[errors.Fault, ...]
    """All faults, in the order of the files."""


def load_vectors(paths: Sequence[FilePath]) -> Loaded:
    """
    Read vectors.

    Args:
        paths: Files, and folders all of whose `.yaml` files are read.
    """
    vectors: list[Vector] = []
    sound: list[Vector] = []
    faults: list[errors.Fault] = []
    for file in vector_files(paths):
        try:
            document = _document(file)
        except (TextError, errors.VectorFileError) as error:
            faults.append(error)
            continue
        wrong = shape_faults(document)
        faults += [error for of_vector in wrong.values() for error in of_vector]
        for vector in _vectors(document, wrong.keys()):
            vectors.append(vector)
            faults += _form_faults(vector)
            unsound = tuple(_structure_faults(vector))
            faults += unsound
            if not unsound:
                sound.append(vector)
    faults += _duplicates(vectors)
    return Loaded(tuple(sound), tuple(faults))


def _document(file: FilePath) -> Document:
    """Read one file."""
    name = file.as_posix()
    try:
        if file.suffix != ".yaml":
            why = "the name of a file of vectors ends in .yaml"
        elif file.exists() and not file.is_file():
            why = "it is no regular file"  # a pipe without a writer would never end
        else:
            with file.open("rb") as opened:
                return load_yaml(opened.read(MAX_BYTES + 1), name)
    except OSError as error:
        why = f"the file cannot be read: {error.strerror}"
    raise errors.VectorFileError(why, name=name, line=1, column=1)


def vector_files(paths: Sequence[FilePath]) -> Iterator[FilePath]:
    """List the files of vectors at some paths, each once, folders in sorted order."""
    seen: set[str] = set()
    for path in paths:
        for file in _below(path) if path.is_dir() else [path]:
            # Unlike `resolve`, this bears links that lead in a circle.
            real = os.path.realpath(file)
            if real not in seen:
                seen.add(real)
                yield file


def _below(folder: FilePath) -> list[FilePath]:
    """List what is to be read in a folder; `.yml` too, so that it is complained of."""
    found = (file for ending in ("yaml", "yml") for file in folder.rglob(f"*.{ending}"))
    return sorted(file for file in found if not file.is_dir())


# --- from plain data to a vector -------------------------------------------------------------


def _vectors(document: Document, broken: Collection[int]) -> Iterator[Vector]:
    """Read the vectors of a file whose shape is right."""
    if -1 in broken:
        return
    for index, value in enumerate(document.value):
        if index not in broken:
            yield _vector(document, (index,), value)


def _vector(document: Document, path: Path, value: Value) -> Vector:
    return Vector(
        id=value["id"],
        title=value["title"],
        contract=value["contract"],
        kind=value["kind"],
        operation=value.get("operation", "turn/run"),
        axes=tuple(_axis(name, values) for name, values in value.get("axes", {}).items()),
        given=value["given"],
        expect=tuple(
            _expected(item, (*path, "expect", at))
            for at, item in enumerate(value.get("expect", ()))
        ),
        relate=tuple(
            Related(item["clause"], item["across"], (*path, "relate", at))
            for at, item in enumerate(value.get("relate", ()))
        ),
        provenance=tuple(item["link"] for item in value.get("provenance", ())),
        note=value.get("note", ""),
        left_out=tuple(
            _chosen(item, (*path, "except", at)) for at, item in enumerate(value.get("except", ()))
        ),
        document=document,
        path=path,
    )


def _axis(name: str, values: Value) -> Axis:
    builtin = name in BUILTIN_AXES
    if isinstance(values, dict):
        named = tuple(AxisValue(key, value) for key, value in values.items())
        return Axis(name, named, None, builtin)
    listed = tuple(AxisValue(name_of(value), value) for value in values)
    return Axis(name, listed, listed[0].name, builtin)


def name_of(value: Value) -> str:
    """Write a value of an axis as case ids show it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _expected(value: Value, path: Path) -> Expected:
    rest = {key: item for key, item in value.items() if key != "only"}
    return Expected(rest, _chosen(value.get("only", {}), (*path, "only")), path)


def _chosen(value: Value, path: Path) -> Chosen:
    chosen = {
        axis: tuple(name_of(name) for name in (names if isinstance(names, list) else [names]))
        for axis, names in value.items()
        if axis != "reason"
    }
    return Chosen(chosen, path)


# --- rules for one vector ----------------------------------------------------------------------


def _form_faults(vector: Vector) -> Iterator[errors.AuthoringError]:
    """Find what is wrong with the words of a vector."""
    document, path = vector.document, vector.path
    if not _SLUG.fullmatch(vector.id):
        what = f"{vector.id!r} is not of the form family.words-with-dashes"
        yield errors.VectorSlugError.at(document, (*path, "id"), what)
    if fault := _title_fault(vector.title):
        yield errors.VectorTitleError.at(document, (*path, "title"), f"the title {fault}")
    yield from _provenance_faults(vector)


def _structure_faults(vector: Vector) -> Iterator[errors.AuthoringError]:
    """Find what keeps the axes of a vector from being expanded."""
    yield from _operation_faults(vector)
    for axis in vector.axes:
        yield from _axis_faults(vector, axis)
    for related in vector.relate:
        if vector.axis(related.across) is None:
            yield _no_axis(vector, related.across, (*related.path, "across"))
    for chosen in (*(item.only for item in vector.expect), *vector.left_out):
        yield from _chosen_faults(vector, chosen)


def _title_fault(title: str) -> str:
    fault = ""
    if not title or title[-1] in ".!?,;: \n" or title[0].isspace():
        fault = "ends with punctuation, or is empty"
    elif len(title) > _TITLE_MAX:
        fault = f"has {len(title)} characters, more than {_TITLE_MAX}"
    elif title[0].islower():
        fault = "begins with a small letter"
    elif not title.isprintable():
        fault = "has a line break or a control in it"
    return fault


def _operation_faults(vector: Vector) -> Iterator[errors.AuthoringError]:
    path = (*vector.path, "given")
    allowed = _GIVEN[vector.operation]
    for key in vector.given:
        if key not in allowed:
            what = f"`{key}` is not given to {vector.operation}"
            hint = f"it takes {', '.join(sorted(allowed))}"
            yield errors.VectorOperationError.at_key(vector.document, (*path, key), what, hint)
    wanted = {"turn/run": {"model"}, "arguments/sanitize": {"arguments"}}
    one_of = wanted.get(vector.operation, allowed)
    if len(one_of.intersection(vector.given)) != 1:
        what = f"{vector.operation} is given exactly one of {', '.join(sorted(one_of))}"
        yield errors.VectorOperationError.at_key(vector.document, path, what)


def _provenance_faults(vector: Vector) -> Iterator[errors.AuthoringError]:
    for at, item in enumerate(vector.document.value[vector.path[0]].get("provenance", ())):
        path = (*vector.path, "provenance", at)
        if not _LINK.fullmatch(item["link"]):
            what = f"{item['link']!r} is no https address"
            yield errors.ProvenanceLinkError.at(vector.document, (*path, "link"), what)
        if "case" in item and not _CASE.fullmatch(item["case"]):
            what = f"{item['case']!r} is not the number of a report"
            hint = "write a B and three digits"
            yield errors.ProvenanceLinkError.at(vector.document, (*path, "case"), what, hint)


def _axis_faults(vector: Vector, axis: Axis) -> Iterator[errors.AuthoringError]:
    path = (*vector.path, "axes", axis.name)
    names = axis.names()
    for at, name in enumerate(names):
        if name in names[:at]:
            what = f"the axis {axis.name!r} has the value {name!r} twice"
            yield errors.AxisValueError.at(vector.document, (*path, at), what)
    known = BUILTIN_AXES.get(axis.name)
    if known is None:
        return
    if vector.operation != "turn/run":
        what = f"the built-in axis {axis.name!r} is for turn/run"
        yield errors.AxisNameError.at_key(vector.document, path, what)
    if axis.default is None:
        what = f"the built-in axis {axis.name!r} has a mapping, not a list of values"
        yield errors.VectorTypeError.at(vector.document, path, what)
        return
    for at, name in enumerate(names):
        if name not in known:
            what = f"the built-in axis {axis.name!r} has no value {name!r}"
            hint = near_hint(name, known)
            yield errors.AxisValueError.at(vector.document, (*path, at), what, hint)


def _chosen_faults(vector: Vector, chosen: Chosen) -> Iterator[errors.AuthoringError]:
    """Find names of axes, and of their values, that the vector does not have."""
    for name, values in chosen.values.items():
        path = (*chosen.path, name)
        axis = vector.axis(name)
        if axis is None:
            yield _no_axis(vector, name, path)
            continue
        for value in values:
            if value not in axis.names():
                what = f"the axis {name!r} has no value {value!r}"
                hint = near_hint(value, axis.names())
                yield errors.AxisValueError.at(vector.document, path, what, hint)


def _no_axis(vector: Vector, name: str, path: Path) -> errors.AxisNameError:
    hint = near_hint(name, (axis.name for axis in vector.axes))
    what = f"the vector has no axis {name!r}"
    return errors.AxisNameError.at_key(vector.document, path, what, hint)


def _duplicates(vectors: Sequence[Vector]) -> Iterator[errors.AuthoringError]:
    first: dict[str, Vector] = {}
    for vector in vectors:
        other = first.setdefault(vector.id, vector)
        if other is not vector:
            mark = other.document.mark((*other.path, "id"))
            what = f"the id {vector.id!r} stands at {other.document.name}:{mark.line} already"
            yield errors.VectorDuplicateError.at(vector.document, (*vector.path, "id"), what)
