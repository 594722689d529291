"""
One session of the reference: from the user's message to the committed step.

Read `Session.turn` first: it goes through the phases of a step in the order of
page 000 (ask the model, materialise, authorise, execute, assemble, commit),
and each phase is one small method that cites its clauses. A mutant is a
subclass that overrides one of them.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Generator

import msgspec

from toolassay.simulator.arguments import Arguments
from toolassay.simulator.chance import Ids, seeded_choice
from toolassay.simulator.hub import Hub
from toolassay.simulator.journal import Journal
from toolassay.simulator.scheduler import Routine, Scheduler, Signal, Task, Wait
from toolassay.spec.events import EVENT_KINDS, TURN_ENDINGS, Event, EventClass, HowEnded
from toolassay.spec.messages import Message, ToolCall
from toolassay.spec.observation import Delivery, Execution, Mark, TurnEnding
from toolassay.spec.scenario import Behaviour, Reply, Scenario, ScriptedCall
from toolassay.spec.text import Text, bytes_of, shown, text_of

PREVIEW_MAX = 64
"""Characters of a summary or a preview (RED-03)."""

WAIT_TICKS = 50
"""Longest wait of a tool with `waits_for` that names no `ticks`."""

_ENDS = {how: kind for kind, how in TURN_ENDINGS.items()}


class Config(msgspec.Struct, frozen=True):
    """What a session is built with."""

    buffer: int = 8
    """Deliveries that a stalled subscriber's buffer holds."""
    tool_ticks_max: int = 1_000
    """Ticks after which a callback is stopped and answered with an error."""
    requests_max: int = 64
    """Model requests of one turn after which it fails."""
    arguments: type[Arguments] = Arguments
    """The rules for raw argument texts."""
    hub: type[Hub] = Hub
    """The hub."""


class PendingCall:
    """One call of the current step, from the model's wish to its result."""

    __slots__ = ("arguments", "execution_id", "id", "is_error", "name", "script", "text")

    def __init__(self, script: ScriptedCall, arguments: bytes, execution_id: str) -> None:
        self.id = script.id
        self.name = script.name
        self.script = script
        self.arguments = arguments
        """The executable view (ARG-02)."""
        self.execution_id = execution_id
        """One id for all events of the call (EVT-09)."""
        self.text: Text = ""
        self.is_error = False

    def settle(self, text: Text, *, is_error: bool) -> None:
        """Give the call its result."""
        self.text = text
        self.is_error = is_error


Asking = Generator[int | Wait, None, Reply | None]


