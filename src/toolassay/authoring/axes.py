"""
The built-in axes: transforms of a scenario that the kit makes.

The first value of each axis below leaves the scenario as it is. The axes apply
in the order of `BUILTIN_AXES`, so that siblings are streamed like other calls.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import msgspec

from toolassay.authoring.cuts import char_cuts, halving_cut, inner_cuts
from toolassay.spec.scenario import (
    Behaviour,
    Reply,
    Scenario,
    ScriptedCall,
    Subscriber,
    ToolScript,
)
from toolassay.spec.text import bytes_of

__all__ = ["BUILTIN_AXES", "axis_conflict", "transformed"]

SIBLING_TOOL: Final = ToolScript("sibling", behaviour=Behaviour(returns="sibling ok"))
"""The tool that siblings call."""

SIBLING_IDS: Final = ("sib1", "sib2")
"""Ids of the calls that the axis `batch` adds."""

STALLED: Final = Subscriber("stalled", stalls_after=1)
"""The subscriber that the axis `subscriber` adds."""

BUILTIN_AXES: Final[Mapping[str, tuple[str, ...]]] = {
    "batch": ("alone", "first", "last", "both"),
    "stream": ("whole", "chars", "halves", "bytes"),
    "subscriber": ("reading", "stalled"),
}
"""Their names and values, in the order in which they apply."""

_CUTTERS: Final[Mapping[str, Callable[[bytes], tuple[int, ...]]]] = {
    "chars": char_cuts,
    "halves": halving_cut,
    "bytes": inner_cuts,
}


def transformed(scenario: Scenario, values: Mapping[str, str]) -> Scenario:
    """
    Apply built-in axes to a scenario.

    Args:
        scenario: The scenario as authored.
        values: Names of values by axis; other axes are ignored.
    """
    for axis in BUILTIN_AXES:
        value = values.get(axis, BUILTIN_AXES[axis][0])
        if value != BUILTIN_AXES[axis][0]:
            scenario = _TRANSFORMS[axis](scenario, value)
    return scenario


def axis_conflict(scenario: Scenario, axis: str) -> str:
    """Say what of a scenario keeps a built-in axis from applying; empty if nothing does."""
    return _CONFLICTS[axis](scenario)


def _batched(scenario: Scenario, value: str) -> Scenario:
    """Put siblings first or last into the first reply that has calls."""
    before = [_sibling(SIBLING_IDS[0])] if value in {"first", "both"} else []
    after = [_sibling(SIBLING_IDS[len(before)])] if value in {"last", "both"} else []
    at = next(index for index, reply in enumerate(scenario.model) if reply.calls)
    replies = list(scenario.model)
    calls = (*before, *replies[at].calls, *after)
    replies[at] = msgspec.structs.replace(replies[at], calls=calls)
    tools = (*scenario.tools, SIBLING_TOOL)
    return msgspec.structs.replace(scenario, model=tuple(replies), tools=tools)


def _sibling(call_id: str) -> ScriptedCall:
    return ScriptedCall(call_id, SIBLING_TOOL.name)


def _streamed(scenario: Scenario, value: str) -> Scenario:
    """Stream every reply, and cut the arguments of every call."""
    replies = tuple(
        msgspec.structs.replace(
            reply, streamed=True, calls=tuple(_cut(call, value) for call in reply.calls)
        )
        for reply in scenario.model
    )
    return msgspec.structs.replace(scenario, model=replies)


def _cut(call: ScriptedCall, value: str) -> ScriptedCall:
    return msgspec.structs.replace(call, cuts=_CUTTERS[value](bytes_of(call.arguments)))


def _stalled(scenario: Scenario, _value: str) -> Scenario:
    """Add a subscriber that stops reading after its first delivery."""
    return msgspec.structs.replace(scenario, subscribers=(*scenario.subscribers, STALLED))


_TRANSFORMS: Final[Mapping[str, Callable[[Scenario, str], Scenario]]] = {
    "batch": _batched,
    "stream": _streamed,
    "subscriber": _stalled,
}


def _batch_conflict(scenario: Scenario) -> str:
    ids = {call.id for reply in scenario.model for call in reply.calls}
    if not ids:
        return "no reply has a call"
    taken = [f"the call id {call_id!r}" for call_id in SIBLING_IDS if call_id in ids]
    if scenario.tool(SIBLING_TOOL.name) is not None:
        taken.append(f"the tool {SIBLING_TOOL.name!r}")
    return f"{taken[0]} is the kit's" if taken else ""


def _stream_conflict(scenario: Scenario) -> str:
    handmade = any(_is_handmade(reply) for reply in scenario.model)
    return "a reply is streamed by hand" if handmade else ""


def _is_handmade(reply: Reply) -> bool:
    return reply.streamed or reply.breaks or reply.stall > 0 or any(c.cuts for c in reply.calls)


def _subscriber_conflict(scenario: Scenario) -> str:
    names = {subscriber.name for subscriber in scenario.subscribers}
    return f"the subscriber {STALLED.name!r} is the kit's" if STALLED.name in names else ""


_CONFLICTS: Final[Mapping[str, Callable[[Scenario], str]]] = {
    "batch": _batch_conflict,
    "stream": _stream_conflict,
    "subscriber": _subscriber_conflict,
}
