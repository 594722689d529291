"""What `list` and `explain` know of vectors, cases and clauses, as documents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from toolassay.reports.documents import SCHEMA_VERSION, Json
from toolassay.selection import cited
from toolassay.spec.case import Case
from toolassay.spec.clause import Clause


def vectors_document(cases: Iterable[Case]) -> Json:
    """List the vectors of some cases."""
    groups = grouped(cases)
    return _document("vectors", [_vector_part(mine) for mine in groups.values()])


def cases_document(cases: Iterable[Case]) -> Json:
    """List cases."""
    return _document("cases", [_case_part(case) for case in cases])


def clauses_document(clauses: Iterable[Clause]) -> Json:
    """List clauses."""
    return _document("clauses", [_clause_part(clause) for clause in clauses])


def clause_document(clause: Clause, mine: Sequence[Case], mutants: Sequence[str]) -> Json:
    """
    Tell all that is known of a clause.

    Args:
        clause: The clause.
        mine: The cases that cite it.
        mutants: Names of the mutants that break it.
    """
    return {
        "schema_version": SCHEMA_VERSION,
        "kind": "clause",
        **_clause_part(clause),
        "pages": list(clause.pages),
        "standard": clause.standard,
        "reports": list(clause.cases),
        "faults": clause.faults,
        "needs": msgspec.to_builtins(clause.needs),
        "untestable": clause.untestable,
        "recorded": list(clause.recorded),
        "note": clause.note,
        "vectors": list(grouped(mine)),
        "cases": len(mine),
        "provenance": sorted({link for case in mine for link in case.provenance}),
        "mutants": list(mutants),
    }


def vector_document(name: str, mine: Sequence[Case], siblings: Sequence[Case]) -> Json:
    """
    Tell what a vector or a case tries.

    Args:
        name: The vector or the case.
        mine: The cases of that name, or of that vector.
        siblings: All cases of the vector.
    """
    case = next((one for one in mine if one.id == name), mine[0])
    is_case = name != case.vector
    part = _case_part(case) if is_case else _vector_part(siblings)
    given: Mapping[str, object] = {
        "scenario": msgspec.to_builtins(case.scenario),
        "event": msgspec.to_builtins(case.event),
        "arguments": msgspec.to_builtins(case.arguments),
        "expect": msgspec.to_builtins(case.expect),
    }
    return {
        "schema_version": SCHEMA_VERSION,
        "kind": "case" if is_case else "vector",
        **part,
        "provenance": list(case.provenance),
        "given_by": case.id,
        **given,
        "siblings": [one.id for one in siblings],
    }


def grouped(cases: Iterable[Case]) -> dict[str, list[Case]]:
    """Put the cases of each vector together, in order."""
    groups: dict[str, list[Case]] = {}
    for case in cases:
        groups.setdefault(case.vector, []).append(case)
    return groups


def _document(kind: str, items: list[Json]) -> Json:
    return {"schema_version": SCHEMA_VERSION, "kind": kind, kind: items}


def _vector_part(mine: Sequence[Case]) -> Json:
    first = mine[0]
    return {
        "id": first.vector,
        "title": first.title,
        "contract": first.contract,
        "tries": first.kind,
        "operation": first.operation,
        "clauses": sorted({clause for case in mine for clause in cited(case)}),
        "cases": len(mine),
    }


def _case_part(case: Case) -> Json:
    return {
        "id": case.id,
        "vector": case.vector,
        "title": case.title,
        "contract": case.contract,
        "tries": case.kind,
        "operation": case.operation,
        "clauses": sorted(cited(case)),
        "features": list(case.features),
    }


def _clause_part(clause: Clause) -> Json:
    return {
        "id": clause.id,
        "level": clause.level,
        "basis": clause.basis,
        "contract": clause.contract,
        "subject": list(clause.subject),
        "text": clause.text,
        "profiles": list(clause.profiles),
        "since": clause.since,
        "testable": not clause.untestable,
    }
