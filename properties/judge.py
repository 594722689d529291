"""
The entry point: every named check, and every expectation of the case, over one observation.

A check that misses a facet answers `not_applicable` and says which. What must
eventually happen is judged on complete facets only; what must never happen is
judged on all that is there.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import compress
from typing import Final

import msgspec

from toolassay.properties import checks_arguments as arguments
from toolassay.properties import checks_batch as batch
from toolassay.properties import checks_durability as durability
from toolassay.properties import checks_events as events
from toolassay.properties import checks_order as order
from toolassay.properties import checks_shape as shape
from toolassay.properties.checks_events import from_stream
from toolassay.properties.droppable import absent_is_no_finding
from toolassay.properties.error_flags import error_flag
from toolassay.properties.evidence import Evidence
from toolassay.properties.expectations import expectation_name, judge_expectation
from toolassay.properties.from_streams import any_of
from toolassay.properties.names import CHECK_NAMES
from toolassay.properties.verdict import Answer, Ask, Check, Skip, Verdict, verdict_of
from toolassay.spec.case import Case
from toolassay.spec.events import TOOL_EVENTS
from toolassay.spec.observation import FACETS, FacetName, Observation
from toolassay.spec.scenario import Scenario

__all__ = ["CHECKS", "Check", "Verdict", "check_of", "judge"]

_EVENTS: Final[tuple[FacetName, ...]] = ("deliveries", "journal")
_COMMITTED: Final[tuple[FacetName, ...]] = ("history", "journal", "deliveries")
_SHOWN: Final[tuple[FacetName, ...]] = ("history", "requests", "journal", "deliveries")
_STORED: Final[tuple[FacetName, ...]] = (*_SHOWN, "outcome")

_TOOL = frozenset(TOOL_EVENTS)
_STEP = any_of("StepDone")
_REQUESTED = any_of("PermissionRequested")
_DECIDED = any_of("PermissionDecided")
_APPROVED = any_of("PermissionDecided", "GateResolved")
_STARTED = any_of("ToolCallStarted")
_COMPLETED = any_of("ToolCallCompleted")


def _check(
    clause: str,
    ask: Ask,
    needs: tuple[FacetName, ...] = (),
    either: tuple[FacetName, ...] = (),
    *,
    scripted: bool = False,
) -> Check:
    return Check(CHECK_NAMES[clause], clause, ask, needs, either, scripted)


CHECKS: Final[tuple[Check, ...]] = (
    _check("MSG-01", shape.begins_with_assistant, either=_EVENTS),
    _check("MSG-02", shape.continues_with_results, either=_EVENTS),
    _check("MSG-04", shape.text_only, either=_COMMITTED),
    _check("MSG-05", shape.one_result_per_call, either=_SHOWN),
    _check("MSG-06", shape.answers_its_own_call, either=_SHOWN),
    _check("MSG-08", shape.one_message_per_result, either=_COMMITTED),
    _check("MSG-09", error_flag, either=_COMMITTED, scripted=True),
    _check("MSG-10", shape.results_in_call_order, either=_SHOWN),
    _check("MSG-11", shape.nothing_between, either=_COMMITTED),
    _check("ARG-01", arguments.stored_as_empty_object, either=(*_COMMITTED, "outcome")),
    _check("ARG-02", arguments.executable_keeps_the_text, ("outcome",)),
    _check("ARG-02a", arguments.executable_keeps_the_bytes, ("outcome",)),
    _check(
        "ARG-03",
        arguments.malformed_gets_an_error,
        either=(*_SHOWN, "executions"),
        scripted=True,
    ),
    _check("ARG-04", arguments.never_runs_changed, ("executions",), scripted=True),
    _check("ARG-05", arguments.stored_with_the_same_value, either=_STORED),
    _check("ARG-06", arguments.history_encodes, ("history",)),
    _check("ARG-07", arguments.history_round_trips, either=("history", "outcome")),
    _check("ARG-08", arguments.siblings_undisturbed, either=_SHOWN, scripted=True),
    _check("ARG-09", arguments.json_is_rfc_8259, either=(*_STORED, "executions")),
    _check("ARG-11", arguments.no_object_never_becomes_one, ("executions",), scripted=True),
    _check("EVT-01", events.classes, ("deliveries",)),
    _check("EVT-02", from_stream("EVT-02", _TOOL), either=_EVENTS),
    _check("EVT-03", from_stream("EVT-03", _TOOL), either=_EVENTS),
    _check("EVT-04", from_stream("EVT-04", _TOOL | _STEP), either=_EVENTS),
    _check("EVT-05", from_stream("EVT-05", _DECIDED), either=_EVENTS),
    _check("EVT-07", events.refusal_of_step, ("outcome",)),
    _check("EVT-07a", events.refusal_of_other, ("outcome",)),
    _check("EVT-09", from_stream("EVT-09", _TOOL, _STEP), either=_EVENTS),
    _check("EVT-09a", from_stream("EVT-09a", _TOOL), either=_EVENTS),
    _check("EVT-10", from_stream("EVT-10", _STEP), either=_EVENTS),
    _check("EVT-10a", from_stream("EVT-10a", _STEP), either=_EVENTS),
    _check("EVT-11", from_stream("EVT-11", _STEP), either=_EVENTS),
    _check("EVT-12", events.step_of_the_answer, either=_EVENTS),
    _check("GATE-02", from_stream("GATE-02", _DECIDED), either=_EVENTS),
    _check("ORD-01", from_stream("ORD-01", _REQUESTED, _DECIDED), either=_EVENTS),
    _check("ORD-02", from_stream("ORD-02", _APPROVED, _STARTED), ("deliveries",)),
    _check("ORD-03", order.completion_after_execution, ("deliveries",)),
    _check("ORD-04", from_stream("ORD-04", _COMPLETED, _STEP), ("deliveries",)),
    _check("ORD-05", order.no_execution_without_approval, ("executions",)),
    _check("ORD-06", order.denied_never_runs, ("executions",)),
    _check("ORD-07", from_stream("ORD-07", _DECIDED | _STARTED | _COMPLETED), either=_EVENTS),
    _check("ORD-08", batch.results_after_batch, ("executions",)),
    _check("ORD-09", batch.message_before_calls, ("executions",)),
    _check("ORD-10", from_stream("ORD-10", _TOOL, _STEP), either=_EVENTS),
    _check("ORD-11", order.denied_step_ends, either=(*_EVENTS, "ending")),
    _check("ORD-12", shape.only_whole_groups, either=_COMMITTED),
    _check("ORD-13", order.executed_is_approved, ("executions",), scripted=True),
    _check("ORD-14", from_stream("ORD-14", _COMPLETED, _STEP), ("deliveries",)),
    _check("ORD-15", order.siblings_of_denied, either=_SHOWN, scripted=True),
    _check("ORD-16", order.turn_ends_once, either=("ending", *_EVENTS)),
    _check("ORD-17", order.no_approval_for_malformed, either=_EVENTS, scripted=True),
    _check("ORD-18", order.no_lifecycle_of_denied, ("deliveries",)),
    _check("ORD-19", order.one_step_done, either=_EVENTS),
    _check("DUR-01", from_stream("DUR-01", _TOOL | _STEP), either=_EVENTS),
    _check("DUR-02", durability.numbers_increase, either=_EVENTS),
    _check("DUR-03", durability.written_before_seen, ("deliveries",)),
    _check("DUR-04", durability.history_is_fold, ("history", "journal")),
    _check("DUR-05", durability.every_enduring_event, ("deliveries", "journal")),
    _check("DUR-06", durability.slow_stops_nothing, either=("ending", "deliveries"), scripted=True),
)
"""Every named check of one observation, in the order of the clauses."""

_BY_CLAUSE: Final = {check.clause: check for check in CHECKS}


def check_of(clause: str) -> Check | None:
    """Give the named check of a clause; None for clauses that are judged otherwise."""
    return _BY_CLAUSE.get(clause)


def judge(
    observation: Observation,
    scenario: Scenario | None = None,
    case: Case | None = None,
    clauses: frozenset[str] | None = None,
    extra: tuple[Check, ...] = (),
) -> tuple[Verdict, ...]:
    """
    Judge one observation.

    Args:
        observation: What the implementation let us see.
        scenario: What it was asked to go through; that of the case if not given.
        case: The case with its expectations, if there is one.
        clauses: The clauses to judge; None for all.
        extra: Checks to ask beside the named ones.

    Returns:
        One verdict per named check, in the order of `CHECKS`, then one per
        expectation of the case, in its order.
    """
    if scenario is None and case is not None:
        scenario = case.scenario
    evidence = Evidence(observation, scenario, case)
    asked = _plan(_present(observation), scenario is not None, clauses, extra)
    verdicts = list(asked.settled)
    for place, check, passed in asked.open:
        answer = check.ask(evidence)
        verdicts[place] = verdict_of(check.clause, check.name, answer) if answer else passed
    if case is not None:
        verdicts += _expected(case, evidence, verdicts, clauses, extra)
    return tuple(verdicts)


def _expected(
    case: Case,
    evidence: Evidence,
    named: Sequence[Verdict],
    clauses: frozenset[str] | None,
    extra: tuple[Check, ...],
) -> list[Verdict]:
    """Judge the expectations of a case."""
    verdicts: list[Verdict] = []
    for number, expected in enumerate(case.expect):
        if clauses is None or expected.clause in clauses:
            name = expectation_name(expected, number)
            if not expected.holds:
                answer = judge_expectation(expected, evidence)
                verdicts.append(verdict_of(expected.clause, name, answer))
            elif expected.clause == "DUR-17":
                answer = _without_ephemerals(evidence, extra)
                verdicts.append(verdict_of(expected.clause, name, answer))
            else:
                verdicts.append(_holds(expected.clause, name, named))
    return verdicts


class Asked(msgspec.Struct, frozen=True):
    """What the named checks come to wherever the same facets are there."""

    settled: tuple[Verdict, ...]
    """A verdict for each, as if none applied; those that do are judged in each case anew."""
    open: tuple[tuple[int, Check, Verdict], ...]
    """Those that apply, with their places among all and their verdicts where they pass."""


def asked_of(
    observation: Observation, clauses: frozenset[str] | None = None, *, scripted: bool
) -> Asked:
    """Say what `judge` asks of an observation; equal facets are given the same object."""
    return _plan(_present(observation), scripted, clauses, ())


@lru_cache(maxsize=4096)
def _plan(
    present: tuple[bool, ...],
    scripted: bool,  # noqa: FBT001 - the key of a cache is positional
    clauses: frozenset[str] | None,
    extra: tuple[Check, ...],
) -> Asked:
    """Say for each check whether it runs where these facets are there, or why it does not."""
    wanted = [one for one in (*CHECKS, *extra) if clauses is None or one.clause in clauses]
    facets = tuple(compress(FACETS, present))
    lacks = [_lack(check, facets, scripted=scripted) for check in wanted]
    return Asked(
        tuple(
            Verdict(check.clause, check.name, "not_applicable", (), lack)
            for check, lack in zip(wanted, lacks, strict=True)
        ),
        tuple(
            (place, check, verdict_of(check.clause, check.name, []))
            for place, check in enumerate(wanted)
            if not lacks[place]
        ),
    )


def _present(seen: Observation) -> tuple[bool, ...]:
    """Tell of each facet whether it is there, in the order of `FACETS`; asked for every case."""
    return (
        seen.history is not None,
        seen.requests is not None,
        seen.executions is not None,
        seen.deliveries is not None,
        seen.journal is not None,
        seen.ending is not None,
        seen.outcome is not None,
    )


def _lack(check: Check, present: tuple[FacetName, ...], *, scripted: bool) -> str:
    """Name what a check misses; empty if nothing."""
    for facet in check.needs:
        if facet not in present:
            return f"facet {facet}"
    if check.either and not any(facet in present for facet in check.either):
        return f"facet {' or '.join(check.either)}"
    return "no scenario" if check.scripted and not scripted else ""


def _holds(clause: str, name: str, named: Sequence[Verdict]) -> Verdict:
    """Say under the name of an expectation what the named check of its clause came to."""
    found = next((verdict for verdict in named if verdict.clause == clause), None)
    if found is None:
        return verdict_of(clause, name, Skip("no check of this clause over one observation"))
    findings = tuple(msgspec.structs.replace(one, check=name) for one in found.findings)
    return msgspec.structs.replace(found, check=name, findings=findings)


def _without_ephemerals(evidence: Evidence, extra: tuple[Check, ...]) -> Answer:
    """Ask all named checks again, of what is left without the ephemerals (DUR-17)."""
    return absent_is_no_finding(
        evidence.observation, lambda seen: judge(seen, evidence.scenario, extra=extra)
    )
