"""
From a vector to its cases: `expand`.

Every combination of axis values gives a case, in the order of the file, the
last axis fastest. Combinations under `except` are left out, and so is a case
that a built-in axis leaves equal to an earlier one.
"""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final, TypeVar

import msgspec

from toolassay.authoring import errors
from toolassay.authoring.axes import axis_conflict, transformed
from toolassay.authoring.features import features_of
from toolassay.authoring.model import Axis, AxisValue, Vector
from toolassay.authoring.placeholders import Trouble, filled
from toolassay.spec.canonical import canonical
from toolassay.spec.case import Case, Expectation, RelationRef
from toolassay.spec.scenario import Scenario
from toolassay.spec.text import Text, bytes_of
from toolassay.spec.yaml_text import Path, Value

__all__ = ["CASES_MAX", "Expansion", "case_id", "expand", "expansions"]

CASES_MAX: Final = 512
"""The most combinations that one vector may have."""

NUMBER_MAX: Final = 2**53
"""The largest number that a vector may write outside of texts."""

T = TypeVar("T")


class Expansion(msgspec.Struct, frozen=True):
    """One combination of axis values, and what came of it."""

    names: Mapping[str, str]
    """Names of values by axis."""
    case: Case | None = None
    """The case; None if it could not be made."""
    authored: Scenario | None = None
    """The scenario before the built-in axes."""
    paths: tuple[Path, ...] = ()
    """Where each expectation of the case was authored."""
    errors: tuple[errors.AuthoringError, ...] = ()
    """Why there is no case."""


class _BrokenError(Exception):
    """A part of a case cannot be made."""

    def __init__(self, *faults: errors.AuthoringError) -> None:
        super().__init__(*faults)
        self.errors = faults


class _Input(msgspec.Struct, frozen=True):
    """What a case gives to the implementation."""

    authored: Scenario | None = None
    scenario: Scenario | None = None
    event: Text | None = None
    arguments: Text | None = None


class _TextInput(msgspec.Struct, frozen=True):
    """A text, to be converted like any other model."""

    text: Text


def expand(vector: Vector) -> tuple[Case, ...]:
    """
    Expand a vector into its cases.

    Raises:
        AuthoringError: The first fault that keeps a case from being made.
    """
    found = expansions(vector)
    for error in itertools.chain.from_iterable(item.errors for item in found):
        raise error
    return tuple(item.case for item in found if item.case is not None)


def expansions(vector: Vector) -> tuple[Expansion, ...]:
    """Expand a vector as far as possible; faults stand beside what could be made."""
    count = math.prod(len(axis.values) for axis in vector.axes)
    if count > CASES_MAX:
        what = f"the axes give {count} combinations, more than {CASES_MAX}"
        path = (*vector.path, "axes")
        return (Expansion({}, errors=(errors.VectorSizeError.at(vector.document, path, what),)),)
    made = [
        _expansion(vector, dict(zip(_axis_names(vector), combination, strict=True)))
        for combination in itertools.product(*(axis.values for axis in vector.axes))
        if not _is_left_out(vector, combination)
    ]
    return _related(vector, _distinct(vector, made))


def case_id(vector: Vector, names: Mapping[str, str], without: str = "") -> str:
    """
    Write the id of a case.

    Args:
        vector: The vector.
        names: Names of values by axis.
        without: An axis to leave out, for the id of a group.
    """
    shown = (
        f"{axis.name}={names[axis.name]}"
        for axis in sorted(vector.axes, key=_name_of_axis)
        if axis.name != without and names[axis.name] != axis.default
    )
    inside = ",".join(shown)
    return f"{vector.id}[{inside}]" if inside else vector.id


def _name_of_axis(axis: Axis) -> str:
    return axis.name


def _axis_names(vector: Vector) -> tuple[str, ...]:
    return tuple(axis.name for axis in vector.axes)


def _is_left_out(vector: Vector, combination: tuple[AxisValue, ...]) -> bool:
    names = {name: value.name for name, value in zip(_axis_names(vector), combination, strict=True)}
    return any(chosen.holds(names) for chosen in vector.left_out)


# --- one combination -------------------------------------------------------------------------


def _expansion(vector: Vector, values: Mapping[str, AxisValue]) -> Expansion:
    names = {axis: value.name for axis, value in values.items()}
    meant = {axis: value.value for axis, value in values.items() if not _is_builtin(vector, axis)}
    faults: list[errors.AuthoringError] = []
    chosen = [item for item in vector.expect if item.only.holds(names)]
    given, expect = _Input(), []
    try:
        given = _input(vector, meant, names)
    except _BrokenError as error:
        faults += error.errors
    for item in chosen:
        try:
            plain = _fill(vector, item.value, meant, item.path)
            expect.append(_convert(vector, plain, Expectation, item.path))
        except _BrokenError as error:
            faults += error.errors
    if faults:
        return Expansion(names, errors=tuple(faults))
    case = Case(
        id=case_id(vector, names),
        vector=vector.id,
        title=vector.title,
        contract=vector.contract,
        kind=vector.kind,
        operation=vector.operation,
        scenario=given.scenario,
        event=given.event,
        arguments=given.arguments,
        expect=tuple(expect),
        features=features_of(given.scenario),
        provenance=vector.provenance,
    )
    return Expansion(names, case, given.authored, tuple(item.path for item in chosen))


def _is_builtin(vector: Vector, name: str) -> bool:
    axis = vector.axis(name)
    return axis is not None and axis.builtin


