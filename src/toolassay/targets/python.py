"""
The target `python:module:factory`: an adapter object, in a worker process.

The worker runs under `--python`, by default the kit's own interpreter. It is
killed when a case takes too long, started again for the next case, and given
up only when it fails again and again.
"""

from __future__ import annotations

import secrets
import sys
from pathlib import Path

import msgspec

from toolassay import worker
from toolassay.authoring.features import FEATURES
from toolassay.errors import AdapterProtocolError, AdapterStartError, AdapterUnusableError
from toolassay.near import near
from toolassay.printable import printable
from toolassay.spec.case import Case
from toolassay.spec.scenario import Reply as ScriptedReply
from toolassay.spec.scenario import Scenario
from toolassay.targets.base import DEADLINE_S, Answer, Implementation
from toolassay.targets.process import Line, Process
from toolassay.targets.wire import (
    Reply,
    UnreadableError,
    read_answer,
    read_described,
    read_reply,
)

PROTOCOL = 1
"""Version of the protocol between the kit and its worker."""

START_S = 60.0
"""Longest wait for a worker to import its implementation."""

FAILURES_BEFORE_ANSWER_MAX = 5
"""Failures in a row after which an adapter that never answered a case is given up."""

FAILURES_MAX = 25
"""Failures in a row after which any adapter is given up."""

HINT = "the fault is in the adapter; docs/adapter-python.md says what its object offers"
"""Hint where the adapter was found and could not be made, or said nothing of use."""

_ENCODER = msgspec.json.Encoder()


def request(number: int, method: str, params: object) -> bytes:
    """Give a JSON-RPC request as a line."""
    envelope = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    return _ENCODER.encode(envelope) + b"\n"


def params_of(case: Case, seed: int, deadline_s: float) -> dict[str, object]:
    """
    Give what the implementation is told of a case.

    Slug, title, clauses and expectations stay in the kit, so that no
    implementation can treat a case specially.
    """
    params: dict[str, object] = {
        # Only to tell requests apart in a log; it says nothing of the case.
        "token": secrets.token_hex(8),
        "seed": seed,
        "deadline_ms": int(deadline_s * 1000),
    }
    if case.operation == "event/validate":
        params["event"] = case.event
    elif case.operation == "arguments/sanitize":
        params["arguments"] = case.arguments
    else:
        params["scenario"] = case.scenario
    return params


PLAINEST = Case(
    id="plainest",
    vector="plainest",
    title="The model says a text and calls no tool",
    contract="events",
    kind="positive",
    operation="turn/run",
    scenario=Scenario((ScriptedReply(text="done"),)),
)
"""What an adapter is asked before it is given up."""


