"""Mutants of validation and of the shape of events: EVT and MSG-03."""

from __future__ import annotations

from toolassay.simulator.mutants.mutant import of_session, of_validator
from toolassay.simulator.session import PendingCall, Session
from toolassay.simulator.validate import Fault, Json, Validator
from toolassay.spec.events import TOOL_EVENTS, Event, EventClass, EventKind
from toolassay.spec.observation import Outcome
from toolassay.spec.scenario import Reply


class EphemeralDecision(Session):
    """Classifies a decision as ephemeral."""

    def classify(self, kind: str) -> EventClass:
        if kind == "PermissionDecided":
            self.faults += 1
            return "ephemeral"
        return super().classify(kind)


class EnduringStart(Session):
    """Classifies the start of a call as enduring."""

    def classify(self, kind: str) -> EventClass:
        if kind == "ToolCallStarted":
            self.faults += 1
            return "enduring"
        return super().classify(kind)


class MissingCoordinate(Validator):
    """Never asks for the step id."""

    def coordinates(self, kind: EventKind, event: Json) -> Fault | None:
        fault = super().coordinates(kind, event)
        if fault == ("step_id", "required"):
            self.faults += 1
            return None
        return fault


class MissingExecution(Validator):
    """Never asks for the execution id."""

    def execution(self, kind: EventKind, event: Json) -> Fault | None:
        fault = super().execution(kind, event)
        if fault == ("tool_execution_id", "required"):
            self.faults += 1
            return None
        return fault


class AnyVisibility(Validator):
    """Takes any number for a visibility."""

    def visibility(self, event: Json) -> Fault | None:
        fault = super().visibility(event)
        if fault == ("visibility", "invalid"):
            self.faults += 1
            return None
        return fault


class AskDecision(Validator):
    """Takes `ask` for a decision."""

    def effect(self, effect: str) -> Fault | None:
        if effect == "ask":
            self.faults += 1
            return None
        return super().effect(effect)


class AnyBodyType(Validator):
    """Never looks at the types of body fields."""

    def texts(self, event: Json) -> Fault | None:
        self.faults += super().texts(event) is not None
        return None

    def effect(self, effect: object) -> Fault | None:
        return super().effect(effect) if isinstance(effect, str) else None


class NamelessRefusal(Validator):
    """Refuses a step group without saying which field or rule."""

    def refuse(self, event: str, fault: Fault) -> Outcome:
        if event != "StepDone":
            return super().refuse(event, fault)
        self.faults += 1
        return Outcome("rejected", "event.invalid")


class NamelessToolRefusal(Validator):
    """Refuses a tool event without saying which field or rule."""

    def refuse(self, event: str, fault: Fault) -> Outcome:
        if event not in TOOL_EVENTS:
            return super().refuse(event, fault)
        self.faults += 1
        return Outcome("rejected", "event.invalid")


class FreshCompletionId(Session):
    """Completes a call under a new execution id."""

    def complete(self, call: PendingCall) -> None:
        self.faults += 1
        kept, call.execution_id = call.execution_id, self.ids.new("execution")
        super().complete(call)
        call.execution_id = kept


class RestartedExecutionIds(Session):
    """Counts execution ids from one again in every step."""

    def pending(self, reply: Reply) -> list[PendingCall]:
        calls = super().pending(reply)
        for place, call in enumerate(calls):
            self.faults += place < len(self.used)
            if place == len(self.used):
                self.used.append(call.execution_id)
            call.execution_id = self.used[place]
        return calls

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type] # passed on as they came
        self.used: list[str] = []


class AnyFollower(Validator):
    """Takes any message for a follower of the assistant message."""

    def is_message(self, message: object, role: str) -> bool:
        held = super().is_message(message, role)
        if not held and role == "tool" and isinstance(message, dict):
            self.faults += 1
            return True
        return held


class StrayGroup(Validator):
    """Takes a step group without its loop id."""

    def coordinates(self, kind: EventKind, event: Json) -> Fault | None:
        fault = super().coordinates(kind, event)
        if kind.name == "StepDone" and fault is not None and fault[1] == "required":
            self.faults += 1
            return None
        return fault


class ForeignStep(Session):
    """Places the completion of a call in another step."""

    def compose(self, kind: str, execution_id: str, body: dict[str, object]) -> Event:
        if kind != "ToolCallCompleted":
            return super().compose(kind, execution_id, body)
        self.faults += 1
        kept, self.step_id = self.step_id, self.ids.new("step")
        event = super().compose(kind, execution_id, body)
        self.step_id = kept
        return event


class NullElement(Validator):
    """Overlooks an element of a group that is null."""

    def is_message(self, message: object, role: str) -> bool:
        if message is None:
            self.faults += 1
            return True
        return super().is_message(message, role)


MUTANTS = (
    of_session(
        "ephemeral-decision", "EVT-01", "A decision is delivered as ephemeral.", EphemeralDecision
    ),
    of_session(
        "enduring-start", "EVT-01", "The start of a call is delivered as enduring.", EnduringStart
    ),
    of_validator(
        "missing-coordinate", "EVT-02", "An event without a step id is accepted.", MissingCoordinate
    ),
    of_validator(
        "missing-execution",
        "EVT-03",
        "An event without an execution id is accepted.",
        MissingExecution,
    ),
    of_validator("any-visibility", "EVT-04", "Visibility 7 is accepted.", AnyVisibility),
    of_validator("ask-decision", "EVT-05", "A decision with the effect `ask` passes.", AskDecision),
    of_validator("any-body-type", "EVT-05a", "Body fields of wrong types pass.", AnyBodyType),
    of_validator(
        "nameless-refusal",
        "EVT-07",
        "A refused step group names neither field nor rule.",
        NamelessRefusal,
    ),
    of_validator(
        "nameless-tool-refusal",
        "EVT-07a",
        "A refused tool event names neither field nor rule.",
        NamelessToolRefusal,
    ),
    of_session(
        "fresh-completion-id", "EVT-09", "A completion carries a new id.", FreshCompletionId
    ),
    of_session(
        "restarted-execution-ids",
        "EVT-09a",
        "A later step uses the execution ids of an earlier one.",
        RestartedExecutionIds,
    ),
    of_validator(
        "any-follower", "EVT-10", "A user message in a step group is accepted.", AnyFollower
    ),
    of_validator(
        "stray-group", "EVT-10a", "A step group without coordinates is accepted.", StrayGroup
    ),
    of_session("foreign-step", "EVT-12", "A completion carries another step.", ForeignStep),
    of_validator("null-element", "MSG-03", "A null element of a group is accepted.", NullElement),
)
