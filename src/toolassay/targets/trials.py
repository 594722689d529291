"""What adapters are tried with: the plainest input of each operation, fit for all of them."""

from __future__ import annotations

from typing import Final

from toolassay.spec.case import Case, Operation
from toolassay.spec.scenario import Behaviour, Reply, Scenario, ScriptedCall, ToolScript

TOOL: Final = "trial_read"
"""The tool of the call; its name must be found in what was seen."""

CALL_ID: Final = "call_trial"
"""The model's id of that call."""

DONE: Final = "done"
"""What the model says at the end."""

RESULT: Final = "text of a"
"""What the tool returns."""

PLAINEST: Final = Case(
    id="trial.plainest",
    vector="trial.plainest",
    title="The model says a text and calls no tool",
    contract="events",
    kind="positive",
    operation="turn/run",
    scenario=Scenario((Reply(text=DONE),)),
)
"""A turn in which nothing happens."""

ONE_CALL: Final = Case(
    id="trial.one-call",
    vector="trial.one-call",
    title="The model makes one call, and then says a text",
    contract="events",
    kind="positive",
    operation="turn/run",
    scenario=Scenario(
        model=(Reply(calls=(ScriptedCall(CALL_ID, TOOL, '{"path":"a"}'),)), Reply(DONE)),
        tools=(ToolScript(TOOL, behaviour=Behaviour(returns=RESULT)),),
    ),
)
"""One valid call of one tool."""

EVENT: Final = Case(
    id="trial.event",
    vector="trial.event",
    title="A valid event",
    contract="events",
    kind="positive",
    operation="event/validate",
    event=(
        '{"effect":"approve","event_id":"eeeeeeee-0000-4000-8000-000000000001",'
        '"loop_id":"22222222-0000-4000-8000-000000000001",'
        '"session_id":"11111111-0000-4000-8000-000000000001",'
        '"step_id":"44444444-0000-4000-8000-000000000001",'
        '"tool_execution_id":"77777777-0000-4000-8000-000000000001",'
        '"turn_id":"33333333-0000-4000-8000-000000000001","type":"PermissionDecided"}'
    ),
)
"""One valid event."""

ARGUMENTS: Final = Case(
    id="trial.arguments",
    vector="trial.arguments",
    title="A valid argument text",
    contract="events",
    kind="positive",
    operation="arguments/sanitize",
    arguments='{"path":"a"}',
)
"""One valid argument text."""

BY_OPERATION: Final[dict[Operation, Case]] = {
    "turn/run": PLAINEST,
    "event/validate": EVENT,
    "arguments/sanitize": ARGUMENTS,
}
"""The plainest input of each operation."""
