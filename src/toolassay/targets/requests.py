"""Writing requests: what an adapter is told, as lines."""

from __future__ import annotations

import secrets

import msgspec

from toolassay import __version__
from toolassay.spec.case import Case
from toolassay.spec.scenario import Scenario
from toolassay.spec.text import Text
from toolassay.targets.base import LINE_MAX, PROTOCOL


class _Scenario(msgspec.Struct, frozen=True):
    """Parameters of `turn/run`."""

    token: str
    seed: int
    deadline_ms: int
    scenario: Scenario


class _Event(msgspec.Struct, frozen=True):
    """Parameters of `event/validate`."""

    token: str
    seed: int
    deadline_ms: int
    event: Text


class _Arguments(msgspec.Struct, frozen=True):
    """Parameters of `arguments/sanitize`."""

    token: str
    seed: int
    deadline_ms: int
    arguments: Text


class _Request(msgspec.Struct, frozen=True):
    """One JSON-RPC request."""

    jsonrpc: str
    id: int
    method: str
    params: object


INITIALIZE = {
    "protocol": PROTOCOL,
    "kit": f"toolassay {__version__}",
    "limits": {"line_bytes": LINE_MAX},
}
"""Parameters of `initialize`."""

_ENCODER = msgspec.json.Encoder()


def request(number: int, method: str, params: object) -> bytes:
    """Give a JSON-RPC request as a line."""
    return _ENCODER.encode(_Request("2.0", number, method, params)) + b"\n"


class Tokens:
    """Tokens that tell the requests of a run apart in a log, and say nothing of the cases."""

    def __init__(self) -> None:
        self._run = secrets.token_hex(8)
        self._count = 0

    def next(self) -> str:
        """Give a token that was not given before."""
        self._count += 1
        return f"{self._run}-{self._count}"


def params_of(case: Case, token: str, seed: int, deadline_s: float) -> object:
    """
    Give what the implementation is told of a case.

    Slug, title, clauses and expectations stay in the kit, so that no
    implementation can treat a case specially.
    """
    milliseconds = max(1, int(deadline_s * 1000))
    if case.operation == "arguments/sanitize":
        assert case.arguments is not None, "a case of arguments/sanitize has arguments"
        return _Arguments(token, seed, milliseconds, case.arguments)
    if case.operation == "event/validate":
        assert case.event is not None, "a case of event/validate has an event"
        return _Event(token, seed, milliseconds, case.event)
    assert case.scenario is not None, "a case of turn/run has a scenario"
    return _Scenario(token, seed, milliseconds, case.scenario)