class Session:
    """A session with one loop; made for one scenario and thrown away."""

    def __init__(
        self,
        scenario: Scenario,
        seed: int = 0,
        config: Config | None = None,
        choose: Callable[[int], int] | None = None,
    ) -> None:
        self.scenario = scenario
        self.config = config or Config()
        self.faults = 0
        """How often a mutant's fault was reached; the reference has none."""
        self.arguments = self.config.arguments()
        self.ids = Ids(seed)
        self.scheduler = Scheduler(choose or seeded_choice(seed))
        self.journal = Journal()
        self.hub = self.config.hub(scenario.subscribers, self.config.buffer)
        self.history: list[Message] = []
        self.requests: list[tuple[Message, ...]] = []
        self.executions: list[Execution] = []
        self.endings: list[TurnEnding] = []
        self.seen = Signal()
        """Fires at each delivery and each model request."""
        self.streaming = False
        """True while the model's reply has not ended."""
        self.parallel = False
        """True while several callbacks run side by side; each then lets the others go on."""
        self.session_id = self.ids.new("session")
        self.loop_id = self.ids.new("loop")
        self.turn_id = ""
        self.step_id = ""
        self._policy = scenario.policy
        self._tools = {tool.name: tool for tool in scenario.tools}
        self._replies = iter(scenario.model)

    def run(self) -> None:
        """Go through all turns of the scenario."""
        main = self.scheduler.spawn(self._turns())
        self.scheduler.run(main)
        for mailbox in self.hub.mailboxes:
            mailbox.drain()

    def _turns(self) -> Routine:
        for number, user in enumerate(self.scenario.users):
            yield from self.turn(number, user)

    def turn(self, number: int, user: str) -> Routine:
        """Run one turn: steps until the model asks for no more tools."""
        self.turn_id = self.ids.new("turn")
        self.step_id = ""
        self.publish("TurnStarted")
        self.history.append(Message("user", user))
        for _ in range(self.config.requests_max):
            self.step_id = self.ids.new("step")
            # Ask the model, and materialise its message whole (ORD-09).
            reply = yield from self.ask()
            if reply is None:
                self.end(number, "failed", "the model's stream broke")
                return
            calls = self.pending(reply)
            assistant = self.materialise(reply, calls)
            # Authorise and execute the batch (ORD-05, ORD-08).
            yield from self.batch(calls)
            # Assemble and commit the complete group (ORD-12).
            self.commit(self.assemble(assistant, calls))
            if not reply.calls:
                self.end(number, "done")
                return
        self.end(number, "failed", "too many model requests")

    # -- ask the model ---------------------------------------------------------------

    def ask(self) -> Asking:
        """Show the model the history and give its reply, or None if its stream breaks."""
        self.requests.append(tuple(self.history))
        self.scheduler.fire(self.seen)
        reply = next(self._replies, None) or Reply(text="done")
        if not reply.streamed:
            return reply
        self.streaming = True
        received = [self.receive(reply, index) for index in range(len(reply.calls))]
        yield reply.stall
        self.streaming = False
        if reply.breaks:
            return None
        return msgspec.structs.replace(reply, calls=tuple(received))

    def receive(self, reply: Reply, index: int) -> ScriptedCall:
        """Take one streamed call: its fragments joined are its text (ARG-13)."""
        call = reply.calls[index]
        data = bytes_of(call.arguments)
        bounds = (0, *call.cuts, len(data))
        fragments = [data[low:high] for low, high in itertools.pairwise(bounds)]
        for _ in fragments:
            self.publish("TokenDelta")
        return msgspec.structs.replace(call, arguments=text_of(self.join(fragments)))

    def join(self, fragments: list[bytes]) -> bytes:
        """Join the fragments of a call's arguments, as bytes: a cut may split a character."""
        return b"".join(fragments)

    # -- materialise -----------------------------------------------------------------

    def pending(self, reply: Reply) -> list[PendingCall]:
        """Give the executable view of the reply's calls (ARG-02)."""
        return [
            PendingCall(
                call,
                self.arguments.executable(bytes_of(call.arguments)),
                self.ids.new("execution"),
            )
            for call in reply.calls
        ]

    def materialise(self, reply: Reply, calls: list[PendingCall]) -> Message:
        """Give the assistant message, with the stored view of each call (ARG-01)."""
        return Message("assistant", reply.text, tuple(self.hold(call) for call in calls))

    def hold(self, call: PendingCall) -> ToolCall:
        """Give a call as the history holds it: always text that encodes (ARG-06)."""
        stored = self.arguments.stored(bytes_of(call.script.arguments))
        return ToolCall(call.id, call.name, text_of(stored))

    # -- authorise -------------------------------------------------------------------

    def refusal(self, call: PendingCall) -> str:
        """
        Say why a call cannot run, or give the empty string.

        A malformed call is refused before anybody is asked about it (ORD-17).
        """
        tool = self._tools.get(call.name)
        if tool is None:
            return f"error: unknown tool '{shown(call.name)}'"
        if not self.arguments.is_valid(call.arguments):
            return "error: invalid tool arguments (not valid JSON)"  # ARG-03
        if tool.parameters.get("type") == "object" and not self.arguments.is_object(call.arguments):
            return "error: invalid tool arguments (not an object)"  # ARG-11
        return ""

    def approves(self, call: PendingCall) -> bool:
        """Ask the policy."""
        return self._policy.get(call.name) != "deny"

    def admit(self, call: PendingCall) -> bool:
        """Tell whether a call may run; one that may not has its result now (MSG-05)."""
        refusal = self.refusal(call)
        if refusal:
            call.settle(refusal, is_error=True)  # MSG-09
            return False
        approved = self.approves(call)
        self.decide(call, approved=approved)
        if not approved:
            call.settle("error: permission denied", is_error=True)  # ORD-06, MSG-09
        return approved

    def decide(self, call: PendingCall, *, approved: bool) -> None:
        """Journal the request and the decision, in this order (ORD-01, ORD-07)."""
        self.request_permission(call)
        self.publish_decision(call, "approve" if approved else "deny")

    def request_permission(self, call: PendingCall) -> None:
        """Publish the prepared request; it carries no arguments (RED-02)."""
        self.publish("PermissionRequested", call.execution_id, summary=f"use {call.name}")

    def publish_decision(self, call: PendingCall, effect: str) -> None:
        """Publish the decision: approve or deny, nothing else (EVT-05)."""
        self.publish("PermissionDecided", call.execution_id, effect=effect, subject=call.name)

    # -- execute ---------------------------------------------------------------------

    def batch(self, calls: list[PendingCall]) -> Routine:
        """Authorise every call, run those admitted, and wait for all of them (ORD-08)."""
        admitted = [call for call in calls if self.admit(call)]
        if self.scenario.sequential or len(admitted) == 1:
            for call in admitted:
                yield from self.execute(call)
            return
        self.parallel = True
        yield from self.wait_all([self.scheduler.spawn(self.execute(call)) for call in admitted])
        self.parallel = False

    def wait_all(self, tasks: list[Task]) -> Routine:
        """Wait until all tasks are done."""
        for task in tasks:
            while not task.done:
                yield Wait(task.finished, self.config.tool_ticks_max * 2)

    def execute(self, call: PendingCall) -> Routine:
        """Run one approved call between its two ephemerals (ORD-02, ORD-03, ORD-18)."""
        self.announce(call)
        yield from self.enter(call, call.arguments)
        self.complete(call)

    def announce(self, call: PendingCall) -> None:
        """Publish that the call begins."""
        self.publish(
            "ToolCallStarted",
            call.execution_id,
            tool_name=call.name,
            summary=f"run {call.name}"[:PREVIEW_MAX],
        )

    def complete(self, call: PendingCall) -> None:
        """Publish that the call is over, with its error bit (ORD-14)."""
        preview = call.text[:PREVIEW_MAX] if isinstance(call.text, str) else ""
        self.publish(
            "ToolCallCompleted", call.execution_id, is_error=call.is_error, result_preview=preview
        )

    def enter(self, call: PendingCall, arguments: bytes) -> Routine:
        """Enter the callback with the executable view, once (ORD-20), and settle the result."""
        index = len(self.executions)
        entered = Execution(call.name, text_of(arguments), call.execution_id, call.id, self.mark())
        self.executions.append(entered)
        tool = self._tools.get(call.name)
        yield from self.behave(tool.behaviour if tool else Behaviour(), call)
        self.executions[index] = msgspec.structs.replace(entered, ended=self.mark())

    def behave(self, behaviour: Behaviour, call: PendingCall) -> Routine:
        """Do what the scripted tool does; whatever it is, the call gets a result (MSG-05)."""
        if behaviour.waits_for is not None:
            yield from self.watch(behaviour, call)
        elif behaviour.hangs:
            yield self.config.tool_ticks_max
        elif behaviour.ticks or self.parallel:
            yield min(behaviour.ticks, self.config.tool_ticks_max)
        self.settle(behaviour, call)

    def settle(self, behaviour: Behaviour, call: PendingCall) -> None:
        """Turn the end of a callback into the call's result (MSG-09)."""
        if behaviour.raises is not None:
            call.settle(f"error: the tool raised: {behaviour.raises}", is_error=True)
        elif behaviour.hangs or behaviour.ticks > self.config.tool_ticks_max:
            call.settle("error: the tool did not end in time", is_error=True)
        elif behaviour.fails is not None:
            call.settle(behaviour.fails, is_error=True)
        else:
            call.settle("ok" if behaviour.returns is None else behaviour.returns, is_error=False)

    def watch(self, behaviour: Behaviour, call: PendingCall) -> Routine:
        """Wait inside a callback until something was seen, or for its ticks."""
        until = self.scheduler.now + (behaviour.ticks or WAIT_TICKS)
        since = len(self.requests)
        while not self.saw(behaviour, call, since) and self.scheduler.now < until:
            yield Wait(self.seen, until - self.scheduler.now)

    def saw(self, behaviour: Behaviour, call: PendingCall, since: int) -> bool:
        """Tell whether what a callback waits for has been seen."""
        if behaviour.waits_for == "request":
            return len(self.requests) > since
        return any(
            delivery.event.type == behaviour.waits_for
            and delivery.event.tool_execution_id in {"", call.execution_id}
            and delivery.event.step_id == self.step_id
            for delivery in self.hub.mailboxes[0].received
        )

    def mark(self) -> Mark:
        """Say how far the other facets are now."""
        return Mark(
            len(self.requests),
            len(self.hub.mailboxes[0].received),
            len(self.journal.records),
            self.streaming,
        )

    # -- assemble and commit ---------------------------------------------------------

    def assemble(self, assistant: Message, calls: list[PendingCall]) -> tuple[Message, ...]:
        """Put the group together: the assistant message, then one result per call (MSG-08)."""
        return (assistant, *(self.answer(call) for call in calls))

    def answer(self, call: PendingCall) -> Message:
        """Give a call's result message: its id, its text, its flag (MSG-06, MSG-09)."""
        return Message("tool", call.text, tool_use_id=call.id, is_error=call.is_error)

    def commit(self, group: tuple[Message, ...]) -> None:
        """Make a complete group history, durable by one StepDone (ORD-12, ORD-19)."""
        self.publish("StepDone", messages=group)
        self.history.extend(group)

    def end(self, number: int, how: HowEnded, error: str = "") -> None:
        """End the turn, once and after its last step (ORD-16)."""
        self.step_id = ""
        self.publish(_ENDS[how], reason=error)
        self.endings.append(TurnEnding(number, how, error))

    # -- publish ---------------------------------------------------------------------

    def publish(self, kind: str, execution_id: str = "", **body: object) -> None:
        """Journal an event if it is enduring, then hand it to the hub (DUR-01, DUR-03)."""
        event = self.compose(kind, execution_id, body)
        durability = self.classify(kind)
        seq = self.journal.append(event) if durability == "enduring" else None
        self.hub.deliver(self.package(event, durability, seq))
        self.scheduler.fire(self.seen)

    def compose(self, kind: str, execution_id: str, body: dict[str, object]) -> Event:
        """Give an event its full coordinates (EVT-02, EVT-03, EVT-12)."""
        return Event(
            kind,
            self.session_id,
            self.loop_id,
            self.turn_id,
            self.step_id,
            self.ids.new("event"),
            tool_execution_id=execution_id,
            **body,  # type: ignore[arg-type] # the callers above give fields of Event
        )

    def classify(self, kind: str) -> EventClass:
        """Give the class of a type (EVT-01)."""
        return EVENT_KINDS[kind].durability

    def package(self, event: Event, durability: EventClass, seq: int | None) -> Delivery:
        """Give the delivery of an event: a sequence number only if it is journalled (DUR-01)."""
        return Delivery(event, durability, seq, durability == "enduring")
