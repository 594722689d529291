"""
Cases: vectors after their axes are expanded, with what each of them expects.

Expectations are partial: ephemerals may be missing, parallel calls may finish
in any order, foreign events may stand between, sequence numbers may have gaps.
An expectation that gives several fields wants all of them.
"""

from typing import Literal

import msgspec

from toolassay.spec.events import HowEnded
from toolassay.spec.observation import Observation
from toolassay.spec.scenario import Scenario
from toolassay.spec.text import Text

Operation = Literal["turn/run", "event/validate", "arguments/sanitize"]
"""Operations that a case can ask for."""

OPERATIONS: tuple[Operation, ...] = ("turn/run", "event/validate", "arguments/sanitize")
"""Their names, in the order of reports."""

Contract = Literal["events", "transcript", "execution"]
"""The contract that a clause or a case belongs to."""


class CallMatch(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Picks executions; a field that is not given matches all."""

    call: str | None = None
    """The model's id of the call; where executions know no call ids, its tool and arguments."""
    tool: str | None = None
    """Name of the tool."""
    arguments: Text | None = None
    """Argument text; compared as a JSON value where it is sound, or where callbacks see values."""


class ExpectExecutions(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What the executions facet shows."""

    never: CallMatch | None = None
    """No execution matches."""
    once: CallMatch | None = None
    """Exactly one execution matches."""
    count: int | None = None
    """Number of all executions."""


class ResultMatch(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Describes the one result of a call."""

    answers: str
    """The scripted id of the call."""
    is_error: bool | None = None
    """The error flag; not applicable where the history has no flags."""
    text: Text | None = None
    """The text of the result."""


class HeldCall(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Describes how a call stands in the messages."""

    id: str
    """The scripted id of the call."""
    arguments: Text | None = None
    """Arguments as held, compared as a JSON value; not applicable where texts are held."""


class ExpectMessages(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What a history, or one request, shows."""

    result: ResultMatch | None = None
    """The call has exactly one result, and this one."""
    call: HeldCall | None = None
    """The call stands in an assistant message, held so."""
    roles: tuple[Literal["assistant", "tool"], ...] | None = None
    """Roles of all assistant and tool messages, in order."""
    at: int | None = None
    """For requests: which one, from 0; the last one if not given."""


class ExpectEvents(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What one subscriber got, or what the journal holds."""

    never: tuple[str, ...] = ()
    """No event of these types is there."""
    has: tuple[str, ...] = ()
    """At least one event of each of these enduring types is there."""
    order: tuple[str, ...] = ()
    """The first events of these types that are there stand in this order."""
    count: dict[str, int] = {}
    """Exact number of events by enduring type."""
    subscriber: str | None = None
    """For deliveries: whose; the first subscriber if not given."""


class ExpectEnding(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """How the turns ended."""

    turns: int | None = None
    """Number of turns that ended."""
    how: tuple[HowEnded, ...] = ()
    """Every turn ended in one of these ways; all are legal if none is given."""


class ExpectOutcome(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """The answer of a stateless operation."""

    status: Literal["ok", "rejected"] | None = None
    """Whether it was refused."""
    event: str | None = None
    """Type of the refused event."""
    field: tuple[str, ...] = ()
    """Fields that may be named; any if none is given."""
    rule: tuple[str, ...] = ()
    """Rules that may be named; any if none is given."""
    stored: Text | None = None
    """Stored view of the arguments, compared as a JSON value."""
    executable: Text | None = None
    """Executable view of the arguments, compared byte for byte."""


class Expectation(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One expectation: a clause, and what one facet shows if the clause holds."""

    clause: str
    """Id of the clause that it tests."""
    executions: ExpectExecutions | None = None
    """Entries into callbacks."""
    history: ExpectMessages | None = None
    """Committed messages."""
    requests: ExpectMessages | None = None
    """What the model was shown."""
    deliveries: ExpectEvents | None = None
    """What a subscriber got."""
    journal: ExpectEvents | None = None
    """Durable records."""
    ending: ExpectEnding | None = None
    """How the turns ended."""
    outcome: ExpectOutcome | None = None
    """Answer of a stateless operation."""
    holds: bool | None = None
    """True alone: the named checks of the clause are applicable here and find nothing."""


class Relation(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Cases of one vector whose observations are judged together."""

    clause: str
    """Id of the clause: ARG-13, DUR-04, ..."""
    across: str
    """Axis in which the cases differ."""


class RelationRef(msgspec.Struct, frozen=True, omit_defaults=True):
    """Membership of a case in a relation."""

    clause: str
    """Id of the clause."""
    group: str
    """The case's id with the axis left out; equal for all members."""


class Case(msgspec.Struct, frozen=True, omit_defaults=True):
    """One scenario or input, ready to run."""

    id: str
    """Slug, then `[axis=value,...]` in sorted order with default values left out."""
    vector: str
    """Slug of the vector."""
    title: str
    """The fact that the case states."""
    contract: Contract
    """Contract it belongs to."""
    kind: Literal["positive", "negative"]
    """`negative`: a near miss, in which a faulty implementation shows."""
    operation: Operation
    """What the implementation is asked to do."""
    scenario: Scenario | None = None
    """For `turn/run`."""
    event: Text | None = None
    """For `event/validate`: the event as JSON text."""
    arguments: Text | None = None
    """For `arguments/sanitize`: the raw text."""
    expect: tuple[Expectation, ...] = ()
    """What is expected."""
    relations: tuple[RelationRef, ...] = ()
    """Relations that it is a member of."""
    features: tuple[str, ...] = ()
    """What it asks of an implementation or its adapter."""
    provenance: tuple[str, ...] = ()
    """Links to the public reports that it comes from."""
    example: Observation | None = None
    """What the reference showed; an example, never the norm."""
