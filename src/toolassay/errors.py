"""
What can go wrong between the kit and an implementation under test.

A target is opened in this order, and the first fault is reported: its name is
read (`TargetSyntaxError`, or an unknown scheme), its adapter is started
(`AdapterStartError`), what it says of itself is read (`AdapterProtocolError`),
and it is tried out before anything is judged (`SmokeError`). An adapter that
fails again and again is given up (`AdapterUnusableError`), and so is one that
says another thing of itself when it is started again (`AdapterChangedError`).
A single case that goes wrong is no error but an answer: see `toolassay.targets.base.Answer`.
"""

from __future__ import annotations

from toolassay.spec.errors import TargetError, ToolassayError, UsageError

TAIL_LINES = 12
"""Lines that are shown of the end of a traceback, or of standard error."""

__all__ = [
    "AdapterChangedError",
    "AdapterProtocolError",
    "AdapterStartError",
    "AdapterUnusableError",
    "SmokeError",
    "TargetSyntaxError",
    "last_lines",
]


def last_lines(fault: ToolassayError) -> list[str]:
    """Give the end of what an adapter wrote before it failed, line by line; it is not escaped."""
    lines = str(getattr(fault, "detail", "")).splitlines()
    return [line for line in lines if line.strip()][-TAIL_LINES:]


class TargetSyntaxError(UsageError):
    """
    A target is not written as its scheme wants it.

    Attributes:
        target: The target as given.
    """

    code = "usage.target-syntax"

    def __init__(self, target: str, what: str, *, hint: str = "") -> None:
        super().__init__(f"the target {target!r} {what}", hint=hint)
        self.target = target


class AdapterStartError(TargetError):
    """
    The adapter could not be started.

    Attributes:
        target: The target as given.
        detail: What it wrote before it failed, or the traceback.
    """

    code = "target.start"
    hint = "what the adapter wrote to standard error may say why"

    def __init__(self, target: str, what: str, detail: str = "", *, hint: str = "") -> None:
        super().__init__(what, where=target, hint=hint)
        self.target = target
        self.detail = detail


class AdapterProtocolError(TargetError):
    """
    What the adapter says of itself has the wrong shape.

    Attributes:
        target: The target as given.
    """

    code = "target.protocol"
    hint = "toolassay's docs/adapter-protocol.md has a table of the keys that initialize() gives"

    def __init__(self, target: str, what: str, *, hint: str = "") -> None:
        super().__init__(what, where=target, hint=hint)
        self.target = target


class SmokeError(TargetError):
    """
    The adapter answers in a way from which nothing could be learned.

    Attributes:
        target: The target as given.
        step: What it was asked.
        detail: What it wrote before it failed, or the traceback.
    """

    code = "target.smoke"
    hint = "the fault is in the adapter, whatever the implementation does"

    def __init__(
        self, target: str, step: str, what: str, detail: str = "", *, hint: str = ""
    ) -> None:
        super().__init__(f"smoke test: {step}: {what}", where=target, hint=hint)
        self.target = target
        self.step = step
        self.detail = detail


class AdapterUnusableError(TargetError):
    """
    The adapter failed so often in a row that it was given up.

    Attributes:
        target: The target as given.
        failures: Number of cases in a row that it did not answer.
        detail: What it wrote before its last failure.
    """

    code = "target.unusable"
    hint = "run one case alone, or use --in-process to debug the adapter"

    def __init__(self, target: str, failures: int, what: str, detail: str = "") -> None:
        super().__init__(f"given up after {failures} failures in a row: {what}", where=target)
        self.target = target
        self.failures = failures
        self.detail = detail


class AdapterChangedError(TargetError):
    """
    Two processes of one adapter say different things of themselves.

    Attributes:
        target: The target as given.
        differing: What they say differently.
    """

    code = "target.changed"
    hint = "what initialize() gives must not depend on when, or how often, the adapter is started"

    def __init__(self, target: str, differing: tuple[str, ...]) -> None:
        words = ", ".join(differing)
        super().__init__(f"started once more, it says another {words} of itself", where=target)
        self.target = target
        self.differing = differing
