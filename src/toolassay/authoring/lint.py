"""
All rules for vectors: `lint` says what is wrong, `read_cases` gives the cases too.

`load` has judged each vector by itself; here its cases are made and judged
against the register of clauses and against each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path as FilePath

import msgspec

from toolassay.authoring import errors
from toolassay.authoring.expand import Expansion, expansions
from toolassay.authoring.load import load_vectors, vector_files
from toolassay.authoring.model import Axis, Vector
from toolassay.authoring.placeholders import axes_used
from toolassay.authoring.rules_expect import clause_fault, expectation_faults
from toolassay.authoring.rules_scenario import scenario_faults
from toolassay.authoring.schema import near_hint
from toolassay.spec.canonical import canonical
from toolassay.spec.case import Case
from toolassay.spec.register import Clause, load_register
from toolassay.spec.yaml_text import Path

__all__ = ["AuthoredCase", "Linted", "lint", "read_cases"]


class AuthoredCase(msgspec.Struct, frozen=True):
    """A case and the vector that it comes from."""

    case: Case
    """The case."""
    vector: Vector
    """Its vector."""
    paths: tuple[Path, ...]
    """Where each of its expectations was authored."""


class Linted(msgspec.Struct, frozen=True):
    """The cases of files of vectors, and what is wrong with them."""

    cases: tuple[AuthoredCase, ...]
    """All cases that could be made; to be used only if there are no errors."""
    errors: tuple[errors.Fault, ...]
    """All faults, each once."""


def lint(
    paths: Sequence[FilePath], clauses: Mapping[str, Clause] | None = None
) -> tuple[errors.Fault, ...]:
    """
    Find all that is wrong with the vectors in some files and folders.

    Args:
        paths: Files, and folders whose `.yaml` files are read.
        clauses: What to take for the register; the shipped one if not given.
    """
    return read_cases(paths, clauses).errors


def read_cases(paths: Sequence[FilePath], clauses: Mapping[str, Clause] | None = None) -> Linted:
    """Read, expand and lint vectors; see `lint`."""
    known = load_register().clauses if clauses is None else clauses
    loaded = load_vectors(paths)
    faults: list[errors.Fault] = list(loaded.errors)
    cases: list[AuthoredCase] = []
    for vector in loaded.vectors:
        made = expansions(vector)
        faults += _once(_vector_faults(vector, made, known))
        cases += (
            AuthoredCase(item.case, vector, item.paths) for item in made if item.case is not None
        )
    order = [file.as_posix() for file in vector_files(paths)]
    return Linted(tuple(cases), tuple(_in_order(faults, order)))


def _in_order(faults: list[errors.Fault], files: list[str]) -> list[errors.Fault]:
    """Sort faults by place, files in the order in which they were read."""
    placed = [(error.where.rsplit(":", 2), error) for error in faults]
    placed.sort(key=lambda item: (files.index(item[0][0]), *map(int, item[0][1:])))
    return [error for _, error in placed]


def _once(found: Iterator[errors.AuthoringError]) -> list[errors.AuthoringError]:
    """Keep the first of equal faults: the cases of one vector share most of them."""
    kept: dict[tuple[str, str], errors.AuthoringError] = {}
    for error in found:
        kept.setdefault((error.where, error.message), error)
    return list(kept.values())


def _vector_faults(
    vector: Vector, made: Sequence[Expansion], clauses: Mapping[str, Clause]
) -> Iterator[errors.AuthoringError]:
    yield from _clause_faults(vector, clauses)
    yield from _family_faults(vector, clauses)
    unused = tuple(_axis_faults(vector))
    yield from unused
    for item in made:
        yield from item.errors
        if item.authored is not None:
            yield from scenario_faults(vector, item.authored)
        if item.case is not None:
            for expectation, path in zip(item.case.expect, item.paths, strict=True):
                yield from expectation_faults(vector, item.case, expectation, path)
    yield from _want_faults(vector, made)
    if not unused:
        yield from _same_case_faults(vector, made)


def _clause_faults(
    vector: Vector, clauses: Mapping[str, Clause]
) -> Iterator[errors.AuthoringError]:
    for clause, path in _cited(vector):
        if fault := clause_fault(vector, clause, path, clauses):
            yield fault


def _cited(vector: Vector) -> Iterator[tuple[str, Path]]:
    """Give the clauses that a vector cites, and where."""
    for item in vector.expect:
        yield item.value["clause"], (*item.path, "clause")
    for relation in vector.relate:
        yield relation.clause, (*relation.path, "clause")


def _family_faults(
    vector: Vector, clauses: Mapping[str, Clause]
) -> Iterator[errors.AuthoringError]:
    family = vector.id.partition(".")[0]
    families = {family_of(clause) for clause in clauses}
    path = (*vector.path, "id")
    if family not in families:
        what = f"{family!r} is no family of clauses"
        hint = near_hint(family, families)
        yield errors.VectorFamilyError.at(vector.document, path, what, hint)
    elif family not in {family_of(clause) for clause, _ in _cited(vector)}:
        what = f"the vector is of the family {family!r} and cites no clause of it"
        hint = "the family of an id is that of the main clause"
        yield errors.VectorFamilyError.at(vector.document, path, what, hint)


def family_of(clause: str) -> str:
    """Give the family of a clause, as ids of vectors write it."""
    return clause.partition("-")[0].lower()


def _axis_faults(vector: Vector) -> Iterator[errors.AuthoringError]:
    used = set(axes_used(vector.given))
    for expected in vector.expect:
        used.update(axes_used(expected.value))
        used.update(expected.only.values)
    for axis in vector.axes:
        path = (*vector.path, "axes", axis.name)
        if not axis.builtin and axis.name not in used:
            what = f"nothing in the vector uses the axis {axis.name!r}"
            hint = f"write ${axis.name} where its value belongs"
            yield errors.AxisUnusedError.at_key(vector.document, path, what, hint)
        yield from _value_faults(vector, axis, path)


def _value_faults(vector: Vector, axis: Axis, path: Path) -> Iterator[errors.AuthoringError]:
    """Find values of an axis that `except` leaves out altogether."""
    gone = {
        name
        for chosen in vector.left_out
        if set(chosen.values) == {axis.name}
        for name in chosen.values[axis.name]
    }
    for at, value in enumerate(axis.values):
        if value.name in gone:
            step = value.name if axis.default is None else at
            what = f"`except` leaves out every case with {axis.name}={value.name}"
            hint = "leave the value out instead"
            yield errors.AxisUnusedError.at(vector.document, (*path, step), what, hint)


def _want_faults(vector: Vector, made: Sequence[Expansion]) -> Iterator[errors.AuthoringError]:
    cases = [item.case for item in made if item.case is not None]
    for case in cases:
        if not case.expect and not case.relations:
            what = f"the case {case.id} expects nothing"
            hint = "add an expectation, or leave the combination out with `except`"
            yield errors.ExpectEmptyError.at(vector.document, vector.path, what, hint)
    if len(cases) < len(made):
        return
    for relation in vector.relate:
        if not any(ref.clause == relation.clause for case in cases for ref in case.relations):
            what = f"no two cases differ in {relation.across!r} alone"
            hint = "give the axis a second value that changes the scenario"
            yield errors.RelationError.at(vector.document, relation.path, what, hint)
    for item in vector.expect:
        if not any(item.path in other.paths for other in made):
            what = "`only` limits the expectation to no case at all"
            yield errors.AxisUnusedError.at(vector.document, item.only.path, what)


def _same_case_faults(vector: Vector, made: Sequence[Expansion]) -> Iterator[errors.AuthoringError]:
    seen: dict[bytes, str] = {}
    for item in made:
        case = item.case
        if case is None:
            continue
        key = canonical((case.scenario, case.event, case.arguments, case.expect))
        first = seen.setdefault(key, case.id)
        if first != case.id:
            what = f"the cases {first} and {case.id} are the same"
            yield errors.SameCaseError.at(vector.document, (*vector.path, "axes"), what)
