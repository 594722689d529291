"""Mutants of the order of a call's life: ORD."""

from __future__ import annotations

from collections.abc import Iterator

from toolassay.simulator.mutants.mutant import of_session
from toolassay.simulator.scheduler import Routine, Task
from toolassay.simulator.session import Asking, PendingCall, Session
from toolassay.spec.events import HowEnded
from toolassay.spec.messages import Message
from toolassay.spec.scenario import Reply

Group = tuple[Message, ...]


class DecisionFirst(Session):
    """Publishes the decision before the request."""

    def decide(self, call: PendingCall, *, approved: bool) -> None:
        self.faults += 1
        self.publish_decision(call, "approve" if approved else "deny")
        self.request_permission(call)


class StartFirst(Session):
    """Announces a call before it is approved."""

    def decide(self, call: PendingCall, *, approved: bool) -> None:
        if approved:
            self.faults += 1
            super().announce(call)
        super().decide(call, approved=approved)

    def announce(self, call: PendingCall) -> None:
        """Say nothing: it has been announced."""


class EarlyCompletion(Session):
    """Announces the end of a call before its callback is entered."""

    def execute(self, call: PendingCall) -> Routine:
        self.faults += 1
        self.announce(call)
        self.complete(call)
        yield from self.enter(call, call.arguments)


class CompletionBeforeStart(Session):
    """Announces the end of a call before its start."""

    def execute(self, call: PendingCall) -> Routine:
        self.faults += 1
        yield from self.enter(call, call.arguments)
        self.complete(call)
        self.announce(call)


class LateCompletion(Session):
    """Announces the end of a call after its step was committed."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type] # passed on as they came
        self.late: list[PendingCall] = []

    def complete(self, call: PendingCall) -> None:
        self.late.append(call)

    def commit(self, group: Group) -> None:
        super().commit(group)
        for call in self.late:
            self.faults += 1
            super().complete(call)
        self.late.clear()


class UnaskedExecution(Session):
    """Runs the calls after the first of a batch without any approval."""

    def decide(self, call: PendingCall, *, approved: bool) -> None:
        if approved and self.asked == self.step_id:
            self.faults += 1
            return
        self.asked = self.step_id
        super().decide(call, approved=approved)

    asked = ""


class LateApproval(Session):
    """Approves a call after it has run."""

    def decide(self, call: PendingCall, *, approved: bool) -> None:
        if not approved:
            super().decide(call, approved=approved)

    def execute(self, call: PendingCall) -> Routine:
        self.faults += 1
        yield from self.enter(call, call.arguments)
        super().decide(call, approved=True)
        self.announce(call)
        self.complete(call)


class DeniedRuns(Session):
    """Runs a call that was denied."""

    def admit(self, call: PendingCall) -> bool:
        admitted = super().admit(call)
        if not admitted and not self.refusal(call):
            self.faults += 1
            return True
        return admitted

    def announce(self, call: PendingCall) -> None:
        if self.approves(call):
            super().announce(call)

    def complete(self, call: PendingCall) -> None:
        if self.approves(call):
            super().complete(call)


class CompletedTwice(Session):
    """Announces the end of a call twice."""

    def complete(self, call: PendingCall) -> None:
        self.faults += 1
        super().complete(call)
        super().complete(call)


class ImpatientBatch(Session):
    """Goes on when the first call of a batch has returned."""

    def wait_all(self, tasks: list[Task]) -> Routine:
        self.faults += len(tasks) > 1
        yield from super().wait_all(tasks[:1])


class EagerStart(Session):
    """Runs a call while the model's stream goes on."""

    def ask(self) -> Asking:
        reply = yield from super().ask()
        if reply is not None and reply.streamed and reply.calls:
            self.faults += 1
            self.streaming = True
        return reply

    def commit(self, group: Group) -> None:
        self.streaming = False
        super().commit(group)


class LateChatter(Session):
    """Announces a start after the step was committed."""

    def commit(self, group: Group) -> None:
        super().commit(group)
        for call in group[0].calls:
            self.faults += 1
            self.publish("ToolCallStarted", self.ids.new("execution"), tool_name=call.name)


class AbandonedDenial(Session):
    """Stops without a word after a denial."""

    def turn(self, number: int, user: str) -> Routine:
        for pause in super().turn(number, user):
            yield pause
            if self.denied:
                return
        if self.denied:
            self.faults += 1

    def approves(self, call: PendingCall) -> bool:
        approved = super().approves(call)
        self.denied = self.denied or not approved
        return approved

    def commit(self, group: Group) -> None:
        if not self.denied:
            super().commit(group)

    def end(self, number: int, how: HowEnded, error: str = "") -> None:
        if not self.denied:
            super().end(number, how, error)

    denied = False


