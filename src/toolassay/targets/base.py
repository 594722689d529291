"""
What every target offers, and how answers that come as JSON are read.

What an implementation sends is hostile until it is read: size, depth,
encoding and shape are checked here, and a complaint names the path.
"""

from __future__ import annotations

from typing import Literal, Protocol, TypeVar

import msgspec

from toolassay.spec.case import Case, Operation
from toolassay.spec.observation import FACETS, FacetName, Observation, Outcome

LINE_MAX = 64 * 1024 * 1024
"""Bytes of the longest answer that is read."""

MESSAGE_MAX = 2000
"""Characters of a message that are kept."""

DETAIL_MAX = 64 * 1024
"""Characters of a traceback, or of standard error, that are kept."""

DEADLINE_S = 10.0
"""Seconds that one case may take, if nothing else is said."""

Status = Literal["ok", "rejected", "raised", "unsupported", "error", "crashed", "timeout"]
"""
How a case was answered.

`ok`: there is an observation; a stateless operation that refused its input
is `ok` too, and its outcome says `rejected`. `rejected`: the implementation
refused the scenario as a whole. `raised`: it threw. `unsupported`: it, or its
adapter, cannot be asked for this. `error`: the adapter's answer is not usable.
`crashed`: the worker ended. `timeout`: it was killed at the deadline.
"""


class Implementation(msgspec.Struct, frozen=True, omit_defaults=True):
    """What an implementation under test says of itself."""

    name: str
    """Its name."""
    version: str = ""
    """Its version."""
    operations: tuple[Operation, ...] = ("turn/run",)
    """Operations that it offers."""
    facets: tuple[FacetName, ...] = ()
    """Facets that its observations have."""
    features: tuple[str, ...] = ()
    """What a scenario may ask of it."""
    deterministic: bool = False
    """True if the same scenario and seed give the same observation."""
    target: str = ""
    """The target by which it was reached."""


class Answer(msgspec.Struct, frozen=True, omit_defaults=True):
    """What came of one case; there is an observation if and only if `status` is `ok`."""

    status: Status
    """How the case was answered."""
    observation: Observation | None = None
    """What was seen."""
    message: str = ""
    """Why there is no observation, in a line; it comes from outside."""
    detail: str = ""
    """A traceback, or the end of standard error; it comes from outside."""
    missing: tuple[str, ...] = ()
    """Declared facets that the observation has not, and for which it gives no reason."""


class Target(Protocol):
    """A way to reach one implementation under test."""

    @property
    def implementation(self) -> Implementation:
        """What it says of itself."""

    def run(self, case: Case, seed: int = 0, deadline_s: float = DEADLINE_S) -> Answer:
        """
        Run one case.

        Raises:
            TargetError: The adapter is not usable at all.
        """

    def close(self) -> None:
        """End it; it may be called twice."""


_ABSENT = msgspec.Raw(b"")
"""A part that is not there; msgspec knows no optional raw part."""


class Described(msgspec.Struct, frozen=True):
    """The result of `initialize`."""

    name: str
    operations: tuple[Operation, ...]
    facets: tuple[FacetName, ...]
    version: str = ""
    features: tuple[str, ...] = ()
    deterministic: bool = False


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


def implementation_of(described: Described, target: str) -> Implementation:
    """Say of an implementation what it says of itself, and how it was reached."""
    return Implementation(
        described.name,
        described.version,
        described.operations,
        described.facets,
        described.features,
        described.deterministic,
        target,
    )


def read_answer(reply: Reply, operation: Operation, implementation: Implementation) -> Answer:
    """Read the answer to a case; whatever is wrong with it becomes the status `error`."""
    if reply.error is not None:
        return _bounded("error", reply.error.message, reply.error.data.detail)
    try:
        result = _read(_RESULT, reply.result or b"null", "the result")
        if operation != "turn/run" and result.outcome:
            outcome = _read(_OUTCOME, result.outcome, "the outcome")
            return Answer("ok", Observation(outcome=outcome))
        if result.status == "ok":
            return _observed(result, operation, implementation)
    except UnreadableError as error:
        return _bounded("error", str(error))
    words = (result.code, result.event, result.field, result.rule, result.native)
    said = {
        "rejected": " ".join(word for word in words if word),
        "raised": result.error.message or result.error.type,
        "unsupported": result.why,
    }
    return _bounded(result.status, said[result.status], result.detail)


def missing_facets(observation: Observation, implementation: Implementation) -> tuple[str, ...]:
    """Name the declared facets that an observation of `turn/run` lacks without a reason."""
    return tuple(
        facet
        for facet in FACETS
        if facet in implementation.facets
        and facet != "outcome"
        and getattr(observation, facet) is None
        and facet not in observation.omitted
    )


def _bounded(status: Status, message: str, detail: str = "") -> Answer:
    return Answer(status, message=message[:MESSAGE_MAX], detail=detail[-DETAIL_MAX:])


def _observed(result: _Result, operation: Operation, implementation: Implementation) -> Answer:
    if operation != "turn/run":
        raise UnreadableError("the result has no outcome")
    if not result.observation:
        raise UnreadableError("the result has no observation")
    keys = _read(_KEYS, result.observation, "the observation")
    unknown = sorted(set(keys) - {*FACETS, "omitted"})
    if unknown:
        raise UnreadableError(f"the observation has the unknown key {unknown[0]!r}")
    observation = _read(_OBSERVATION, result.observation, "the observation")
    missing = missing_facets(observation, implementation)
    return Answer("ok", observation, missing=missing)


def _read(decoder: msgspec.json.Decoder[_T], data: bytes | msgspec.Raw, what: str) -> _T:
    try:
        return decoder.decode(data)
    except msgspec.ValidationError as error:
        raise UnreadableError(f"{what} has the wrong shape: {error}") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UnreadableError(f"{what} is no JSON: {error}") from None
    except RecursionError:
        raise UnreadableError(f"{what} is nested too deeply") from None
