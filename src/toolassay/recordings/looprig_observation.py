"""Runs of looprig as observations of the kit: the facets, each with its completeness."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from toolassay.recordings import looprig_limits as limits
from toolassay.recordings.looprig_events import gates_of, joined, read_event, request_tool
from toolassay.recordings.looprig_limits import Limit
from toolassay.recordings.looprig_messages import (
    UnreadableError,
    read_message,
    read_messages,
    refuse_note,
)
from toolassay.recordings.looprig_run import Envelope, Fields, Run, data, number, text
from toolassay.recordings.looprig_scenario import Decisions, read_scenario, shows_second
from toolassay.spec.events import TURN_ENDINGS, Event
from toolassay.spec.messages import Message
from toolassay.spec.observation import (
    Deliveries,
    Delivery,
    Encoding,
    Ending,
    Execution,
    Executions,
    History,
    Journal,
    Mark,
    Observation,
    Record,
    Requests,
    Subscription,
    TurnEnding,
)
from toolassay.spec.scenario import Scenario
from toolassay.spec.text import text_of

Read = tuple[tuple[Envelope, Event], ...]
"""Envelopes with their events, up to the first that cannot be read."""

_EVENTS: Final = frozenset({"event", "blobptr"})
"""Kinds of records that hold an event, or say where it is."""

_OF_CALLS: Final = frozenset(
    {"GateOpened", "GateResolved", "PermissionRequested", "ToolCallStarted"}
)
"""Events that say which tool a gate is for, and how it was answered."""


def read_observation(run: Run) -> tuple[Scenario | None, Observation]:
    """Say in the kit's words what was scripted and what was seen."""
    delivered, delivered_cut = _read(run.deliveries)
    recorded, recorded_cut = _read(record for record in run.journal if record.kind in _EVENTS)
    gates = gates_of(event for _, event in (*recorded, *delivered))
    journal = _journal(run, _joined(recorded, gates), recorded_cut)
    return read_scenario(run, _decisions(run)), Observation(
        history=_history(run, journal),
        requests=_requests(run),
        executions=_executions(run),
        deliveries=_deliveries(run, _joined(delivered, gates), delivered_cut, gates),
        journal=journal,
        ending=_ending(run),
    )


def _read(envelopes: Iterable[Envelope]) -> tuple[Read, Limit]:
    """Read events until one is not in the recording: what follows would be out of place."""
    found: list[tuple[Envelope, Event]] = []
    for envelope in envelopes:
        try:
            found.append((envelope, _event(envelope)))
        except UnreadableError as error:
            name = envelope.type or envelope.kind
            return tuple(found), Limit("cut", f"{name} {envelope.seq}: {error}")
    return tuple(found), limits.WHOLE


def _event(envelope: Envelope) -> Event:
    if envelope.kind == "blobptr":
        raise UnreadableError("its body was kept outside the journal")
    return read_event(envelope.type, envelope.body)


def _joined(read: Read, gates: dict[str, str]) -> Read:
    return tuple((envelope, joined(event, gates)) for envelope, event in read)


def _decisions(run: Run) -> Decisions:
    """Say how the permission gates of each tool were answered, as far as is in sight."""
    seen = [one for one in (*run.journal, *run.deliveries) if one.type in _OF_CALLS]
    read = tuple(pair for envelope in seen for pair in _read((envelope,))[0])
    gates = gates_of(event for _, event in read)
    tools = {text(entry, "execution_id"): text(entry, "tool") for entry in run.executions}
    for envelope, event in read:
        name = request_tool(envelope.type, envelope.body) or event.tool_name
        if name and event.tool_execution_id:
            tools[event.tool_execution_id] = name
    found: dict[str, frozenset[str]] = {}
    for _, event in read:
        name = tools.get(joined(event, gates).tool_execution_id, "")
        if event.type == "GateResolved" and name:
            found[name] = found.get(name, frozenset()) | {event.action}
    return found


def _journal(run: Run, recorded: Read, cut: Limit) -> Journal:
    limit = cut if cut is not limits.WHOLE else limits.of_journal(run)
    records = tuple(Record(envelope.seq, event) for envelope, event in recorded)
    return Journal(records, limit.status, limit.why)


def _deliveries(run: Run, main: Read, cut: Limit, gates: dict[str, str]) -> Deliveries:
    limit = cut if cut is not limits.WHOLE else limits.of_stream(run, run.deliveries)
    first = Subscription(
        deliveries=_delivered(main),
        status=limit.status,
        why=limit.why,
        error=limits.subscription_error(run),
    )
    if not shows_second(run):
        return Deliveries((first,))
    return Deliveries((first, _second(run, gates)))


