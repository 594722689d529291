"""
The reference as an adapter: JSON-RPC 2.0, one object per line, in and out.

What it does for each line stands in `Server.answer`. A fault of the request is
an error with a code; whatever a mutant throws is a result, `raised`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

import msgspec

from toolassay.simulator.reference import Reference
from toolassay.spec.observation import Observation, Outcome
from toolassay.spec.scenario import Scenario
from toolassay.spec.text import Text, bytes_of

PROTOCOL = 1
"""Version of the protocol that is spoken here."""

LINE_MAX = 64 * 1024 * 1024
"""Bytes of the longest line, in and out."""

WINDOW = 64
"""How many requests may wait in the pipe while one is answered."""

BAD_JSON = -32700
"""The line is no JSON."""

BAD_REQUEST = -32600
"""The line is no request, or one before `initialize`."""

BAD_METHOD = -32601
"""The method is unknown."""

BAD_PARAMS = -32602
"""What is asked for has the wrong shape."""

ADAPTER_FAULT = -32001
"""The answer cannot be sent."""


class _Request(msgspec.Struct, frozen=True):
    method: str
    id: int | str | None = None
    jsonrpc: str = ""
    params: msgspec.Raw = msgspec.Raw(b"{}")


class _Turn(msgspec.Struct, frozen=True):
    scenario: Scenario
    seed: int = 0


class _Event(msgspec.Struct, frozen=True):
    event: Text


class _Arguments(msgspec.Struct, frozen=True):
    arguments: Text


class _Observed(msgspec.Struct, frozen=True):
    status: str
    observation: Observation


class _Given(msgspec.Struct, frozen=True):
    status: str
    outcome: Outcome


class _Answer(msgspec.Struct, frozen=True, omit_defaults=True):
    jsonrpc: str
    id: int | str | None
    result: object = None
    error: dict[str, object] | None = None


class _RefusedError(Exception):
    """A fault of a request."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


_ENCODER = msgspec.json.Encoder()
_REQUEST = msgspec.json.Decoder(_Request)
_ASKED: dict[str, msgspec.json.Decoder[Any]] = {
    "turn/run": msgspec.json.Decoder(_Turn),
    "event/validate": msgspec.json.Decoder(_Event),
    "arguments/sanitize": msgspec.json.Decoder(_Arguments),
}


class Server:
    """
    Answers for one reference, or one mutant of it.

    Args:
        reference: What answers.
    """

    def __init__(self, reference: Reference) -> None:
        self._reference = reference
        self._greeted = False
        self.ended = False
        """True once the end was asked for."""

    def answer(self, line: bytes) -> bytes:
        """Answer one line with one line, whatever it holds."""
        number: int | str | None = None
        try:
            request = _requested(line)
            number = request.id
            return _line(_Answer("2.0", number, result=self._result(request)))
        except _RefusedError as refused:
            error: dict[str, object] = {"code": refused.code, "message": str(refused)}
            return _line(_Answer("2.0", number, error=error))

    def _result(self, request: _Request) -> object:
        method = request.method
        if method == "initialize":
            self._greeted = True
            return {"protocol": PROTOCOL, **self._reference.describe(), "window": WINDOW}
        if method == "shutdown":
            self.ended = True
            return {"status": "ok"}
        if method not in _ASKED:
            raise _RefusedError(BAD_METHOD, f"unknown method {method[:80]!r}")
        if not self._greeted:
            raise _RefusedError(BAD_REQUEST, f"{method} before initialize")
        return self._operation(_asked(method, request.params))

    def _operation(self, asked: _Turn | _Event | _Arguments) -> object:
        try:
            if isinstance(asked, _Turn):
                return _Observed("ok", self._reference.turn_run(asked.scenario, asked.seed))
            if isinstance(asked, _Event):
                outcome = self._reference.event_validate(asked.event)
            else:
                outcome = self._reference.arguments_sanitize(asked.arguments)
            return _Given(outcome.status, outcome)
        except Exception as error:  # noqa: BLE001 - a mutant may do anything
            words = {"type": type(error).__name__, "message": f"{type(error).__name__}: {error}"}
            return {"status": "raised", "error": words}


def serve(server: Server, source: BinaryIO, sink: BinaryIO) -> None:
    """Answer lines until the end is asked for, or nobody asks any more."""
    while not server.ended:
        line = source.readline(LINE_MAX + 1)
        if not line:
            return
        sink.write(server.answer(line))
        sink.flush()
        if len(line) > LINE_MAX:  # what follows is the rest of it
            return


def _requested(line: bytes) -> _Request:
    """Read one request."""
    if len(line) > LINE_MAX:
        raise _RefusedError(BAD_REQUEST, f"the line has more than {LINE_MAX} bytes")
    try:
        request = _REQUEST.decode(line)
    except msgspec.ValidationError as error:
        raise _RefusedError(BAD_REQUEST, f"the line is no request: {error}") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise _RefusedError(BAD_JSON, f"the line is no JSON: {error}") from None
    except RecursionError:
        raise _RefusedError(BAD_REQUEST, "the line is nested too deeply") from None
    if request.jsonrpc != "2.0":
        raise _RefusedError(BAD_REQUEST, 'the line is no request: `jsonrpc` must be "2.0"')
    return request


def _asked(method: str, params: msgspec.Raw) -> _Turn | _Event | _Arguments:
    """Read the parameters of an operation."""
    try:
        asked: _Turn | _Event | _Arguments = _ASKED[method].decode(params)
        for text in _texts(asked):
            bytes_of(text)
    except (msgspec.DecodeError, UnicodeDecodeError, ValueError, RecursionError) as error:
        words = f"params of {method} cannot be read: {error}"
        raise _RefusedError(BAD_PARAMS, words) from None
    return asked


def _texts(asked: _Turn | _Event | _Arguments) -> Iterator[Text]:
    """Give the texts that may be base64."""
    if isinstance(asked, _Event):
        yield asked.event
    elif isinstance(asked, _Arguments):
        yield asked.arguments
    else:
        for reply in asked.scenario.model:
            for call in reply.calls:
                yield call.arguments
        for tool in asked.scenario.tools:
            yield from (tool.behaviour.returns or "", tool.behaviour.fails or "")


def _line(answer: _Answer) -> bytes:
    """Encode one answer; what cannot be sent is a fault of this side."""
    line = _ENCODER.encode(answer) + b"\n"
    if len(line) <= LINE_MAX:
        return line
    what = f"the answer has {len(line)} bytes, more than {LINE_MAX}"
    return _line(_Answer("2.0", answer.id, error={"code": ADAPTER_FAULT, "message": what}))
