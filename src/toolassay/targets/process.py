"""
One worker process: a line out, a line in, and a deadline that holds.

The worker leads a process group of its own, and the group is killed at the
deadline, so that nothing an implementation does can outlive its case. Both of
its output pipes are read while the kit waits; what is kept of them is bounded.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections import deque
from pathlib import Path
from typing import Literal

import msgspec

from toolassay.targets.base import LINE_MAX

STDERR_MAX = 64 * 1024
"""Bytes of the end of standard error that are kept."""

CHUNK = 64 * 1024
"""Bytes that are read or written at a time."""

POLL_S = 0.5
"""How often to see whether a silent process is still there; a child may hold its pipe open."""

REAP_S = 5.0
"""Longest wait for a killed process to be gone."""

ENDING_S = 1.0
"""Longest wait for a process that closed its output to say how it ended."""


class Line(msgspec.Struct, frozen=True):
    """What came of one exchange."""

    status: Literal["ok", "error", "crashed", "timeout"]
    """`error`: the line was too long."""
    data: bytes = b""
    """The line, if one came."""
    message: str = ""
    """Why none came."""


class Process:
    """
    A worker process.

    Args:
        command: What is run.
        folder: Where it is run.

    Raises:
        OSError: It cannot be run.
    """

    def __init__(self, command: list[str], folder: Path) -> None:
        self._process = subprocess.Popen(
            command,
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            bufsize=0,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self._stdin = self._process.stdin.fileno()
        self._stdout = self._process.stdout.fileno()
        self._stderr = self._process.stderr.fileno()
        for pipe in (self._stdin, self._stdout, self._stderr):
            os.set_blocking(pipe, False)
        self._received = bytearray()
        self._errors: deque[bytes] = deque()
        self._errors_size = 0

    def exchange(self, line: bytes, deadline_s: float) -> Line:
        """Send a line and wait for one; after anything but `ok` the process is to be killed."""
        end = time.monotonic() + deadline_s
        unsent = memoryview(line)
        with selectors.DefaultSelector() as selector:
            selector.register(self._stdin, selectors.EVENT_WRITE)
            selector.register(self._stdout, selectors.EVENT_READ)
            selector.register(self._stderr, selectors.EVENT_READ)
            while (left := end - time.monotonic()) > 0:
                ready = {key.fd for key, _ in selector.select(min(left, POLL_S))}
                if self._stdin in ready and not (unsent := self._send(unsent)):
                    selector.unregister(self._stdin)
                if self._stderr in ready and self._drain() == b"":
                    selector.unregister(self._stderr)
                found = self._receive() if self._stdout in ready else self._alive()
                if found is not None:
                    return found
        return Line("timeout", message=f"no answer within {deadline_s:g} s")

    def stderr_tail(self) -> str:
        """Give the end of what was written to standard error."""
        for _ in range(STDERR_MAX // 1024):
            if not self._drain():  # the end, or nothing more for now
                break
        return b"".join(self._errors)[-STDERR_MAX:].decode(errors="replace")

    def kill(self) -> None:
        """Kill the process group and let the pipes go; it may be called twice."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(REAP_S)
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()

    def _send(self, unsent: memoryview) -> memoryview:
        try:
            return unsent[os.write(self._stdin, unsent[:CHUNK]) :]
        except BlockingIOError:
            return unsent
        except OSError:  # it is gone; standard output will say so
            return unsent[:0]

    def _receive(self) -> Line | None:
        """Read some of standard output; give the line, or that there will be none."""
        try:
            chunk = os.read(self._stdout, CHUNK)
        except BlockingIOError:
            return None
        if not chunk:
            return Line("crashed", message=f"the worker {self._how_it_ended()}")
        start = len(self._received)
        self._received += chunk
        newline = self._received.find(b"\n", start)
        if newline >= 0:
            line = bytes(self._received[:newline])
            del self._received[: newline + 1]
            return Line("ok", line)
        if len(self._received) > LINE_MAX:
            return Line("error", message=f"the answer has more than {LINE_MAX} bytes")
        return None

    def _alive(self) -> Line | None:
        """Give that the process is gone, if it is."""
        if self._process.poll() is None:
            return None
        # Its last words may have come since.
        return self._receive() or Line("crashed", message=f"the worker {self._how_it_ended()}")

    def _drain(self) -> bytes | None:
        """Read some of standard error: nothing at its end, None if there is none now."""
        try:
            chunk = os.read(self._stderr, CHUNK)
        except BlockingIOError:
            return None
        self._errors.append(chunk)
        self._errors_size += len(chunk)
        while self._errors_size - len(self._errors[0]) >= STDERR_MAX:
            self._errors_size -= len(self._errors.popleft())
        return chunk

    def _how_it_ended(self) -> str:
        try:
            code = self._process.wait(ENDING_S)
        except subprocess.TimeoutExpired:
            return "closed its output"
        if code < 0:
            with contextlib.suppress(ValueError):
                return f"was ended by {signal.Signals(-code).name}"
        return f"ended with exit code {code}"
