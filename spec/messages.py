"""
Messages and tool calls, in the form that every dialect is read into.

Keys are those of page 000 where it names them (`tool_use_id`, `is_error`).
A call holds its arguments as text. Unknown keys are refused: a message in
another form, read as far as its keys happen to fit, would be judged for what
was not read.
"""

from typing import Literal

import msgspec

from toolassay.spec.text import Text

Role = Literal["system", "user", "assistant", "tool"]
"""Who speaks in a message."""


class ToolCall(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One tool call inside an assistant message."""

    id: str
    """The model's id of the call; the empty string where it gave none."""
    name: str
    """Name of the tool that the model asked for."""
    arguments: Text
    """The arguments as they are held, as JSON text (see `History.arguments`)."""


class Message(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """
    One message of a history, a request or a step group.

    A tool-role message answers exactly one call. Where an implementation keeps
    several results in one message, its reader writes one `Message` per result.
    """

    role: Role
    """Who speaks."""
    text: Text = ""
    """The text of the message; several text blocks are joined."""
    calls: tuple[ToolCall, ...] = ()
    """Calls of an assistant message, in the model's order (MSG-01)."""
    tool_use_id: str | None = None
    """On a tool message: the id of the call that it answers (MSG-06)."""
    is_error: bool | None = None
    """On a tool message: its error flag; None where the form has none (MSG-09)."""
