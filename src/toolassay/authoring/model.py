"""A vector as a value: what an author wrote, before its axes are expanded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

from toolassay.spec.case import Contract, Operation
from toolassay.spec.yaml_text import Document, Path, Value


class AxisValue(msgspec.Struct, frozen=True):
    """One value of an axis."""

    name: str
    """The value as case ids show it."""
    value: Value
    """What a placeholder of the axis stands for."""


class Axis(msgspec.Struct, frozen=True):
    """One dimension in which the cases of a vector differ."""

    name: str
    """Its name."""
    values: tuple[AxisValue, ...]
    """Its values, in the order of the file."""
    default: str | None
    """Name of the value that case ids leave out; None if all are shown."""
    builtin: bool
    """True if the kit transforms the scenario; False if placeholders do."""

    def names(self) -> tuple[str, ...]:
        """Give the names of the values."""
        return tuple(value.name for value in self.values)


class Chosen(msgspec.Struct, frozen=True):
    """A set of combinations: for each axis that it names, one of some values."""

    values: Mapping[str, tuple[str, ...]]
    """Names of values by axis; an axis that is not named may have any."""
    path: Path
    """Where it stands."""

    def holds(self, combination: Mapping[str, str]) -> bool:
        """Tell whether a combination is in the set."""
        return all(combination[axis] in names for axis, names in self.values.items())


class Expected(msgspec.Struct, frozen=True):
    """One expectation as authored."""

    value: Mapping[str, Value]
    """Its keys but `only`, with placeholders."""
    only: Chosen
    """The combinations that it is for."""
    path: Path
    """Where it stands."""


class Related(msgspec.Struct, frozen=True):
    """One relation as authored."""

    clause: str
    """Id of the clause."""
    across: str
    """Axis in which the cases differ."""
    path: Path
    """Where it stands."""


class Vector(msgspec.Struct, frozen=True):
    """One authored vector whose shape is right."""

    id: str
    """Slug, never changed and never used again."""
    title: str
    """The fact that it states."""
    contract: Contract
    """Contract it belongs to."""
    kind: Literal["positive", "negative"]
    """`negative`: a near miss, in which a faulty implementation shows."""
    operation: Operation
    """What the implementation is asked to do."""
    axes: tuple[Axis, ...]
    """Its axes, in the order of the file."""
    given: Mapping[str, Value]
    """Scenario or input, with placeholders."""
    expect: tuple[Expected, ...]
    """What is expected, with placeholders."""
    relate: tuple[Related, ...]
    """Relations between its cases."""
    provenance: tuple[str, ...]
    """Links to the public reports that it comes from."""
    note: str
    """What a reader should know; it also allows repeated call ids."""
    left_out: tuple[Chosen, ...]
    """Combinations that give no case."""
    document: Document
    """The file that it stands in."""
    path: Path
    """Where it stands in the file."""

    def axis(self, name: str) -> Axis | None:
        """Give an axis, or None if there is none of this name."""
        return next((axis for axis in self.axes if axis.name == name), None)
