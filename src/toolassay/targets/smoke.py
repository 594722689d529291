"""
The smoke test: whether an adapter can be judged at all, tried before anything is.

It judges the adapter and never the implementation: an answer that breaks every
clause passes it, and one from which nothing could be learned does not.
"""

from __future__ import annotations

from typing import Final

from toolassay.errors import SmokeError
from toolassay.printable import printable
from toolassay.spec.case import Case
from toolassay.spec.observation import Observation
from toolassay.targets.base import Status
from toolassay.targets.conversation import FaultError
from toolassay.targets.seen import Complaint, fault_of_one_call, fault_of_plainest, oddities
from toolassay.targets.stdio import StdioTarget
from toolassay.targets.telling import FLUSHED, PAGE, with_telling
from toolassay.targets.trials import ARGUMENTS, EVENT, ONE_CALL, PLAINEST
from toolassay.targets.wire import Reply

UNKNOWN_METHOD: Final = "toolassay/unknown"
"""A method that no adapter has."""

BAD_METHOD: Final = -32601
"""Code of the error that it is to be answered with."""

SAID_MAX: Final = 1000
"""Columns that are shown of what came."""

_HINTS: Final = {
    "raised": "the implementation, or its adapter, threw; run that once under a debugger",
    "rejected": "an adapter must be able to play the plainest scenario",
    "unsupported": "what is unsupported is not declared by initialize()",
    "error": f"{PAGE} says what an answer looks like",
    "crashed": "what the adapter wrote to standard error may say why",
    "timeout": f"{FLUSHED} --deadline gives it longer",
}  # fmt: skip

_ANSWER_IT: Final = f"answer methods that you do not know with the JSON-RPC error {BAD_METHOD}"


def try_out(target: StdioTarget, deadline_s: float) -> list[str]:
    """
    Try an adapter that has just been started.

    Args:
        target: The adapter.
        deadline_s: Seconds that each step may take.

    Returns:
        What looks odd and is no failure, in words for people.

    Raises:
        SmokeError: It cannot be judged.
    """
    operations = target.implementation.operations
    _ask_the_unknown(target, deadline_s)
    notes = _play(target, deadline_s) if "turn/run" in operations else []
    for case in (EVENT, ARGUMENTS):
        if case.operation in operations:
            _seen(target, case, f"one valid input of {case.operation}", deadline_s)
    return notes


def _ask_the_unknown(target: StdioTarget, deadline_s: float) -> None:
    step = f"the unknown method {UNKNOWN_METHOD!r}"
    try:
        reply = target.ask(UNKNOWN_METHOD, deadline_s)
    except FaultError as fault:
        what = with_telling(f"{fault.status}: {fault.message}", fault.detail)
        hint = f"{FLUSHED} {_ANSWER_IT}" if fault.status == "timeout" else fault.hint or _ANSWER_IT
        raise SmokeError(_name(target), step, what, fault.detail, hint=hint) from None
    if reply.error is None or reply.error.code != BAD_METHOD:
        what = f"it was answered with {_came(reply)}, not with the error {BAD_METHOD}"
        detail = reply.error.detail if reply.error is not None else ""
        raise SmokeError(_name(target), step, what, detail, hint=_ANSWER_IT)


def _came(reply: Reply) -> str:
    if reply.error is None:
        return "a result"
    said = printable(reply.error.message, 200)
    return f"the error {reply.error.code}{f' ({said})' if said else ''}"


def _play(target: StdioTarget, deadline_s: float) -> list[str]:
    """Play two scenarios; give what looks odd in them."""
    about = target.implementation
    step = "the plainest scenario (the model says `done`)"
    before = _seen(target, PLAINEST, step, deadline_s)
    _refuse(target, step, fault_of_plainest(before, about))
    step = "one valid call of one tool"
    seen = _seen(target, ONE_CALL, step, deadline_s)
    _refuse(target, step, fault_of_one_call(seen, before))
    return list(oddities(seen, before, about))


def _refuse(target: StdioTarget, step: str, fault: Complaint | None) -> None:
    if fault is not None:
        raise SmokeError(_name(target), step, fault.what, hint=fault.hint)


def _seen(target: StdioTarget, case: Case, step: str, deadline_s: float) -> Observation:
    """Run one case; give what was seen."""
    answer = target.run(case, 0, deadline_s)
    if answer.observation is not None:
        return answer.observation
    what = f"{answer.status}: {printable(answer.message, SAID_MAX)}".removesuffix(": ")
    if answer.status in _ENDED:
        what = with_telling(what, answer.detail)
    raise SmokeError(_name(target), step, what, answer.detail, hint=_HINTS.get(answer.status, ""))


_ENDED: Final[tuple[Status, ...]] = ("crashed", "timeout")
"""What came of a case whose detail is the end of standard error."""


def _name(target: StdioTarget) -> str:
    return target.implementation.target
