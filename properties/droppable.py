"""
The clause that binds the kit itself: an absent ephemeral is never a finding (DUR-17).

The oracles are judged here, not the implementation: every ephemeral is taken
out of what was seen, and no clause may be broken that was not broken before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from toolassay.properties.verdict import Answer, Note, Skip, Verdict
from toolassay.spec.events import EVENT_KINDS
from toolassay.spec.finding import Place
from toolassay.spec.observation import (
    Deliveries,
    Delivery,
    Execution,
    Mark,
    Observation,
    Subscription,
)

Judge = Callable[[Observation], Sequence[Verdict]]
"""Judges an observation by all named checks."""


def absent_is_no_finding(observation: Observation, judge: Judge) -> Answer:
    """DUR-17: what is judged without the ephemerals shows no fault that was not there with them."""
    if observation.deliveries is None:
        return Skip("facet deliveries")
    after = _failed(judge(without_ephemerals(observation)))
    before = {verdict.clause for verdict in _failed(judge(observation))} if after else set()
    return [
        Note(
            f"{verdict.clause} is not broken by the absence of ephemerals",
            f"check {verdict.check}: {verdict.findings[0].observed}",
            Place("deliveries"),
        )
        for verdict in after
        if verdict.clause not in before
    ]


def _failed(verdicts: Sequence[Verdict]) -> list[Verdict]:
    return [verdict for verdict in verdicts if verdict.status == "fail"]


def without_ephemerals(observation: Observation) -> Observation:
    """Take every ephemeral out of the deliveries, and the marks that counted them."""
    deliveries, executions = observation.deliveries, observation.executions
    assert deliveries is not None, "there is something to take out"
    kept = Deliveries(tuple(map(_enduring_part, deliveries.subscriptions)))
    if executions is None:
        return msgspec.structs.replace(observation, deliveries=kept)
    unmarked = tuple(map(_unmarked, executions.executions))
    ran = msgspec.structs.replace(executions, executions=unmarked)
    return msgspec.structs.replace(observation, deliveries=kept, executions=ran)


def _enduring_part(subscription: Subscription) -> Subscription:
    kept = tuple(one for one in subscription.deliveries if not _is_ephemeral(one))
    return msgspec.structs.replace(subscription, deliveries=kept)


def _is_ephemeral(delivery: Delivery) -> bool:
    kind = EVENT_KINDS.get(delivery.event.type)
    return (kind.durability if kind else delivery.durability) == "ephemeral"


def _unmarked(execution: Execution) -> Execution:
    ended = execution.ended
    return msgspec.structs.replace(
        execution, began=_uncounted(execution.began), ended=ended and _uncounted(ended)
    )


def _uncounted(mark: Mark) -> Mark:
    return msgspec.structs.replace(mark, deliveries=None)
