"""
Scenarios: what an implementation is asked to go through.

A scenario scripts everything outside the implementation: the user's messages,
the model's replies, the tools, the policy and the subscribers. Times are in
ticks; a simulator counts them on a virtual clock, an adapter of a real
implementation may take a tick as a millisecond.
"""

from typing import Literal

import msgspec

from toolassay.spec.text import Text

Permission = Literal["allow", "deny"]
"""What the policy says of a tool; a tool without an entry is allowed."""

WaitFor = Literal["ToolCallStarted", "ToolCallCompleted", "StepDone", "request"]
"""What a tool can wait for: an event at the first subscriber, or the next model request."""


class Behaviour(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """
    What a scripted tool does when its callback is entered.

    At most one of `returns`, `fails`, `raises` and `hangs` is given; none of
    them means `returns: ok`.
    """

    returns: Text | None = None
    """The text of an ordinary result."""
    fails: Text | None = None
    """The text of a failure that the tool accepts: a result with the error flag."""
    raises: str | None = None
    """The message of an exception that the callback throws."""
    hangs: bool = False
    """True if the callback never returns by itself."""
    ticks: int = 0
    """Ticks from entry to return; with `waits_for` the longest wait."""
    waits_for: WaitFor | None = None
    """Return as soon as this was seen, or when `ticks` have passed without it."""

    @property
    def ends_in_error(self) -> bool:
        """Tell whether the tool fails or throws, and so has an error for a result."""
        return self.fails is not None or self.raises is not None


class ToolScript(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One scripted tool."""

    name: str
    """Name under which the model calls it."""
    parameters: dict[str, object] = msgspec.field(default_factory=lambda: {"type": "object"})
    """JSON Schema of its arguments."""
    behaviour: Behaviour = Behaviour()
    """What its callback does."""


class ScriptedCall(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One tool call that the scripted model makes."""

    id: str
    """The model's id of the call."""
    name: str
    """Name of the tool asked for; it may be unknown to the implementation."""
    arguments: Text = "{}"
    """Raw argument text, JSON or not."""
    cuts: tuple[int, ...] = ()
    """Byte offsets at which a streamed reply cuts the arguments, ascending."""


class Reply(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One reply of the scripted model."""

    text: str = ""
    """Text that precedes the calls."""
    calls: tuple[ScriptedCall, ...] = ()
    """The calls of this reply; none ends the turn."""
    streamed: bool = False
    """True if the reply arrives in fragments: the text, then each call cut at its `cuts`."""
    stall: int = 0
    """Ticks for which a streamed reply stops after its last call, before its end (ORD-09)."""
    breaks: bool = False
    """True if the stream fails in place of its end."""


class Subscriber(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One subscriber to the events of the session."""

    name: str = "main"
    """Its name in the observation; the first one is what marks count."""
    stalls_after: int | None = None
    """
    Number of deliveries after which it stops reading until all turns are over;
    None if it always reads. What its buffer still holds it then reads too.
    """


class Scenario(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Everything that is outside the implementation under test."""

    model: tuple[Reply, ...]
    """Replies in the order of the model requests; when they are used up the model says `done`."""
    tools: tuple[ToolScript, ...] = ()
    """The tools that the implementation is given."""
    policy: dict[str, Permission] = {}
    """Permission by tool name."""
    users: tuple[str, ...] = ("go",)
    """One user message per turn."""
    subscribers: tuple[Subscriber, ...] = (Subscriber(),)
    """Who listens; never empty."""
    sequential: bool = False
    """True if the calls of one batch run one after the other."""

    def tool(self, name: str) -> ToolScript | None:
        """Give the script of a tool, or None if the implementation has no such tool."""
        return next((tool for tool in self.tools if tool.name == name), None)
