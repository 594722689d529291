"""What a scenario must keep beyond its shape; judged before the built-in axes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from toolassay.authoring import errors
from toolassay.authoring.model import Vector
from toolassay.authoring.schema import near_hint
from toolassay.spec.scenario import Behaviour, Reply, Scenario, ScriptedCall
from toolassay.spec.text import bytes_of
from toolassay.spec.yaml_text import Path

__all__ = ["scenario_faults"]


def scenario_faults(vector: Vector, scenario: Scenario) -> Iterator[errors.AuthoringError]:
    """Find what is wrong with a scenario as authored."""
    yield from _name_faults(vector, scenario)
    yield from _call_faults(vector, scenario)
    yield from _policy_faults(vector, scenario)
    for at, tool in enumerate(scenario.tools):
        path = _given(vector, "tools", at, "behaviour")
        for what, hint in _behaviour_faults(tool.behaviour):
            yield errors.ScenarioBehaviourError.at(vector.document, path, what, hint)
    for at, reply in enumerate(scenario.model):
        yield from _reply_faults(vector, reply, _given(vector, "model", at))


def _given(vector: Vector, *steps: str | int) -> Path:
    return (*vector.path, "given", *steps)


def _name_faults(vector: Vector, scenario: Scenario) -> Iterator[errors.AuthoringError]:
    tools = [tool.name for tool in scenario.tools]
    subscribers = [subscriber.name for subscriber in scenario.subscribers]
    for key, names in (("tools", tools), ("subscribers", subscribers)):
        for at in _repeated(names):
            what = f"the name {names[at]!r} stands twice in `{key}`"
            path = _given(vector, key, at)
            yield errors.ScenarioNameError.at(vector.document, path, what)
    for key, items in (("users", scenario.users), ("subscribers", scenario.subscribers)):
        if not items:
            what = f"`{key}` is empty"
            hint = f"leave `{key}` out for the default"
            yield errors.ScenarioNameError.at(vector.document, _given(vector, key), what, hint)


def _repeated(names: Sequence[str]) -> list[int]:
    return [at for at, name in enumerate(names) if name in names[:at]]


def _call_faults(vector: Vector, scenario: Scenario) -> Iterator[errors.AuthoringError]:
    seen: set[str] = set()
    for at, reply in enumerate(scenario.model):
        for index, call in enumerate(reply.calls):
            if call.id in seen and not vector.note:
                path = _given(vector, "model", at, "calls", index, "id")
                what = f"the call id {call.id!r} is used twice"
                yield errors.ScenarioCallError.at(vector.document, path, what)
            seen.add(call.id)


def _policy_faults(vector: Vector, scenario: Scenario) -> Iterator[errors.AuthoringError]:
    names = [tool.name for tool in scenario.tools]
    for name in scenario.policy:
        if name not in names:
            what = f"the policy names the tool {name!r}, which the scenario does not have"
            path = _given(vector, "policy", name)
            hint = near_hint(name, names)
            yield errors.ScenarioPolicyError.at_key(vector.document, path, what, hint)


def _behaviour_faults(behaviour: Behaviour) -> Iterator[tuple[str, str]]:
    ways = {
        "returns": behaviour.returns is not None,
        "fails": behaviour.fails is not None,
        "raises": behaviour.raises is not None,
        "hangs": behaviour.hangs,
    }
    given = [name for name, there in ways.items() if there]
    if len(given) > 1:
        yield f"the tool has {' and '.join(given)} at once", "give at most one of them"
    if behaviour.waits_for is not None and behaviour.ticks <= 0:
        yield "the tool waits without a bound", "give `ticks`, the longest wait"
    if behaviour.hangs and (behaviour.ticks or behaviour.waits_for):
        yield "a tool that hangs neither waits nor counts ticks", "leave `ticks` out"


def _reply_faults(vector: Vector, reply: Reply, path: Path) -> Iterator[errors.AuthoringError]:
    for key, there in (("stall", reply.stall > 0), ("breaks", reply.breaks)):
        if there and not reply.streamed:
            what = f"`{key}` is for a streamed reply"
            hint = "add `streamed: true`"
            yield errors.ScenarioCutsError.at_key(vector.document, (*path, key), what, hint)
    for at, call in enumerate(reply.calls):
        if fault := _cuts_fault(call, streamed=reply.streamed):
            place = (*path, "calls", at, "cuts")
            yield errors.ScenarioCutsError.at(vector.document, place, fault)


def _cuts_fault(call: ScriptedCall, *, streamed: bool) -> str:
    """Say what is wrong with the cuts of a call; empty if nothing is."""
    size = len(bytes_of(call.arguments))
    fault = ""
    if call.cuts and not streamed:
        fault = "`cuts` are for a streamed reply"
    elif any(not 0 < cut < size for cut in call.cuts):
        fault = f"a cut is not between 1 and {size - 1}, inside the {size} bytes of the arguments"
    elif list(call.cuts) != sorted(set(call.cuts)):
        fault = "the cuts do not ascend"
    return fault
