"""
Ways to see less, or otherwise, of a run, none of which makes it another run.

Each takes a source of choices and an observation. Marks go on counting what
they counted: what is taken from a stream is taken from the counts of it too.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import msgspec

from toolassay.properties.choices import Choose
from toolassay.spec.events import Event
from toolassay.spec.json_text import judge_arguments
from toolassay.spec.messages import Message
from toolassay.spec.observation import (
    Deliveries,
    Delivery,
    Execution,
    Mark,
    Observation,
    Record,
    Subscription,
)
from toolassay.spec.text import Text, bytes_of

T = TypeVar("T")
S = TypeVar("S", bound=msgspec.Struct)

Perturbation = Callable[[Choose, Observation], Observation]

INCOMPLETE = ("aborted", "cut", "unsubscribed")
"""Without `deadline`, by which a run says that something stopped it (DUR-06)."""
FACETS = ("history", "requests", "executions", "deliveries", "journal", "ending")


def changed(value: S, **changes: object) -> S:
    return msgspec.structs.replace(value, **changes)


def coin(choose: Choose) -> bool:
    return choose(2) == 1


def some(choose: Choose, items: Sequence[T]) -> list[T]:
    return [item for item in items if coin(choose)]


def marks(observation: Observation, change: Callable[[Mark], Mark]) -> Observation:
    """Change every mark of the executions."""
    facet = observation.executions
    if facet is None:
        return observation
    executions = tuple(
        changed(one, began=change(one.began), ended=one.ended and change(one.ended))
        for one in facet.executions
    )
    return changed(observation, executions=changed(facet, executions=executions))


def recounted(counts: Sequence[int], name: str) -> Callable[[Mark], Mark]:
    """Give marks that count a stream anew; `counts` has the new count for each old one."""

    def change(mark: Mark) -> Mark:
        old = getattr(mark, name)
        return mark if old is None else changed(mark, **{name: counts[min(old, len(counts) - 1)]})

    return change


def with_streams(
    observation: Observation, change: Callable[[Sequence[Delivery]], list[list[Delivery]]]
) -> Observation:
    """Put lists of deliveries in the place of each delivery, in every subscription."""
    facet = observation.deliveries
    if facet is None:
        return observation
    subscriptions = []
    for number, one in enumerate(facet.subscriptions):
        parts = change(one.deliveries)
        kept = tuple(itertools.chain.from_iterable(parts))
        subscriptions.append(changed(one, deliveries=kept))
        if number == 0:
            counts = [0, *itertools.accumulate(map(len, parts))]
            observation = marks(observation, recounted(counts, "deliveries"))
    return changed(observation, deliveries=Deliveries(tuple(subscriptions)))


# --- less -----------------------------------------------------------------------------------


def drop_ephemerals(choose: Choose, observation: Observation) -> Observation:
    def kept(one: Delivery) -> bool:
        return one.durability != "ephemeral" or coin(choose)

    return with_streams(observation, lambda found: [[one] if kept(one) else [] for one in found])


def drop_facets(choose: Choose, observation: Observation) -> Observation:
    return changed(observation, **dict.fromkeys(some(choose, FACETS), None))


def drop_subscriber(choose: Choose, observation: Observation) -> Observation:
    facet = observation.deliveries
    if facet is None:
        return observation
    first, *others = facet.subscriptions
    return changed(observation, deliveries=Deliveries((first, *some(choose, others))))


def mark_incomplete(choose: Choose, observation: Observation) -> Observation:
    for name in some(choose, FACETS):
        facet = getattr(observation, name)
        status = INCOMPLETE[choose(len(INCOMPLETE))]
        if isinstance(facet, Deliveries):
            cut = tuple(changed(one, status=status) for one in facet.subscriptions)
            observation = changed(observation, deliveries=Deliveries(cut))
        elif facet is not None:
            observation = changed(observation, **{name: changed(facet, status=status)})
    return observation


def truncate(choose: Choose, observation: Observation) -> Observation:
    """Cut facets anywhere, and say so."""

    def cut(facet: S, field: str) -> S:
        items = getattr(facet, field)
        return changed(facet, **{field: items[: choose(len(items) + 1)], "status": "cut"})

    fields = {
        "history": "messages", "requests": "requests", "executions": "executions",
        "journal": "records", "ending": "turns",
    }  # fmt: skip
    for name in some(choose, FACETS):
        facet = getattr(observation, name)
        if isinstance(facet, Deliveries):
            less = tuple(cut(one, "deliveries") for one in facet.subscriptions)
            observation = changed(observation, deliveries=Deliveries(less))
        elif facet is not None:
            observation = changed(observation, **{name: cut(facet, fields[name])})
    return observation


def know_less(choose: Choose, observation: Observation) -> Observation:
    """Leave out ids, marks, classes, numbers and flags that not every form has."""
    facet = observation.executions
    if facet is not None:
        less: dict[str, object] = {"call_id": None, "execution_id": "", "ended": None}
        gone = {name: less[name] for name in some(choose, list(less))}
        began = Mark() if coin(choose) else None
        executions = tuple(
            changed(one, began=began or one.began, **gone) for one in facet.executions
        )
        observation = changed(observation, executions=changed(facet, executions=executions))
    plain: dict[str, object] = {"durability": "", "seq": None, "in_journal": None}
    dropped = {name: plain[name] for name in some(choose, list(plain))}
    observation = with_streams(
        observation, lambda found: [[changed(one, **dropped)] for one in found]
    )
    fields = dict.fromkeys(some(choose, ["event_id", "reason", "summary"]), "")
    observation = every_event(observation, lambda event: changed(event, **fields))
    return every_message(observation, without_flag) if coin(choose) else observation


def without_flag(message: Message) -> Message:
    return changed(message, is_error=None)


# --- more -----------------------------------------------------------------------------------


def foreign_events(choose: Choose, observation: Observation) -> Observation:
    """Put events between that the contract does not know."""

    def strange() -> list[Delivery]:
        event = Event("CheckpointSaved", "aside", tool_execution_id="aside")
        return [Delivery(event, "ephemeral")] * (choose(4) == 0)

    found = with_streams(observation, lambda all_: [[*strange(), one] for one in all_])
    journal = found.journal
    if journal is None:
        return found
    parts = [
        [*([Record(one.seq, Event("LeaseTaken", "aside"))] * (choose(4) == 0)), one]
        for one in journal.records
    ]
    records = tuple(itertools.chain.from_iterable(parts))
    records = tuple(changed(one, seq=at + 1) for at, one in enumerate(records))
    found = renumbered(found, {one.seq: seq for one, seq in old_and_new(journal.records, records)})
    counts = [0, *itertools.accumulate(map(len, parts))]
    found = marks(found, recounted(counts, "journal"))
    return changed(found, journal=changed(journal, records=records))


def old_and_new(old: Sequence[Record], new: Sequence[Record]) -> list[tuple[Record, int]]:
    kept = [one for one in new if one.event.type != "LeaseTaken"]
    return [(one, other.seq) for one, other in zip(old, kept, strict=True)]


def gaps(choose: Choose, observation: Observation) -> Observation:
    """Leave gaps in the sequence numbers."""
    if observation.journal is None:
        return observation
    numbers = [one.seq for one in observation.journal.records]
    steps = itertools.accumulate(1 + choose(3) for _ in numbers)
    return renumbered(observation, dict(zip(numbers, steps, strict=True)))


def renumbered(observation: Observation, numbers: dict[int, int]) -> Observation:
    """Give other sequence numbers, in the journal and to deliveries alike."""
    observation = with_streams(
        observation,
        lambda found: [
            [changed(one, seq=numbers.get(one.seq, one.seq) if one.seq else one.seq)]
            for one in found
        ],
    )
    journal = observation.journal
    if journal is None:
        return observation
    records = tuple(changed(one, seq=numbers.get(one.seq, one.seq)) for one in journal.records)
    return changed(observation, journal=changed(journal, records=records))


# --- otherwise ------------------------------------------------------------------------------


def rename(choose: Choose, observation: Observation) -> Observation:
    """Give every id another name, one to one."""
    letters = "abcdef"[choose(6)]

    def other(identifier: str) -> str:
        return f"{letters}-{identifier[::-1]}" if identifier else identifier

    names = ("session_id", "loop_id", "turn_id", "step_id", "event_id", "tool_execution_id")

    def event(one: Event) -> Event:
        return changed(one, **{name: other(getattr(one, name)) for name in names})

    def message(one: Message) -> Message:
        calls = tuple(changed(call, id=other(call.id)) for call in one.calls)
        answers = other(one.tool_use_id) if one.tool_use_id is not None else None
        return changed(one, calls=calls, tool_use_id=answers)

    def execution(one: Execution) -> Execution:
        call = other(one.call_id) if one.call_id is not None else None
        return changed(one, call_id=call, execution_id=other(one.execution_id))

    observation = every_message(every_event(observation, event), message)
    facet = observation.executions
    if facet is None:
        return observation
    executions = tuple(map(execution, facet.executions))
    return changed(observation, executions=changed(facet, executions=executions))


def encode_anew(choose: Choose, observation: Observation) -> Observation:
    """Write values anew: keys in another order, other escapes, other spaces, 1.0 for 1."""
    indent = choose(3) or None
    ascii_only, backwards = coin(choose), coin(choose)

    def value(found: Any) -> Any:  # noqa: ANN401 - any JSON value
        if isinstance(found, dict):
            items = [(key, value(item)) for key, item in found.items()]
            return dict(items[::-1] if backwards else items)
        if isinstance(found, list):
            return [value(item) for item in found]
        if isinstance(found, int) and not isinstance(found, bool) and abs(found) < 2**53:
            return float(found)
        return found

    def anew(text: Text) -> Text:
        said = judge_arguments(bytes_of(text))
        if said.kind != "valid" or not said.duplicate_key is said.number_out_of_range is None:
            return text
        return json.dumps(value(json.loads(bytes_of(text))), indent=indent, ensure_ascii=ascii_only)

    def message(one: Message) -> Message:
        calls = tuple(changed(call, arguments=anew(call.arguments)) for call in one.calls)
        return changed(one, calls=calls)

    observation = every_message(observation, message)
    facet = observation.executions
    if facet is None:
        return observation
    executions = tuple(changed(one, arguments=anew(one.arguments)) for one in facet.executions)
    return changed(observation, executions=changed(facet, executions=executions, arguments="value"))


def more_messages(choose: Choose, observation: Observation) -> Observation:
    """Show what else a history may hold: system messages, and users who say more."""

    def fuller(messages: tuple[Message, ...]) -> tuple[Message, ...]:
        found = [Message("system", "be brief")] if coin(choose) else []
        for one in messages:
            found.append(one)
            if one.role == "user" and coin(choose):
                found.append(Message("user", "and try again"))
        return tuple(found)

    if observation.history is not None:
        history = changed(observation.history, messages=fuller(observation.history.messages))
        observation = changed(observation, history=history)
    if observation.requests is not None:
        requests = tuple(map(fuller, observation.requests.requests))
        shown = changed(observation.requests, requests=requests)
        observation = changed(observation, requests=shown)
    return observation


def every_event(observation: Observation, change: Callable[[Event], Event]) -> Observation:
    def subscription(one: Subscription) -> Subscription:
        found = tuple(changed(item, event=change(item.event)) for item in one.deliveries)
        return changed(one, deliveries=found)

    if observation.deliveries is not None:
        streams = tuple(map(subscription, observation.deliveries.subscriptions))
        observation = changed(observation, deliveries=Deliveries(streams))
    if observation.journal is not None:
        records = tuple(
            changed(one, event=change(one.event)) for one in observation.journal.records
        )
        journal = changed(observation.journal, records=records)
        observation = changed(observation, journal=journal)
    return observation


def every_message(observation: Observation, change: Callable[[Message], Message]) -> Observation:
    def event(one: Event) -> Event:
        return changed(one, messages=tuple(map(change, one.messages)))

    observation = every_event(observation, event)
    if observation.history is not None:
        messages = tuple(map(change, observation.history.messages))
        history = changed(observation.history, messages=messages)
        observation = changed(observation, history=history)
    if observation.requests is not None:
        requests = tuple(tuple(map(change, one)) for one in observation.requests.requests)
        shown = changed(observation.requests, requests=requests)
        observation = changed(observation, requests=shown)
    return observation


PERTURBATIONS: tuple[Perturbation, ...] = (
    drop_ephemerals, drop_facets, drop_subscriber, mark_incomplete, truncate, know_less,
    foreign_events, gaps, rename, encode_anew, more_messages,
)  # fmt: skip


def perturbed(choose: Choose, observation: Observation) -> Observation:
    """
    See a run in several other ways at once.

    What is cut is cut last: marks count what was there.
    """
    for change in (
        drop_ephemerals, foreign_events, gaps, rename, encode_anew, more_messages, know_less,
        drop_subscriber, mark_incomplete, truncate, drop_facets,
    ):  # fmt: skip
        if coin(choose):
            observation = change(choose, observation)
    return observation
