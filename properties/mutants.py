"""
Mutants of the oracle: named checks with one planted fault.

They stand in for a mutant of the reference where a clause binds the kit
itself. Each adds one wrong check to the right ones; it is killed by a vector
that shows the wrong check at work on a blameless observation.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from toolassay.properties.evidence import Evidence
from toolassay.properties.judge import Check, judge
from toolassay.properties.verdict import Answer, Note, Verdict
from toolassay.spec.case import Case
from toolassay.spec.observation import Observation


class OracleMutant(msgspec.Struct, frozen=True):
    """The oracle with one wrong check."""

    name: str
    """Its name, which says what it does wrong."""
    clause: str
    """Id of the clause that binds the kit and that it breaks."""
    fault: str
    """The fault, in one sentence."""
    check: Check
    """The wrong check."""

    def judge(self, observation: Observation, case: Case) -> Sequence[Verdict]:
        """Judge with the wrong check beside the right ones."""
        return judge(observation, case=case, extra=(self.check,))


def _wants_completions(evidence: Evidence) -> Answer:
    """Take a call whose completion was not seen for one that still runs."""
    executions, deliveries = evidence.observation.executions, evidence.observation.deliveries
    assert executions is not None, "the check needs executions"
    assert deliveries is not None, "the check needs deliveries"
    completed = {
        delivery.event.tool_execution_id
        for subscription in deliveries.subscriptions
        for delivery in subscription.deliveries
        if delivery.event.type == "ToolCallCompleted"
    }
    return [
        Note("every execution is completed", "no completion was delivered", call=ran.execution_id)
        for ran in executions.executions
        if ran.execution_id not in completed
    ]


ORACLE_MUTANTS: dict[str, OracleMutant] = {
    "wants-completions": OracleMutant(
        "wants-completions",
        "DUR-17",
        "A completion that was not delivered is held against the runtime.",
        Check(
            "mutant.wants-completions",
            "ORD-03",
            _wants_completions,
            ("executions", "deliveries"),
        ),
    ),
}
"""All mutants of the oracle, by name."""
