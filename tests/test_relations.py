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
    tool,
)

from toolassay.properties.relations import Member, relate
from toolassay.properties.verdict import Verdict
from toolassay.spec.case import Case
from toolassay.spec.messages import Message
from toolassay.spec.observation import Execution, Observation
from toolassay.spec.scenario import Reply, Scenario


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


# --- ARG-13 beside tools that fail ----------------------------------------------------------

BOOM = (tool(), tool("boom", raises="planted"))
ROUGH = scenario(scripted("a", '{"a":1}'), scripted("b", name="boom"), tools=BOOM)
THEN_ROUGH = Scenario(
    (Reply(calls=(scripted("a", '{"a":'),)), Reply(calls=(scripted("b", name="boom"),))), BOOM
)
HELD = calls(call("a", '{"a":1}'), call("b", name="boom"))
RESULTS = (result("a"), result("b", "no", error=True))


def fates(one: Observation, two: Observation, given: Scenario = ROUGH) -> str:
    members = [
        (replaced(case, scenario=given), seen)
        for case, seen in (member("whole", one), member("cut", two))
    ]
    return relate("ARG-13", members).status


def test_a_tool_that_raises_may_end_one_run_and_not_the_other() -> None:
    goes_on = Observation(
        history=history(HELD, *RESULTS, DONE),
        executions=ran(run(call_id="a")),
        ending=ending("done"),
    )
    gives_up = Observation(history=history(), executions=ran(), ending=ending("failed"))
    assert fates(goes_on, gives_up) == "not_applicable"
    assert related(goes_on, gives_up).status == "fail"
    siblings_are_given_up = Observation(
        history=history(HELD, result("a", "skipped", error=True), RESULTS[1], DONE)
    )
    assert fates(goes_on, siblings_are_given_up) == "pass"


def test_a_text_that_a_stream_changed_is_found_beside_a_tool_that_raises() -> None:
    whole = Observation(
        history=history(HELD, *RESULTS), executions=ran(run('{"a":1}', call_id="a"))
    )
    cut = calls(call("a", '{"a":0}'), HELD.calls[1])
    assert fates(whole, Observation(history=history(cut, *RESULTS))) == "fail"
    for runs, status in (
        ([run('{"a":0}', call_id="a")], "fail"),
        ([run('{"a": 1}', call_id="a")], "pass"),
        # Called again after a failure, or by no name: nothing is known of which call ran.
        ([run("{}", call_id="a"), run("{}", call_id="a")], "pass"),
        ([run("{}")], "pass"),
    ):
        seen = Observation(history=history(HELD, *RESULTS), executions=ran(*runs))
        assert fates(whole, seen) == status


def test_a_call_that_a_stream_lets_run_is_found_though_a_later_tool_raises() -> None:
    def seen(answer: Message) -> Observation:
        return Observation(history=history(calls(call("a")), answer))

    refused, answered = (seen(result("a", error=flag)) for flag in (True, False))
    assert fates(refused, answered, THEN_ROUGH) == "fail"
    assert fates(refused, refused, THEN_ROUGH) == "pass"


def test_renamed_calls_are_compared_where_no_step_is_missing() -> None:
    given = Scenario(
        tuple(
            Reply(calls=(scripted(*one),))
            for one in (("a", '{"a":1}'), ("b", '{"a":2}'), ("c", "{}", "boom"))
        ),
        BOOM,
    )
    steps = [(calls(call(f"x{at}", f'{{"a":{at}}}')), result(f"x{at}")) for at in (1, 2)]
    both, second = (
        Observation(history=history(*(one for step in kept for one in step)))
        for kept in (steps, steps[1:])
    )
    assert fates(both, second, given) == "not_applicable"
    assert fates(both, both, given) == "pass"


@pytest.mark.parametrize(
    "given",
    [
        scenario(scripted("a", "")),
        scenario(scripted("a", name="nowhere")),
        scenario(scripted("a"), policy={"echo": "deny"}),
        scenario(scripted("a"), tools=(tool(fails="no"),)),
        scenario(scripted("a"), tools=(tool(hangs=True),)),
    ],
)
def test_other_reasons_for_which_runs_may_part(given: Scenario) -> None:
    done, failed = (Observation(ending=ending(how)) for how in ("done", "failed"))
    assert fates(done, failed, given) == "not_applicable"
    assert fates(done, failed, scenario(scripted("a", "{"))) == "fail"
