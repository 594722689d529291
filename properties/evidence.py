"""
What the checks share about one observation: folds that are made once, when asked for.

Nothing here judges. A fold that a facet is missing for is empty; checks say
first which facets they need.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property

import msgspec

from toolassay.properties.groups import Group, Groups, split
from toolassay.properties.runs import Attribution, attribute, runs_of_malformed
from toolassay.properties.script import Held, Scripted, align, scripted_calls
from toolassay.properties.stream import StreamJudge
from toolassay.spec.case import Case
from toolassay.spec.events import EVENT_KINDS, Event
from toolassay.spec.finding import Finding, Place
from toolassay.spec.messages import Message
from toolassay.spec.observation import (
    Delivery,
    Execution,
    FacetName,
    HeldAs,
    Observation,
    Subscription,
)
from toolassay.spec.scenario import Scenario

_CUT = frozenset({"TurnFailed", "TurnInterrupted"})


class Stream(msgspec.Struct, frozen=True):
    """One stream of events, judged."""

    facet: FacetName
    """`deliveries` or `journal`."""
    part: str
    """The subscriber, for deliveries."""
    events: tuple[Event, ...]
    """Its events."""
    types: frozenset[str]
    """The types that occur."""
    complete: bool
    """True if all that was owed is here."""
    findings: tuple[Finding, ...]
    """What the stream breaks by itself."""


class Source(msgspec.Struct, frozen=True):
    """Step groups as one facet shows them."""

    facet: FacetName
    """The facet."""
    part: str
    """The subscriber, for deliveries."""
    groups: tuple[Group, ...]
    """The groups, in order."""
    at: tuple[int, ...]
    """Position of each group in the facet: of its assistant message, or of its StepDone."""
    complete: bool
    """True if every committed group is here."""
    held_as: HeldAs
    """How arguments of calls are held."""
    stream: Stream | None = None
    """The stream whose StepDone events hold the groups; None where messages do."""
    mixed: bool = False
    """True if the steps are those of several loops, which no script tells apart."""

    def number_of(self, group: Group) -> int:
        """Give the number of a group; another step may hold an equal one."""
        return next(number for number, one in enumerate(self.groups) if one is group)

    def place(self, number: int) -> Place:
        """Give the place of a group, by its number."""
        return Place(self.facet, self.at[number], self.part)

    def place_of(self, group: Group) -> Place:
        """Give the place of a group."""
        return self.place(self.number_of(group))


class Fate(msgspec.Struct):
    """What the events of one stream say of one execution id."""

    requested: int | None = None
    """Index of the first PermissionRequested."""
    approved: int | None = None
    """Index of the first approval."""
    denied: int | None = None
    """Index of the first denial."""
    settled: bool = False
    """True once a gate of it was resolved other than by a denial."""
    step: tuple[str, str] | None = None
    """The turn and step that its events carry; None if they differ or carry no step."""
    loop: tuple[str, str] | None = None
    """The session and loop of its events."""
    shared: bool = False
    """True if calls of several loops have this id, so that nothing is known of any of them."""


class Answered(msgspec.Struct, frozen=True):
    """The StepDone events of one stream, by what they answer."""

    by_call: dict[str, list[int]]
    """Their indices by the call ids of their results."""
    by_step: dict[tuple[str, str], int]
    """The index of the first one by turn and step."""


class Evidence:
    """
    One observation with its scenario, and what can be folded from them.

    Args:
        observation: What the implementation let us see.
        scenario: What it was asked to go through, if known.
        case: The case, for stateless operations.
    """

    def __init__(
        self, observation: Observation, scenario: Scenario | None = None, case: Case | None = None
    ) -> None:
        self.observation = observation
        self.scenario = scenario
        self.case = case
        # Two subscribers may give one name, so a stream is known by its identity.
        self._answered: dict[int, Answered] = {}
        self._held_in: dict[int, tuple[tuple[Group, ...], tuple[Held, ...]]] = {}

    # --- messages ---

    @cached_property
    def history(self) -> Groups:
        """Give the step groups of the history."""
        facet = self.observation.history
        return split(facet.messages) if facet is not None else Groups((), ())

    @cached_property
    def requests(self) -> tuple[Groups, ...]:
        """Give the step groups of each request."""
        facet = self.observation.requests
        return tuple(map(split, facet.requests)) if facet is not None else ()

    @cached_property
    def committed(self) -> Source | None:
        """Give the groups of the history."""
        facet, groups = self.observation.history, self.history.groups
        if facet is None:
            return None
        at = tuple(group.index for group in groups)
        return Source("history", "", groups, at, facet.status == "complete", facet.arguments)

    @cached_property
    def sources(self) -> tuple[Source, ...]:
        """Give all facets that show committed groups, the most telling first."""
        found = [self.committed] if self.committed is not None else []
        streams = sorted(self.streams, key=lambda stream: stream.facet != "journal")
        found.extend(_source_of(stream) for stream in streams if "StepDone" in stream.types)
        return tuple(found)

    @cached_property
    def shown(self) -> Source | None:
        """Give the groups of the last request."""
        facet = self.observation.requests
        if facet is None or not self.requests:
            return None
        groups = self.requests[-1].groups
        at = (len(self.requests) - 1,) * len(groups)
        return Source("requests", "", groups, at, complete=False, held_as=facet.arguments)

    @cached_property
    def main(self) -> Source | None:
        """Give the groups that checks of content judge: committed ones, else those shown."""
        return self.sources[0] if self.sources else self.shown

    # --- the script ---

    @cached_property
    def script(self) -> tuple[tuple[Scripted, ...], ...]:
        """Give the scripted calls, reply by reply."""
        return scripted_calls(self.scenario) if self.scenario is not None else ()

    @cached_property
    def calls(self) -> tuple[Scripted, ...]:
        """Give all scripted calls, in order."""
        return tuple(call for reply in self.script for call in reply)

    @cached_property
    def held(self) -> tuple[Held, ...]:
        """Give the scripted calls that are found in the main groups."""
        return self.held_in(self.main)

    def held_in(self, source: Source | None) -> tuple[Held, ...]:
        """Give the scripted calls that are found in the groups of a source."""
        if source is None or source.mixed or self.scenario is None:
            return ()
        known = self._held_in.get(id(source.groups))
        if known is None:
            held = self._find_held(source.groups, self.scenario)
            # The groups are kept too, or others could come to stand where they stood.
            known = self._held_in[id(source.groups)] = source.groups, held
        return known[1]

    def _find_held(self, groups: tuple[Group, ...], scenario: Scenario) -> tuple[Held, ...]:
        return tuple(
            Held(call, one.group, place)
            for one in align(groups, scenario.model)
            for call, place in zip(self.script[one.reply], one.positions, strict=True)
        )

    @cached_property
    def actual(self) -> dict[tuple[int, int], str]:
        """Give the id under which a scripted call is held, by reply and position."""
        return {(held.scripted.reply, held.scripted.at): held.id for held in self.held}

    # --- executions ---

    @property
    def executions(self) -> tuple[Execution, ...]:
        """Give the executions."""
        facet = self.observation.executions
        return facet.executions if facet is not None else ()

    @property
    def runs_hold_values(self) -> bool:
        """Tell whether callbacks see values, and no text."""
        facet = self.observation.executions
        return facet is not None and facet.arguments == "value"

    @cached_property
    def attribution(self) -> Attribution:
        """Say which execution belongs to which scripted call."""
        return attribute(self.executions, self.calls, self.actual)

    @cached_property
    def runs_of_malformed(self) -> tuple[tuple[int, Scripted | None], ...]:
        """Give the executions that can only be those of malformed calls, and their calls."""
        return runs_of_malformed(self.executions, self.calls, self.attribution)

    @cached_property
    def _runs_by_call_id(self) -> Counter[str]:
        ids = (one.call_id for one in self.executions)
        return Counter(one for one in ids if one is not None)

    def names_one_run(self, call_id: str, stream: Stream) -> bool:
        """
        Tell whether a call id names one execution, and no other call of a stream.

        An id may come again in a later step (MSG-18): without the script that is
        only known of a stream in which no step can be missing.
        """
        if self._runs_by_call_id[call_id] != 1:
            return False
        if self.scenario is not None:
            return call_id in self._ids_of_owners
        return stream.complete and _CUT.isdisjoint(stream.types)

    @cached_property
    def _ids_of_owners(self) -> frozenset[str | None]:
        owners = self.attribution.owners
        return frozenset(
            one.call_id for one, owner in zip(self.executions, owners, strict=True) if owner
        )

    # --- events ---

    @cached_property
    def streams(self) -> tuple[Stream, ...]:
        """Give every stream of events, judged: each subscriber's, then the journal."""
        found: list[Stream] = []
        if self.observation.deliveries is not None:
            found.extend(map(_judge_subscription, self.observation.deliveries.subscriptions))
        journal = self.observation.journal
        if journal is not None:
            events = [Delivery(record.event, "", record.seq) for record in journal.records]
            complete = journal.status == "complete"
            found.append(_judge_stream("journal", "", events, complete=complete))
        return tuple(found)

    @cached_property
    def broken_by_streams(self) -> dict[str, list[Finding]]:
        """Give what the streams break by themselves, by clause."""
        found: dict[str, list[Finding]] = {}
        for stream in self.streams:
            for one in stream.findings:
                found.setdefault(one.clause, []).append(one)
        return found

    @cached_property
    def first_stream(self) -> Stream | None:
        """Give the stream of the first subscriber, which marks count."""
        found = self.streams[:1]
        return found[0] if found and found[0].facet == "deliveries" else None

    @cached_property
    def journal_stream(self) -> Stream | None:
        """Give the stream of the journal."""
        found = self.streams[-1:]
        return found[0] if found and found[0].facet == "journal" else None

    @cached_property
    def journal_fates(self) -> dict[str, Fate]:
        """Say what the journal says of each execution id."""
        return fates(self.journal_stream) if self.journal_stream is not None else {}

    @cached_property
    def first_fates(self) -> dict[str, Fate]:
        """Say what the first subscriber saw of each execution id."""
        return fates(self.first_stream) if self.first_stream is not None else {}

    def answered_in(self, stream: Stream) -> Answered:
        """Give the StepDone events of a stream by what they answer."""
        found = self._answered.get(id(stream))
        if found is None:
            found = self._answered[id(stream)] = _answered_in(stream.events)
        return found

    def answer_to(self, execution: Execution, stream: Stream) -> int | None:
        """
        Give the index of the StepDone of a stream that answers an execution.

        It is found by the call id, if exactly one StepDone has it, or else by
        the step that the execution's own events carry.
        """
        answered = self.answered_in(stream)
        if execution.call_id is not None and self.names_one_run(execution.call_id, stream):
            found = answered.by_call.get(execution.call_id, [])
            if len(found) == 1:
                return found[0]
        known = self.journal_fates if stream.facet == "journal" else self.first_fates
        fate = known.get(execution.execution_id) if execution.execution_id else None
        return answered.by_step.get(fate.step) if fate is not None and fate.step else None


