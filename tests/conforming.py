"""
Runtimes that keep the contract, and behave unlike the reference.

Each does something that the pages allow or leave open. No oracle may find a
fault in any of them.
"""

from __future__ import annotations

import json
from collections.abc import Generator
from typing import TypeVar

import msgspec

from toolassay.simulator.scheduler import Routine, Wait
from toolassay.simulator.session import Asking, PendingCall, Session
from toolassay.spec.events import Event, HowEnded
from toolassay.spec.json_text import ArgumentsVerdict, judge_arguments
from toolassay.spec.messages import Message, ToolCall
from toolassay.spec.scenario import Behaviour, Reply
from toolassay.spec.text import bytes_of

Group = tuple[Message, ...]
Over = Generator[int | Wait, None, bool]
T = TypeVar("T", bound=msgspec.Struct)


def changed(value: T, **changes: object) -> T:
    return msgspec.structs.replace(value, **changes)


# --- approval -------------------------------------------------------------------------------


class SilentPolicy(Session):
    """What a policy allows runs without a word."""

    def decide(self, call: PendingCall, *, approved: bool) -> None:
        if not approved:
            super().decide(call, approved=approved)


class UnaskedPolicy(Session):
    """A policy decides without having been asked in public."""

    def request_permission(self, call: PendingCall) -> None:
        pass


class Gates(Session):
    """Gates decide; what resolves one names the gate alone."""

    def publish_decision(self, call: PendingCall, effect: str) -> None:
        gate = f"gate-{call.execution_id}"
        self.publish("GateOpened", call.execution_id, gate_id=gate)
        step, loop = self.step_id, self.loop_id
        self.step_id = self.loop_id = ""
        self.publish("GateResolved", gate_id=gate, action=effect.capitalize())
        self.step_id, self.loop_id = step, loop


class BareGates(Session):
    """Gates decide, and name no call."""

    def publish_decision(self, call: PendingCall, effect: str) -> None:
        gate = f"gate-{call.execution_id}"
        self.publish("GateOpened", gate_id=gate)
        self.publish("GateResolved", gate_id=gate, action=effect)


class AsksItsOperator(Session):
    """Each tool asks its operator something while it runs, and is turned down."""

    def enter(self, call: PendingCall, arguments: bytes) -> Routine:
        gate = f"gate-{call.execution_id}"
        self.publish("UserInputRequested", call.execution_id, question="sure?")
        self.publish("GateOpened", call.execution_id, gate_id=gate)
        yield from super().enter(call, arguments)
        self.publish("GateResolved", call.execution_id, gate_id=gate, action="deny")


class AsksAndIsSilent(AsksItsOperator):
    """The same, where what a policy allows runs without a word."""

    def decide(self, call: PendingCall, *, approved: bool) -> None:
        if not approved:
            super().decide(call, approved=approved)


# --- how a turn ends ------------------------------------------------------------------------


class EndsItself(Session):
    """A turn that a step may end in place of its StepDone."""

    outcome: HowEnded = "failed"
    commits = False

    def turn(self, number: int, user: str) -> Routine:
        self.turn_id, self.step_id = self.ids.new("turn"), ""
        self.publish("TurnStarted")
        self.history.append(Message("user", user))
        while True:
            self.step_id = self.ids.new("step")
            reply = yield from self.ask()
            if reply is None:
                self.end(number, "failed", "the stream broke")
                return
            calls = self.pending(reply)
            assistant = self.materialise(reply, calls)
            over = yield from self.is_over(calls)
            if self.commits or not over:
                self.commit(self.assemble(assistant, calls))
            if over or not reply.calls:
                self.end(number, self.outcome if over else "done")
                return

    def is_over(self, calls: list[PendingCall]) -> Over:
        """Run the batch, and tell whether the turn ends with it."""
        yield from self.batch(calls)
        return False


class DenialEndsTheTurn(EndsItself):
    """The first denial ends the turn as failed."""

    def is_over(self, calls: list[PendingCall]) -> Over:
        sound = [call for call in calls if not self.refusal(call)]
        if all(map(self.approves, sound)):
            return (yield from super().is_over(calls))
        for call in sound:
            self.decide(call, approved=self.approves(call))
            if not self.approves(call):
                break
        for call in calls:
            call.settle(self.refusal(call) or "error: skipped after a denial", is_error=True)
        return True