def _second(run: Run, gates: dict[str, str]) -> Subscription:
    envelopes = run.second or ()
    read, cut = _read(envelopes)
    limit = cut if cut is not limits.WHOLE else limits.of_reader(run, envelopes)
    return Subscription(_delivered(_joined(read, gates)), "second", limit.status, limit.why)


def _delivered(read: Read) -> tuple[Delivery, ...]:
    return tuple(
        Delivery(
            event=event,
            durability="ephemeral" if envelope.durability == "ephemeral" else "enduring",
            # Looprig's 0 stands for none (DUR-01).
            seq=envelope.seq or None,
            in_journal=envelope.in_journal,
        )
        for envelope, event in read
    )


def _history(run: Run, journal: Journal) -> History:
    messages, cut = _committed(run)
    limit = cut if cut is not limits.WHOLE else limits.of_history(run)
    return History(
        messages=messages,
        status=limit.status,
        why=limit.why,
        arguments="value",
        encoding=_encoding(run, messages, journal),
    )


def _committed(run: Run) -> tuple[tuple[Message, ...], Limit]:
    """Read the history up to the first group that is not wholly in the recording."""
    found: list[Message] = []
    for position, source in enumerate(run.history):
        try:
            found.append(read_message(source))
        except UnreadableError as error:
            return _whole_groups(found), Limit("cut", f"message {position}: {error}")
    return tuple(found), limits.WHOLE


def _whole_groups(messages: list[Message]) -> tuple[Message, ...]:
    start = len(messages)
    while start and messages[start - 1].role == "tool":
        start -= 1
    results = len(messages) - start
    calls = len(messages[start - 1].calls) if start else 0
    return tuple(messages if results >= calls else messages[: start - 1])


def _encoding(run: Run, messages: tuple[Message, ...], journal: Journal) -> Encoding:
    """Say what the system's codec made of the history: it was replayed from the journal."""
    refused = limits.commit_error(run)
    if refused:
        return Encoding(ok=False, error=refused)
    unread = limits.replay_error(run)
    if unread:
        return Encoding(ok=True, error=unread, round_trips=False)
    written = [message for record in journal.records for message in record.event.messages]
    read = [message for message in messages if message.role in {"assistant", "tool"}]
    return Encoding(ok=True, round_trips=True if written == read else None)


def _requests(run: Run) -> Requests:
    found: list[tuple[Message, ...]] = []
    limit = limits.of_run(run)
    for position, source in enumerate(run.requests):
        try:
            messages = read_messages(source)
        except UnreadableError as error:
            limit = Limit("cut", f"request {position}: {error}")
            break
        found.append(_exact(messages, run.inputs[position] if position < len(run.inputs) else None))
    return Requests(tuple(found), limit.status, limit.why, arguments="value")


def _exact(messages: tuple[Message, ...], inputs: tuple[bytes, ...] | None) -> tuple[Message, ...]:
    """Put the exact bytes of arguments and results in place of what JSON made of them."""
    places = sum(len(message.calls) + (message.role == "tool") for message in messages)
    if inputs is None or places != len(inputs):
        return messages
    parts = iter(inputs)
    return tuple(_with_inputs(message, parts) for message in messages)


def _with_inputs(message: Message, parts: Iterator[bytes]) -> Message:
    if message.role == "tool":
        return msgspec.structs.replace(message, text=text_of(next(parts)))
    calls = tuple(
        msgspec.structs.replace(call, arguments=text_of(next(parts))) for call in message.calls
    )
    return msgspec.structs.replace(message, calls=calls) if calls else message


def _executions(run: Run) -> Executions:
    found: list[Execution] = []
    limit = limits.of_run(run)
    for position, entry in enumerate(run.executions):
        try:
            found.append(_execution(entry))
        except UnreadableError as error:
            limit = Limit("cut", f"arguments of execution {position}: {error}")
            break
    return Executions(tuple(found), limit.status, limit.why)


def _execution(entry: Fields) -> Execution:
    ended = number(entry, "ended_after_deliveries")
    arguments = data(entry, "arguments") or b""
    refuse_note(arguments)
    return Execution(
        tool=text(entry, "tool"),
        arguments=text_of(arguments),
        execution_id=text(entry, "execution_id"),
        call_id=text(entry, "call_id") if "call_id" in entry else None,
        # What is counted are deliveries of the recording subscriber, as it took them.
        began=Mark(deliveries=number(entry, "seen_at_begin")),
        ended=None if ended is None else Mark(deliveries=ended),
    )


def _ending(run: Run) -> Ending:
    limit = limits.of_ending(run)
    known = [ending for ending in run.endings if text(ending, "type") in TURN_ENDINGS]
    turns = tuple(
        TurnEnding(turn, TURN_ENDINGS[text(ending, "type")], text(ending, "err"))
        for turn, ending in enumerate(known)
    )
    return Ending(turns, limit.status, limit.why)
