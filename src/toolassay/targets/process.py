"""
One process that speaks in lines, behind pipes that nothing can block.

The process leads a group of its own, and the group is killed at a deadline or
at a fault, so that nothing an implementation does can outlive its case. All
pipes are served while the kit waits, many lines at a time; what is kept of
them is bounded, whatever comes.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec

from toolassay.printable import many
from toolassay.targets.base import LINE_MAX
from toolassay.targets.telling import head, shown

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

SHUTDOWN_S = 1.0
"""Longest wait for a process that was asked to end."""

TERMINATE_S = 0.5
"""Longest wait for a process group that was sent SIGTERM."""


class Line(msgspec.Struct, frozen=True):
    """What came of waiting for a line."""

    status: Literal["ok", "error", "crashed", "timeout"]
    """`error`: the line was too long."""
    data: bytes = b""
    """The line, if one came."""
    message: str = ""
    """Why none came."""


class Process:
    """
    A process that speaks in lines.

    Args:
        command: What is run; no shell reads it.
        folder: Where it is run.

    Raises:
        OSError: It cannot be run.
    """

    def __init__(self, command: Sequence[str], folder: Path) -> None:
        # Made first: were there no room for it, the process would be left behind.
        self._selector = selectors.DefaultSelector()
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
        self._selector.register(self._stdout, selectors.EVENT_READ)
        self._selector.register(self._stderr, selectors.EVENT_READ)
        self._unsent = memoryview(b"")
        self._lines: deque[bytes] = deque()
        self._part: list[bytes] = []
        self._part_size = 0
        self._errors: deque[bytes] = deque()
        self._errors_size = 0

    def send(self, data: bytes) -> None:
        """Send lines; what the pipe does not take at once goes out while lines are awaited."""
        if self._unsent:
            self._unsent = memoryview(bytes(self._unsent) + data)
            return
        self._unsent = self._written(memoryview(data))
        if self._unsent:
            self._selector.register(self._stdin, selectors.EVENT_WRITE)

    def line(self, end: float) -> Line:
        """Wait for a line, at most until a time; after anything but `ok` the process is lost."""
        while not self._lines:
            left = end - time.monotonic()
            found = self._serve(max(0.0, left))
            if found is not None:
                return found
            if left <= 0 and not self._lines:
                part = f", but a line without its end, of {self._so_far()}" if self._part else ""
                return Line("timeout", message=part)
        data = self._lines.popleft()
        return Line("ok", data) if len(data) <= LINE_MAX else _too_long()

    def come(self, lines: int) -> bytes:
        """Give the begin of what has come beyond a number of lines; nothing is waited for."""
        if len(self._lines) <= lines:
            with contextlib.suppress(OSError):
                self._take(os.read(self._stdout, CHUNK))
        if len(self._lines) > lines:
            return self._lines[lines]
        return b"".join(self._part) if not lines else b""

    def stderr_tail(self) -> str:
        """Give the end of what was written to standard error."""
        for _ in range(STDERR_MAX // 1024):
            if not self._drain():  # the end, or nothing more for now
                break
        return b"".join(self._errors)[-STDERR_MAX:].decode(errors="replace")

    def end(self, last: bytes) -> None:
        """Send a last line, give the process time to end by itself, then see that it does."""
        try:
            self.send(last)
            if not self._ended_within(SHUTDOWN_S):
                self.strike(signal.SIGTERM)
                self._ended_within(TERMINATE_S)
        finally:  # whoever cannot wait and interrupts us is not to leave it behind
            self.kill()

    def strike(self, number: signal.Signals) -> None:
        """Send a signal to the process group."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)

    def kill(self) -> None:
        """Kill the process group and let the pipes go; it may be called twice."""
        self.strike(signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(REAP_S)
        self._selector.close()
        self._lines.clear()
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()

    # --- serving the pipes ---

    def _serve(self, left: float) -> Line | None:
        """Serve whichever pipe is ready; give why no line will come, if so."""
        ready = {key.fd for key, _ in self._selector.select(min(left, POLL_S))}
        if self._stdin in ready:
            self._unsent = self._written(self._unsent)
            if not self._unsent:
                self._selector.unregister(self._stdin)
        if self._stderr in ready and self._drain() == b"":
            self._selector.unregister(self._stderr)
        if self._stdout in ready:
            return self._receive()
        return None if ready or self._process.poll() is None else self._last_words()

    def _written(self, data: memoryview) -> memoryview:
        """Write some; give what is left of it."""
        try:
            return data[os.write(self._stdin, data) :]
        except BlockingIOError:
            return data
        except OSError:  # it is gone; standard output will say so
            return data[:0]

    def _receive(self) -> Line | None:
        try:
            chunk = os.read(self._stdout, CHUNK)
        except BlockingIOError:
            return None
        if not chunk:
            return self._crashed()
        self._take(chunk)
        if self._part_size > LINE_MAX:
            return _too_long()
        return None

    def _take(self, chunk: bytes) -> None:
        """Cut what was read into lines; the last one may still be in the making."""
        *whole, rest = chunk.split(b"\n")
        if whole:
            if self._part:
                whole[0] = b"".join((*self._part, whole[0]))
                self._part.clear()
                self._part_size = 0
            self._lines.extend(whole)
        if rest:
            self._part.append(rest)
            self._part_size += len(rest)

    def _last_words(self) -> Line | None:
        """Read what a process wrote before it was gone; its children may hold the pipe open."""
        try:
            chunk = os.read(self._stdout, CHUNK)
        except BlockingIOError:
            chunk = b""
        self._take(chunk)
        return None if chunk else self._crashed()

    def _crashed(self) -> Line:
        part = f" in the midst of a line of {self._so_far()}" if self._part else ""
        return Line("crashed", message=f"the adapter {self._how_it_ended()}{part}")

    def _so_far(self) -> str:
        return f"{many(self._part_size, 'byte')}: {shown(head(self._part))}"

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

    # --- how it ends ---

    def _ended_within(self, seconds: float) -> bool:
        """Wait for the process to end; what it still says is passed over."""
        end = time.monotonic() + seconds
        while self._selector.get_map() and (left := end - time.monotonic()) > 0:
            if not self._unsent:
                self._close_input()
            for key, _ in self._selector.select(min(left, POLL_S)):
                self._pass_over(key.fd)
            if self._process.poll() is not None:
                return True
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(max(0.0, end - time.monotonic()))
        return self._process.returncode is not None

    def _close_input(self) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()

    def _pass_over(self, pipe: int) -> None:
        if pipe == self._stdin:
            self._unsent = self._written(self._unsent)
            ended = not self._unsent
        elif pipe == self._stderr:
            ended = self._drain() == b""
        else:
            ended = not os.read(pipe, CHUNK)
        if ended:
            self._selector.unregister(pipe)

    def _how_it_ended(self) -> str:
        try:
            code = self._process.wait(ENDING_S)
        except subprocess.TimeoutExpired:
            return "closed its output"
        if code < 0:
            with contextlib.suppress(ValueError):
                return f"was ended by {signal.Signals(-code).name}"
        return f"ended with exit code {code}"


def _too_long() -> Line:
    return Line("error", message=f"the answer has more than {LINE_MAX} bytes")