class DenialDoesTheTurn(DenialEndsTheTurn):
    """The first denial ends the turn as done."""

    outcome: HowEnded = "done"


class DenialSkipsTheRest(DenialDoesTheTurn):
    """The first denial ends the turn, and every call of the step has an error for a result."""

    commits = True


class RaisingEndsTheTurn(EndsItself):
    """A tool that raises ends the turn, and its step is never done."""

    raised = False

    def is_over(self, calls: list[PendingCall]) -> Over:
        self.raised = False
        yield from self.batch(calls)
        return self.raised

    def settle(self, behaviour: Behaviour, call: PendingCall) -> None:
        self.raised |= behaviour.raises is not None
        super().settle(behaviour, call)


class LateAfterFailure(RaisingEndsTheTurn):
    """The completion of a callback comes after the turn that it ended."""

    owed: PendingCall | None = None

    def complete(self, call: PendingCall) -> None:
        tool = self._tools.get(call.name)
        if tool is not None and tool.behaviour.raises is not None:
            self.owed = call
        else:
            super().complete(call)

    def end(self, number: int, how: HowEnded, error: str = "") -> None:
        step = self.step_id
        super().end(number, how, error)
        if self.owed is not None:
            self.step_id = step
            super().complete(self.owed)
            self.owed, self.step_id = None, ""


class ErrorEndsTheTurn(EndsItself):
    """A turn is done as soon as a call of a step has failed."""

    outcome: HowEnded = "done"
    commits = True

    def is_over(self, calls: list[PendingCall]) -> Over:
        yield from self.batch(calls)
        return any(call.is_error for call in calls)


class OpenTextEndsTheTurn(EndsItself):
    """A reply with arguments that ARG-09 leaves open is refused as a whole."""

    def is_over(self, calls: list[PendingCall]) -> Over:
        if any(verdict(call).kind == "recorded" for call in calls):
            return True
        return (yield from super().is_over(calls))


class NoObjectEndsTheTurn(EndsItself):
    """A reply with arguments that are no object is refused as a whole."""

    def is_over(self, calls: list[PendingCall]) -> Over:
        if any(verdict(call).kind == "valid" and not verdict(call).is_object for call in calls):
            return True
        return (yield from super().is_over(calls))


class UnknownToolEndsTheTurn(EndsItself):
    """A reply that names a tool that there is not is refused as a whole."""

    def is_over(self, calls: list[PendingCall]) -> Over:
        if any(call.name not in self._tools for call in calls):
            return True
        return (yield from super().is_over(calls))


class RaisingEndsStreams(RaisingEndsTheTurn):
    """A tool that raises ends the turn if its reply was streamed, and is answered if not."""

    streamed = False

    def ask(self) -> Asking:
        reply = yield from super().ask()
        self.streamed = reply is not None and reply.streamed
        return reply

    def is_over(self, calls: list[PendingCall]) -> Over:
        over = yield from super().is_over(calls)
        return over and self.streamed


class UnknownToolEndsStreams(RaisingEndsStreams):
    """A streamed reply that names a tool that there is not is refused as a whole."""

    def is_over(self, calls: list[PendingCall]) -> Over:
        if self.streamed and any(call.name not in self._tools for call in calls):
            return True
        yield from self.batch(calls)
        return False


class FailureEndsTheSession(Session):
    """No turn follows one that failed."""

    def _turns(self) -> Routine:
        for number, user in enumerate(self.scenario.users):
            yield from self.turn(number, user)
            if self.endings[-1].how == "failed":
                return


# --- how a batch runs -----------------------------------------------------------------------


class FailureSkipsTheRest(Session):
    """One after the other; after a failure of a tool the others are skipped with errors."""

    def batch(self, calls: list[PendingCall]) -> Routine:
        failed = False
        for call in [one for one in calls if self.admit(one)]:
            if failed:
                call.settle("error: skipped after a failure", is_error=True)
                continue
            yield from self.execute(call)
            failed = call.is_error


class Retries(Session):
    """A tool that raises is entered twice."""

    def enter(self, call: PendingCall, arguments: bytes) -> Routine:
        yield from super().enter(call, arguments)
        tool = self._tools.get(call.name)
        if tool is not None and tool.behaviour.raises is not None:
            yield from super().enter(call, arguments)


