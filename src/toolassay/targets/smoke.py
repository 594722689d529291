"""
The smoke test: whether an adapter can be judged at all, tried before anything is.

It judges the adapter and never the implementation: an answer that breaks every
clause passes it, and one from which nothing could be learned does not.
"""

from __future__ import annotations

from typing import Final

from toolassay.errors import SmokeError
from toolassay.printable import printable
from toolassay.spec.canonical import canonical
from toolassay.spec.case import Case
from toolassay.spec.observation import Observation
from toolassay.targets.base import Answer
from toolassay.targets.conversation import FaultError
from toolassay.targets.stdio import StdioTarget
from toolassay.targets.trials import ARGUMENTS, CALL_ID, EVENT, ONE_CALL, PLAINEST, TOOL

UNKNOWN_METHOD: Final = "toolassay/unknown"
"""A method that no adapter has."""

BAD_METHOD: Final = -32601
"""Code of the error that it is to be answered with."""

SHOWN_BY: Final = ("history", "requests", "executions", "deliveries", "journal")
"""Facets in which a call can be seen."""

_HINTS: Final = {
    "raised": "the implementation, or its adapter, threw; run that once under a debugger",
    "rejected": "an adapter must be able to play the plainest scenario",
    "unsupported": "what is unsupported is not declared by initialize()",
    "error": "docs/adapter-protocol.md says what an answer looks like",
    "crashed": "what the adapter wrote to standard error may say why",
    "timeout": "--deadline gives it longer",
}  # fmt: skip


def try_out(target: StdioTarget, deadline_s: float) -> None:
    """
    Try an adapter that has just been started.

    Args:
        target: The adapter.
        deadline_s: Seconds that each step may take.

    Raises:
        SmokeError: It cannot be judged.
    """
    operations = target.implementation.operations
    _ask_the_unknown(target, deadline_s)
    if "turn/run" in operations:
        _play_the_plainest(target, deadline_s)
        _play_one_call(target, deadline_s)
    for case in (EVENT, ARGUMENTS):
        if case.operation in operations:
            _seen(target, case, f"one valid input of {case.operation}", deadline_s)


def _ask_the_unknown(target: StdioTarget, deadline_s: float) -> None:
    step = f"the unknown method {UNKNOWN_METHOD!r}"
    hint = f"answer methods that you do not know with the JSON-RPC error {BAD_METHOD}"
    try:
        reply = target.ask(UNKNOWN_METHOD, deadline_s)
    except FaultError as fault:
        what = f"{fault.status}: {fault.message}"
        raise SmokeError(_name(target), step, what, fault.detail, hint=hint) from None
    if reply.error is None or reply.error.code != BAD_METHOD:
        came = "a result" if reply.error is None else f"the error {reply.error.code}"
        what = f"it was answered with {came}, not with the error {BAD_METHOD}"
        raise SmokeError(_name(target), step, what, hint=hint)


def _play_the_plainest(target: StdioTarget, deadline_s: float) -> None:
    step = "the plainest scenario (the model says `done`)"
    seen = _seen(target, PLAINEST, step, deadline_s)
    for facet in target.implementation.facets:
        if facet != "outcome" and getattr(seen, facet) is None and facet not in seen.omitted:
            what = f"the declared facet {facet} did not come, nor a reason why not"
            hint = "give it, or say why in `omitted`, or do not declare it"
            raise SmokeError(_name(target), step, what, hint=hint)
    requests = seen.requests
    if requests is not None and requests.status == "complete" and not requests.requests:
        what = "the model was never asked, says the facet requests"
        hint = "tell what the model is shown each time it is asked (in the SDKs: play.model)"
        raise SmokeError(_name(target), step, what, hint=hint)


def _play_one_call(target: StdioTarget, deadline_s: float) -> None:
    step = "one valid call of one tool"
    seen = _seen(target, ONE_CALL, step, deadline_s)
    shown = [facet for facet in SHOWN_BY if getattr(seen, facet) is not None]
    whole = all(
        getattr(getattr(seen, facet), "status", "complete") == "complete" for facet in shown
    )
    if shown and whole and not any(_shows_the_call(seen, facet) for facet in shown):
        what = f"the call of {TOOL!r} is to be seen in none of {', '.join(shown)}"
        hint = "the adapter does not hand on what the scripted model says, or what came of it"
        raise SmokeError(_name(target), step, what, hint=hint)


def _shows_the_call(seen: Observation, facet: str) -> bool:
    text = canonical(getattr(seen, facet))
    return any(word in text for word in (TOOL.encode(), CALL_ID.encode(), b"ToolCall"))


def _seen(target: StdioTarget, case: Case, step: str, deadline_s: float) -> Observation:
    """Run one case; give what was seen."""
    answer: Answer = target.run(case, 0, deadline_s)
    if answer.observation is None:
        said = f": {printable(answer.message, 400)}" if answer.message else ""
        hint = _HINTS.get(answer.status, "")
        raise SmokeError(_name(target), step, f"{answer.status}{said}", answer.detail, hint=hint)
    return answer.observation


def _name(target: StdioTarget) -> str:
    return target.implementation.target