def _answered_in(events: Sequence[Event]) -> Answered:
    found = Answered({}, {})
    for index, event in enumerate(events):
        if event.type == "StepDone":
            if event.step_id:
                found.by_step.setdefault((event.turn_id, event.step_id), index)
            for answered in dict.fromkeys(message.tool_use_id for message in event.messages):
                if answered is not None:
                    found.by_call.setdefault(answered, []).append(index)
    return found


def fates(stream: Stream) -> dict[str, Fate]:
    """
    Fold what a stream says of each execution id.

    Loops may use the same ids. In a stream that is cut an id counts as shared
    as soon as there are several loops, since the other one's events may be gone.
    """
    found: dict[str, Fate] = {}
    gates: dict[str, str] = {}
    questioned: set[str] = set()
    loops = {
        (one.session_id, one.loop_id)
        for one in stream.events
        if one.loop_id and one.type in EVENT_KINDS
    }
    cut = not stream.complete and len(loops) > 1
    for index, event in enumerate(stream.events):
        execution = event.tool_execution_id
        if event.type == "GateOpened":
            gates[event.gate_id] = execution
            continue
        if event.type == "GateResolved":
            execution = execution or gates.get(event.gate_id, "")
        # The gate of a question that a tool asks does not decide on its call.
        if not execution or (event.type == "GateResolved" and execution in questioned):
            continue
        if event.type == "UserInputRequested":
            questioned.add(execution)
        fate = found.get(execution)
        if fate is None:
            fate = found[execution] = Fate(step=(event.turn_id, event.step_id), shared=cut)
        _take_in(fate, event, index)
        if event.type != "GateResolved":
            _place_fate(fate, event)
    return found


