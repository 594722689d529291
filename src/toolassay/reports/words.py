"""Short words for events, calls, messages and scenarios; all of them printable."""

from __future__ import annotations

from collections.abc import Mapping

from toolassay.printable import printable
from toolassay.spec.case import Case
from toolassay.spec.events import EVENT_KINDS, Event, is_missing
from toolassay.spec.messages import Message
from toolassay.spec.observation import Observation
from toolassay.spec.scenario import Behaviour, Reply, Scenario
from toolassay.spec.text import Base64, Text

BRIEF = 48
"""Characters of an argument or a result inside a line."""

Names = Mapping[str, str]
"""What executions are called, by execution id."""


def count_words(counts: Mapping[str, int]) -> str:
    """Show how often each of some names was counted, sorted by name."""
    return ", ".join(f"{name} {number}" for name, number in sorted(counts.items()))


def text_words(text: Text, limit: int = BRIEF) -> str:
    """Show a text."""
    if isinstance(text, Base64):
        return f"base64:{printable(text.base64, limit)}"
    return printable(text, limit)


def names_of(observation: Observation) -> dict[str, str]:
    """Name executions by their calls; where these are unknown, by numbers."""
    names: dict[str, str] = {}
    for execution in observation.executions.executions if observation.executions else ():
        if execution.execution_id and execution.call_id:
            names.setdefault(execution.execution_id, printable(execution.call_id, 16))
    for subscription in observation.deliveries.subscriptions if observation.deliveries else ():
        for delivery in subscription.deliveries:
            _number(delivery.event, names)
    for record in observation.journal.records if observation.journal else ():
        _number(record.event, names)
    return names


def _number(event: Event, names: dict[str, str]) -> None:
    identifier = event.tool_execution_id
    if not is_missing(identifier) and identifier not in names:
        names[identifier] = f"x{len(names) + 1}"


def event_words(event: Event, names: Names) -> str:
    """Show an event: its type, its call, and what distinguishes it."""
    words = [printable(event.type, 32)]
    if event.tool_execution_id:
        words.append(names.get(event.tool_execution_id) or printable(event.tool_execution_id, 12))
    elif (kind := EVENT_KINDS.get(event.type)) is not None and kind.of_call:
        words.append("(no execution id)")
    if event.gate_id:
        words.append(f"gate {printable(event.gate_id, 12)}")
    words += [printable(part, 24) for part in (event.effect, event.action, event.tool_name) if part]
    if event.is_error:
        words.append("error")
    words += [_member_words(message) for message in event.messages]
    return " ".join(word for word in words if word)


def _member_words(message: Message) -> str:
    """Show a message of a step group, as short as can be."""
    if message.role == "tool":
        said = "error" if message.is_error else "ok"
        return f"{printable(message.tool_use_id or '?', 16)} {said}"
    calls = ", ".join(printable(call.id or "?", 16) for call in message.calls[:4])
    return f"calls {calls}:" if calls else "" if message.role == "assistant" else message.role


def message_words(message: Message) -> str:
    """Show a message: what it calls, answers or says."""
    if message.role == "tool":
        flag = {True: "error", False: "ok", None: "no flag"}[message.is_error]
        answers = printable(message.tool_use_id or "", 24) or "(no call)"
        return f'answers {answers} {flag} "{text_words(message.text)}"'
    parts = [f'"{text_words(message.text)}"'] if message.text else []
    parts += [
        f"calls {printable(call.id, 16) or '(no id)'} {printable(call.name, 32)}"
        f"({text_words(call.arguments)})"
        for call in message.calls[:4]
    ]
    if len(message.calls) > 4:
        parts.append(f"and {len(message.calls) - 4} more calls")
    return ", ".join(parts) or "(empty)"


def case_words(case: Case) -> str:
    """Tell what an implementation was asked to go through."""
    if case.scenario is not None:
        return scenario_words(case.scenario)
    if case.event is not None:
        return f"validate the event {text_words(case.event, 160)}"
    if case.arguments is not None:
        return f"sanitise the arguments {text_words(case.arguments, 160)}"
    return "(nothing)"


def scenario_words(scenario: Scenario) -> str:
    """Tell a scenario in a sentence or two."""
    parts = [f"{len(scenario.users)} turns"] if len(scenario.users) > 1 else []
    parts += [_reply_words(reply, scenario) for reply in scenario.model[:4]]
    if len(scenario.model) > 4:
        parts.append(f"{len(scenario.model) - 4} more replies")
    stalled = [one.name for one in scenario.subscribers if one.stalls_after is not None]
    parts += [f"subscriber {printable(name, 24)} stalls" for name in stalled]
    return "; then ".join(parts)


def _reply_words(reply: Reply, scenario: Scenario) -> str:
    how = "streams" if reply.streamed else "calls" if reply.calls else "says"
    said = [f'"{printable(reply.text, BRIEF)}"'] if reply.text or not reply.calls else []
    said += [
        f"{printable(call.id, 16) or '(no id)'} {printable(call.name, 32)}"
        f"({text_words(call.arguments)}){_fate_words(call.name, scenario)}"
        for call in reply.calls[:3]
    ]
    if len(reply.calls) > 3:
        said.append(f"{len(reply.calls) - 3} more calls")
    ends = " and breaks off" if reply.breaks else ""
    return f"the model {how} {', '.join(said)}{ends}"


def _fate_words(name: str, scenario: Scenario) -> str:
    """Tell what is special about the tool of a call."""
    if scenario.policy.get(name) == "deny":
        return " [denied by policy]"
    tool = scenario.tool(name)
    if tool is None:
        return " [no such tool]"
    words = _behaviour_words(tool.behaviour)
    return f" [{words}]" if words else ""


def _behaviour_words(behaviour: Behaviour) -> str:
    if behaviour.hangs:
        return "hangs"
    if behaviour.raises is not None:
        return "raises"
    if behaviour.fails is not None:
        return "fails"
    return f"waits for {behaviour.waits_for}" if behaviour.waits_for else ""
