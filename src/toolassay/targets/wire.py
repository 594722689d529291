"""
Reading answers that come as JSON from a worker.

What an implementation sends is hostile until it is read: size, depth,
encoding and shape are checked here, and a complaint names the path.
"""

from __future__ import annotations

from typing import Literal, TypeVar

import msgspec

from toolassay.spec.case import Operation
from toolassay.spec.observation import FACETS, Observation, Outcome
from toolassay.targets.base import (
    DETAIL_MAX,
    MESSAGE_MAX,
    Answer,
    Described,
    Implementation,
    Status,
    implementation_of,
)

_ABSENT = msgspec.Raw(b"")
"""A part that is not there; msgspec knows no optional raw part."""


class _Error(msgspec.Struct, frozen=True):
    type: str = ""
    message: str = ""


class _Result(msgspec.Struct, frozen=True):
    """The result of an operation, with its parts still as JSON."""

    status: Literal["ok", "rejected", "raised", "unsupported"]
    observation: msgspec.Raw = _ABSENT
    outcome: msgspec.Raw = _ABSENT
    error: _Error = _Error()
    why: str = ""
    detail: str = ""
    code: str = ""
    event: str = ""
    field: str = ""
    rule: str = ""
    native: str = ""


class _Data(msgspec.Struct, frozen=True):
    detail: str = ""


class _Fault(msgspec.Struct, frozen=True):
    """A JSON-RPC error: the adapter is at fault."""

    message: str
    code: int = 0
    data: _Data = _Data()


class Reply(msgspec.Struct, frozen=True):
    """One line of a worker."""

    id: int | None = None
    """Number of the request that it answers."""
    result: msgspec.Raw = _ABSENT
    """The result, still as JSON; empty if there is none."""
    error: _Fault | None = None
    """A fault of the adapter."""


_T = TypeVar("_T")


class UnreadableError(Exception):
    """What an adapter sent is not of the shape that it must have; internal to targets."""


_REPLY = msgspec.json.Decoder(Reply)
_DESCRIBED = msgspec.json.Decoder(Described)
_RESULT = msgspec.json.Decoder(_Result)
_OBSERVATION = msgspec.json.Decoder(Observation)
_OUTCOME = msgspec.json.Decoder(Outcome)
_KEYS = msgspec.json.Decoder(dict[str, msgspec.Raw])


def read_reply(line: bytes) -> Reply:
    """
    Read the envelope of one line.

    Raises:
        UnreadableError: It is none.
    """
    return _read(_REPLY, line, "the line")


def read_described(reply: Reply, target: str) -> Implementation:
    """
    Read what an adapter says of itself.

    Raises:
        UnreadableError: It has the wrong shape.
    """
    return implementation_of(_read(_DESCRIBED, reply.result or b"null", "initialize()"), target)


def read_answer(reply: Reply, operation: Operation) -> Answer:
    """Read the answer to a case; whatever is wrong with it becomes the status `error`."""
    if reply.error is not None:
        return _bounded("error", reply.error.message, reply.error.data.detail)
    try:
        result = _read(_RESULT, reply.result or b"null", "the result")
        if operation != "turn/run" and result.outcome:
            outcome = _read(_OUTCOME, result.outcome, "the outcome")
            return Answer("ok", Observation(outcome=outcome))
        if result.status == "ok":
            return _observed(result, operation)
    except UnreadableError as error:
        return _bounded("error", str(error))
    words = (result.code, result.event, result.field, result.rule, result.native)
    said = {
        "rejected": " ".join(word for word in words if word),
        "raised": result.error.message or result.error.type,
        "unsupported": result.why,
    }
    return _bounded(result.status, said[result.status], result.detail)


def _bounded(status: Status, message: str, detail: str = "") -> Answer:
    return Answer(status, message=message[:MESSAGE_MAX], detail=detail[-DETAIL_MAX:])


def _observed(result: _Result, operation: Operation) -> Answer:
    if operation != "turn/run":
        raise UnreadableError("the result has no outcome")
    if not result.observation:
        raise UnreadableError("the result has no observation")
    keys = _read(_KEYS, result.observation, "the observation")
    unknown = sorted(set(keys) - {*FACETS, "omitted"})
    if unknown:
        raise UnreadableError(f"the observation has the unknown key {unknown[0]!r}")
    return Answer("ok", _read(_OBSERVATION, result.observation, "the observation"))


def _read(decoder: msgspec.json.Decoder[_T], data: bytes | msgspec.Raw, what: str) -> _T:
    try:
        return decoder.decode(data)
    except msgspec.ValidationError as error:
        raise UnreadableError(f"{what} has the wrong shape: {error}") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UnreadableError(f"{what} is no JSON: {error}") from None
    except RecursionError:
        raise UnreadableError(f"{what} is nested too deeply") from None
