"""The named check of each clause; one clause, one check."""

from __future__ import annotations

from typing import Final

CHECK_NAMES: Final[dict[str, str]] = {
    "MSG-01": "group.begins-with-the-assistant-message",
    "MSG-02": "group.continues-with-results",
    "MSG-04": "group.text-only-is-one-message",
    "MSG-05": "group.one-result-per-call",
    "MSG-06": "group.result-answers-its-own-call",
    "MSG-08": "group.one-message-per-result",
    "MSG-09": "group.error-flag-survives",
    "MSG-10": "group.results-in-call-order",
    "MSG-11": "group.nothing-between-calls-and-results",
    "ARG-01": "arguments.malformed-stored-as-empty-object",
    "ARG-02": "arguments.executable-view-keeps-the-text",
    "ARG-02a": "arguments.executable-view-keeps-the-bytes",
    "ARG-03": "arguments.malformed-call-gets-an-error",
    "ARG-04": "arguments.malformed-call-never-runs-changed",
    "ARG-05": "arguments.stored-with-the-same-value",
    "ARG-06": "arguments.history-encodes",
    "ARG-07": "arguments.history-round-trips",
    "ARG-08": "arguments.siblings-undisturbed",
    "ARG-09": "arguments.json-is-rfc-8259",
    "ARG-11": "arguments.no-object-never-becomes-one",
    "ARG-13": "relation.same-outcome-however-cut",
    "EVT-01": "event.class-of-the-type",
    "EVT-02": "event.coordinates",
    "EVT-03": "event.execution-id",
    "EVT-04": "event.visibility",
    "EVT-05": "event.effect-of-a-decision",
    "EVT-07": "event.refusal-of-a-step-is-named",
    "EVT-07a": "event.refusal-is-named",
    "EVT-09": "event.one-execution-id-per-call",
    "EVT-09a": "event.execution-id-of-one-call-only",
    "EVT-10": "event.step-holds-a-valid-group",
    "EVT-10a": "event.step-coordinates",
    "EVT-11": "event.no-other-step-completion",
    "EVT-12": "event.step-of-the-answer",
    "GATE-02": "gate.no-ask-decision",
    "ORD-01": "order.request-before-decision",
    "ORD-02": "order.approval-before-start",
    "ORD-03": "order.completion-after-the-execution",
    "ORD-04": "order.completion-before-the-step-is-done",
    "ORD-05": "order.no-execution-without-approval",
    "ORD-06": "order.denied-call-never-runs",
    "ORD-07": "order.each-event-of-a-call-once",
    "ORD-08": "order.results-after-the-batch",
    "ORD-09": "order.message-before-its-calls",
    "ORD-10": "order.no-tool-event-after-the-step",
    "ORD-11": "order.denied-step-ends",
    "ORD-12": "order.only-whole-groups",
    "ORD-13": "order.executed-is-what-was-approved",
    "ORD-14": "order.error-bits-agree",
    "ORD-15": "order.siblings-of-a-denied-call",
    "ORD-16": "order.turn-ends-once",
    "ORD-17": "order.no-approval-for-malformed",
    "ORD-18": "order.denied-call-has-no-lifecycle",
    "ORD-19": "order.one-step-done-per-step",
    "ORD-23": "relation.same-outcome-in-any-order",
    "DUR-01": "journal.only-enduring-has-a-number",
    "DUR-02": "journal.numbers-increase",
    "DUR-03": "journal.written-before-seen",
    "DUR-04": "journal.history-is-its-fold",
    "DUR-05": "delivery.every-enduring-event",
    "DUR-06": "delivery.slow-subscriber-stops-nothing",
}
"""Names of checks by clause; stable, since baselines and reports cite them."""

RECORDED_IN_STREAMS: Final = frozenset(
    {"EVT-02", "EVT-03", "EVT-04", "EVT-05", "EVT-10", "EVT-10a"}
)
"""Clauses that bind the validator alone: in what a runtime emits they are only noted."""

STREAM_CLAUSES: Final = (
    "MSG-01", "MSG-02", "MSG-04", "MSG-05", "MSG-06", "MSG-08", "MSG-10", "EVT-01", "EVT-02",
    "EVT-03", "EVT-04", "EVT-05", "EVT-09", "EVT-09a", "EVT-10", "EVT-10a", "EVT-11", "EVT-12",
    "GATE-02", "ORD-01", "ORD-02", "ORD-03", "ORD-04", "ORD-07", "ORD-10", "ORD-11", "ORD-12",
    "ORD-14", "ORD-16", "ORD-18", "ORD-19", "DUR-01", "DUR-02", "DUR-03",
)  # fmt: skip
"""The clauses that a stream alone can break."""