class Impatient(Session):
    """A tool that takes its time is given up with an error; its callback ends later."""

    def execute(self, call: PendingCall) -> Routine:
        tool = self._tools.get(call.name)
        behaviour = tool.behaviour if tool is not None else Behaviour()
        if not (behaviour.waits_for or behaviour.hangs or behaviour.ticks):
            yield from super().execute(call)
            return
        self.announce(call)
        self.scheduler.spawn(self.left_alone(call))
        yield 1
        self.give_up(call)

    def left_alone(self, call: PendingCall) -> Routine:
        yield from self.enter(
            PendingCall(call.script, call.arguments, call.execution_id), call.arguments
        )

    def give_up(self, call: PendingCall) -> None:
        call.settle("error: timed out", is_error=True)
        self.complete(call)


class ImpatientWithoutFlags(Impatient):
    """The same, in a form that has no error flag."""

    def answer(self, call: PendingCall) -> Message:
        return Message("tool", call.text, tool_use_id=call.id)


class Background(Impatient):
    """A tool that takes its time goes on in the background; its call has an ordinary result."""

    def give_up(self, call: PendingCall) -> None:
        call.settle("it goes on in the background", is_error=False)


class Titles(Session):
    """The model is asked for a title of the session while tools run."""

    def batch(self, calls: list[PendingCall]) -> Routine:
        if calls:
            self.scheduler.spawn(self.title())
        yield from super().batch(calls)

    def title(self) -> Routine:
        yield 1
        self.requests.append((Message("user", "name this session"),))


# --- what is committed ----------------------------------------------------------------------


class Decorates(Session):
    """Results are wrapped in ids and times."""

    def answer(self, call: PendingCall) -> Message:
        found = super().answer(call)
        if not isinstance(found.text, str):
            return found
        now = f"[{self.scheduler.now} ms, {call.execution_id}]"
        return Message("tool", f"{now}\n{found.text}\n", (), call.id, call.is_error)


class Thinks(Session):
    """An empty assistant message is a step of its own before each reply."""

    def ask(self) -> Asking:
        reply = yield from super().ask()
        if reply is not None:
            self.commit((Message("assistant"),))
            self.step_id = self.ids.new("step")
        return reply


class KeepsPartialText(Session):
    """What a broken stream left of a text is a step."""

    def ask(self) -> Asking:
        reply = yield from super().ask()
        if reply is None:
            self.commit((Message("assistant", "let me"),))
        return reply


class CompletionOrder(Session):
    """Results stand in another order than calls, against the advice of MSG-10."""

    def assemble(self, assistant: Message, calls: list[PendingCall]) -> Group:
        return (assistant, *(self.answer(call) for call in reversed(calls)))


class MalformedLast(Session):
    """A message holds its sound calls first, and then those that are malformed."""

    def assemble(self, assistant: Message, calls: list[PendingCall]) -> Group:
        ordered = sorted(calls, key=lambda call: verdict(call).kind == "malformed")
        held = tuple(self.hold(call) for call in ordered)
        return (changed(assistant, calls=held), *map(self.answer, ordered))


class OneResultPerId(Session):
    """Calls of one reply under one id have one result."""

    def assemble(self, assistant: Message, calls: list[PendingCall]) -> Group:
        first: dict[str, PendingCall] = {}
        for call in calls:
            first.setdefault(call.id, call)
        return (assistant, *map(self.answer, first.values()))


class Compacts(Session):
    """Callbacks see sound arguments written anew."""

    def pending(self, reply: Reply) -> list[PendingCall]:
        found = super().pending(reply)
        for call in found:
            said = judge_arguments(call.arguments)
            if said.kind == "valid" and said.duplicate_key is said.number_out_of_range is None:
                value = json.loads(call.arguments)
                call.arguments = json.dumps(value, sort_keys=True, indent=1).encode()
        return found


class HoldsText(Session):
    """The history holds the text that the model sent."""

    def hold(self, call: PendingCall) -> ToolCall:
        return ToolCall(call.id, call.name, call.script.arguments)


# --- ids ------------------------------------------------------------------------------------


