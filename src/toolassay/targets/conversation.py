"""
One life of an adapter: from `initialize` to its end, request by request.

Requests go out ahead of the answers, as many as the adapter's window allows;
answers come in the order of the requests. Whatever else comes is a fault, and
it is the fault of the oldest request without an answer. After a fault the
process is gone; whoever holds the conversation begins another one.
"""

from __future__ import annotations

import signal
import time
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec

from toolassay.printable import printable
from toolassay.targets.base import Described
from toolassay.targets.process import Line, Process
from toolassay.targets.requests import INITIALIZE, request
from toolassay.targets.telling import ANSWERS_ALONE, shown
from toolassay.targets.wire import Reply, UnreadableError, read_described, read_reply


class FaultError(Exception):
    """The conversation is over, because of its oldest request; internal to targets."""

    def __init__(
        self,
        status: Literal["error", "crashed", "timeout"],
        message: str,
        detail: str,
        hint: str = "",
    ) -> None:
        super().__init__(message)
        self.status = status
        """What came of that request."""
        self.message = message
        """Why, in a line."""
        self.detail = detail
        """The end of standard error."""
        self.hint = hint
        """What to do about it, where that is known."""

    @property
    def told(self) -> str:
        """Why, and what to do about it, for where there is one line."""
        return f"{self.message}; {self.hint}" if self.hint else self.message


class _Asked(msgspec.Struct, frozen=True):
    """A request without an answer."""

    number: int
    line: bytes
    deadline_s: float


class Conversation:
    """
    A running adapter.

    Args:
        command: What is run.
        folder: Where it is run.
        first: The number before that of the first request.

    Raises:
        OSError: It cannot be run.
    """

    def __init__(self, command: Sequence[str], folder: Path, first: int = 0) -> None:
        self._process = Process(command, folder)
        self._first = self._number = first
        self._ready: deque[_Asked] = deque()
        self._sent: deque[_Asked] = deque()
        self.window = 1
        """How many requests may be sent before the first of them is answered."""
        self.resets = False
        """Whether the adapter wants `reset` before every case."""

    @property
    def number(self) -> int:
        """Number of the last request."""
        return self._number

    def begin(self, start_s: float) -> Reply:
        """
        Send `initialize`; give the answer to it.

        Raises:
            FaultError: None came that can be read.
        """
        self.send("initialize", INITIALIZE, start_s)
        return self.receive()

    def described(self, reply: Reply) -> Described:
        """
        Read the answer to `initialize`, and go by what it says of this side of the wire.

        Raises:
            UnreadableError: It has the wrong shape.
        """
        described = read_described(reply)
        self.window, self.resets = described.window, described.reset
        return described

    def send(self, method: str, params: object, deadline_s: float) -> None:
        """Ask; the request goes out as soon as the window has room."""
        self._number += 1
        line = request(self._number, method, params)
        self._ready.append(_Asked(self._number, line, deadline_s))

    def flush(self) -> None:
        """
        Send what the window has room for.

        Many at a time: room is only made use of when half the window is free.

        Raises:
            FaultError: Something came that nobody asked for.
        """
        if not self._ready or len(self._sent) * 2 > self.window or self._unasked():
            return
        count = min(self.window - len(self._sent), len(self._ready))
        lines = []
        for _ in range(count):
            asked = self._ready.popleft()
            lines.append(asked.line)
            self._sent.append(asked)
        self._process.send(b"".join(lines))

    def receive(self) -> Reply:
        """
        Give the answer to the oldest request.

        Raises:
            FaultError: None came that can be read.
        """
        self.flush()
        asked = self._sent[0]
        # A request waits for the one before it, and has its time from there on. So long as
        # the kit judges, or a report waits for its reader, an answer may be stuck in the pipe.
        line = self._process.line(time.monotonic() + asked.deadline_s)
        if line.status != "ok":
            raise self._fault(line, asked.deadline_s)
        try:
            reply = self._checked(read_reply(line.data), asked.number)
        except UnreadableError as error:
            raise self._fault(Line("error", message=error.message), hint=error.hint) from None
        self._sent.popleft()
        return reply

    @property
    def outstanding(self) -> int:
        """Number of requests without an answer."""
        return len(self._sent) + len(self._ready)

    def end(self) -> None:
        """Ask the adapter to end, where it is not in the midst of something; else kill it."""
        if self.outstanding:
            self.kill()
            return
        self._process.end(request(self._number + 1, "shutdown", {}))

    def interrupt(self) -> None:
        """Kill it under whoever waits for it, in another thread."""
        self._process.strike(signal.SIGKILL)

    def kill(self) -> None:
        """Kill it and all that it started; it may be called twice."""
        self._process.kill()

    def stderr_tail(self) -> str:
        """Give the end of what it wrote to standard error."""
        return self._process.stderr_tail()

    def _checked(self, reply: Reply, number: int) -> Reply:
        """Refuse an answer that is not the one whose turn it is."""
        if reply.id == number:
            return reply
        if reply.id is None:
            said = f": {printable(reply.error.message, 200)}" if reply.error else ""
            raise UnreadableError(f"the line answers no request, awaited was {number}{said}")
        if self._first < reply.id < number:
            raise UnreadableError(f"request {reply.id} was answered a second time")
        if any(asked.number == reply.id for asked in self._sent):
            what = f"request {reply.id} was answered before request {number}"
            raise UnreadableError(f"{what}; answers come in the order of the requests")
        raise UnreadableError(f"the line answers another request, {reply.id}, awaited was {number}")

    def _unasked(self) -> bool:
        """
        See that no more has come than was asked for.

        The answers that were asked for are still taken before the rest is held
        against the request that would have been next.
        """
        found = self._process.come(len(self._sent))
        if found and not self._sent:
            number = self._ready[0].number
            what = f"something came before request {number} was sent: {shown(found)}"
            raise self._fault(Line("error", message=what), hint=ANSWERS_ALONE)
        return bool(found)

    def _fault(self, line: Line, deadline_s: float = 0.0, hint: str = "") -> FaultError:
        """End the process; say what was wrong."""
        assert line.status != "ok", "a fault is none"
        message = line.message
        if line.status == "timeout":
            message = f"no answer within {deadline_s:g} s{message}"
        detail = self._process.stderr_tail()
        self.kill()
        return FaultError(line.status, message, detail, hint)
