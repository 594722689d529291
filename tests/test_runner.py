"""The runner: what answers, profiles and interruptions come to."""

from __future__ import annotations

import threading

import msgspec
import pytest
from fakes import (
    ANSWERED,
    GOOD,
    NEVER,
    RAN,
    REGISTER,
    TWO,
    FakeTarget,
    case_of,
    plan_of,
    results_of,
    seen,
)

from toolassay.results import DECLARES, CaseFinished, CaseResult, Event, RunFinished
from toolassay.runner import judge_one, rules_of, run, run_case
from toolassay.runner.judging import offered
from toolassay.selection import Selection
from toolassay.spec.case import Expectation, ExpectEvents, RelationRef
from toolassay.spec.errors import TargetError
from toolassay.spec.observation import Observation
from toolassay.statuses import WORST_FIRST, Exit, exit_of, worst
from toolassay.targets.base import Answer

CASE = case_of()
OTHER = case_of("ord.other")


def status_of(result: CaseResult, clause: str) -> set[str]:
    mine = [check for check in result.checks if check.clause == clause]
    return {check.status for check in mine if check.status != "not_applicable"}


def one(
    answer: Answer | Exception, *, profile: str = "core", **offer: object
) -> tuple[CaseResult, RunFinished]:
    target = FakeTarget({CASE.id: answer}, **offer)  # type: ignore[arg-type]
    (result,), finished = results_of(plan_of(target, [CASE], profile=profile))
    return result, finished


# --- statuses -------------------------------------------------------------------------------


def test_a_case_shows_its_worst_check() -> None:
    assert worst(["pass", "xfail", "warn"]) == "xfail"
    assert worst(["not_applicable", "recorded"]) == "recorded"
    assert worst([]) == "not_applicable"
    assert [worst(WORST_FIRST[n:]) for n in range(len(WORST_FIRST))] == list(WORST_FIRST)


@pytest.mark.parametrize(
    ("codes", "code"),
    [
        ([], Exit.CONFORMANT),
        ([Exit.INCOMPLETE, Exit.NON_CONFORMANT], Exit.NON_CONFORMANT),
        ([Exit.NON_CONFORMANT, Exit.UNUSABLE], Exit.UNUSABLE),
        ([Exit.UNUSABLE, Exit.USAGE], Exit.USAGE),
        ([Exit.USAGE, Exit.INTERRUPTED], Exit.INTERRUPTED),
    ],
)
def test_of_several_exit_codes_the_gravest_counts(codes: list[Exit], code: Exit) -> None:
    assert exit_of(codes) == code


def test_a_run_that_keeps_the_contract_is_conformant() -> None:
    result, finished = one(GOOD)

    assert result.status == "pass"
    assert (finished.verdict, finished.exit_code, finished.reasons) == ("conformant", 0, ())
    assert finished.cases == {"pass": 1}


def test_a_broken_clause_is_a_failure_and_names_itself() -> None:
    result, finished = one(RAN)

    assert status_of(result, "ORD-06") == {"fail"}
    assert status_of(result, "MSG-05") == {"pass"}
    assert "ORD-06" in finished.broken_clauses
    assert (finished.verdict, finished.exit_code) == ("non-conformant", Exit.NON_CONFORMANT)


@pytest.mark.parametrize(
    ("answered", "status"),
    [
        ("error", "error"),
        ("crashed", "crashed"),
        ("timeout", "timeout"),
        ("raised", "crashed"),
        ("rejected", "not_run"),
    ],
)
def test_a_case_that_could_not_be_judged_makes_the_run_incomplete(
    answered: str, status: str
) -> None:
    answer = Answer(answered, message="boom")  # type: ignore[arg-type]
    result, finished = one(answer)

    assert result.status == status
    assert [check.clause for check in result.checks] == ["MSG-05", "ORD-06"]
    assert {check.why for check in result.checks} == {f"{answered}: boom"}
    assert finished.exit_code == Exit.INCOMPLETE


def test_a_declared_operation_that_is_unsupported_is_false_advertising() -> None:
    result, finished = one(Answer("unsupported", message="no loop"))

    assert [(check.check, check.clause, check.status) for check in result.checks] == [
        (DECLARES, "", "fail")
    ]
    assert finished.exit_code == Exit.NON_CONFORMANT


def test_a_declared_facet_that_does_not_come_is_false_advertising() -> None:
    result, finished = one(GOOD, facets=("history", "executions", "journal"))
    (check,) = (check for check in result.checks if check.check == DECLARES)

    assert check.status == "fail"
    assert "journal" in check.findings[0].expected
    assert finished.exit_code == Exit.NON_CONFORMANT


def test_a_declared_facet_may_stay_away_with_a_reason() -> None:
    observation = msgspec.structs.replace(seen(), omitted={"journal": "the store is down"})
    result, _ = one(Answer("ok", observation), facets=("history", "executions", "journal"))

    assert DECLARES not in {check.check for check in result.checks}


