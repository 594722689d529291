"""An implementation that says it is deterministic is run twice now and then, and held to it."""

import msgspec
import pytest
from fakes import FakeTarget, case_of, plan_of, results_of, seen

from toolassay.results import DECLARES
from toolassay.runner.repeating import REPEATED_MAX, held_against, repeated
from toolassay.spec.case import Case
from toolassay.spec.errors import TargetError
from toolassay.targets.base import DEADLINE_S, Answer, Implementation

CASES = [case_of("ord.a"), case_of("ord.a[x=1]"), case_of("ord.b")]


def target(*, deterministic: bool = True) -> FakeTarget:
    fake = FakeTarget()
    fake.implementation = msgspec.structs.replace(fake.implementation, deterministic=deterministic)
    return fake


class Moody(FakeTarget):
    """Answers every second question differently."""

    def run(self, case: Case, seed: int = 0, deadline_s: float = DEADLINE_S) -> Answer:
        super().run(case, seed, deadline_s)
        return Answer("ok", seen(answered=len(self.asked) % 2 == 1))


def test_the_first_case_of_each_vector_is_run_twice() -> None:
    fake = target()
    results_of(plan_of(fake, CASES))

    assert fake.asked == ["ord.a", "ord.a", "ord.a[x=1]", "ord.b", "ord.b"]


def test_who_does_not_say_that_it_is_deterministic_is_asked_once() -> None:
    fake = target(deterministic=False)
    results_of(plan_of(fake, CASES))

    assert fake.asked == ["ord.a", "ord.a[x=1]", "ord.b"]


def test_equal_observations_leave_the_result_as_it_is() -> None:
    once, _ = results_of(plan_of(target(deterministic=False), CASES))
    twice, _ = results_of(plan_of(target(), CASES))

    assert [result.checks for result in once] == [result.checks for result in twice]


def test_observations_that_differ_are_false_advertising() -> None:
    fake = Moody()
    fake.implementation = target().implementation
    (result,), finished = results_of(plan_of(fake, CASES[:1]))

    (check,) = [check for check in result.checks if check.check == DECLARES]
    assert (check.status, check.clause) == ("fail", "")
    assert check.findings[0].observed == "from run to run another history"
    assert finished.exit_code == 1


@pytest.mark.parametrize("answer", [Answer("timeout"), Answer("crashed"), TargetError("gone")])
def test_a_second_run_that_shows_nothing_says_nothing(answer: Answer | TargetError) -> None:
    (first,), _ = results_of(plan_of(target(deterministic=False), CASES[:1]))

    def again() -> Answer:
        if isinstance(answer, TargetError):
            raise answer
        return answer

    assert held_against(first, again) is first


def test_the_cases_that_are_run_twice_are_spread_over_a_long_run_and_are_few() -> None:
    cases = [case_of(f"ord.v{number:03}") for number in range(10 * REPEATED_MAX)]
    chosen = repeated(cases, Implementation("x", deterministic=True))

    assert len(chosen) <= 2 * REPEATED_MAX
    assert {"ord.v000", "ord.v230"} <= chosen
