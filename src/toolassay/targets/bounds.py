"""How much one observation may hold; what holds more is no run of a scenario, and costs a judge."""

from __future__ import annotations

from toolassay.spec.observation import Observation

REQUESTS_MAX = 1000
"""Model requests."""

EXECUTIONS_MAX = 10_000
"""Entries into callbacks."""

EVENTS_MAX = 100_000
"""Deliveries and journal records, together."""

MESSAGES_MAX = 500_000
"""Messages of the history and of all requests, together."""


def excess_of(observation: Observation) -> str:
    """Say of what an observation holds too much; nothing if it is within bounds."""
    requests = observation.requests.requests if observation.requests else ()
    messages = len(observation.history.messages) if observation.history else 0
    events = len(observation.journal.records) if observation.journal else 0
    if observation.deliveries:
        events += sum(len(one.deliveries) for one in observation.deliveries.subscriptions)
    executions = len(observation.executions.executions) if observation.executions else 0
    counts = (
        ("model requests", len(requests), REQUESTS_MAX),
        ("executions", executions, EXECUTIONS_MAX),
        ("deliveries and records", events, EVENTS_MAX),
        ("messages", messages + sum(map(len, requests)), MESSAGES_MAX),
    )
    return next((f"{n} {what}, more than {most}" for what, n, most in counts if n > most), "")
