"""
Checks and what they answer.

A check answers with notes (what it found; none means that the clause holds
here) or with the reason why it does not apply. `judge` stamps the clause and
the name of the check on each note and makes a verdict of the answer.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Literal

import msgspec

from toolassay.properties.evidence import Evidence
from toolassay.spec.finding import Finding, Place
from toolassay.spec.observation import FacetName

Status = Literal["pass", "fail", "recorded", "not_applicable"]
"""What a check can come to over one observation."""


class Note(msgspec.Struct, frozen=True):
    """A finding before it is stamped."""

    expected: str
    """What should have been there."""
    observed: str
    """What was there instead."""
    place: Place | None = None
    """Where it shows."""
    call: str = ""
    """The call id or execution id concerned, if one is."""
    recorded: bool = False
    """True if it is noted and not scored."""


class Skip(msgspec.Struct, frozen=True):
    """The answer of a check that does not apply."""

    why: str
    """The reason, such as `facet journal`."""


FINDINGS_MAX = 1000
"""Findings of one check that are kept; an answer of many megabytes may hold a million faults."""

Answer = list[Note] | Skip
"""What a check answers."""


Ask = Callable[[Evidence], Answer]
"""The judgement of a check."""


class Check(msgspec.Struct, frozen=True):
    """One named check of one clause."""

    name: str
    """Its name; stable, and unique among all checks."""
    clause: str
    """Id of the clause that it judges."""
    ask: Ask
    """The judgement; called only where the facets are there."""
    needs: tuple[FacetName, ...] = ()
    """Facets that must all be there."""
    either: tuple[FacetName, ...] = ()
    """Facets of which one must be there."""
    scripted: bool = False
    """True if it needs the scenario."""


class Verdict(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one check came to."""

    clause: str
    """Id of the clause."""
    check: str
    """Name of the check."""
    status: Status
    """What it came to."""
    findings: tuple[Finding, ...] = ()
    """What was found; only recorded ones where the status is `recorded`."""
    why: str = ""
    """Why it does not apply; empty where it does."""


def verdict_of(clause: str, check: str, answer: Answer) -> Verdict:
    """Stamp an answer and make a verdict of it."""
    if isinstance(answer, Skip):
        return Verdict(clause, check, "not_applicable", (), answer.why)
    if not answer:
        return _passed(clause, check)
    first = next((note for note in answer if not note.recorded), None)
    scored = first is not None
    kept = answer[:FINDINGS_MAX]
    if first is not None and kept[-1].recorded and all(note.recorded for note in kept):
        kept[-1] = first  # one that counts must speak for the check
    findings = tuple(stamp(clause, check, note) for note in kept)
    return Verdict(clause, check, "fail" if scored else "recorded", findings)


@lru_cache(maxsize=1024)
def _passed(clause: str, check: str) -> Verdict:
    return Verdict(clause, check, "pass")


def stamp(clause: str, check: str, note: Note) -> Finding:
    """Make a finding of a note."""
    return Finding(
        clause, check, note.expected, note.observed, note.place, note.call, note.recorded
    )
