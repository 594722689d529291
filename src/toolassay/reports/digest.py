"""
A digest of behaviour: equal for equal behaviour, whatever ids were drawn.

Ids are renamed in the order in which they appear, sequence numbers by rank.
Of native errors only their presence counts, and free words are left out: they
hold addresses and paths, and no clause binds them.
"""

from __future__ import annotations

from typing import Any

import msgspec

from toolassay.reports.documents import encodable
from toolassay.results import CaseResult
from toolassay.spec.canonical import canonical, digest
from toolassay.spec.observation import Observation

_RENAMED = {
    "session_id": "session", "loop_id": "loop", "turn_id": "turn", "step_id": "step",
    "event_id": "event", "tool_execution_id": "execution", "execution_id": "execution",
    "gate_id": "gate",
}  # fmt: skip
_LEFT_OUT = frozenset(("why", "native", "omitted"))
_FACETS = ("history", "requests", "executions", "deliveries", "journal", "ending", "outcome")


def case_digest(result: CaseResult) -> str:
    """Give the digest of one case: its id, the statuses of its checks, and what was seen."""
    statuses = sorted((check.clause, check.check, check.status) for check in result.checks)
    seen = renamed(result.observation) if result.observation is not None else None
    name = result.case.id.encode(errors="backslashreplace")
    return digest(name, _canonical([result.status, statuses]), _canonical(seen))


def run_digest(cases: dict[str, str]) -> str:
    """Give the digest of a run, from the digests of its cases by id."""
    parts = (part for name in sorted(cases) for part in (name, cases[name]))
    return digest(*(part.encode(errors="backslashreplace") for part in parts))


def renamed(observation: Observation) -> dict[str, Any]:
    """Give an observation as plain data, up to the names of its ids."""
    data = msgspec.to_builtins(observation)
    ranks = _ranks(observation)
    names: dict[tuple[str, str], str] = {}
    return {facet: _walk(data[facet], names, ranks) for facet in _FACETS if facet in data}


def _canonical(value: object) -> bytes:
    try:
        return canonical(value)
    except UnicodeEncodeError:  # halves of surrogate pairs
        return canonical(encodable(value))


def _ranks(observation: Observation) -> dict[int, int]:
    """Give sequence numbers their rank, since gaps are legal."""
    seen = {one.seq for one in (observation.journal.records if observation.journal else ())}
    for subscription in observation.deliveries.subscriptions if observation.deliveries else ():
        seen.update(one.seq for one in subscription.deliveries if one.seq)
    return {number: rank for rank, number in enumerate(sorted(seen), start=1)}


def _walk(value: Any, names: dict[tuple[str, str], str], ranks: dict[int, int]) -> Any:  # noqa: ANN401 - plain JSON data
    if isinstance(value, dict):
        return {
            key: _leaf(key, item, names, ranks)
            for key, item in value.items()
            if key not in _LEFT_OUT
        }
    if isinstance(value, list | tuple):
        return [_walk(item, names, ranks) for item in value]
    return value


def _leaf(key: str, value: Any, names: dict[tuple[str, str], str], ranks: dict[int, int]) -> Any:  # noqa: ANN401 - as above
    if key == "error":
        return True
    if isinstance(value, str):
        kind = _RENAMED.get(key)
        return names.setdefault((kind, value), f"{kind}{len(names)}") if kind and value else value
    if key == "seq" and isinstance(value, int):
        return ranks.get(value, value)
    return _walk(value, names, ranks)