class Renames(Session):
    """Calls are numbered from the start of the session."""

    count = 0

    def pending(self, reply: Reply) -> list[PendingCall]:
        found = super().pending(reply)
        for call in found:
            call.id = f"call_{self.count:03d}"
            self.count += 1
        return found


class SameIds(Session):
    """Calls are numbered from the start of each reply."""

    def pending(self, reply: Reply) -> list[PendingCall]:
        found = super().pending(reply)
        for number, call in enumerate(found):
            call.id = f"call_{number}"
        return found


class WithoutTurnIds(Session):
    """Events do not name their turn."""

    def compose(self, kind: str, execution_id: str, body: dict[str, object]) -> Event:
        return changed(super().compose(kind, execution_id, body), turn_id="")


class WithoutStepIds(Session):
    """Events do not name their step."""

    def compose(self, kind: str, execution_id: str, body: dict[str, object]) -> Event:
        return changed(super().compose(kind, execution_id, body), step_id="")


class WithoutIds(Session):
    """Events have no ids at all."""

    def compose(self, kind: str, execution_id: str, body: dict[str, object]) -> Event:  # noqa: ARG002
        return changed(Event(kind), **body)


class WithoutTurnEvents(Session):
    """Turns begin and end without an event."""

    def publish(self, kind: str, execution_id: str = "", **body: object) -> None:
        if not kind.startswith("Turn"):
            super().publish(kind, execution_id, **body)


# --- more than one loop ---------------------------------------------------------------------


class Helper(Session):
    """A second loop denies its calls while the first runs them, under the same execution ids."""

    def batch(self, calls: list[PendingCall]) -> Routine:
        loop, step, turn = self.loop_id, self.step_id, self.turn_id
        self.loop_id, self.step_id, self.turn_id = "other", f"other {step}", f"other {step}"
        for call in calls:
            self.publish("PermissionRequested", call.execution_id)
            self.publish("PermissionDecided", call.execution_id, effect="deny")
        held = tuple(ToolCall(f"h{at}", "helper", "{}") for at, _ in enumerate(calls))
        said = tuple(Message("tool", "no", (), call.id, is_error=True) for call in held)
        self.publish("StepDone", messages=(Message("assistant", "", held), *said))
        self.publish("TurnDone")
        self.loop_id, self.step_id, self.turn_id = loop, step, turn
        yield from super().batch(calls)


class Internal(Session):
    """The journal holds events that are not public."""

    def commit(self, group: Group) -> None:
        super().commit(group)
        event = self.compose("UserInputRequested", self.ids.new("execution"), {"question": "?"})
        apart = self.ids.new("step")
        self.journal.append(changed(event, visibility=1, step_id=apart, turn_id=apart))


class OtherLoopUnheard(Session):
    """The journal holds the steps of a loop that no subscriber named."""

    def commit(self, group: Group) -> None:
        super().commit(group)
        event = self.compose("StepDone", "", {"messages": (Message("assistant", "aside"),)})
        apart = self.ids.new("step")
        self.journal.append(changed(event, loop_id="other", step_id=apart, turn_id=apart))


def verdict(call: PendingCall) -> ArgumentsVerdict:
    return judge_arguments(bytes_of(call.script.arguments))


CONFORMING: dict[str, type[Session]] = {
    one.__name__: one
    for one in (
        SilentPolicy, UnaskedPolicy, Gates, BareGates, AsksItsOperator, AsksAndIsSilent,
        DenialEndsTheTurn, DenialDoesTheTurn, DenialSkipsTheRest, RaisingEndsTheTurn,
        LateAfterFailure, ErrorEndsTheTurn, OpenTextEndsTheTurn, NoObjectEndsTheTurn,
        UnknownToolEndsTheTurn, RaisingEndsStreams, UnknownToolEndsStreams, MalformedLast,
        FailureEndsTheSession, FailureSkipsTheRest, Retries, Impatient, ImpatientWithoutFlags,
        Background, Titles, Decorates, Thinks, KeepsPartialText, CompletionOrder, OneResultPerId,
        Compacts, HoldsText, Renames, SameIds, WithoutTurnIds, WithoutStepIds, WithoutIds,
        WithoutTurnEvents, Helper, Internal, OtherLoopUnheard,
    )
}  # fmt: skip
"""Conforming runtimes by name."""
