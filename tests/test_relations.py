"""Relations between the observations of several cases."""

from __future__ import annotations

import pytest
from observations import (
    DONE,
    call,
    calls,
    ending,
    history,
    ran,
    replaced,
    result,
    run,
    scenario,
    scripted,
)

from toolassay.properties.relations import Member, relate
from toolassay.properties.verdict import Verdict
from toolassay.spec.case import Case
from toolassay.spec.observation import Execution, Observation


def member(name: str, observation: Observation) -> Member:
    return Case(name, "v", "t", "events", "positive", "turn/run"), observation


def related(one: Observation, two: Observation, clause: str = "ARG-13") -> Verdict:
    return relate(clause, [member("whole", one), member("cut", two)])


def held(
    *ids: str, order: tuple[int, ...] | None = None, arguments: str = "{}", **given: str
) -> Observation:
    messages = [calls(*(call(one, arguments) for one in ids))]
    messages.extend(result(ids[at], f"r{at}") for at in order or range(len(ids)))
    return Observation(history=history(*messages, DONE, **given))


def test_histories_are_the_same_up_to_the_names_of_calls() -> None:
    assert related(held("a", "b"), held("x", "y")).status == "pass"


def test_results_may_stand_in_the_order_in_which_they_came() -> None:
    assert related(held("a", "b"), held("a", "b", order=(1, 0)), "ORD-23").status == "pass"


def test_crossed_answers_are_another_history() -> None:
    crossed = Observation(
        history=history(calls(call("a"), call("b")), result("b", "r0"), result("a", "r1"), DONE)
    )
    assert related(held("a", "b"), crossed).status == "fail"


def test_a_lost_message_is_found_and_told() -> None:
    shorter = Observation(history=history(calls(call("a")), result("a", "r0")))
    found = related(held("a"), shorter, "DUR-04")
    assert (found.status, found.findings[0].observed) == ("fail", "in cut: nothing")
    assert found.findings[0].expected == "the history as in whole: assistant: 'done'"


def test_arguments_are_compared_by_value() -> None:
    assert related(held("a", arguments='{"a":1}'), held("a", arguments='{"a": 1}')).status == "pass"
    assert related(held("a"), held("a", arguments='{"a":1}')).status == "fail"


@pytest.mark.parametrize(
    ("one", "two", "status"),
    [
        ([run(), run('{"a":1}')], [run('{"a":1}'), run()], "pass"),
        ([run()], [run(), run()], "fail"),
        ([run()], [], "fail"),
        ([run()], [run(name="other")], "fail"),
    ],
)
def test_executions_are_the_same_as_a_multiset(
    one: list[Execution], two: list[Execution], status: str
) -> None:
    found = related(Observation(executions=ran(*one)), Observation(executions=ran(*two)))
    assert found.status == status


def test_turns_end_in_the_same_way() -> None:
    done, failed = (Observation(ending=ending(how)) for how in ("done", "failed"))
    assert related(done, done).status == "pass"
    assert related(done, failed).status == "fail"


def test_what_is_not_complete_in_both_is_not_compared() -> None:
    found = related(held("a"), held("a", "b", status="aborted"))
    assert (found.status, found.why) == ("not_applicable", "no facet that both have whole")


def test_a_relation_of_one_is_none() -> None:
    assert relate("ARG-13", [member("whole", held("a"))]).status == "not_applicable"


def said(text: str, error: bool = False) -> Member:
    observation = Observation(history=history(calls(call("a")), result("a", text, error=error)))
    case, _ = member(text, observation)
    return replaced(case, scenario=scenario(scripted("a"))), observation


@pytest.mark.parametrize(
    ("one", "two", "status"),
    [
        (said("error: 3 ms", error=True), said("error: 4 ms", error=True), "pass"),
        (said("ok"), said("ok\n"), "pass"),
        (said("ok"), said(""), "fail"),
        (said("ok"), said("ok", error=True), "fail"),
    ],
)
def test_the_words_of_a_runtime_may_differ_from_run_to_run(
    one: Member, two: Member, status: str
) -> None:
    assert relate("ARG-13", [one, two]).status == status
