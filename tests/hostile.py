"""What a hostile implementation says, and the events of a run in which it says it everywhere."""

from __future__ import annotations

import msgspec
from fakes import case_of

from toolassay.results import (
    CaseFinished,
    CaseResult,
    Check,
    Event,
    Problem,
    RunFinished,
    RunStarted,
)
from toolassay.spec.events import Event as Delivered
from toolassay.spec.finding import Finding, Place
from toolassay.spec.messages import Message, ToolCall
from toolassay.spec.observation import (
    Deliveries,
    Delivery,
    Ending,
    Execution,
    Executions,
    History,
    Observation,
    Subscription,
    TurnEnding,
)
from toolassay.statuses import Exit, Status

EVIL = (
    "\x1b[2J\x1b]0;owned\x07\x9b31m\x00\x08\x7f\r\n\n## heading\n| a | b |\n```\n</pre></details>"
    "<script>alert(1)</script><img src=x onerror=alert(1)> ]]> &lt; --> "
    "[link](https://example.invalid) ![i](x) `code` *b* @everyone www.example.invalid "
    "\u202egnp.exe\u2066\u200b\u2028\u0085\ufeff\ud800\udfff\ufffe\uffff\U000e0041 "
)
"""Escapes, markup of all kinds, controls, marks of direction, halves of pairs, line ends."""

HUGE = EVIL + "A" * 200_000 + EVIL
"""The same, too long to be shown."""

NO_SURROGATES = EVIL.replace("\ud800", "").replace("\udfff", "")
"""What can stand where only Unicode strings come from."""


def observation(text: str) -> Observation:
    """Give an observation whose every text is the same."""
    call = ToolCall(text, text, text)
    delivered = Delivery(Delivered(text, session_id=text, tool_execution_id=text, action=text))
    return Observation(
        history=History(
            (Message("assistant", text, (call,)), Message("tool", text, tool_use_id=text))
        ),
        executions=Executions((Execution(text, text, call_id=text),)),
        deliveries=Deliveries((Subscription((delivered,), name=text),)),
        ending=Ending((TurnEnding(0, "failed", text),)),
    )


def _result(status: Status, text: str, number: int) -> CaseResult:
    """Give a result of some status in which all that comes from outside is one text."""
    places = (Place("executions", 0), Place("deliveries", 0, text), Place("history", 0))
    finding = Finding("ORD-06", text, text, text, places[number % 3], text)
    case = case_of(f"ord.case-{number}[{text}]")
    checks = (Check("ORD-06", f"{text}-{number}", status, (finding,), text),)
    if status in {"crashed", "error", "timeout", "not_run"}:
        checks = (Check("ORD-06", text, status, (), text),)
    seen = observation(text) if status not in {"crashed", "error", "timeout"} else None
    return CaseResult(case, status, checks, text, seen, detail=f"{text}\n{text}")


def hostile_events(text: str = EVIL) -> list[Event]:
    """Give the events of a run that says a text everywhere where texts come from outside."""
    statuses: tuple[Status, ...] = (
        "fail", "fail", "fail", "changed", "xpass", "crashed", "error", "timeout", "not_run",
        "warn", "xfail", "recorded", "not_applicable", "pass",
    )  # fmt: skip
    results = [_result(status, text, number) for number, status in enumerate(statuses)]
    problem = Problem("changed", text, "ORD-06", text)
    return [
        RunStarted(text, text, text, True, "core@1", 0, len(results), f"toolassay run {EVIL}"),
        *map(CaseFinished, results),
        RunFinished(
            "non-conformant", Exit.NON_CONFORMANT, {"fail": 3, "crashed": 1}, {"fail": 3},
            {text: 1}, ("ORD-06",), 3, (problem,) * 60, (text, text), 0.5, (text,) * 60,
        ),
    ]  # fmt: skip


def unseen(text: str) -> list[str]:
    """Name what a text holds that a terminal, or a reader of lines, would act on."""
    return sorted(
        {f"U+{ord(one):04X}" for one in text if one not in "\n\t" and not one.isprintable()}
    )


def with_origin(events: list[Event], origin: object) -> list[Event]:
    """Say of every case where it was authored."""
    started, *rest = events
    names = [one.result.case.id for one in rest if isinstance(one, CaseFinished)]
    return [msgspec.structs.replace(started, origins=dict.fromkeys(names, origin)), *rest]