class PythonTarget:
    """
    An adapter object in a worker process.

    Args:
        spec: Where its factory is, as `module:factory`.
        python: The interpreter; the kit's own if not given.
        folder: Where the worker runs; the current folder if not given.

    Raises:
        AdapterStartError: It cannot be started.
        AdapterProtocolError: What it says of itself has the wrong shape.
    """

    def __init__(self, spec: str, *, python: str | None = None, folder: Path | None = None) -> None:
        self._target = f"python:{spec}"
        self._command = [python or sys.executable, str(Path(worker.__file__).resolve()), spec]
        self._folder = folder or Path.cwd()
        self._process: Process | None = None
        self._number = 0
        self._failures = 0
        self._answered = False
        self._implementation = self._start()

    @property
    def implementation(self) -> Implementation:
        """What the adapter says of its implementation."""
        return self._implementation

    def run(self, case: Case, seed: int = 0, deadline_s: float = DEADLINE_S) -> Answer:
        """
        Run one case; a worker that does not answer is killed.

        Raises:
            AdapterUnusableError: It failed too often in a row.
            AdapterStartError: It cannot be started again.
        """
        if self._process is None:
            self._start()
        line = self._exchange(case.operation, params_of(case, seed, deadline_s), deadline_s)
        if line.status == "ok":
            try:
                reply = self._read(line.data)
            except UnreadableError as error:
                # What follows such a line cannot be trusted either.
                line = Line("error", message=str(error))
            else:
                self._failures, self._answered = 0, True
                return read_answer(reply, case.operation)
        return self._failed(line)

    def close(self) -> None:
        """End the worker; it may be called twice."""
        if self._process is not None:
            self._process.kill()
            self._process = None

    def _read(self, data: bytes) -> Reply:
        reply = read_reply(data)
        if reply.id != self._number:
            raise UnreadableError("the line answers another request")
        return reply

    def _failed(self, line: Line) -> Answer:
        assert self._process is not None
        assert line.status != "ok"
        detail = self._process.stderr_tail()
        self.close()
        self._failures += 1
        limit = FAILURES_MAX if self._answered else FAILURES_BEFORE_ANSWER_MAX
        if self._failures >= limit and not self._still_answers():
            raise AdapterUnusableError(self._target, self._failures, line.message, detail)
        return Answer(line.status, message=line.message, detail=detail)

    def _still_answers(self) -> bool:
        """Tell whether it goes through the plainest scenario: then only some cases defeat it."""
        if "turn/run" not in self._implementation.operations:
            return False
        try:
            self._start()
        except AdapterStartError:
            return False
        line = self._exchange("turn/run", params_of(PLAINEST, 0, DEADLINE_S), DEADLINE_S)
        if line.status == "ok" and self._is_observation(line.data):
            self._failures, self._answered = 0, True
            return True
        self.close()
        return False

    def _is_observation(self, data: bytes) -> bool:
        try:
            return read_answer(self._read(data), "turn/run").observation is not None
        except UnreadableError:
            return False

    def _start(self) -> Implementation:
        try:
            self._process = Process(self._command, self._folder)
        except OSError as error:
            what = f"{self._command[0]} cannot be run: {error.strerror}"
            hint = "--python names the interpreter of the worker"
            raise AdapterStartError(self._target, what, hint=hint) from error
        try:
            return self._greet()
        except BaseException:
            self.close()
            raise

    def _greet(self) -> Implementation:
        line = self._exchange("initialize", {"protocol": PROTOCOL}, START_S)
        assert self._process is not None
        if line.status != "ok":
            tail = self._process.stderr_tail()
            last = next((words for words in reversed(tail.splitlines()) if words.strip()), "")
            said = f": {printable(last.strip(), 200)}" if last else ""
            what = f"{line.message} when it was started{said}"
            raise AdapterStartError(self._target, what, tail, hint=HINT)
        try:
            return _described(self._read(line.data), self._target)
        except UnreadableError as error:
            raise AdapterProtocolError(self._target, str(error)) from None

    def _exchange(self, method: str, params: object, deadline_s: float) -> Line:
        assert self._process is not None
        self._number += 1
        return self._process.exchange(request(self._number, method, params), deadline_s)


class InProcessTarget:
    """
    The same adapter object in the kit's own process, for debugging: no deadline holds.

    Args:
        spec: Where its factory is, as `module:factory`.

    Raises:
        AdapterStartError: It cannot be imported.
        AdapterProtocolError: What it says of itself has the wrong shape.
    """

    def __init__(self, spec: str) -> None:
        self._target = f"python:{spec}"
        folder = str(Path.cwd())
        if folder not in sys.path:
            sys.path.insert(0, folder)
        # Ctrl-C must reach the kit, so only these exceptions become results.
        self._session = worker.Session(spec, (Exception, SystemExit))
        try:
            reply = self._ask("initialize", {"protocol": PROTOCOL})
            self._implementation = _described(reply, self._target)
        except UnreadableError as error:
            raise AdapterProtocolError(self._target, str(error)) from None
        except _ThrownError as error:
            what = f"initialize() raised {error}"
            raise AdapterStartError(self._target, what, hint=HINT) from None

    @property
    def implementation(self) -> Implementation:
        """What the adapter says of its implementation."""
        return self._implementation

    def run(self, case: Case, seed: int = 0, deadline_s: float = DEADLINE_S) -> Answer:
        """Run one case; nothing stops one that hangs."""
        try:
            reply = self._ask(case.operation, params_of(case, seed, deadline_s))
        except UnreadableError as error:
            return Answer("error", message=str(error))
        except _ThrownError as error:
            return Answer("raised", message=str(error))
        return read_answer(reply, case.operation)

    def close(self) -> None:
        """Do nothing: it ends with the kit."""

    def _ask(self, method: str, params: object) -> Reply:
        # Through JSON, so that both ways of running see and say the same.
        asked = msgspec.json.decode(request(0, method, params))
        try:
            line = self._session.answer(asked)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - a worker would have died of it
            raise _ThrownError(type(error).__name__) from None
        return read_reply(line)


class _ThrownError(Exception):
    """What is no result came out of an implementation, such as a cancelled task."""


def _described(reply: Reply, target: str) -> Implementation:
    if reply.error is not None:
        hint = "" if reply.error.code == worker.NOT_FOUND else HINT  # else the one of the error
        raise AdapterStartError(target, reply.error.message, reply.error.data.detail, hint=hint)
    described = read_described(reply, target)
    for feature in described.features:
        if feature not in FEATURES:
            # A feature that is spelled wrong would only be missed, without a word.
            meant = near(feature, FEATURES) or FEATURES
            what = f"initialize() declares the unknown feature {printable(feature, 80)!r}"
            raise UnreadableError(f"{what}; there is {', '.join(meant)}")
    return described
