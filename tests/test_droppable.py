"""Ephemerals are droppable: whichever of them are lost, nothing durable and no verdict changes."""

from __future__ import annotations

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from toolassay.properties import strategies
from toolassay.properties.droppable import without_ephemerals
from toolassay.properties.judge import judge
from toolassay.simulator.reference import Reference
from toolassay.spec.messages import Message
from toolassay.spec.observation import Deliveries, Delivery, Observation, Subscription
from toolassay.spec.scenario import Scenario


def ephemerals(subscription: Subscription) -> list[int]:
    return [at for at, one in enumerate(subscription.deliveries) if one.durability == "ephemeral"]


def without(subscription: Subscription, lost: frozenset[int]) -> Subscription:
    kept = tuple(one for at, one in enumerate(subscription.deliveries) if at not in lost)
    return msgspec.structs.replace(subscription, deliveries=kept)


def held_by_a_consumer(deliveries: tuple[Delivery, ...]) -> list[tuple[Message, ...]]:
    """Fold what a consumer holds as durable: the groups of the steps, in order."""
    return [one.event.messages for one in deliveries if one.event.type == "StepDone"]


def lossy(data: st.DataObject, observation: Observation) -> Observation:
    """Lose a drawn set of ephemerals at each subscriber; marks that counted them are taken out."""
    assert observation.deliveries is not None
    thinned = []
    for subscription in observation.deliveries.subscriptions:
        places = ephemerals(subscription)
        drawn = data.draw(strategies.drop_sets(len(places)))
        thinned.append(without(subscription, frozenset(places[at] for at in drawn)))
    unmarked = without_ephemerals(observation)
    return msgspec.structs.replace(unmarked, deliveries=Deliveries(tuple(thinned)))


@given(strategies.scenarios(), st.data())
def test_losing_any_set_of_ephemerals_breaks_no_clause(
    scenario: Scenario, data: st.DataObject
) -> None:
    """DUR-17: of what the reference shows, no part that is ephemeral is owed."""
    seen = lossy(data, Reference().turn_run(scenario))

    assert [one for one in judge(seen, scenario) if one.status == "fail"] == []


@given(strategies.scenarios(), st.data())
def test_losing_any_set_of_ephemerals_changes_nothing_that_a_consumer_holds(
    scenario: Scenario, data: st.DataObject
) -> None:
    """DUR-04: the fold of what is left is the fold of the whole."""
    whole = Reference().turn_run(scenario)
    seen = lossy(data, whole)

    assert whole.deliveries is not None
    assert seen.deliveries is not None
    for before, after in zip(
        whole.deliveries.subscriptions, seen.deliveries.subscriptions, strict=True
    ):
        assert held_by_a_consumer(after.deliveries) == held_by_a_consumer(before.deliveries)
