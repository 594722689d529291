"""
One line of looprig's form, taken apart into plain parts.

Nothing is judged or completed here. Bodies stay bytes, since some are no
valid UTF-8; texts that the system wrote as JSON stay texts.
"""

from __future__ import annotations

import base64
from typing import cast

import msgspec

from toolassay.recordings import json_members as members_of

Fields = dict[str, object]
"""An object of the line, read as plain values."""


class Envelope(msgspec.Struct, frozen=True):
    """One delivered event or one record of the ledger, with its body unread."""

    type: str
    """Name of the event's type; empty for records that hold no event."""
    body: bytes
    """The event as the system encoded it."""
    seq: int
    """Its place in the ledger; 0 if it has none."""
    kind: str
    """For records: `event`, `command`, `fence`, `gate_prepared`, `blobptr`; else empty."""
    durability: str
    """For deliveries: `enduring` or `ephemeral`; else empty."""
    in_journal: bool | None
    """For deliveries: whether the ledger held it by then; None if it was not looked up."""


class Run(msgspec.Struct, frozen=True):
    """One recorded run."""

    scenario: Fields
    """What was scripted, in looprig's own words."""
    deliveries: tuple[Envelope, ...]
    """What the recording subscriber got."""
    second: tuple[Envelope, ...] | None
    """What a second subscriber got; None if there was none."""
    journal: tuple[Envelope, ...]
    """The ledger."""
    executions: tuple[Fields, ...]
    """Entries into callbacks."""
    requests: tuple[str, ...]
    """Messages of each model request, as JSON texts."""
    history: tuple[str, ...]
    """Replayed messages, each a JSON text."""
    inputs: tuple[tuple[bytes, ...] | None, ...]
    """Exact bytes of the arguments and results of each request, where they were recorded."""
    endings: tuple[Fields, ...]
    """Terminal events."""
    notes: tuple[str, ...]
    """Free notes of the recorder."""
    resume: str
    """What replaying from each seen sequence gave; `ok` if all was well."""
    restore_error: str
    """Why a restored session could not be read; empty if it could, or was not tried."""


def read_run(scenario: str, observation: dict[str, str]) -> Run:
    """
    Take a line apart.

    Raises:
        ValueError: A part is not of the form that it should have.
    """
    return Run(
        scenario=_object(scenario, "scenario"),
        deliveries=_envelopes(observation, "deliveries") or (),
        second=_envelopes(observation, "second"),
        journal=_envelopes(observation, "journal") or (),
        executions=_objects(observation, "executions"),
        requests=_texts(observation, "requests"),
        history=_texts(observation, "history"),
        inputs=_inputs(observation),
        endings=_objects(observation, "ending"),
        notes=_texts(observation, "notes"),
        resume=members_of.string(observation.get("resume")),
        restore_error=_restore_error(observation.get("restore", "null")),
    )


def text(fields: Fields, key: str) -> str:
    """Read a text; empty where there is none."""
    found = fields.get(key)
    return members_of.whole(found) if isinstance(found, str) else ""


def number(fields: Fields, key: str) -> int | None:
    """Read a whole number; None where there is none."""
    found = fields.get(key)
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def objects(fields: Fields, key: str) -> tuple[Fields, ...]:
    """Read a list of objects; empty where there is none, and without what is no object."""
    found = fields.get(key)
    parts = cast("list[object]", found) if isinstance(found, list) else []
    return tuple(cast("Fields", part) for part in parts if isinstance(part, dict))


def texts(fields: Fields, key: str) -> tuple[str, ...]:
    """Read a list of texts; empty where there is none."""
    found = fields.get(key)
    parts = cast("list[object]", found) if isinstance(found, list) else []
    return tuple(members_of.whole(part) for part in parts if isinstance(part, str))


def refused(world: Fields) -> tuple[str, ...]:
    """Name the records that the store was told to refuse."""
    alone = text(world, "fail_append")
    return (alone,) if alone else texts(world, "fail_append")


def data(fields: Fields, key: str) -> bytes | None:
    """Read a text that stands under its key, or in base64 under `key_b64`."""
    encoded = fields.get(f"{key}_b64")
    if isinstance(encoded, str):
        return base64.b64decode(encoded, validate=True)
    plain = fields.get(key)
    return plain.encode("utf-8", "surrogatepass") if isinstance(plain, str) else None


def _object(source: str, name: str) -> Fields:
    found = members_of.value(source)
    if isinstance(found, dict):
        return cast("Fields", found)
    raise ValueError(f"`{name}` must be an object")


def _items(observation: dict[str, str], name: str) -> tuple[str, ...]:
    source = observation.get(name, "null")
    if source == "null":
        return ()
    if not source.startswith("["):
        raise ValueError(f"`{name}` must be a list")
    return members_of.elements(source)


def _objects(observation: dict[str, str], name: str) -> tuple[Fields, ...]:
    return tuple(_object(item, name) for item in _items(observation, name))


def _texts(observation: dict[str, str], name: str) -> tuple[str, ...]:
    return tuple(_json_text(item) for item in _items(observation, name))


def _json_text(item: str) -> str:
    """Give a text; what stands there as JSON itself is its own text."""
    found = members_of.value(item) if item.startswith('"') else item
    assert isinstance(found, str)
    return found


def _envelopes(observation: dict[str, str], name: str) -> tuple[Envelope, ...] | None:
    if observation.get(name, "null") == "null":
        return None
    return tuple(_envelope(members_of.members(item)) for item in _items(observation, name))


def _envelope(members: dict[str, str]) -> Envelope:
    seq = members_of.value(members.get("seq", "0"))
    in_journal = members.get("in_journal_at_delivery")
    return Envelope(
        type=members_of.string(members.get("type")),
        body=_body(members),
        seq=seq if isinstance(seq, int) else 0,
        kind=members_of.string(members.get("kind")),
        durability=members_of.string(members.get("class")),
        in_journal=None if in_journal is None else in_journal == "true",
    )


def _body(members: dict[str, str]) -> bytes:
    encoded = members.get("body_b64")
    if encoded is not None:
        return base64.b64decode(members_of.string(encoded), validate=True)
    return _json_text(members.get("body", '""')).encode("utf-8", "surrogatepass")


def _inputs(observation: dict[str, str]) -> tuple[tuple[bytes, ...] | None, ...]:
    return tuple(_input(item) for item in _items(observation, "inputs"))


def _input(item: str) -> tuple[bytes, ...] | None:
    return None if item == "null" else tuple(map(_exact_bytes, members_of.elements(item)))


def _exact_bytes(entry: str) -> bytes:
    """Read an entry of id, name and bytes."""
    parts = members_of.elements(entry)
    if len(parts) != 3:
        raise ValueError("an entry of `inputs` is an id, a name and base64")
    return base64.b64decode(members_of.string(parts[2]), validate=True)


def _restore_error(restore: str) -> str:
    if not restore.startswith("{"):
        return ""
    return members_of.string(members_of.members(restore).get("error"))
