"""
The target `stdio:COMMAND`: an adapter in any language, behind pipes.

It is killed when a case takes too long or an answer cannot be trusted, started
again for the next case, and given up only when it fails again and again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from toolassay.errors import (
    AdapterChangedError,
    AdapterProtocolError,
    AdapterStartError,
    AdapterUnusableError,
)
from toolassay.printable import printable
from toolassay.spec.case import Case
from toolassay.targets.base import (
    DEADLINE_S,
    DETAIL_MAX,
    MESSAGE_MAX,
    START_S,
    Answer,
    Implementation,
    differing,
    implementation_of,
)
from toolassay.targets.command import not_run
from toolassay.targets.conversation import Conversation, FaultError
from toolassay.targets.requests import Tokens, params_of
from toolassay.targets.telling import FLUSHED, PAGE, with_telling
from toolassay.targets.trials import BY_OPERATION
from toolassay.targets.wire import Reply, UnreadableError, bounded, read_answer, read_reset

FAILURES_BEFORE_ANSWER_MAX = 5
"""Failures in a row after which an adapter that never answered a case is given up."""

FAILURES_MAX = 25
"""Failures in a row after which any adapter is given up."""

NOT_FOUND = -32002
"""Code of the error of an adapter whose module or factory is not where it was looked for."""


class Words(msgspec.Struct, frozen=True):
    """What a target of some kind is told to do about an adapter that does not start."""

    absent: str = ""
    """Its program cannot be run; nothing if the command tells what to do."""
    lost: str = "so says the adapter of its implementation: look at what it loads, and from where"
    """It was started, and its implementation is not where it was looked for."""
    faulty: str = f"the fault is in the adapter; {PAGE} says what it answers"
    """It was started, and said nothing of use."""


class _Coming(msgspec.Struct, frozen=True):
    """A case that was asked for, or will be."""

    case: Case
    seed: int
    deadline_s: float


class StdioTarget:
    """
    An adapter behind pipes.

    Args:
        command: What is run; no shell reads it.
        target: How it was named.
        folder: Where it is run; the current folder if not given.
        start_s: Longest wait for the answer to `initialize`.
        words: Hints for its errors.

    Raises:
        AdapterStartError: It cannot be started.
        AdapterProtocolError: What it says of itself has the wrong shape.
    """

    def __init__(
        self,
        command: Sequence[str],
        target: str,
        *,
        folder: Path | None = None,
        start_s: float = START_S,
        words: Words = Words(),  # noqa: B008 - a frozen value
    ) -> None:
        self._command = tuple(command)
        self._target = target
        self._folder = folder or Path.cwd()
        self._start_s = start_s
        self._words = words
        self._tokens = Tokens()
        self._number = 0
        self._failures = 0
        self._answered = False
        self._conversation: Conversation | None = None
        self._coming: deque[_Coming] = deque()
        self._sent: deque[_Coming] = deque()
        self._implementation = self._begin()[1]

    @property
    def implementation(self) -> Implementation:
        """What the adapter says of its implementation."""
        return self._implementation

    @property
    def window(self) -> int:
        """How many cases may be on their way at a time."""
        return self._conversation.window if self._conversation is not None else 1

    def foresee(self, cases: Iterable[Case], seed: int = 0, deadline_s: float = DEADLINE_S) -> None:
        """Hear which cases will be run next, in order: they may be sent ahead of their turn."""
        self._coming = deque(_Coming(case, seed, deadline_s) for case in cases)

    def run(self, case: Case, seed: int = 0, deadline_s: float = DEADLINE_S) -> Answer:
        """
        Run one case; an adapter that does not answer is killed.

        Raises:
            AdapterUnusableError: It failed too often in a row.
            AdapterStartError: It cannot be started again.
            AdapterChangedError: Started again, it is another one.
        """
        self._turn_to(case, seed, deadline_s)
        conversation = self._conversation or self._begin_again()
        self._send_ahead(conversation)
        try:
            if conversation.resets:
                fault = _fault_of_reset(conversation.receive())
                reply = conversation.receive()
                if fault is not None:
                    self._sent.popleft()
                    return fault
            else:
                reply = conversation.receive()
        except FaultError as fault_:
            return self._failed(fault_)
        self._sent.popleft()
        self._failures, self._answered = 0, True
        return read_answer(reply, case.operation)

    def ask(self, method: str, deadline_s: float = DEADLINE_S) -> Reply:
        """
        Send a request that is no case, while none is on its way.

        Raises:
            FaultError: No answer came that can be read.
        """
        conversation = self._conversation or self._begin_again()
        conversation.send(method, {}, deadline_s)
        try:
            return conversation.receive()
        except FaultError:
            self._forget()
            raise

    def interrupt(self) -> None:
        """End the case that another thread has it run: the adapter is killed under it."""
        conversation = self._conversation
        if conversation is not None:
            conversation.interrupt()

    def close(self) -> None:
        """End the adapter; it may be called twice."""
        if self._conversation is not None:
            self._conversation.end()
        self._forget()

    # --- what comes next ---

    def _turn_to(self, case: Case, seed: int, deadline_s: float) -> None:
        """Make a case the next one to be answered; what comes before it is not wanted any more."""
        asked = _Coming(case, seed, deadline_s)
        if self._sent:
            if _is(self._sent[0], asked):
                return
            self._abandon()
        place = next((n for n, one in enumerate(self._coming) if _is(one, asked)), None)
        if place is None:
            self._coming.appendleft(asked)
        for _ in range(place or 0):
            self._coming.popleft()

    def _send_ahead(self, conversation: Conversation) -> None:
        """Keep the window full."""
        while self._coming and len(self._sent) < conversation.window:
            one = self._coming.popleft()
            params = params_of(one.case, self._tokens.next(), one.seed, one.deadline_s)
            if conversation.resets:
                conversation.send("reset", {}, one.deadline_s)
            conversation.send(one.case.operation, params, one.deadline_s)
            self._sent.append(one)

    def _abandon(self) -> None:
        """End an adapter that is busy with cases whose answers are not wanted."""
        assert self._conversation is not None, "what was sent was sent to somebody"
        self._conversation.kill()
        self._forget()

    def _forget(self) -> None:
        """Let go of an adapter that is gone; what it did not answer will be asked again."""
        if self._conversation is not None:
            self._number = self._conversation.number
        self._conversation = None
        self._coming.extendleft(reversed(self._sent))
        self._sent.clear()

    # --- failing ---

    def _failed(self, fault: FaultError) -> Answer:
        self._sent.popleft()
        self._forget()
        self._failures += 1
        limit = FAILURES_MAX if self._answered else FAILURES_BEFORE_ANSWER_MAX
        if self._failures >= limit and not self._still_answers():
            raise AdapterUnusableError(self._target, self._failures, fault.told, fault.detail)
        return Answer(fault.status, message=fault.told, detail=fault.detail)

    def _still_answers(self) -> bool:
        """Tell whether it answers the plainest input: then only some cases defeat it."""
        operations = self._implementation.operations
        plainest = next((one for kind, one in BY_OPERATION.items() if kind in operations), None)
        if plainest is None:
            return False
        try:
            conversation = self._begin_again()
            params = params_of(plainest, self._tokens.next(), 0, DEADLINE_S)
            if conversation.resets:
                conversation.send("reset", {}, DEADLINE_S)
                conversation.receive()
            conversation.send(plainest.operation, params, DEADLINE_S)
            answer = read_answer(conversation.receive(), plainest.operation)
        except (AdapterStartError, FaultError):
            self._forget()
            return False
        if answer.observation is not None:
            self._failures, self._answered = 0, True
            return True
        self.close()
        return False

    # --- starting ---

    def _begin(self) -> tuple[Conversation, Implementation]:
        try:
            conversation = Conversation(self._command, self._folder, self._number)
        except OSError as error:
            what, hint = not_run(self._command, self._folder, error)
            raise AdapterStartError(self._target, what, hint=self._words.absent or hint) from error
        self._conversation = conversation
        try:
            return conversation, self._greeted(conversation)
        except BaseException:
            conversation.kill()
            self._forget()
            raise

    def _begin_again(self) -> Conversation:
        conversation, implementation = self._begin()
        changed = differing(self._implementation, implementation)
        if changed:  # what it is asked, and judged by, would not fit any more
            conversation.kill()
            self._forget()
            raise AdapterChangedError(self._target, changed)
        return conversation

    def _greeted(self, conversation: Conversation) -> Implementation:
        try:
            reply = conversation.begin(self._start_s)
            if reply.error is not None:
                raise refused(self._target, reply, self._words)
            return implementation_of(conversation.described(reply), self._target)
        except FaultError as fault:
            raise _not_started(self._target, fault, self._words) from None
        except UnreadableError as error:
            raise AdapterProtocolError(self._target, error.message, hint=error.hint) from None


def _is(one: _Coming, asked: _Coming) -> bool:
    """Tell whether two are the same request; cases are compared by identity."""
    return one.case is asked.case and one.seed == asked.seed and one.deadline_s == asked.deadline_s


def _fault_of_reset(reply: Reply) -> Answer | None:
    """Give what comes of a case before which the adapter could not be reset."""
    why = read_reset(reply)
    return bounded("error", f"reset was not done: {why}") if why else None


def refused(target: str, reply: Reply, words: Words) -> AdapterStartError:
    """Make the error of an adapter that answers `initialize` with one."""
    assert reply.error is not None
    hint = words.lost if reply.error.code == NOT_FOUND else words.faulty
    what = printable(reply.error.message, MESSAGE_MAX)
    return AdapterStartError(target, what, reply.error.detail[-DETAIL_MAX:], hint=hint)


def _not_started(target: str, fault: FaultError, words: Words) -> AdapterStartError:
    what = f"{fault.message} when it was started"
    if fault.status == "error":
        what = f"in place of an answer to initialize: {fault.message}"
    what = with_telling(what, fault.detail)
    hint = fault.hint or words.faulty
    if fault.status == "timeout":
        hint = f"{FLUSHED} --start gives it longer"
    return AdapterStartError(target, what, fault.detail, hint=hint)
