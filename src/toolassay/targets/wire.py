"""
Reading what adapters answer.

What an implementation sends is hostile until it is read: size, depth,
encoding and shape are checked here, and a complaint names the place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal, TypeVar

import msgspec

from toolassay.authoring.features import FEATURES
from toolassay.near import near
from toolassay.printable import printable
from toolassay.spec.case import OPERATIONS, Operation
from toolassay.spec.observation import FACETS, Observation, Outcome
from toolassay.spec.text import check_texts
from toolassay.targets.base import (
    DETAIL_MAX,
    MESSAGE_MAX,
    PROTOCOL,
    WINDOW_MAX,
    Answer,
    Described,
    Status,
)
from toolassay.targets.bounds import excess_of
from toolassay.targets.telling import ANSWERS_ALONE, KEYS, about_text, shown

_ABSENT = msgspec.Raw(b"")
"""A part that is not there; msgspec knows no optional raw part."""

_T = TypeVar("_T")


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


class Fault(msgspec.Struct, frozen=True):
    """A JSON-RPC error: the adapter is at fault."""

    code: int
    """What kind of fault."""
    message: str
    """What is wrong; it comes from outside."""
    data: msgspec.Raw = _ABSENT
    """More of it, still as JSON: it may be anything."""

    @property
    def detail(self) -> str:
        """A traceback, if that is what `data` holds."""
        try:
            return _DETAIL.decode(self.data).detail
        except (msgspec.DecodeError, UnicodeDecodeError):
            return ""


class _Detail(msgspec.Struct, frozen=True):
    detail: str = ""


class Reply(msgspec.Struct, frozen=True):
    """One line of an adapter."""

    jsonrpc: Literal["2.0"]
    """The version of the envelope."""
    id: int | None
    """Number of the request that it answers."""
    result: msgspec.Raw = _ABSENT
    """The result, still as JSON; empty if there is none."""
    error: Fault | None = None
    """A fault of the adapter."""


class _Described(msgspec.Struct, frozen=True):
    """The result of `initialize`, before its words are looked at."""

    name: str
    operations: tuple[str, ...]
    facets: tuple[str, ...] = ()
    protocol: int | None = None
    version: str = ""
    features: tuple[str, ...] = ()
    deterministic: bool = False
    window: int = 1
    reset: bool = False


class _Version(msgspec.Struct, frozen=True):
    protocol: int | None = None


class UnreadableError(Exception):
    """What an adapter sent is not of the shape that it must have; internal to targets."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        """What came, in a line."""
        self.hint = hint
        """What to do about it, where that is known."""

    @property
    def told(self) -> str:
        """Both of them, for where there is one line."""
        return f"{self.message}; {self.hint}" if self.hint else self.message


_REPLY = msgspec.json.Decoder(Reply)
_VERSION = msgspec.json.Decoder(_Version)
_DESCRIBED = msgspec.json.Decoder(_Described)
_DETAIL = msgspec.json.Decoder(_Detail)
_RESULT = msgspec.json.Decoder(_Result)
_OBSERVATION = msgspec.json.Decoder(Observation)
_OUTCOME = msgspec.json.Decoder(Outcome)
_KEYS = msgspec.json.Decoder(dict[str, msgspec.Raw])

_HALF = re.compile(
    rb"\\u[dD][89abAB]..(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB]..)\\u[dD][c-fC-F]", re.DOTALL
)
"""Half of a surrogate pair, escaped."""

_OBSERVED = frozenset((*FACETS, "omitted"))


def read_reply(line: bytes) -> Reply:
    """
    Read the envelope of one line.

    Raises:
        UnreadableError: It is none.
    """
    try:
        line.decode()  # also what is skipped must be text
    except UnicodeDecodeError as error:
        what = f"the line is no UTF-8: {error.reason} (byte {error.start}): {shown(line)}"
        raise UnreadableError(what, ANSWERS_ALONE) from None
    try:
        reply = _read(_REPLY, line, "the line")
    except UnreadableError as error:
        hint = "" if b'"jsonrpc"' in line else ANSWERS_ALONE
        raise UnreadableError(f"{error.message}: {shown(line)}", error.hint or hint) from None
    if reply.error is None and not reply.result:
        raise UnreadableError(f"the line has neither a result nor an error: {shown(line)}")
    if reply.error is not None and _is_given(reply.result):
        raise UnreadableError("the line has both a result and an error")
    return reply


def read_described(reply: Reply) -> Described:
    """
    Read what an adapter says of itself.

    Raises:
        UnreadableError: It has the wrong shape, or says what the kit does not know.
    """
    version = _described(_VERSION, reply).protocol
    if version != PROTOCOL:
        spoken = "no version" if version is None else f"version {version}"
        what = f"initialize() gives {spoken} of the protocol, and the kit speaks {PROTOCOL}"
        hint = "" if version is not None else KEYS
        raise UnreadableError(f"{what}: it must give `protocol: {PROTOCOL}`", hint)
    said = _described(_DESCRIBED, reply)
    if not 1 <= said.window <= WINDOW_MAX:
        raise UnreadableError(f"initialize() gives the window {said.window}, not 1 to {WINDOW_MAX}")
    if not said.operations:
        what = f"initialize() declares no operation; there is {', '.join(OPERATIONS)}"
        raise UnreadableError(what, "declare those that it may be asked for")
    known = (
        ("operation", said.operations, OPERATIONS),
        ("facet", said.facets, FACETS),
        ("feature", said.features, FEATURES),
    )
    for kind, words, meant in known:
        _refuse_unknown(kind, words, meant)
    # The words are known, and so of the types that they must have.
    return msgspec.convert(msgspec.structs.asdict(said), Described)


def _described(decoder: msgspec.json.Decoder[_T], reply: Reply) -> _T:
    try:
        return _read(decoder, reply.result or b"null", "initialize()")
    except UnreadableError as error:
        lacking = "missing required field" in error.message or "`object`" in error.message
        raise UnreadableError(error.message, error.hint or KEYS * lacking) from None


def _refuse_unknown(kind: str, words: Iterable[str], known: tuple[str, ...]) -> None:
    """Refuse a word that is spelled wrong, which would only be missed otherwise."""
    for word in words:
        if word not in known:
            meant = ", ".join(near(word, known) or known)
            what = f"initialize() declares the unknown {kind} {printable(word, 80)!r}"
            raise UnreadableError(f"{what}; there is {meant}")


def read_reset(reply: Reply) -> str:
    """Give why an adapter could not be reset; nothing if it could."""
    if reply.error is not None:
        return _said(reply.error)
    try:
        status = _read(_RESULT, reply.result, "the result").status
    except UnreadableError as error:
        return error.told
    return "" if status == "ok" else f"it answered {status}"


def read_answer(reply: Reply, operation: Operation) -> Answer:
    """Read the answer to a case; whatever is wrong with it becomes the status `error`."""
    if reply.error is not None:
        return bounded("error", _said(reply.error), reply.error.detail)
    try:
        result = _read(_RESULT, reply.result, "the result")
        if operation != "turn/run":
            return _stateless(result, operation)
        if result.status == "ok":
            return _observed(result)
    except UnreadableError as error:
        return bounded("error", error.told)
    return _without(result)


def bounded(status: Status, message: str, detail: str = "") -> Answer:
    """Make an answer without an observation, of words that come from outside."""
    return Answer(status, message=message[:MESSAGE_MAX], detail=detail[-DETAIL_MAX:])


def _said(fault: Fault) -> str:
    return f"{fault.message} ({fault.code})"


def _stateless(result: _Result, operation: Operation) -> Answer:
    if _is_given(result.outcome):
        outcome = _read(_OUTCOME, result.outcome, "the outcome")
        _refuse_bad_base64(outcome, result.outcome, "the outcome")
        return Answer("ok", Observation(outcome=outcome))
    if result.status == "rejected":
        refused = Outcome(
            "rejected", result.code, result.event, result.field, result.rule, result.native
        )
        return Answer("ok", Observation(outcome=refused))
    if result.status != "ok":
        return _without(result)
    if operation != "event/validate":  # an event that is accepted has nothing more to it
        raise UnreadableError("the result has no outcome")
    return Answer("ok", Observation(outcome=Outcome("ok")))


def _without(result: _Result) -> Answer:
    """Give the answer of an operation that gave nothing to look at."""
    words = (result.code, result.event, result.field, result.rule, result.native)
    said = {
        "rejected": " ".join(word for word in words if word),
        "raised": result.error.message or result.error.type,
        "unsupported": result.why,
    }
    return bounded(result.status, said[result.status], result.detail)


def _observed(result: _Result) -> Answer:
    if not _is_given(result.observation):
        raise UnreadableError("the result has no observation")
    keys = _read(_KEYS, result.observation, "the observation")
    unknown = sorted(keys.keys() - _OBSERVED)
    if unknown:
        raise UnreadableError(f"the observation has the unknown key {unknown[0]!r}")
    observation = _read(_OBSERVATION, result.observation, "the observation")
    excess = excess_of(observation)
    if excess:
        raise UnreadableError(f"the observation has {excess}")
    _refuse_bad_base64(observation, result.observation, "the observation")
    return Answer("ok", observation)


def _is_given(part: msgspec.Raw) -> bool:
    """Tell whether a part is there; null says that it is not."""
    return bool(part) and bytes(part) != b"null"


def _refuse_bad_base64(read: msgspec.Struct, data: msgspec.Raw, what: str) -> None:
    """Refuse a text whose bytes cannot be known: it is the adapter's fault, and no finding."""
    if b'"base64"' not in bytes(data):
        return
    try:
        check_texts(read)
    except ValueError as error:
        raise UnreadableError(f"{what} has a text that is none: {error}") from None


def _read(decoder: msgspec.json.Decoder[_T], data: bytes | msgspec.Raw, what: str) -> _T:
    try:
        return decoder.decode(data)
    except msgspec.ValidationError as error:
        said = str(error)
        shape = f"{what} has the wrong shape: {printable(said, MESSAGE_MAX // 4)}"
        raise UnreadableError(shape, about_text(said)) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        half = ": half of a surrogate pair? Such a text is given as base64"
        said = f"{error}{half * (_HALF.search(data) is not None)}"
        raise UnreadableError(f"{what} is no JSON: {said}") from None
    except RecursionError:
        raise UnreadableError(f"{what} is nested too deeply") from None