def test_a_feature_that_is_not_declared_makes_the_case_not_applicable_by_name() -> None:
    target = FakeTarget()
    cases = [
        CASE,
        case_of("ord.gated", features=("gates",)),
        case_of("ord.too", features=("gates",)),
    ]
    _, finished = results_of(plan_of(target, cases))

    assert finished.not_applicable == {"feature gates": 2}
    assert set(target.asked) == {CASE.id}
    assert finished.exit_code == Exit.CONFORMANT


def test_a_case_whose_every_expectation_needs_an_undeclared_facet_does_not_apply() -> None:
    journal = Expectation("ORD-01", journal=ExpectEvents(order=("PermissionRequested",)))
    both = case_of("ord.both", (journal, NEVER))
    alone = case_of("ord.alone", (journal,))
    results, finished = results_of(plan_of(FakeTarget(), [both, alone]))

    assert [result.status for result in results] == ["pass", "not_applicable"]
    assert finished.not_applicable == {"facet journal": 1}


def test_an_operation_that_is_not_declared_does_not_apply() -> None:
    case = case_of("evt.x", (), operation="event/validate", event="{}", scenario=None)
    (result,), finished = results_of(plan_of(FakeTarget(), [case]))

    assert (result.status, result.why) == ("not_applicable", "operation event/validate")
    assert finished.exit_code == Exit.INCOMPLETE


def test_a_run_in_which_nothing_applies_is_incomplete() -> None:
    _, finished = results_of(plan_of(FakeTarget(), []))

    assert (finished.verdict, finished.exit_code) == ("incomplete", Exit.INCOMPLETE)
    assert finished.reasons == ("nothing was judged",)


def test_what_the_profile_does_not_score_is_recorded() -> None:
    derived = [clause.id for clause in REGISTER.clauses.values() if clause.basis == "derived"]
    expect = Expectation(derived[0], executions=NEVER.executions)
    case = case_of("ord.derived", (expect,))
    target = FakeTarget({case.id: RAN})
    (result,), _ = results_of(plan_of(target, [case], profile="pages"))

    assert status_of(result, derived[0]) == {"recorded"}


def test_a_broken_should_warns_in_core_and_fails_in_strict() -> None:
    should = next(
        clause.id
        for clause in REGISTER.clauses.values()
        if clause.level == "SHOULD" and "strict" in clause.profiles
    )
    case = case_of("msg.should", (Expectation(should, executions=NEVER.executions), ANSWERED))
    wanted = Selection(clauses=(should, "MSG-05"))
    for profile, status, code in (("core", "warn", 0), ("strict", "fail", 1)):
        target = FakeTarget({case.id: RAN})
        (result,), finished = results_of(plan_of(target, [case], profile=profile, selection=wanted))
        assert status_of(result, should) == {status}
        assert finished.exit_code == code


def test_a_selection_of_clauses_judges_no_other() -> None:
    plan = plan_of(FakeTarget({CASE.id: RAN}), [CASE], selection=Selection(clauses=("MSG-05",)))
    (result,), finished = results_of(plan)

    assert {check.clause for check in result.checks} == {"MSG-05"}
    assert finished.exit_code == Exit.CONFORMANT


