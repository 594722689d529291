"""
Messages in looprig's form: blocks with a text, or with a call's id, name and input.

The input of a call is taken as the text that stands in the document, since a
parsed value would hide duplicate keys and numbers that no double can hold.
"""

from __future__ import annotations

import contextlib
from typing import Final, get_args

from toolassay.recordings import json_members as members_of
from toolassay.spec.messages import Message, Role, ToolCall
from toolassay.spec.text import Text

ROLES: Final[dict[str, Role]] = {role: role for role in get_args(Role)}

_NOTE: Final = 100


class UnreadableError(Exception):
    """A body or message is not in the recording, or is no JSON; the message says which."""


def refuse_elided(members: dict[str, str]) -> None:
    """
    Refuse the note that stands in place of JSON that was too large to record.

    Raises:
        UnreadableError: The members are such a note.
    """
    if "elided_bytes" in members:
        raise UnreadableError(f"{members['elided_bytes'][:20]} bytes of it were not recorded")


def refuse_note(data: bytes) -> None:
    """
    Refuse such a note where any text may stand.

    Raises:
        UnreadableError: The text is the note.
    """
    if b'"elided_bytes"' in data[:_NOTE]:
        with contextlib.suppress(ValueError, RecursionError):
            refuse_elided(members_of.members(members_of.decode(data)))


def read_message(text: str) -> Message:
    """
    Read one message.

    Raises:
        UnreadableError: The message was elided, or is no message.
    """
    try:
        members = members_of.members(text)
        refuse_elided(members)
        return _message(members)
    except (ValueError, RecursionError) as error:
        raise UnreadableError("it is no message") from error


def read_messages(text: str) -> tuple[Message, ...]:
    """
    Read an array of messages.

    Raises:
        UnreadableError: The array or a message in it was elided, or is none.
    """
    try:
        if text.lstrip().startswith("{"):
            refuse_elided(members_of.members(text))
        parts = () if text.strip() == "null" else members_of.elements(text)
    except (ValueError, RecursionError) as error:
        raise UnreadableError("it is no list of messages") from error
    return tuple(read_message(part) for part in parts)


def _message(members: dict[str, str]) -> Message:
    role = ROLES[members_of.string(members.get("role"))] if _has_role(members) else None
    if role is None:
        raise ValueError("a message has one of four roles")
    blocks = [members_of.members(block) for block in _blocks(members)]
    is_result = role == "tool"
    return Message(
        role=role,
        text=_text(blocks),
        calls=tuple(_call(block) for block in blocks if _kind(block) == "tool_use"),
        tool_use_id=members_of.string(members.get("tool_use_id")) if is_result else None,
        is_error=members.get("is_error") == "true" if is_result else None,
    )


def _has_role(members: dict[str, str]) -> bool:
    return members_of.string(members.get("role")) in ROLES


def _blocks(members: dict[str, str]) -> tuple[str, ...]:
    blocks = members.get("blocks", "null")
    return () if blocks == "null" else members_of.elements(blocks)


def _kind(block: dict[str, str]) -> str:
    return members_of.string(block.get("type"))


def _text(blocks: list[dict[str, str]]) -> Text:
    parts = [
        members_of.value(block.get("Text", '""')) for block in blocks if _kind(block) == "text"
    ]
    return members_of.kept("".join(part for part in parts if isinstance(part, str)))


def _call(block: dict[str, str]) -> ToolCall:
    return ToolCall(
        id=members_of.string(block.get("ID")),
        name=members_of.string(block.get("Name")),
        arguments=members_of.raw_text(block.get("Input", "null")),
    )