class BrokenStreamCommitted(Session):
    """Commits the calls of a reply whose stream broke, without results."""

    def ask(self) -> Asking:
        reply = yield from super().ask()
        if reply is None:
            cut = next(self.cut_replies(), None)
            if cut is not None:
                self.faults += 1
                self.commit((self.materialise(cut, self.pending(cut)),))
        return reply

    def cut_replies(self) -> Iterator[Reply]:
        """Give the reply that broke, if it held calls."""
        index = len(self.requests) - 1
        replies = self.scenario.model
        if index < len(replies) and replies[index].breaks and replies[index].calls:
            yield replies[index]


class DenialLostWithItsTurn(Session):
    """Keeps a denied call without its result when the turn fails."""

    def end(self, number: int, how: HowEnded, error: str = "") -> None:
        if how == "failed":
            kept = [one for one in self.history if one.text != "error: permission denied"]
            self.faults += len(kept) < len(self.history)
            self.history[:] = kept
        super().end(number, how, error)


class AlteredArguments(Session):
    """Runs something else than what was approved."""

    def execute(self, call: PendingCall) -> Routine:
        self.faults += 1
        self.announce(call)
        yield from self.enter(call, b'{"altered":true}')
        self.complete(call)


class CheerfulCompletion(Session):
    """Announces every end as a success."""

    def complete(self, call: PendingCall) -> None:
        self.faults += call.is_error
        kept, call.is_error = call.is_error, False
        super().complete(call)
        call.is_error = kept


class DeniedTogether(Session):
    """Drops the rest of a batch after a denial."""

    def admit(self, call: PendingCall) -> bool:
        if self.denied_step == self.step_id and not self.refusal(call):
            self.faults += 1
            call.settle("error: another call was denied", is_error=True)
            return False
        return super().admit(call)

    def approves(self, call: PendingCall) -> bool:
        approved = super().approves(call)
        if not approved:
            self.denied_step = self.step_id
        return approved

    denied_step = ""


class EndsTwice(Session):
    """Ends each turn twice."""

    def end(self, number: int, how: HowEnded, error: str = "") -> None:
        self.faults += 1
        super().end(number, how, error)
        super().end(number, how, error)


class DeniedAnnounced(Session):
    """Announces start and end of a call that was denied."""

    def decide(self, call: PendingCall, *, approved: bool) -> None:
        super().decide(call, approved=approved)
        if not approved:
            self.faults += 1
            self.announce(call)
            call.is_error = True
            self.complete(call)


class CommittedTwice(Session):
    """Publishes each step twice."""

    def commit(self, group: Group) -> None:
        self.faults += 1
        self.publish("StepDone", messages=group)
        super().commit(group)


MUTANTS = (
    of_session("decision-first", "ORD-01", "A decision precedes its request.", DecisionFirst),
    of_session("start-first", "ORD-02", "A call starts before its approval.", StartFirst),
    of_session(
        "early-completion", "ORD-03", "A call is completed before it is entered.", EarlyCompletion
    ),
    of_session(
        "completion-before-start",
        "ORD-03",
        "A call is completed before it has started.",
        CompletionBeforeStart,
    ),
    of_session("late-completion", "ORD-04", "A completion comes after the step.", LateCompletion),
    of_session("unasked-execution", "ORD-05", "A sibling runs without approval.", UnaskedExecution),
    of_session("late-approval", "ORD-05", "A call is approved after it has run.", LateApproval),
    of_session("denied-runs", "ORD-06", "A denied call runs.", DeniedRuns),
    of_session("completed-twice", "ORD-07", "A call is completed twice.", CompletedTwice),
    of_session(
        "impatient-batch",
        "ORD-08",
        "Results are appended when the first call has returned.",
        ImpatientBatch,
    ),
    of_session("eager-start", "ORD-09", "Calls run while the model's stream goes on.", EagerStart),
    of_session("late-chatter", "ORD-10", "A tool event follows its step.", LateChatter),
    of_session("abandoned-denial", "ORD-11", "A denial ends in silence.", AbandonedDenial),
    of_session(
        "broken-stream-committed",
        "ORD-12",
        "The calls of a broken stream are committed unanswered.",
        BrokenStreamCommitted,
    ),
    of_session(
        "denial-lost-with-its-turn",
        "ORD-12",
        "A turn that fails leaves a denied call without its result.",
        DenialLostWithItsTurn,
    ),
    of_session(
        "altered-arguments", "ORD-13", "Other arguments run than were approved.", AlteredArguments
    ),
    of_session(
        "cheerful-completion",
        "ORD-14",
        "A failed call completes without its bit.",
        CheerfulCompletion,
    ),
    of_session("denied-together", "ORD-15", "A denial drops the siblings.", DeniedTogether),
    of_session("ends-twice", "ORD-16", "A turn ends twice.", EndsTwice),
    of_session(
        "denied-announced", "ORD-18", "A denied call starts and completes.", DeniedAnnounced
    ),
    of_session("committed-twice", "ORD-19", "A step is done twice.", CommittedTwice),
)
