"""What the first profile promises of every clause in its scope."""

from collections import Counter

import pytest

from toolassay.authoring.packs import load_pack_cases
from toolassay.mutation import examine
from toolassay.properties.generator import generate
from toolassay.properties.judge import judge
from toolassay.properties.mutants import ORACLE_MUTANTS
from toolassay.simulator.mutants import MUTANTS
from toolassay.simulator.reference import Reference
from toolassay.spec.case import Case
from toolassay.spec.register import load_register

LISTED = """
EVT-01 EVT-02 EVT-03 EVT-04 EVT-05 EVT-05a EVT-07 EVT-07a EVT-09 EVT-09a EVT-10 EVT-10a EVT-12
MSG-01 MSG-02 MSG-03 MSG-04 MSG-05 MSG-06 MSG-08 MSG-09 MSG-10
ARG-01 ARG-02 ARG-02a ARG-03 ARG-04 ARG-05 ARG-06 ARG-07 ARG-08 ARG-09 ARG-11 ARG-13
ORD-01 ORD-02 ORD-03 ORD-04 ORD-05 ORD-06 ORD-07 ORD-08 ORD-11 ORD-12 ORD-14 ORD-15
ORD-16 ORD-18 ORD-19
DUR-01 DUR-02 DUR-04 DUR-05 DUR-06 DUR-17
"""
SCOPE = LISTED.split()
"""The clauses in scope, with the halves into which a row was split."""

SEED = 0
BUDGET = 2_500
"""Generated cases within which each mutant must be found."""


@pytest.fixture(scope="module")
def cases() -> tuple[Case, ...]:
    return load_pack_cases()


@pytest.mark.parametrize("kind", ["positive", "negative"])
def test_every_clause_in_scope_has_a_vector_of_each_kind(
    cases: tuple[Case, ...], kind: str
) -> None:
    cited = Counter(
        clause
        for case in cases
        if case.kind == kind
        for clause in (
            *(item.clause for item in case.expect),
            *(relation.clause for relation in case.relations),
        )
    )

    assert [clause for clause in SCOPE if not cited[clause]] == []


def test_every_clause_in_scope_has_a_mutant() -> None:
    planted = {mutant.clause for mutant in MUTANTS.values()}
    planted |= {mutant.clause for mutant in ORACLE_MUTANTS.values()}

    assert [clause for clause in SCOPE if clause not in planted] == []


def test_the_scope_is_part_of_the_register() -> None:
    known = load_register().clauses

    assert [clause for clause in SCOPE if clause not in known] == []


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_is_killed_by_its_vectors_and_by_generation(
    name: str, cases: tuple[Case, ...]
) -> None:
    (report,) = examine([MUTANTS[name]], cases, seed=SEED, budget=BUDGET)

    assert report.applied
    assert report.reached
    assert report.killed_by_vectors
    assert report.killed_by_generation


@pytest.mark.parametrize("name", ORACLE_MUTANTS)
def test_a_mutant_of_the_oracle_is_killed_by_its_vectors(
    name: str, cases: tuple[Case, ...]
) -> None:
    mutant = ORACLE_MUTANTS[name]
    mine = [case for case in cases if any(e.clause == mutant.clause for e in case.expect)]
    reference = Reference()
    for case in mine:
        assert case.scenario is not None
        seen = reference.turn_run(case.scenario, SEED)
        right = {v.clause for v in judge(seen, case=case) if v.status == "fail"}
        wrong = {v.clause for v in mutant.judge(seen, case) if v.status == "fail"}

        assert mutant.clause in wrong - right
    assert mine


def test_the_reference_breaks_nothing_in_generated_cases() -> None:
    reference = Reference()
    for index in range(300):
        case = generate(7, index)
        if case.scenario is not None:
            seen = reference.turn_run(case.scenario, index)

            assert [v for v in judge(seen, case=case) if v.status == "fail"] == []
