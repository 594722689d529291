"""
The words of looprig's scripts that this kit understands.

A script with any other word may ask for what no scenario of the kit says (a
tool that fails in a new way, a hook that changes a call). Such a run is judged
without a scenario: its events and messages stand for themselves.
"""

from __future__ import annotations

from typing import Final

from toolassay.recordings.looprig_run import Fields, objects, text

UNPREPARED: Final = frozenset({"none", "error", "badreq", "panic"})
"""Ways of `prepare` in which a call of the tool fails before anything is asked or run."""

_PREPARES: Final = UNPREPARED | {"", "pure"}

_WORLD: Final = frozenset(
    {
        "answers", "crash_on", "fail_append", "filter", "headless", "hook_guard", "hook_observe",
        "interrupt", "late_subscriber", "limits", "model", "mutate_delivery", "mutate_types",
        "no_gate", "policy", "post_late", "post_user", "restore", "shutdown_on",
        "stall_subscriber", "tamper", "timeout_ms", "tools", "user",
    }
)  # fmt: skip

_TOOL: Final = frozenset(
    {"audit", "behaviour", "command", "name", "prepare", "schema", "sequential", "summary"}
)

_BEHAVIOUR: Final = frozenset(
    {
        "ask", "big", "big_unit", "block", "both", "choices", "error", "goexit", "nil", "panic",
        "returns", "returns_b64", "sleep_ms", "wait_event",
    }
)  # fmt: skip

_REPLY: Final = frozenset({"calls", "error", "stall", "text", "thinking"})

_CALL: Final = frozenset({"arguments", "arguments_b64", "fragments", "id", "index", "name"})


def is_understood(world: Fields) -> bool:
    """Tell whether a script has only words that are known here."""
    tools, replies = objects(world, "tools"), objects(world, "model")
    calls = [call for reply in replies for call in objects(reply, "calls")]
    return (
        world.keys() <= _WORLD
        and all(tool.keys() <= _TOOL and text(tool, "prepare") in _PREPARES for tool in tools)
        and all(behaviour_of(tool).keys() <= _BEHAVIOUR for tool in tools)
        and all(reply.keys() <= _REPLY for reply in replies)
        and all(call.keys() <= _CALL for call in calls)
    )


def behaviour_of(tool: Fields) -> Fields:
    """Give what a tool's callback is told to do."""
    found = objects({"behaviour": [tool.get("behaviour")]}, "behaviour")
    return found[0] if found else {}
