"""What checks take over from the judged streams."""

from __future__ import annotations

from functools import lru_cache

from toolassay.properties.evidence import Evidence, Stream
from toolassay.properties.verdict import Answer, Note, Skip

TypeSet = frozenset[str]
"""Types of events of which one must occur."""


def any_of(*types: str) -> TypeSet:
    """Name types of which one must occur for a check to apply."""
    return frozenset(types)


def concerns(stream: Stream, about: tuple[TypeSet, ...]) -> bool:
    """Tell whether a stream has an event of each set."""
    for types in about:  # noqa: SIM110 -- a generator costs more than what it asks
        if types.isdisjoint(stream.types):
            return False
    return True


def stream_notes(evidence: Evidence, clause: str) -> list[Note]:
    """Give what the streams by themselves break of a clause."""
    return [
        Note(one.expected, one.observed, one.place, one.call, one.recorded)
        for one in evidence.broken_by_streams.get(clause, ())
    ]


def stream_answer(evidence: Evidence, clause: str, *about: TypeSet) -> Answer:
    """Answer a clause from the streams alone, if one of them has what it is about."""
    for stream in evidence.streams:
        if concerns(stream, about):
            return stream_notes(evidence, clause)
    return _lacks(about)


@lru_cache(maxsize=64)
def _lacks(about: tuple[TypeSet, ...]) -> Skip:
    missing = " and ".join("/".join(sorted(types)) for types in about)
    return Skip(f"no {missing} event in one stream")
