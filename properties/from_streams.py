"""What checks take over from the judged streams."""

from __future__ import annotations

from toolassay.properties.evidence import Evidence, Stream
from toolassay.properties.verdict import Answer, Note, Skip

TypeSet = frozenset[str]
"""Types of events of which one must occur."""


def any_of(*types: str) -> TypeSet:
    """Name types of which one must occur for a check to apply."""
    return frozenset(types)


def concerns(stream: Stream, about: tuple[TypeSet, ...]) -> bool:
    """Tell whether a stream has an event of each set."""
    return all(not types.isdisjoint(stream.types) for types in about)


def stream_notes(evidence: Evidence, clause: str) -> list[Note]:
    """Give what the streams by themselves break of a clause."""
    return [
        Note(one.expected, one.observed, one.place, one.call, one.recorded)
        for one in evidence.broken_by_streams.get(clause, ())
    ]


def stream_answer(evidence: Evidence, clause: str, *about: TypeSet) -> Answer:
    """Answer a clause from the streams alone, if one of them has what it is about."""
    if any(concerns(stream, about) for stream in evidence.streams):
        return stream_notes(evidence, clause)
    missing = " and ".join("/".join(sorted(types)) for types in about)
    return Skip(f"no {missing} event in one stream")
