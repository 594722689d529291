"""What the expectations of a case must keep beyond their shape."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from toolassay.authoring import errors
from toolassay.authoring.model import Vector
from toolassay.authoring.schema import choices, near_hint
from toolassay.spec.canonical import canonical
from toolassay.spec.case import (
    CallMatch,
    Case,
    Expectation,
    ExpectEvents,
    ExpectExecutions,
    ExpectMessages,
    ExpectOutcome,
)
from toolassay.spec.events import EVENT_KINDS
from toolassay.spec.observation import FACETS
from toolassay.spec.register import Clause
from toolassay.spec.scenario import Scenario
from toolassay.spec.yaml_text import Path

__all__ = ["clause_fault", "expectation_faults"]

_OUTCOME_FIELDS: Final[Mapping[str, frozenset[str]]] = {
    "event/validate": frozenset(("status", "event", "field", "rule")),
    "arguments/sanitize": frozenset(("status", "stored", "executable")),
}


def clause_fault(
    vector: Vector, clause: str, path: Path, clauses: Mapping[str, Clause]
) -> errors.AuthoringError | None:
    """Find what keeps a vector from citing a clause."""
    facts = clauses.get(clause)
    if facts is None:
        hint = near_hint(clause, clauses)
        what = f"the register has no clause {clause!r}"
        return errors.ClauseNameError.at(vector.document, path, what, hint)
    if facts.contract != vector.contract:
        what = f"{clause} belongs to the contract {facts.contract}, not to {vector.contract}"
        hint = "cite a clause of this contract, or move the vector"
        return errors.ClauseContractError.at(vector.document, path, what, hint)
    if facts.untestable:
        what = f"{clause} cannot be tested: {facts.untestable}"
        return errors.ClauseContractError.at(vector.document, path, what)
    return None


def expectation_faults(
    vector: Vector, case: Case, expectation: Expectation, path: Path
) -> Iterator[errors.AuthoringError]:
    """Find what is wrong with one expectation of a case."""
    given = [name for name in (*FACETS, "holds") if getattr(expectation, name) is not None]
    if len(given) != 1:
        what = (
            "the expectation has no facet"
            if not given
            else f"the expectation has {_together(given)}"
        )
        hint = f"give exactly one of {choices((*FACETS, 'holds'))}"
        yield errors.ExpectFacetError.at(vector.document, path, what, hint)
        return
    facet = given[0]
    place = (*path, facet)
    if facet != "holds" and (facet == "outcome") == (case.operation == "turn/run"):
        what = f"{case.operation} does not show the facet `{facet}`"
        yield errors.ExpectFacetError.at_key(vector.document, place, what)
        return
    wanted = getattr(expectation, facet)
    if facet != "holds" and canonical(wanted) == b"{}":
        what = f"`{facet}` wants nothing"
        yield errors.ExpectEmptyError.at(vector.document, place, what, "say what it shows")
    yield from _facet_faults(vector, case, wanted, place)


def _together(names: list[str]) -> str:
    """Join the names of facets that stand together."""
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _facet_faults(
    vector: Vector, case: Case, wanted: object, path: Path
) -> Iterator[errors.AuthoringError]:
    scenario = case.scenario
    if isinstance(wanted, ExpectOutcome):
        yield from _outcome_faults(vector, case, wanted, path)
    if scenario is None:
        return
    if isinstance(wanted, ExpectExecutions):
        yield from _execution_faults(vector, scenario, wanted, path)
    elif isinstance(wanted, ExpectMessages):
        yield from _message_faults(vector, scenario, wanted, path)
    elif isinstance(wanted, ExpectEvents):
        yield from _event_faults(vector, wanted, path)
        yield from _subscriber_faults(vector, scenario, wanted, path)


def _execution_faults(
    vector: Vector, scenario: Scenario, wanted: ExpectExecutions, path: Path
) -> Iterator[errors.AuthoringError]:
    for key, match in (("never", wanted.never), ("once", wanted.once)):
        if match is not None:
            yield from _match_faults(vector, scenario, match, (*path, key))


def _match_faults(
    vector: Vector, scenario: Scenario, match: CallMatch, path: Path
) -> Iterator[errors.AuthoringError]:
    if match.call is not None:
        yield from _call_faults(vector, scenario, match.call, (*path, "call"))
    names = _tool_names(scenario)
    if match.tool is not None and match.tool not in names:
        what = f"the scenario has no tool {match.tool!r}"
        hint = near_hint(match.tool, names)
        yield errors.ExpectCallError.at(vector.document, (*path, "tool"), what, hint)


def _message_faults(
    vector: Vector, scenario: Scenario, wanted: ExpectMessages, path: Path
) -> Iterator[errors.AuthoringError]:
    if wanted.result is not None:
        place = (*path, "result", "answers")
        yield from _call_faults(vector, scenario, wanted.result.answers, place)
    if wanted.call is not None:
        yield from _call_faults(vector, scenario, wanted.call.id, (*path, "call", "id"))
    if wanted.at is not None and path[-1] == "history":
        what = "`at` says which request, and the history is one"
        yield errors.ExpectFacetError.at_key(vector.document, (*path, "at"), what)


def _call_faults(
    vector: Vector, scenario: Scenario, call_id: str, path: Path
) -> Iterator[errors.AuthoringError]:
    known = {call.id for reply in scenario.model for call in reply.calls}
    if call_id not in known:
        what = f"the scenario has no call {call_id!r}"
        hint = near_hint(call_id, known) or "limit the expectation with `only`"
        yield errors.ExpectCallError.at(vector.document, path, what, hint)


def _tool_names(scenario: Scenario) -> set[str]:
    called = {call.name for reply in scenario.model for call in reply.calls}
    return called | {tool.name for tool in scenario.tools}


def _event_faults(
    vector: Vector, wanted: ExpectEvents, path: Path
) -> Iterator[errors.AuthoringError]:
    for place, name in _named_events(wanted, path):
        kind = EVENT_KINDS.get(name)
        if kind is None:
            what = f"the contract has no event {name!r}"
            hint = near_hint(name, EVENT_KINDS)
            yield errors.ExpectEventError.at(vector.document, place, what, hint)
        elif kind.durability == "ephemeral" and place[len(path)] in {"has", "count"}:
            what = f"{name} is ephemeral and may be missing"
            hint = "`never` and `order` may name it"
            yield errors.ExpectEventError.at(vector.document, place, what, hint)


def _named_events(wanted: ExpectEvents, path: Path) -> Iterator[tuple[Path, str]]:
    """Give the event types that an expectation names, and where."""
    lists = {"never": wanted.never, "has": wanted.has, "order": wanted.order}
    for key, names in lists.items():
        for at, name in enumerate(names):
            yield (*path, key, at), name
    for name in wanted.count:
        yield (*path, "count", name), name


def _subscriber_faults(
    vector: Vector, scenario: Scenario, wanted: ExpectEvents, path: Path
) -> Iterator[errors.AuthoringError]:
    if wanted.subscriber is None:
        return
    place = (*path, "subscriber")
    names = [subscriber.name for subscriber in scenario.subscribers]
    if path[-1] == "journal":
        what = "the journal has no subscribers"
        yield errors.ExpectFacetError.at_key(vector.document, place, what)
    elif wanted.subscriber not in names:
        what = f"the scenario has no subscriber {wanted.subscriber!r}"
        hint = near_hint(wanted.subscriber, names)
        yield errors.ExpectCallError.at(vector.document, place, what, hint)


def _outcome_faults(
    vector: Vector, case: Case, wanted: ExpectOutcome, path: Path
) -> Iterator[errors.AuthoringError]:
    allowed = _OUTCOME_FIELDS.get(case.operation, frozenset())
    for name in wanted.__struct_fields__:
        if getattr(wanted, name) not in (None, ()) and name not in allowed:
            what = f"{case.operation} does not answer with `{name}`"
            yield errors.ExpectFacetError.at_key(vector.document, (*path, name), what)
