"""
The oracles find no fault where there is none.

What keeps the contract is seen in every way that an implementation may show
it, and behaves in every way that the pages allow; no clause may fail.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from conforming import CONFORMING
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from perturbing import PERTURBATIONS, Perturbation, perturbed

from toolassay.authoring.packs import load_pack_cases
from toolassay.properties import generator
from toolassay.properties.choices import Choose, Seeded
from toolassay.properties.generator import generate, twins
from toolassay.properties.judge import judge
from toolassay.properties.relations import relate
from toolassay.properties.strategies import driven
from toolassay.simulator.reference import Reference
from toolassay.spec.case import Case
from toolassay.spec.observation import Observation
from toolassay.spec.register import load_register
from toolassay.spec.scenario import Scenario
from toolassay.targets.recorded import RecordedTarget

FEW = settings(
    max_examples=30, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
RECORDINGS = Path(__file__).parent.parent / "adapters" / "recorded" / "looprig"
WAYS = 3
"""Ways in which each recording is seen."""

Broken = list[tuple[str, str]]


ADVICE = {"CompletionOrder": "MSG-10"}
"""Runtimes that conform and do not take an advice (SHOULD), of which `core` warns."""


def broken(
    seen: Observation, given: Scenario | None, case: Case | None = None, advice: str = ""
) -> Broken:
    """Give the checks that fail, with what they found, but for those of an advice."""
    return [
        (verdict.check, verdict.findings[0].observed)
        for verdict in judge(seen, given, case)
        if verdict.status == "fail" and verdict.clause != advice
    ]


def seen_otherwise(change: Perturbation) -> st.SearchStrategy[tuple[Scenario, Observation]]:
    """Give what the reference shows of a scenario, seen in another way."""

    def make(choose: Choose) -> tuple[Scenario, Observation]:
        given = generator.scenario(choose)
        return given, change(choose, Reference().turn_run(given))

    return driven(make)


@pytest.mark.parametrize("change", PERTURBATIONS)
def test_a_conforming_run_seen_otherwise_breaks_nothing(change: Perturbation) -> None:
    @FEW
    @given(run=seen_otherwise(change))
    def holds(run: tuple[Scenario, Observation]) -> None:
        scenario, seen = run
        assert broken(seen, scenario) == []
        assert broken(seen, None) == []

    holds()


@settings(FEW, max_examples=120)
@given(run=seen_otherwise(perturbed))
def test_a_conforming_run_seen_in_many_other_ways_at_once_breaks_nothing(
    run: tuple[Scenario, Observation],
) -> None:
    scenario, seen = run
    assert broken(seen, scenario) == []
    assert broken(seen, None) == []


def generated(seed: int = 3) -> list[Case]:
    return [generate(seed, index, ("turn/run",)) for index in range(15)]


@pytest.fixture(scope="module")
def cases() -> tuple[Case, ...]:
    """The first case of each vector of `turn/run`, and generated ones."""
    first: dict[str, Case] = {}
    for case in load_pack_cases():
        if case.scenario is not None:
            first.setdefault(case.vector, case)
    return (*first.values(), *generated())


@pytest.mark.parametrize("name", CONFORMING)
def test_a_runtime_that_conforms_in_its_own_way_breaks_nothing(
    name: str, cases: tuple[Case, ...]
) -> None:
    runtime, advice = Reference(session=CONFORMING[name]), ADVICE.get(name, "")
    found = {
        case.id: faults
        for case in cases
        if (faults := broken(seen_by(name, runtime, case), case.scenario, case, advice))
    }
    assert found == {}


def test_what_is_left_of_an_advice_not_taken_is_no_must() -> None:
    clauses = load_register().clauses
    assert {clauses[advice].level for advice in ADVICE.values()} == {"SHOULD"}


@pytest.mark.parametrize("name", CONFORMING)
def test_a_runtime_that_conforms_in_its_own_way_keeps_the_relations(name: str) -> None:
    runtime = Reference(session=CONFORMING[name])
    for case in generated(10):  # streams among them in which tools raise, or are unknown
        for clause, twin in twins(case):
            members = [(one, seen_by(name, runtime, one)) for one in (case, twin)]
            assert relate(clause, members).status != "fail", (clause, case.scenario)


@pytest.fixture(scope="module")
def recordings() -> tuple[tuple[Case, Observation], ...]:
    target = RecordedTarget(RECORDINGS)
    answers = [(case, target.run(case).observation) for case in target.cases()]
    return tuple((case, seen) for case, seen in answers if seen is not None)


@pytest.mark.parametrize("way", range(WAYS))
def test_a_recording_seen_otherwise_breaks_no_other_clause(
    way: int, recordings: tuple[tuple[Case, Observation], ...]
) -> None:
    for number, (case, seen) in enumerate(recordings):
        known = clauses(seen, case.scenario)
        otherwise = perturbed(Seeded(way, number), seen)
        assert clauses(otherwise, case.scenario) <= known, case.id
        assert clauses(otherwise, None) <= known, case.id


def clauses(seen: Observation, given: Scenario | None) -> set[str]:
    """Give the clauses that are broken."""
    return {one.clause for one in judge(seen, given) if one.status == "fail"}


def seen_by(name: str, runtime: Reference, case: Case) -> Observation:
    assert case.scenario is not None
    seen = runtime.turn_run(case.scenario)
    if name != "HoldsText":
        return seen
    assert seen.history is not None
    assert seen.requests is not None
    held = {
        "history": msgspec.structs.replace(seen.history, arguments="text"),
        "requests": msgspec.structs.replace(seen.requests, arguments="text"),
    }
    return msgspec.structs.replace(seen, **held)