def test_an_expectation_without_a_verdict_is_incomplete(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolassay.runner.judging.judge", lambda *_: ())
    result, finished = one(GOOD)

    assert result.status == "not_run"
    assert "2 expectations have no verdict" in result.checks[0].why
    assert finished.exit_code == Exit.INCOMPLETE


def test_a_fault_of_the_kit_is_told_apart_and_hides_no_other_case(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    target = FakeTarget({CASE.id: ValueError("planted")})
    results, finished = results_of(plan_of(target, [CASE, OTHER]))

    assert [result.status for result in results] == ["error", "pass"]
    assert "ValueError: planted" in results[0].why
    assert finished.exit_code == Exit.USAGE


# --- how a run goes -------------------------------------------------------------------------


def test_a_target_that_becomes_unusable_ends_the_run() -> None:
    target = FakeTarget({OTHER.id: TargetError("gave up")})
    results, finished = results_of(plan_of(target, [CASE, OTHER, case_of("ord.last")]))

    assert [result.case.id for result in results] == [CASE.id]
    assert finished.cases == {"not_run": 2, "pass": 1}
    assert (finished.verdict, finished.exit_code) == ("unusable", Exit.UNUSABLE)


def test_an_interrupted_run_still_ends_with_its_last_event() -> None:
    events: list[Event] = []

    def take(event: Event) -> None:
        events.append(event)
        if isinstance(event, CaseFinished):
            raise KeyboardInterrupt

    finished = run(plan_of(FakeTarget(), [CASE, OTHER]), take)

    assert events[-1] is finished
    assert (finished.verdict, finished.exit_code) == ("interrupted", 130)
    assert finished.cases == {"pass": 1, "not_run": 1}


def test_exitfirst_stops_at_the_first_failure() -> None:
    target = FakeTarget({OTHER.id: RAN})
    plan = plan_of(target, [CASE, OTHER, case_of("ord.last")], stop_first=True)
    results, finished = results_of(plan)

    assert [result.case.id for result in results] == [CASE.id, OTHER.id]
    assert finished.cases["not_run"] == 1
    assert finished.exit_code == Exit.NON_CONFORMANT


@pytest.mark.parametrize("jobs", [1, 2, 5])
def test_results_come_in_the_order_of_the_cases_under_any_number_of_workers(jobs: int) -> None:
    cases = [case_of(f"ord.case{number}") for number in range(40)]
    bad = {case.id: RAN for case in cases[::7]}
    plan = plan_of(FakeTarget(bad), cases, jobs=jobs, more=lambda: FakeTarget(bad))
    results, finished = results_of(plan)

    assert [result.case.id for result in results] == [case.id for case in cases]
    assert finished.cases == {"fail": 6, "pass": 34}


def test_further_workers_have_targets_of_their_own_which_are_closed() -> None:
    made: list[FakeTarget] = []
    barrier = threading.Barrier(3, timeout=30)

    class Meeting(FakeTarget):
        def run(self, case: object, seed: int = 0, deadline_s: float = 10) -> Answer:  # noqa: ARG002 - the signature of targets
            barrier.wait()
            return GOOD

    def more() -> FakeTarget:
        made.append(Meeting())
        return made[-1]

    cases = [case_of(f"ord.case{number}") for number in range(6)]
    _, finished = results_of(plan_of(Meeting(), cases, jobs=3, more=more))

    assert finished.cases == {"pass": 6}
    assert [target.closed for target in made] == [1, 1]


# --- relations ------------------------------------------------------------------------------


def related(*ids: str) -> list:  # type: ignore[type-arg]
    reference = RelationRef("DUR-04", "arg.whole")
    return [case_of(name, (ANSWERED,), relations=(reference,)) for name in ids]


def test_a_relation_is_a_check_of_the_case_with_the_default_value() -> None:
    cases = related("arg.whole", "arg.whole[stream=halves]")
    differs = Answer("ok", seen(ran=True, answered=True))
    (first, second), finished = results_of(plan_of(FakeTarget({cases[1].id: differs}), cases))

    (check,) = (check for check in first.checks if check.check == "relation.DUR-04")
    assert check.status == "fail"
    assert "relation.DUR-04" not in {check.check for check in second.checks}
    assert "DUR-04" in finished.broken_clauses


def test_a_relation_of_one_case_alone_does_not_apply() -> None:
    cases = related("arg.whole", "arg.whole[stream=halves]")
    plan = plan_of(FakeTarget(), cases, selection=Selection(cases=("arg.whole[stream=halves]",)))
    (result,), _ = results_of(plan)
    (check,) = (check for check in result.checks if check.check == "relation.DUR-04")

    assert check.status == "not_applicable"


# --- one case -------------------------------------------------------------------------------


def test_one_case_can_be_run_and_judged_alone() -> None:
    rules = rules_of(REGISTER, REGISTER.profile("core"))
    target = FakeTarget({CASE.id: RAN})

    assert run_case(target, CASE, rules).status == "fail"
    assert judge_one(CASE, GOOD, rules, offered(target.implementation)).status == "pass"


def test_an_answer_without_anything_to_judge_is_an_error() -> None:
    rules = rules_of(REGISTER, REGISTER.profile("core"))
    answer = Answer("ok", None)

    assert judge_one(CASE, answer, rules, offered(FakeTarget().implementation)).status == "error"
    empty = judge_one(
        CASE, Answer("ok", Observation()), rules, offered(FakeTarget().implementation)
    )
    assert empty.status == "fail"


def test_the_rest_of_a_vector_is_spared_when_its_cases_time_out_in_a_row() -> None:
    """What does not apply in between is no end of the row; the next vector runs."""
    slow = [case_of(f"ord.slow[n={n}]") for n in range(9)]
    slow[2] = msgspec.structs.replace(slow[2], features=("policy",))
    target = FakeTarget({one.id: Answer("timeout", message="no answer") for one in slow})
    results, finished = results_of(plan_of(target, [*slow, OTHER], selection=TWO))
    statuses = [result.status for result in results]

    assert statuses == [
        *("timeout", "timeout", "not_applicable", "timeout", "timeout", "timeout"),
        *("not_run", "not_run", "not_run", "pass"),
    ]
    assert "in a row timed out" in results[6].why
    assert finished.exit_code == Exit.INCOMPLETE


def test_what_a_vector_had_come_to_is_told_when_the_target_is_lost() -> None:
    cases = [case_of(f"ord.lost[n={n}]") for n in range(3)]
    target = FakeTarget({cases[2].id: TargetError("gone")})
    results, finished = results_of(plan_of(target, cases, selection=TWO))

    assert [result.case.id for result in results] == ["ord.lost[n=0]", "ord.lost[n=1]"]
    assert finished.cases["not_run"] == 1
    assert finished.exit_code == Exit.UNUSABLE
