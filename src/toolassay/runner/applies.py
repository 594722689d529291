"""
What a case needs of an implementation, and whether it is offered.

What was not declared does not apply and is named; what was declared and does
not come is false advertising.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from toolassay.spec.case import Case, Expectation, Operation
from toolassay.spec.observation import FACETS, FacetName, Observation


class Offer(msgspec.Struct, frozen=True):
    """What an implementation declares, ready to be asked."""

    operations: frozenset[str]
    """Operations."""
    facets: frozenset[str]
    """Facets."""
    features: frozenset[str]
    """Features."""
    expected: Mapping[str, tuple[FacetName, ...]]
    """Facets that must come, by operation."""


def offer_of(
    operations: tuple[str, ...], facets: tuple[str, ...], features: tuple[str, ...]
) -> Offer:
    """Prepare what an implementation declares."""
    run = tuple(facet for facet in FACETS if facet in facets and facet != "outcome")
    stateless: tuple[FacetName, ...] = ("outcome",)
    expected = dict.fromkeys(operations, stateless)
    return Offer(
        frozenset(operations),
        frozenset(facets),
        frozenset(features),
        {**expected, "turn/run": run},
    )


def reason_against(case: Case, offer: Offer, needs: Mapping[str, tuple[str, ...]]) -> str:
    """
    Say why a case does not apply; the empty string if it does.

    Args:
        case: The case.
        offer: What the implementation declares.
        needs: Facets that a clause needs, for expectations that name none.
    """
    if case.operation not in offer.operations:
        return f"operation {case.operation}"
    for feature in case.features:
        if feature not in offer.features:
            return f"feature {feature}"
    if case.operation != "turn/run" or case.relations or not case.expect:
        return ""
    missing = [_missing_facet(item, offer, needs) for item in case.expect]
    return f"facet {missing[0]}" if all(missing) else ""


def _missing_facet(item: Expectation, offer: Offer, needs: Mapping[str, tuple[str, ...]]) -> str:
    named = [facet for facet in FACETS if getattr(item, facet) is not None]
    wanted = named or needs.get(item.clause, ())
    return next((facet for facet in wanted if facet not in offer.facets), "")


def withheld(operation: Operation, offer: Offer, observation: Observation) -> tuple[FacetName, ...]:
    """Give the declared facets that did not come, and for which no reason was given."""
    found: list[FacetName] = []
    for facet in offer.expected[operation]:
        if getattr(observation, facet) is None and facet not in observation.omitted:
            found.append(facet)  # noqa: PERF401 - asked for every case, and nearly always empty
    return tuple(found)
