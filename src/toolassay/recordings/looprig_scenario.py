"""
Looprig's scripted worlds as scenarios of the kit.

What the kit's scenario cannot say (gates and their answers, hooks, crashes,
refused appends) is left out here and makes facets incomplete instead, see
`toolassay.recordings.looprig_limits`. Where leaving it out would make the
scenario say something else, the nearest world is taken in which no more is
asked of the implementation than was.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import accumulate, groupby
from typing import Final

import msgspec

from toolassay.recordings import json_members as members_of
from toolassay.recordings.looprig_run import (
    Fields,
    Run,
    data,
    number,
    objects,
    refused,
    text,
    texts,
)
from toolassay.recordings.looprig_words import UNPREPARED, behaviour_of, is_understood
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
from toolassay.spec.text import Text, text_of

Decisions = Mapping[str, frozenset[str]]
"""By tool name: how its gates were decided."""

GATE_RECORDS: Final = frozenset({"gate_prepared", "GateOpened", "GateResolved"})
"""Records without which a gate cannot be answered."""

MAX_RESULT: Final = 65_536
"""The longest scripted result that is written out."""

_WAITS: Final[dict[str, WaitFor]] = {
    "ToolCallStarted": "ToolCallStarted",
    "ToolCallCompleted": "ToolCallCompleted",
    "StepDone": "StepDone",
}

_WAIT_TICKS: Final = 500
_SCHEMA: Final[dict[str, object]] = {"type": "object"}


def read_scenario(run: Run, decisions: Decisions) -> Scenario | None:
    """
    Say in the kit's words what was scripted.

    None where they have no words for it: a script with words that are not
    known here, or calls of one tool that were decided apart.
    """
    world = run.scenario
    apart = any({"approve", "deny"} <= actions for actions in decisions.values())
    if apart or not is_understood(world):
        return None
    tools = tuple(tool for tool in objects(world, "tools") if _is_available(tool, world, decisions))
    return Scenario(
        model=tuple(_reply(reply) for reply in objects(world, "model")),
        tools=tuple(_tool(tool) for tool in tools),
        policy=_policy(tools, world, decisions),
        users=texts(world, "user") or ("go",),
        subscribers=subscribers(run),
        sequential=bool(tools) and all(tool.get("sequential") is True for tool in tools),
    )


def subscribers(run: Run) -> tuple[Subscriber, ...]:
    """Name the subscribers whose streams are shown."""
    first = Subscriber(stalls_after=number(run.scenario, "stall_subscriber"))
    return (first, Subscriber("second")) if shows_second(run) else (first,)


def shows_second(run: Run) -> bool:
    """
    Tell whether the second subscriber's stream is shown.

    Where the first one was told to change what it got, the second one reads
    the changed events: that says nothing of what the runtime had published.
    """
    changed = run.scenario.get("mutate_delivery") or run.scenario.get("mutate_types")
    return run.second is not None and not changed


def _is_available(tool: Fields, world: Fields, decisions: Decisions) -> bool:
    """Tell whether a call of the tool can run at all, if the policy allows it."""
    name = text(tool, "name")
    if text(tool, "prepare") in UNPREPARED or name == (text(world, "hook_guard") or None):
        return False
    # Where the store refuses a gate nobody can approve, and nothing is decided either.
    gated = not GATE_RECORDS.isdisjoint(refused(world))
    return not (gated and _said(name, world) == "ask" and not decisions.get(name))


def _policy(
    tools: tuple[Fields, ...], world: Fields, decisions: Decisions
) -> dict[str, Permission]:
    return {text(tool, "name"): "deny" for tool in tools if _is_denied(tool, world, decisions)}


def _is_denied(tool: Fields, world: Fields, decisions: Decisions) -> bool:
    """
    Tell whether every call of the tool is denied.

    A tool whose requests ask for nothing (`pure`) is beyond the policy. An
    asked tool is denied if that is how its gates were answered, or if nobody
    was there to answer.
    """
    if world.get("no_gate") is True:
        return True
    if text(tool, "prepare") == "pure":
        return False
    name = text(tool, "name")
    said = _said(name, world)
    if said == "ask":
        return world.get("headless") is True or "deny" in decisions.get(name, ())
    return said == "deny"


def _said(name: str, world: Fields) -> object:
    policy = world.get("policy")
    return policy.get(name) if isinstance(policy, dict) else None


def _tool(tool: Fields) -> ToolScript:
    return ToolScript(
        name=text(tool, "name"),
        parameters=_parameters(text(tool, "schema")),
        behaviour=_behaviour(behaviour_of(tool)),
    )


def _parameters(schema: str) -> dict[str, object]:
    try:
        found = members_of.value(schema) if schema else None
        msgspec.json.encode(found)  # what holds no Unicode text is no schema
    except (ValueError, RecursionError):
        found = None
    return found if isinstance(found, dict) else dict(_SCHEMA)


def _behaviour(behaviour: Fields) -> Behaviour:
    waited = text(behaviour, "wait_event")
    base = Behaviour(
        ticks=_WAIT_TICKS if waited else number(behaviour, "sleep_ms") or 0,
        waits_for=_WAITS.get(waited),
    )
    for key, change in _OUTCOMES:
        if key in behaviour or f"{key}_b64" in behaviour:
            return change(base, behaviour, key)
    return base


def _returns(base: Behaviour, behaviour: Fields, key: str) -> Behaviour:
    return msgspec.structs.replace(base, returns=text_of(data(behaviour, key) or b""))


def _returns_big(base: Behaviour, behaviour: Fields, key: str) -> Behaviour:
    """Write a large result out up to a bound: its text is compared with nothing."""
    unit = text(behaviour, "big_unit") or "x"
    size = min(number(behaviour, key) or 0, MAX_RESULT // len(unit.encode()) or 1)
    return msgspec.structs.replace(base, returns=unit * size)


def _fails(base: Behaviour, behaviour: Fields, key: str) -> Behaviour:
    return msgspec.structs.replace(base, fails=text(behaviour, key) or f"error: {key}")


def _raises(base: Behaviour, behaviour: Fields, key: str) -> Behaviour:
    return msgspec.structs.replace(base, raises=text(behaviour, key) or key)


def _hangs(base: Behaviour, behaviour: Fields, key: str) -> Behaviour:
    return msgspec.structs.replace(base, hangs=bool(behaviour.get(key)))


_OUTCOMES: Final[tuple[tuple[str, Callable[[Behaviour, Fields, str], Behaviour]], ...]] = (
    ("block", _hangs),
    # Nor does a tool return by itself that asks the user, or that ends its own goroutine.
    ("ask", _hangs),
    ("goexit", _hangs),
    ("panic", _raises),
    ("error", _fails),
    ("both", _fails),
    ("nil", _fails),
    ("big", _returns_big),
    ("returns", _returns),
)
"""What a callback does, by the first of these keys that its behaviour has."""


def _reply(reply: Fields) -> Reply:
    calls = _calls(objects(reply, "calls"))
    breaks = "error" in reply or reply.get("stall") is True
    return Reply(
        text=text(reply, "text"),
        calls=calls,
        streamed=breaks or any(call.cuts for call in calls),
        breaks=breaks,
    )


def _calls(calls: tuple[Fields, ...]) -> tuple[ScriptedCall, ...]:
    """
    Put calls in the order of the model's stream.

    Fragments that share a stream index are one call to every reader of the
    stream: the last id and name, and all argument fragments.
    """
    placed = sorted(
        ((_index(call, position), call) for position, call in enumerate(calls)),
        key=lambda pair: pair[0],
    )
    groups = groupby(placed, key=lambda pair: pair[0])
    return tuple(_call(tuple(call for _, call in group)) for _, group in groups)


def _index(call: Fields, position: int) -> int:
    found = number(call, "index")
    return position if found is None else found


def _call(parts: tuple[Fields, ...]) -> ScriptedCall:
    fragments = [fragment for part in parts for fragment in _fragments(part)]
    ends = list(accumulate(len(fragment) for fragment in fragments))
    total = ends[-1] if ends else 0
    return ScriptedCall(
        id=_last(parts, "id"),
        name=_last(parts, "name"),
        arguments=_joined(fragments),
        cuts=tuple(sorted({end for end in ends if 0 < end < total})),
    )


def _fragments(call: Fields) -> list[bytes]:
    if isinstance(call.get("fragments"), list):
        return [fragment.encode() for fragment in texts(call, "fragments")]
    return [data(call, "arguments") or b""]


def _joined(fragments: list[bytes]) -> Text:
    return text_of(b"".join(fragments))


def _last(parts: tuple[Fields, ...], key: str) -> str:
    return next((found for part in reversed(parts) if (found := text(part, key))), "")