def _place_fate(fate: Fate, event: Event) -> None:
    loop = (event.session_id, event.loop_id)
    fate.shared |= fate.loop is not None and fate.loop != loop
    fate.loop = loop
    step = (event.turn_id, event.step_id)
    fate.step = step if event.step_id and fate.step == step else None


def has_loose_gate(events: Sequence[Event]) -> bool:
    """Tell whether a gate was resolved that names no call, and so may be that of any."""
    gates = {event.gate_id for event in events if event.tool_execution_id}
    return any(
        event.type == "GateResolved" and not event.tool_execution_id and event.gate_id not in gates
        for event in events
    )


def _take_in(fate: Fate, event: Event, index: int) -> None:
    effect = event.effect if event.type == "PermissionDecided" else event.action.lower()
    if event.type == "PermissionRequested":
        fate.requested = index if fate.requested is None else fate.requested
    elif event.type in {"PermissionDecided", "GateResolved"}:
        fate.settled |= event.type == "GateResolved" and effect != "deny"
        if effect == "approve" and fate.approved is None:
            fate.approved = index
        elif effect == "deny" and fate.denied is None:
            fate.denied = index


def _source_of(stream: Stream) -> Source:
    groups: list[Group] = []
    at: list[int] = []
    loops: set[tuple[str, str]] = set()
    for index, event in enumerate(stream.events):
        if event.type == "StepDone":
            loops.add((event.session_id, event.loop_id))
            found = split(event.messages).groups
            groups.extend(found)
            at.extend([index] * len(found))
    return Source(
        stream.facet,
        stream.part,
        tuple(groups),
        tuple(at),
        stream.complete,
        "value",
        stream,
        len(loops) > 1,
    )


def _judge_subscription(subscription: Subscription) -> Stream:
    complete = subscription.status == "complete" and subscription.error is None
    return _judge_stream(
        "deliveries", subscription.name, subscription.deliveries, complete=complete
    )


def _judge_stream(
    facet: FacetName,
    part: str,
    deliveries: Sequence[Delivery],
    *,
    complete: bool,
) -> Stream:
    judge = StreamJudge(facet=facet, part=part)
    findings: list[Finding] = []
    for index, delivery in enumerate(deliveries):
        findings.extend(judge.feed(index, delivery))
    findings.extend(judge.finish(complete=complete))
    events = tuple(delivery.event for delivery in deliveries)
    types = frozenset(event.type for event in events)
    return Stream(facet, part, events, types, complete, tuple(findings))


def tool_or_assistant(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Project messages to those of assistant and tools."""
    return tuple(one for one in messages if one.role in {"assistant", "tool"})
