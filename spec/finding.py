"""Findings: what a check says when a clause does not hold."""

import msgspec


class Place(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where in an observation a finding points."""

    facet: str
    """Name of the facet."""
    index: int | None = None
    """Position in the facet's list: the delivery, record, message, execution or request."""
    part: str = ""
    """Further place: the subscriber's name, or the message inside a request."""


class Finding(msgspec.Struct, frozen=True, omit_defaults=True):
    """One broken clause in one observation."""

    clause: str
    """Id of the clause."""
    check: str
    """Name of the check that found it."""
    expected: str
    """What should have been there, in a short sentence."""
    observed: str
    """What was there instead."""
    place: Place | None = None
    """Where it shows; None where something is absent as a whole."""
    call: str = ""
    """The call id or execution id concerned, if one is."""
    recorded: bool = False
    """True if the behaviour is noted and not scored (the clause leaves it open)."""