def _input(vector: Vector, meant: Mapping[str, Value], names: Mapping[str, str]) -> _Input:
    path = (*vector.path, "given")
    given = _fill(vector, vector.given, meant, path)
    _refuse_bad_numbers(vector, given, path)
    if vector.operation == "turn/run":
        authored = _convert(vector, given, Scenario, path)
        _refuse_bad_texts(vector, authored)
        _refuse_conflicts(vector, authored)
        return _Input(authored, transformed(authored, names))
    key = next(iter(given))
    if key == "event":
        return _Input(event=canonical(given[key]).decode())
    text = _convert(vector, {"text": given[key]}, _TextInput, (*path, key)).text
    _refuse_bad_text(vector, text, (*path, key))
    return _Input(event=text) if key == "event_text" else _Input(arguments=text)


def _refuse_bad_numbers(vector: Vector, given: Value, path: Path) -> None:
    """Refuse numbers that canonical JSON would change or not take."""
    for place, number in _numbers(given, path):
        if not math.isfinite(number) or abs(number) > NUMBER_MAX:
            what = f"{number} is no number that every reader of JSON takes"
            hint = "write an event with such a number as `event_text`"
            raise _BrokenError(errors.ScenarioTextError.at(vector.document, place, what, hint))


def _numbers(value: Value, path: Path) -> Iterator[tuple[Path, int | float]]:
    if isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for step, item in items:
            yield from _numbers(item, (*path, step))
    elif isinstance(value, int | float):
        yield path, value


def _refuse_bad_texts(vector: Vector, scenario: Scenario) -> None:
    """Refuse base64 that is none before anything takes the bytes of it."""
    base = (*vector.path, "given")
    for at, reply in enumerate(scenario.model):
        for index, call in enumerate(reply.calls):
            path = (*base, "model", at, "calls", index, "arguments")
            _refuse_bad_text(vector, call.arguments, path)
    for at, tool in enumerate(scenario.tools):
        for key, text in (("returns", tool.behaviour.returns), ("fails", tool.behaviour.fails)):
            _refuse_bad_text(vector, text or "", (*base, "tools", at, "behaviour", key))


def _refuse_bad_text(vector: Vector, text: Text, path: Path) -> None:
    try:
        bytes_of(text)
    except ValueError as error:
        fault = errors.ScenarioTextError.at(vector.document, path, str(error))
        raise _BrokenError(fault) from None


def _refuse_conflicts(vector: Vector, scenario: Scenario) -> None:
    for axis in vector.axes:
        if axis.builtin and (why := axis_conflict(scenario, axis.name)):
            what = f"the built-in axis {axis.name!r} does not apply: {why}"
            path = (*vector.path, "axes", axis.name)
            raise _BrokenError(errors.AxisConflictError.at_key(vector.document, path, what))


def _fill(vector: Vector, value: Value, meant: Mapping[str, Value], path: Path) -> Value:
    troubles: list[Trouble] = []
    result = filled(value, meant, path, troubles)
    faults = (
        errors.PlaceholderError.at(vector.document, place, what, hint)
        for place, what, hint in troubles
    )
    if troubles:
        raise _BrokenError(*faults)
    return result


# --- from plain data to models -----------------------------------------------------------------

_AT: Final = re.compile(r"^(?P<what>.*?)(?: - at `\$(?P<path>[^`]*)`)?$", re.DOTALL)
_STEP: Final = re.compile(r"\.([A-Za-z_]\w*)|\[(\d+)\]")
_UNKNOWN: Final = re.compile(r"unknown field `([^`]*)`")


def _convert(vector: Vector, value: Value, kind: type[T], path: Path) -> T:
    """Convert plain data; only a value that came from an axis can still be of a wrong type."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise _BrokenError(_conversion_fault(vector, str(error), path)) from None


def _conversion_fault(vector: Vector, message: str, path: Path) -> errors.AuthoringError:
    found = _AT.match(message)
    assert found is not None, "the pattern takes every text"
    steps: list[str | int] = [
        name or int(index) for name, index in _STEP.findall(found["path"] or "")
    ]
    place = (*path, *steps)
    what = found["what"].replace("`", "")
    what = what[:1].lower() + what[1:]
    if unknown := _UNKNOWN.search(message):
        return errors.VectorKeyError.at(vector.document, place, f"unknown key {unknown[1]!r}")
    return errors.VectorTypeError.at(vector.document, place, what, "look at the values of its axis")


# --- all combinations --------------------------------------------------------------------------


def _distinct(vector: Vector, made: list[Expansion]) -> list[Expansion]:
    """Drop cases that a built-in axis leaves equal to an earlier one."""
    seen: set[bytes] = set()
    kept: list[Expansion] = []
    for item in made:
        own = {axis: name for axis, name in item.names.items() if not _is_builtin(vector, axis)}
        scenario = item.case.scenario if item.case is not None else None
        key = canonical((own, scenario))
        if scenario is None or key not in seen:
            kept.append(item)
        seen.add(key)
    return kept


def _related(vector: Vector, made: list[Expansion]) -> tuple[Expansion, ...]:
    """Tell each case which relations it is in; a group of one relates nothing."""
    refs = [
        tuple(
            RelationRef(relation.clause, case_id(vector, item.names, without=relation.across))
            for relation in vector.relate
        )
        for item in made
    ]
    sizes = Counter(ref for of_case in refs for ref in of_case)
    return tuple(
        _with_relations(item, tuple(ref for ref in of_case if sizes[ref] > 1))
        for item, of_case in zip(made, refs, strict=True)
    )


def _with_relations(item: Expansion, refs: tuple[RelationRef, ...]) -> Expansion:
    if item.case is None or not refs:
        return item
    return msgspec.structs.replace(item, case=msgspec.structs.replace(item.case, relations=refs))
