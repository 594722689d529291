"""Mutants of the committed group: MSG."""

from __future__ import annotations

from toolassay.simulator.mutants.mutant import of_session
from toolassay.simulator.scheduler import Routine
from toolassay.simulator.session import PendingCall, Session
from toolassay.spec.messages import Message

Group = tuple[Message, ...]


class ResultsFirst(Session):
    """Puts the results before their assistant message."""

    def assemble(self, assistant: Message, calls: list[PendingCall]) -> Group:
        group = super().assemble(assistant, calls)
        self.faults += len(calls) > 0
        return (*group[1:], group[0])


class StrayUserMessage(Session):
    """Commits a user message inside the group."""

    def assemble(self, assistant: Message, calls: list[PendingCall]) -> Group:
        group = super().assemble(assistant, calls)
        if not calls:
            return group
        self.faults += 1
        return (*group, Message("user", "go on"))


class TextWithResult(Session):
    """Commits an empty result behind a final text."""

    def assemble(self, assistant: Message, calls: list[PendingCall]) -> Group:
        group = super().assemble(assistant, calls)
        if calls:
            return group
        self.faults += 1
        return (*group, Message("tool", "", tool_use_id="", is_error=False))


class UnansweredRefusal(Session):
    """Leaves a call that could not run without a result."""

    def assemble(self, assistant: Message, calls: list[PendingCall]) -> Group:
        ran = {execution.execution_id for execution in self.executions}
        answered = [call for call in calls if call.execution_id in ran]
        self.faults += len(answered) < len(calls)
        return super().assemble(assistant, answered)


class ForeignResultId(Session):
    """Answers under an id of its own."""

    def answer(self, call: PendingCall) -> Message:
        self.faults += 1
        message = super().answer(call)
        return Message("tool", message.text, tool_use_id=f"{call.id}-1", is_error=message.is_error)


class JoinedResults(Session):
    """Joins the results of a batch in one message."""

    def assemble(self, assistant: Message, calls: list[PendingCall]) -> Group:
        group = super().assemble(assistant, calls)
        if len(calls) < 2:
            return group
        self.faults += 1
        texts = [message.text for message in group[1:] if isinstance(message.text, str)]
        first = group[1]
        joined = Message(
            "tool", "\n".join(texts), tool_use_id=first.tool_use_id, is_error=first.is_error
        )
        return (assistant, joined)


class LostFlag(Session):
    """Commits every result as a success."""

    def answer(self, call: PendingCall) -> Message:
        self.faults += call.is_error
        message = super().answer(call)
        return Message("tool", message.text, tool_use_id=call.id, is_error=False)


class ResultsAsTheyEnd(Session):
    """Puts the results in the order in which the callbacks ended, and refusals behind them."""

    def batch(self, calls: list[PendingCall]) -> Routine:
        self.over: list[PendingCall] = []
        yield from super().batch(calls)

    def complete(self, call: PendingCall) -> None:
        super().complete(call)
        self.over.append(call)

    def assemble(self, assistant: Message, calls: list[PendingCall]) -> Group:
        ended = [*self.over, *(call for call in calls if call not in self.over)]
        self.faults += ended != calls
        return super().assemble(assistant, ended)


MUTANTS = (
    of_session(
        "results-first", "MSG-01", "The results stand before the assistant message.", ResultsFirst
    ),
    of_session(
        "stray-user-message", "MSG-02", "A user message stands in the group.", StrayUserMessage
    ),
    of_session(
        "text-with-result", "MSG-04", "A final text has a result behind it.", TextWithResult
    ),
    of_session(
        "unanswered-refusal",
        "MSG-05",
        "A call that could not run has no result.",
        UnansweredRefusal,
    ),
    of_session(
        "foreign-result-id", "MSG-06", "A result answers an id that no call has.", ForeignResultId
    ),
    of_session(
        "joined-results", "MSG-08", "The results of a batch are one message.", JoinedResults
    ),
    of_session("lost-flag", "MSG-09", "The error flag of a result is lost.", LostFlag),
    of_session(
        "results-as-they-end",
        "MSG-10",
        "The results stand in the order in which the calls ended.",
        ResultsAsTheyEnd,
    ),
)
