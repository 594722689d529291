"""Making a scenario ask for no more than an implementation declares."""

from __future__ import annotations

from collections.abc import Collection

from msgspec.structs import replace

from toolassay.spec.scenario import Behaviour, Reply, Scenario, Subscriber, ToolScript


def fitted(scenario: Scenario, features: Collection[str]) -> Scenario:
    """
    Take out of a scenario what the features do not allow.

    Generated scenarios ask for anything; what is left here still is a scenario
    of its kind, where leaving the whole of it out would waste it.
    """
    model = tuple(_reply(reply, features) for reply in scenario.model)
    tools = tuple(_tool(tool, features) for tool in scenario.tools)
    listeners = scenario.subscribers
    if not {"subscribers", "stall"} <= set(features):
        listeners = (Subscriber(listeners[0].name),)
    one_by_one = "sequential" in features and (scenario.sequential or "parallel" not in features)
    return replace(
        scenario,
        model=model if one_by_one or "parallel" in features else tuple(map(_first_call, model)),
        tools=tools,
        policy=scenario.policy if "policy" in features else {},
        users=scenario.users if "next-turn" in features else scenario.users[:1],
        subscribers=listeners,
        sequential=one_by_one,
    )


def _reply(reply: Reply, features: Collection[str]) -> Reply:
    if not reply.streamed:
        return reply
    if "stream-text" not in features:
        calls = tuple(replace(call, cuts=()) for call in reply.calls)
        return replace(reply, calls=calls, streamed=False, stall=0, breaks=False)
    return replace(
        reply,
        stall=reply.stall if "stream-stall" in features else 0,
        breaks=reply.breaks and "stream-breaks" in features,
    )


def _first_call(reply: Reply) -> Reply:
    return replace(reply, calls=reply.calls[:1])


def _tool(tool: ToolScript, features: Collection[str]) -> ToolScript:
    behaviour = tool.behaviour
    unwanted = (
        (behaviour.raises is not None and "raises" not in features)
        or (behaviour.hangs and "hangs" not in features)
        or (behaviour.waits_for is not None and "waits" not in features)
    )
    return replace(tool, behaviour=Behaviour()) if unwanted else tool
