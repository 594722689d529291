"""
What a judge of a stream remembers, and for how long.

Open calls and open steps are few. When a step is done its calls shrink to their
execution ids, because EVT-09a binds an execution id for the life of its loop;
when a turn ends its steps shrink to the id of the turn, because ORD-16 lets
nothing of it follow. So what grows is one text of 36 characters per closed call
and one per ended turn: about 140 bytes each.
"""

from __future__ import annotations

from collections import defaultdict

import msgspec


class Call(msgspec.Struct):
    """One open call."""

    step: str
    """The step that its first event named."""
    requested: bool = False
    """True once PermissionRequested was seen."""
    decisions: int = 0
    """Number of PermissionDecided events."""
    approved: bool = False
    """True once an approval was seen."""
    denied: bool = False
    """True once a denial was seen."""
    questioned: bool = False
    """True once its tool asked for input, so that a gate of it may be that question's."""
    started: bool = False
    """True once ToolCallStarted was seen."""
    completed: bool = False
    """True once ToolCallCompleted was seen."""
    error: bool = False
    """The error bit of the completion."""


class Turn(msgspec.Struct):
    """One turn that has not ended."""

    started: bool = False
    """True once TurnStarted was seen."""
    steps: dict[str, list[str]] = msgspec.field(default_factory=dict)
    """Execution ids of each open step."""
    closed: set[str] = msgspec.field(default_factory=set)
    """Steps whose StepDone was seen."""
    unseen: int = 0
    """Calls of closed steps of which no event was seen."""


class Loop(msgspec.Struct):
    """One loop of the session."""

    calls: dict[str, Call] = msgspec.field(default_factory=dict)
    """Open calls by execution id."""
    closed: set[str] = msgspec.field(default_factory=set)
    """Execution ids of closed calls."""
    turns: defaultdict[str, Turn] = msgspec.field(default_factory=lambda: defaultdict(Turn))
    """Open turns."""
    ended: set[str] = msgspec.field(default_factory=set)
    """Turns that ended."""
    cut: set[str] = msgspec.field(default_factory=set)
    """Those of them that failed or were interrupted."""
    gated: set[str] = msgspec.field(default_factory=set)
    """Execution ids that a gate approved before any event of their call."""
    loose_gates: bool = False
    """True once a gate was resolved that names no call."""
    steps_done: int = 0
    """Number of StepDone events."""


class Gate(msgspec.Struct):
    """One open gate."""

    loop: Loop
    """The loop in which it opened."""
    execution: str
    """The execution id that it names, if it does."""
    decides: bool
    """True if it may decide on the call, which had neither started nor asked for input."""
