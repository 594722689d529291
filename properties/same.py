"""Whether two lists of messages say the same, up to what readers may differ about."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from toolassay.properties.script import readable, same_text_or_value, verdict_on_text
from toolassay.properties.words import quoted
from toolassay.spec.messages import Message, ToolCall
from toolassay.spec.text import Base64, Text, shown


class MessageDifference(msgspec.Struct, frozen=True):
    """The first difference of two lists of messages."""

    index: int
    """Position of the message."""
    left: str
    """What the first list has there, in words."""
    right: str
    """What the second list has there, in words."""
    undecided: bool
    """True if readers may differ about whether it is one."""


def first_difference(left: Sequence[Message], right: Sequence[Message]) -> MessageDifference | None:
    """Find the first difference; one that is certain outweighs what is undecided."""
    undecided: MessageDifference | None = None
    for index in range(max(len(left), len(right))):
        one = left[index] if index < len(left) else None
        other = right[index] if index < len(right) else None
        if one == other:
            continue
        same = same_message(one, other) if one is not None and other is not None else False
        if same is True:
            continue
        found = MessageDifference(index, told(one), told(other), same is None)
        if same is False:
            return found
        undecided = undecided or found
    return undecided


def same_message(one: Message, other: Message) -> bool | None:
    """Compare messages: arguments by value, a missing flag with any flag."""
    flags = one.is_error == other.is_error or None in {one.is_error, other.is_error}
    if (one.role, one.tool_use_id) != (other.role, other.tool_use_id) or not flags:
        return False
    if len(one.calls) != len(other.calls):
        return False
    same = [_same_call(a, b) for a, b in zip(one.calls, other.calls, strict=True)]
    same.append(_same_text(one.text, other.text))
    if False in same:
        return False
    return None if None in same else True


def _same_call(one: ToolCall, other: ToolCall) -> bool | None:
    if (one.id, one.name) != (other.id, other.name):
        return False
    return same_held_arguments(one.arguments, other.arguments)


def same_held_arguments(one: Text, other: Text) -> bool | None:
    """Compare arguments as messages hold them: a text that is no JSON may be held in many ways."""
    same = same_text_or_value(one, other)
    return None if same is False and not _is_sure(one, other) else same


def _is_sure(one: Text, other: Text) -> bool:
    return {verdict_on_text(one).kind, verdict_on_text(other).kind} == {"valid"}


def _same_text(one: Text, other: Text) -> bool | None:
    """Compare texts; where one is no Unicode string, readers may have replaced parts of it."""
    if one == other or readable(one) == readable(other):
        return True
    return None if _is_odd(one) or _is_odd(other) else False


def _is_odd(text: Text) -> bool:
    if isinstance(text, Base64) or "\ufffd" in text:
        return True
    return any("\ud800" <= character <= "\udfff" for character in text)


def told(message: Message | None) -> str:
    """Say in a few words what a message is."""
    if message is None:
        return "nothing"
    if message.role == "tool":
        flag = ", an error" if message.is_error else ""
        answered = quoted(message.tool_use_id or "", 40)
        return f"a result for {answered}{flag}: {quoted(message.text)}"
    calls = ", ".join(
        f"{shown(call.name, 40)}({shown(call.arguments, 40)})" for call in message.calls[:4]
    )
    return f"{message.role}: {quoted(message.text)}" + (f" calls {calls}" if calls else "")
