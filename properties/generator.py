"""
The seeded generator: cases of all operations in scope.

`generate(seed, index)` always gives the same case. A scenario needs no
expectations, since the named checks judge it; an event that is to be
validated carries the one expectation that follows from its planted fault.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from toolassay.properties.choices import Choose, Replayed, Seeded, chance, pick, several
from toolassay.properties.faults import event_case
from toolassay.properties.texts import json_object, raw_arguments
from toolassay.spec.case import Case
from toolassay.spec.scenario import (
    Behaviour,
    Permission,
    Reply,
    Scenario,
    ScriptedCall,
    Subscriber,
    ToolScript,
    WaitFor,
)
from toolassay.spec.text import text_of

LONG = "result " * 40
"""A result that no preview holds whole."""

_WAITS: tuple[WaitFor, ...] = ("StepDone", "request", "ToolCallCompleted", "ToolCallStarted")

TOOLS: tuple[ToolScript, ...] = (
    ToolScript("echo"),
    ToolScript("long", behaviour=Behaviour(returns=LONG)),
    ToolScript("fail", behaviour=Behaviour(fails="no such record")),
    ToolScript("boom", behaviour=Behaviour(raises="planted")),
    ToolScript("slow", behaviour=Behaviour(ticks=5)),
    ToolScript("any", parameters={}),
    *(
        ToolScript(f"wait{place}", behaviour=Behaviour(waits_for=what, ticks=20))
        for place, what in enumerate(_WAITS)
    ),
)
"""The tools that generated scenarios use; `nowhere` is called and does not exist."""

_NAMES = (*(tool.name for tool in TOOLS), "nowhere")


def cuts_of(choose: Choose, size: int) -> tuple[int, ...]:
    """Give byte offsets at which a stream cuts a text; the simplest is none."""
    count = choose(4)
    return tuple(sorted({1 + choose(size - 1) for _ in range(count)})) if size > 1 else ()


def scripted_call(choose: Choose, identifier: str, *, streamed: bool) -> ScriptedCall:
    """Give one call of the scripted model."""
    name = pick(choose, _NAMES)
    raw = raw_arguments(choose) if choose(2) else json_object(choose).encode()
    cuts = cuts_of(choose, len(raw)) if streamed else ()
    return ScriptedCall(identifier, name, text_of(raw), cuts)


def reply(choose: Choose, number: int) -> Reply:
    """Give one reply of the scripted model; its call ids are its own."""
    streamed = choose(3) == 1
    calls = several(
        choose, lambda place: scripted_call(choose, f"c{number}{place}", streamed=streamed), 3
    )
    breaks = streamed and chance(choose, 8)
    return Reply(
        pick(choose, ("", "let me see")), calls, streamed, choose(2) * 5 * streamed, breaks
    )


def scenario(choose: Choose) -> Scenario:
    """Give a scenario; the simplest is one call of one tool."""
    replies = several(choose, lambda number: reply(choose, number), 3)
    used = {call.name for answer in replies for call in answer.calls}
    tools = tuple(tool for tool in TOOLS if tool.name in used)
    deny: Permission = "deny"
    policy = {tool.name: deny for tool in tools if chance(choose, 3)}
    return Scenario(
        replies,
        tools,
        policy,
        ("go", "go on")[: 1 + choose(2)],
        subscribers(choose),
        bool(choose(3) == 1),
    )


def subscribers(choose: Choose) -> tuple[Subscriber, ...]:
    """Give one subscriber, or a second one that stalls."""
    main = Subscriber()
    return (main, Subscriber("second", choose(4))) if choose(3) == 1 else (main,)


def turn_case(choose: Choose) -> Case:
    """Give a case of `turn/run`."""
    return _case("generated.turn", "turn/run", scenario=scenario(choose))


def sanitize_case(choose: Choose) -> Case:
    """Give a case of `arguments/sanitize`."""
    return _case(
        "generated.arguments", "arguments/sanitize", arguments=text_of(raw_arguments(choose))
    )


def _case(slug: str, operation: str, **given: object) -> Case:
    data = {
        "id": slug,
        "vector": slug,
        "title": "Generated",
        "contract": "events",
        "kind": "negative",
        "operation": operation,
    }
    return msgspec.structs.replace(msgspec.convert(data, Case), **given)


MAKERS: dict[str, Callable[[Choose], Case]] = {
    "turn/run": turn_case,
    "event/validate": event_case,
    "arguments/sanitize": sanitize_case,
}
"""How a case of each operation is generated."""

_MIX = ("turn/run", "turn/run", "turn/run", "event/validate", "arguments/sanitize")


def operation_at(index: int, operations: tuple[str, ...] = tuple(MAKERS)) -> str:
    """Give the operation of the index-th case, out of those that a target offers."""
    mix = [name for name in _MIX if name in operations] or list(operations)
    return mix[index % len(mix)]


def generate(seed: int, index: int, operations: tuple[str, ...] = tuple(MAKERS)) -> Case:
    """Give the index-th case of a seed."""
    return generate_with_choices(seed, index, operations)[0]


def generate_with_choices(
    seed: int, index: int, operations: tuple[str, ...] = tuple(MAKERS)
) -> tuple[Case, list[int]]:
    """Give the index-th case of a seed, and the choices that made it."""
    source = Seeded(seed, index)
    case = MAKERS[operation_at(index, operations)](source)
    slug = f"{case.vector}-{seed}-{index}"
    return msgspec.structs.replace(case, id=slug, vector=slug), source.taken


def replay(operation: str, choices: list[int]) -> Case:
    """Give the case that recorded choices make."""
    return MAKERS[operation](Replayed(choices))


def twins(case: Case) -> tuple[tuple[str, Case], ...]:
    """
    Give the cases that must show the same outcome, each with its clause.

    The whole twin of a streamed scenario (ARG-13), and the twin without a
    subscriber that stalls (DUR-04).
    """
    given = case.scenario
    if given is None:
        return ()
    found: list[tuple[str, Case]] = []
    if any(answer.streamed for answer in given.model) and not _stream_matters(given):
        whole = tuple(_whole(answer) for answer in given.model)
        found.append(("ARG-13", _with(case, msgspec.structs.replace(given, model=whole))))
    if any(listener.stalls_after is not None for listener in given.subscribers):
        reading = tuple(Subscriber(listener.name) for listener in given.subscribers)
        found.append(("DUR-04", _with(case, msgspec.structs.replace(given, subscribers=reading))))
    return tuple(found)


def _stream_matters(given: Scenario) -> bool:
    return any(answer.breaks for answer in given.model)


def _whole(answer: Reply) -> Reply:
    calls = tuple(msgspec.structs.replace(call, cuts=()) for call in answer.calls)
    return msgspec.structs.replace(answer, calls=calls, streamed=False, stall=0)


def _with(case: Case, given: Scenario) -> Case:
    return msgspec.structs.replace(case, id=f"{case.id}-twin", scenario=given)
