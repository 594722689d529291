"""
Observations: what an implementation under test lets us see of one run.

An observation has facets, and facets share no clock: order is judged inside
one facet, or by a `Mark`, which says how far other facets had come when a
callback was entered or left. A facet says that it is complete, or why not;
what must eventually happen is judged on complete facets only.
"""

from typing import Literal

import msgspec

from toolassay.spec.events import Event, HowEnded
from toolassay.spec.messages import Message
from toolassay.spec.text import Text

FacetName = Literal[
    "history", "requests", "executions", "deliveries", "journal", "ending", "outcome"
]
"""The facets of an observation."""

FACETS: tuple[FacetName, ...] = (
    "history", "requests", "executions", "deliveries", "journal", "ending", "outcome",
)  # fmt: skip
"""Their names, in the order of reports."""

Completeness = Literal["complete", "aborted", "cut", "unsubscribed", "deadline"]
"""Whether all that happened is in a facet, or why it is not."""

HeldAs = Literal["text", "value"]
"""
How an implementation holds arguments: as the text that was sent, or as a JSON
value (or the contract's own form) that its reader wrote as text again (ARG-01).
"""


class Mark(msgspec.Struct, frozen=True, omit_defaults=True):
    """
    How far other facets had come at one moment; None where that cannot be known.

    Counts are lower bounds: what is counted had certainly happened. The count of
    the journal alone is exact, since what is missing there is judged (ORD-05).
    """

    requests: int | None = None
    """Model requests made so far."""
    deliveries: int | None = None
    """Deliveries that the first subscriber had received."""
    journal: int | None = None
    """Journal records that had been written, exactly."""
    streaming: bool | None = None
    """True if the model's reply that made this call had not ended yet (ORD-09)."""


class Encoding(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the implementation's own codec made of its history (ARG-06, ARG-07)."""

    ok: bool
    """True if the history encoded."""
    error: str = ""
    """Native error where it did not encode, or did not decode again."""
    text: Text | None = None
    """The encoded history, where it is given."""
    round_trips: bool | None = None
    """True if decoding gave the same messages; False if it failed or differed."""


class History(msgspec.Struct, frozen=True, omit_defaults=True):
    """The committed messages, in order."""

    messages: tuple[Message, ...]
    """System and user messages may be left out; assistant and tool messages may not."""
    status: Completeness = "complete"
    """Whether every committed message is here."""
    why: str = ""
    """Free words on a status that is not `complete`."""
    arguments: HeldAs = "text"
    """How the arguments of calls are held."""
    encoding: Encoding | None = None
    """What the implementation's codec made of it; None where it has none."""


class Requests(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the model was shown, one list of messages per request."""

    requests: tuple[tuple[Message, ...], ...]
    """Messages of each request, in order."""
    status: Completeness = "complete"
    """Whether every request is here."""
    why: str = ""
    """Free words on a status that is not `complete`."""
    arguments: HeldAs = "text"
    """How the arguments of calls are held."""


class Execution(msgspec.Struct, frozen=True, omit_defaults=True):
    """One entry into a tool's callback."""

    tool: str
    """Name of the tool."""
    arguments: Text
    """Arguments as the callback saw them, as JSON text."""
    execution_id: str = ""
    """The implementation's id of this execution; empty where it has none."""
    call_id: str | None = None
    """The model's id of the call; None where it is not known at the callback."""
    began: Mark = Mark()
    """How far other facets were when the callback was entered."""
    ended: Mark | None = None
    """The same when it returned or threw; None if it never did."""


class Executions(msgspec.Struct, frozen=True, omit_defaults=True):
    """Entries into callbacks, in the order in which they began."""

    executions: tuple[Execution, ...]
    """The entries."""
    status: Completeness = "complete"
    """Whether every entry is here."""
    why: str = ""
    """Free words on a status that is not `complete`."""
    arguments: HeldAs = "text"
    """Whether callbacks see the text, or a value that was written as text again."""


class Delivery(msgspec.Struct, frozen=True, omit_defaults=True):
    """One event as one subscriber got it."""

    event: Event
    """The event."""
    durability: Literal["enduring", "ephemeral", ""] = msgspec.field(default="", name="class")
    """Class with which it was delivered; empty where the form shows none (EVT-01)."""
    seq: int | None = None
    """Journal sequence number; None (or 0) if it has none (DUR-01)."""
    in_journal: bool | None = None
    """Whether the journal held it at this moment; None if unknown (DUR-03)."""


class Subscription(msgspec.Struct, frozen=True, omit_defaults=True):
    """All that one subscriber got."""

    deliveries: tuple[Delivery, ...]
    """In the order of arrival."""
    name: str = "main"
    """Name of the subscriber in the scenario."""
    status: Completeness = "complete"
    """`complete`: it read to the end; `unsubscribed`: it stopped by itself."""
    why: str = ""
    """Free words on a status that is not `complete`."""
    error: str | None = None
    """The error with which its stream ended; None if it did not end in one (DUR-05)."""


class Deliveries(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the subscribers got."""

    subscriptions: tuple[Subscription, ...]
    """One per subscriber, in the order of the scenario."""


class Record(msgspec.Struct, frozen=True, omit_defaults=True):
    """One durable record of the journal that holds an event."""

    seq: int
    """Its sequence number; gaps are legal (DUR-02)."""
    event: Event
    """The event."""


class Journal(msgspec.Struct, frozen=True, omit_defaults=True):
    """The durable records, projected to events."""

    records: tuple[Record, ...]
    """In the order in which they stand in the journal."""
    status: Completeness = "complete"
    """Whether every record is here."""
    why: str = ""
    """Free words on a status that is not `complete`."""


class TurnEnding(msgspec.Struct, frozen=True, omit_defaults=True):
    """One end of one turn; a turn that ends twice has two."""

    turn: int
    """Number of the turn, from 0."""
    how: HowEnded
    """How it ended; a run that threw is `failed`."""
    error: str = ""
    """Native error of a turn that failed."""


class Ending(msgspec.Struct, frozen=True, omit_defaults=True):
    """How the turns ended, in order."""

    turns: tuple[TurnEnding, ...]
    """The ends that were seen."""
    status: Completeness = "complete"
    """`deadline` if a turn was still open when the kit gave up."""
    why: str = ""
    """Free words on a status that is not `complete`."""


class Outcome(msgspec.Struct, frozen=True, omit_defaults=True):
    """The answer of a stateless operation."""

    status: Literal["ok", "rejected"]
    """`rejected` is a legitimate refusal."""
    code: str = ""
    """Canonical code of a refusal, from the table of codes."""
    event: str = ""
    """Type of the refused event (EVT-07)."""
    field: str = ""
    """Field that was refused, in the contract's spelling (EVT-07)."""
    rule: str = ""
    """Rule that the field broke (EVT-07)."""
    native: str = ""
    """The implementation's own error."""
    stored: Text | None = None
    """`arguments/sanitize`: what the committed message would hold (ARG-01)."""
    executable: Text | None = None
    """`arguments/sanitize`: what execution would be given (ARG-02)."""


class Observation(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one run let us see; a facet is None where the implementation has none."""

    history: History | None = None
    """Committed messages."""
    requests: Requests | None = None
    """What the model was shown."""
    executions: Executions | None = None
    """Entries into callbacks."""
    deliveries: Deliveries | None = None
    """What subscribers got."""
    journal: Journal | None = None
    """Durable records."""
    ending: Ending | None = None
    """How the turns ended."""
    outcome: Outcome | None = None
    """Answer of a stateless operation."""
    omitted: dict[str, str] = {}
    """Declared facets that this run left out, with the reason."""
