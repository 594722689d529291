"""Expectations of cases, judged on observations."""

# ruff: noqa: ANN401 - what is given is passed on to the models, which say what they take

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from observations import (
    DONE,
    GROUP,
    SOUND,
    USER,
    call,
    calls,
    decided,
    deliveries,
    ending,
    expectation,
    history,
    journal,
    ran,
    requests,
    result,
    run,
    scenario,
    scripted,
    step_done,
    tool,
)

from toolassay.authoring.packs import load_pack_cases
from toolassay.properties.script import scripted_calls
from toolassay.spec.case import (
    CallMatch,
    Case,
    Expectation,
    ExpectEnding,
    ExpectEvents,
    ExpectExecutions,
    ExpectMessages,
    ExpectOutcome,
    HeldCall,
    ResultMatch,
)
from toolassay.spec.messages import Message
from toolassay.spec.observation import Ending, Execution, Observation, Outcome
from toolassay.spec.scenario import Reply, Scenario

ONE = scenario(scripted())
TWINS = scenario(scripted("c1"), scripted("c2"))
BROKEN = scenario(scripted("c1", "{"), scripted("c2", '{"a":1}'))


def came_to(
    observation: Observation, given: Scenario = ONE, clause: str = "ORD-06", **facets: Any
) -> str:
    return expectation(Expectation(clause, **facets), observation, given).status


# --- executions -----------------------------------------------------------------------------


def executions(
    expected: ExpectExecutions, *runs: Execution, given: Scenario = ONE, **facet: Any
) -> str:
    return came_to(Observation(executions=ran(*runs, **facet)), given, executions=expected)


NEVER = ExpectExecutions(never=CallMatch(call="c1"))
ONCE = ExpectExecutions(once=CallMatch(call="c1"))


@pytest.mark.parametrize(
    ("expected", "runs", "status"),
    [
        (NEVER, [], "pass"),
        (NEVER, [run()], "fail"),
        (NEVER, [run(call_id="c1")], "fail"),
        (NEVER, [run(name="other")], "pass"),
        (ONCE, [run()], "pass"),
        (ONCE, [], "fail"),
        (ONCE, [run(), run()], "fail"),
        (ExpectExecutions(count=1), [run()], "pass"),
        (ExpectExecutions(count=1), [], "fail"),
        (ExpectExecutions(never=CallMatch(tool="echo")), [run()], "fail"),
        (ExpectExecutions(never=CallMatch(arguments='{"a":1}')), [run()], "pass"),
        (ExpectExecutions(once=CallMatch("c1", "echo", "{}")), [run()], "pass"),
        (ExpectExecutions(once=CallMatch("c1", "echo", "{ }")), [run()], "pass"),
        (ExpectExecutions(once=CallMatch("c1", "echo", '{"a":1}')), [run()], "fail"),
    ],
)
def test_executions_are_counted(
    expected: ExpectExecutions, runs: list[Execution], status: str
) -> None:
    assert executions(expected, *runs) == status


def test_arguments_are_compared_as_values_where_callbacks_see_values() -> None:
    expected = ExpectExecutions(once=CallMatch("c1", arguments="{ }"))
    assert executions(expected, run(), arguments="value") == "pass"


def test_what_is_forbidden_is_found_though_not_all_is_seen() -> None:
    assert executions(NEVER, run(), status="cut") == "fail"
    assert executions(NEVER, status="cut") == "not_applicable"
    assert executions(ONCE, status="cut") == "not_applicable"


def test_one_run_of_two_equal_calls_is_laid_at_neither() -> None:
    assert executions(NEVER, run(), given=TWINS) == "pass"
    assert executions(ONCE, run(), given=TWINS) == "pass"
    assert executions(NEVER, run(), run(), given=TWINS) == "fail"
    assert executions(NEVER, run(call_id="c1"), given=TWINS) == "fail"
    assert executions(NEVER, run(call_id="c2"), given=TWINS) == "pass"


def test_a_malformed_call_that_ran_changed_is_found() -> None:
    assert executions(NEVER, run('{"a":1}'), given=BROKEN) == "pass"
    assert executions(NEVER, run('{"a":1}'), run(), given=BROKEN) == "fail"
    assert executions(NEVER, run(call_id="c1"), given=BROKEN) == "fail"


def test_a_mended_sibling_may_explain_a_run_too_many() -> None:
    """What was malformed may run with any arguments, those of a sound sibling among them."""
    second = ExpectExecutions(once=CallMatch("c2"))
    assert executions(second, run('{"a":1}'), run('{"a":1}'), given=BROKEN) == "pass"
    assert executions(second, *[run('{"a":1}')] * 3, given=BROKEN) == "fail"
    assert executions(second, *[run('{"a":1}', call_id="c2")] * 2, given=BROKEN) == "fail"


def test_no_vector_tells_calls_of_one_tool_apart_by_their_arguments() -> None:
    """A malformed call that is mended may run as its sibling does, so the sibling is named."""
    assert [case.id for case in load_pack_cases() if any(_is_ambiguous(case))] == []


def _is_ambiguous(case: Case) -> Iterator[bool]:
    calls = [one for reply in scripted_calls(case.scenario or Scenario(())) for one in reply]
    for expected in (one.executions for one in case.expect if one.executions is not None):
        for match in (expected.once, expected.never):
            if match is not None and match.call is None and match.arguments is not None:
                rivals = [one for one in calls if one.call.name == match.tool]
                yield len(rivals) > 1 and any(one.malformed for one in rivals)


def test_ids_of_the_script_are_followed_to_those_of_the_implementation() -> None:
    observation = Observation(
        history=history(calls(call("x"), call("y")), result("x"), result("y")),
        executions=ran(run(call_id="x")),
    )
    assert came_to(observation, TWINS, executions=NEVER) == "fail"
    never_second = ExpectExecutions(never=CallMatch(call="c2"))
    assert came_to(observation, TWINS, executions=never_second) == "pass"


# --- messages -------------------------------------------------------------------------------


def messages(expected: ExpectMessages, *held: Message, given: Scenario = ONE, **facet: Any) -> str:
    return came_to(Observation(history=history(*held, **facet)), given, history=expected)


FAILED = ExpectMessages(result=ResultMatch("c1", is_error=True))


@pytest.mark.parametrize(
    ("results", "status"),
    [
        ([result(error=True)], "pass"),
        ([result(error=False)], "fail"),
        ([result(error=None)], "not_applicable"),
        ([], "fail"),
        ([result(error=True), result(error=True)], "fail"),
    ],
)
def test_the_one_result_of_a_call(results: list[Message], status: str) -> None:
    assert messages(FAILED, calls(call()), *results) == status


def test_the_text_of_a_result() -> None:
    expected = ExpectMessages(result=ResultMatch("c1", text="ok"))
    assert messages(expected, *GROUP) == "pass"
    assert messages(expected, calls(call()), result(text="no")) == "fail"


def test_a_result_that_may_still_come_is_not_missed() -> None:
    assert messages(FAILED, calls(call()), status="aborted") == "not_applicable"
    assert messages(FAILED, status="aborted") == "not_applicable"
    assert messages(FAILED) == "fail"


def test_a_renamed_call_is_found_by_its_position() -> None:
    expected = ExpectMessages(result=ResultMatch("c2", text="two"))
    held = (calls(call("x"), call("y")), result("y", "two"), result("x", "one"))
    assert messages(expected, *held, given=TWINS) == "pass"


def test_how_a_call_is_held() -> None:
    expected = ExpectMessages(call=HeldCall("c1", '{"a":1}'))
    assert messages(expected, calls(call(arguments='{ "a":1}'))) == "pass"
    assert messages(expected, calls(call())) == "fail"
    assert messages(expected, calls(call()), arguments="text") == "not_applicable"
    assert messages(ExpectMessages(call=HeldCall("c1")), calls(call()), arguments="text") == "pass"
    assert messages(ExpectMessages(call=HeldCall("c1")), DONE) == "fail"


def test_roles_stand_in_order() -> None:
    expected = ExpectMessages(roles=("assistant", "tool", "assistant"))
    assert messages(expected, *GROUP, DONE) == "pass"
    assert messages(expected, *GROUP) == "fail"
    assert messages(expected, *GROUP, status="aborted") == "not_applicable"
    assert messages(expected, DONE, status="aborted") == "not_applicable"
    assert messages(expected, *GROUP, *GROUP, status="aborted") == "fail"


def test_a_request_is_picked_by_its_number_and_the_last_one_without() -> None:
    observation = Observation(requests=requests([USER], GROUP))
    shown = ExpectMessages(result=ResultMatch("c1"))
    assert came_to(observation, requests=shown) == "pass"
    assert came_to(observation, requests=ExpectMessages(roles=(), at=0)) == "pass"
    # What is left out whole is not shown unanswered.
    early = ExpectMessages(result=ResultMatch("c1"), at=0)
    assert came_to(observation, requests=early) == "not_applicable"
    # No clause says how often the model is asked.
    assert came_to(observation, requests=ExpectMessages(roles=(), at=2)) == "not_applicable"
    assert came_to(Observation(requests=requests()), requests=shown) == "not_applicable"


# --- what MSG does not speak of ---------------------------------------------------------------

UNKNOWN = scenario(scripted(name="nope"))
TURN_FAILED = ending("failed")


def of_message_clause(
    clause: str, *held: Message, given: Scenario = UNKNOWN, how: Any = TURN_FAILED, **facets: Any
) -> str:
    observation = Observation(history=history(*held), executions=ran(), ending=how)
    return came_to(observation, given, clause, **facets)


@pytest.mark.parametrize(
    "facets",
    [
        {"history": ExpectMessages(result=ResultMatch("c1"))},
        {"history": ExpectMessages(call=HeldCall("c1"))},
        {"history": ExpectMessages(roles=("assistant", "tool", "assistant"))},
        {"executions": ExpectExecutions(count=1)},
        {"executions": ExpectExecutions(once=CallMatch("c1"))},
    ],
)
def test_a_turn_that_failed_and_committed_nothing_breaks_no_clause_of_messages(
    facets: Any,
) -> None:
    assert of_message_clause("MSG-05", **facets) == "not_applicable"
    # Another clause may say that it should not have failed, and a turn that was done is no excuse.
    assert of_message_clause("ARG-08", **facets) == "fail"
    assert of_message_clause("MSG-05", how=ending("done"), **facets) == "fail"
    assert of_message_clause("MSG-05", how=None, **facets) == "fail"


def test_a_group_that_a_failed_turn_committed_is_judged() -> None:
    held = calls(call(name="nope"))
    wanted = ExpectMessages(result=ResultMatch("c1"))
    assert of_message_clause("MSG-05", held, history=wanted) == "fail"
    roles = ExpectMessages(roles=("assistant", "tool", "assistant"))
    assert of_message_clause("MSG-05", held, history=roles) == "fail"
    assert of_message_clause("MSG-05", DONE, DONE, history=roles) == "fail"


def test_too_many_executions_are_found_though_the_turn_failed() -> None:
    observation = Observation(history=history(), executions=ran(run(), run()), ending=TURN_FAILED)
    for expected in (ExpectExecutions(count=1), ONCE):
        assert came_to(observation, ONE, "MSG-05", executions=expected) == "fail"


def test_a_call_without_one_result_has_no_flag_that_could_survive() -> None:
    held = calls(call(name="nope"))
    for answers in ((), (result(error=False), result(error=False))):
        assert of_message_clause("MSG-09", held, *answers, history=FAILED) == "not_applicable"
        assert of_message_clause("MSG-05", held, *answers, history=FAILED) == "fail"
    assert of_message_clause("MSG-09", held, result(error=False), history=FAILED) == "fail"


def test_a_call_that_ran_to_a_good_end_has_no_flag_that_could_survive() -> None:
    given = scenario(scripted(arguments="{"))
    held = history(calls(call()), result(error=False), DONE)
    went_well = Observation(history=held, executions=ran(run(call_id="c1")))
    assert came_to(went_well, given, "MSG-09", history=FAILED) == "not_applicable"
    assert came_to(went_well, given, "ARG-03", history=FAILED) == "fail"
    refused = Observation(history=held, executions=ran())
    assert came_to(refused, given, "MSG-09", history=FAILED) == "fail"
    # Of a call that nothing refuses, an author may want an error all the same.
    assert came_to(went_well, ONE, "MSG-09", history=FAILED) == "fail"


# --- how texts are told -----------------------------------------------------------------------


def told(expected: str, held: str) -> tuple[str, str]:
    """Give what is told of a result that has another text."""
    wanted = ExpectMessages(result=ResultMatch("c1", text=expected))
    seen = Observation(history=history(calls(call()), result(text=held)))
    finding = expectation(Expectation("MSG-06", history=wanted), seen, ONE).findings[0]
    return finding.expected, finding.observed


def test_a_line_break_is_told_apart_from_its_escape() -> None:
    assert told("a\nb", "a\\nb") == (r"the result 'a\nb'", r"'a\\nb'")
    assert told("\x1b[0m", "it's") == (r"the result '\x1b[0m'", '"it\'s"')
    assert told("'\"", "\u00e9") == (r"""the result '\'"'""", r"'\xe9'")


def test_of_long_texts_the_first_difference_is_shown() -> None:
    one, other = told("x" * 100 + "left", "x" * 100 + "right")
    assert one == f"the result ...'{'x' * 20}left' from character 81 of 104"
    assert other == f"...'{'x' * 20}right' from character 81 of 105"


def test_blanks_do_not_hide_the_first_difference() -> None:
    one, other = told('{"a": "' + "x" * 100 + '", "b": 1}', '{"a":"' + "x" * 100 + '","b":2}')
    assert '"b": 1}' in one
    assert '"b":2}' in other
    assert told("x" * 90 + " ", "x" * 90)[1] == f"...'{'x' * 20}' from character 71 of 90"


def test_a_difference_in_sight_is_shown_from_the_start() -> None:
    one, other = told("left" + "x" * 100, "right" + "x" * 100)
    assert one == f"the result 'left{'x' * 56}'... (104 characters)"
    assert other == f"'right{'x' * 55}'... (105 characters)"


# --- events ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expected", "status"),
    [
        (ExpectEvents(never=("TurnFailed",)), "pass"),
        (ExpectEvents(never=("StepDone",)), "fail"),
        (ExpectEvents(has=("StepDone",)), "pass"),
        (ExpectEvents(has=("TurnFailed",)), "fail"),
        (ExpectEvents(order=("PermissionDecided", "TurnFailed", "StepDone")), "pass"),
        (ExpectEvents(order=("StepDone", "PermissionDecided")), "fail"),
        (ExpectEvents(count={"StepDone": 2}), "pass"),
        (ExpectEvents(count={"StepDone": 3}), "fail"),
        (ExpectEvents(count={"StepDone": 1}), "fail"),
    ],
)
def test_events_of_a_subscriber_and_of_the_journal(expected: ExpectEvents, status: str) -> None:
    assert came_to(Observation(deliveries=deliveries(*SOUND)), deliveries=expected) == status
    assert came_to(Observation(journal=journal(*SOUND)), journal=expected) == status


@pytest.mark.parametrize(
    "expected",
    [
        ExpectEvents(has=("ToolCallStarted",)),
        ExpectEvents(count={"ToolCallCompleted": 1}),
        ExpectEvents(order=("ToolCallStarted", "StepDone")),
    ],
)
def test_an_absent_ephemeral_breaks_no_expectation(expected: ExpectEvents) -> None:
    assert (
        came_to(Observation(deliveries=deliveries(step_done(DONE))), deliveries=expected) == "pass"
    )


def test_what_must_come_is_judged_on_a_complete_stream_alone() -> None:
    cut = Observation(deliveries=deliveries(decided(), status="cut"))
    assert came_to(cut, deliveries=ExpectEvents(has=("StepDone",))) == "not_applicable"
    assert came_to(cut, deliveries=ExpectEvents(never=("PermissionDecided",))) == "fail"
    lost = Observation(deliveries=deliveries(decided(), error="gone"))
    assert came_to(lost, deliveries=ExpectEvents(count={"StepDone": 1})) == "not_applicable"


def test_a_subscriber_is_picked_by_its_name() -> None:
    expected = ExpectEvents(has=("StepDone",), subscriber="b")
    assert (
        came_to(Observation(deliveries=deliveries(*SOUND, name="b")), deliveries=expected) == "pass"
    )
    assert came_to(Observation(deliveries=deliveries(*SOUND)), deliveries=expected) == (
        "not_applicable"
    )


# --- endings and outcomes -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expected", "seen", "status"),
    [
        (ExpectEnding(turns=1), ending("done"), "pass"),
        (ExpectEnding(turns=2), ending("done"), "fail"),
        (ExpectEnding(turns=2), ending("done", status="deadline"), "not_applicable"),
        (ExpectEnding(turns=1), ending("done", "done", status="deadline"), "fail"),
        (ExpectEnding(how=("done", "failed")), ending("failed"), "pass"),
        (ExpectEnding(how=("done",)), ending("failed"), "fail"),
    ],
)
def test_how_turns_end(expected: ExpectEnding, seen: Ending, status: str) -> None:
    assert came_to(Observation(ending=seen), ending=expected) == status


@pytest.mark.parametrize(
    ("expected", "seen", "status"),
    [
        (ExpectOutcome("ok"), Outcome("ok"), "pass"),
        (ExpectOutcome("ok"), Outcome("rejected"), "fail"),
        (ExpectOutcome(field=("a", "b")), Outcome("rejected", field="b"), "pass"),
        (ExpectOutcome(field=("a", "b")), Outcome("rejected", field="c"), "fail"),
        (ExpectOutcome(rule=("r",)), Outcome("rejected", field="c"), "fail"),
        (ExpectOutcome(event="StepDone"), Outcome("rejected", event="X"), "fail"),
        (ExpectOutcome(stored="{}"), Outcome("ok", stored="{ }"), "pass"),
        (ExpectOutcome(stored="{}"), Outcome("ok", stored="{"), "fail"),
        (ExpectOutcome(stored="{}"), Outcome("ok"), "fail"),
        (ExpectOutcome(executable="{"), Outcome("ok", executable="{"), "pass"),
        (ExpectOutcome(executable="{"), Outcome("ok", executable="{ "), "fail"),
    ],
)
def test_the_answer_of_a_stateless_operation(
    expected: ExpectOutcome, seen: Outcome, status: str
) -> None:
    assert came_to(Observation(outcome=seen), outcome=expected) == status


# --- the whole ------------------------------------------------------------------------------


def test_an_expectation_wants_all_that_it_gives() -> None:
    both = Expectation("ORD-06", executions=NEVER, history=FAILED)
    messages_of = history(calls(call()), result(error=True))
    found = expectation(both, Observation(history=messages_of, executions=ran(run())), ONE)
    assert (found.status, found.check) == ("fail", "expect.executions.0")
    assert expectation(both, Observation(history=messages_of), ONE).status == "not_applicable"
    assert expectation(both, Observation(executions=ran(run())), ONE).status == "fail"


@pytest.mark.parametrize(
    ("observation", "status"),
    [
        (Observation(history=history(*GROUP)), "pass"),
        (Observation(history=history(calls(call()), DONE)), "fail"),
        (Observation(history=history(DONE)), "not_applicable"),
        (Observation(), "not_applicable"),
    ],
)
def test_a_clause_holds_if_its_check_applies_and_finds_nothing(
    observation: Observation, status: str
) -> None:
    assert came_to(observation, clause="MSG-05", holds=True) == status


def test_a_clause_without_a_check_holds_nowhere() -> None:
    assert came_to(Observation(), clause="EXE-01", holds=True) == "not_applicable"


@pytest.mark.parametrize("facet", ["executions", "history", "requests", "deliveries", "journal"])
def test_an_expectation_without_its_facet_names_it(facet: str) -> None:
    kinds: dict[str, Any] = {"executions": NEVER, "history": FAILED, "requests": FAILED}
    wanted: dict[str, Any] = {facet: kinds.get(facet, ExpectEvents(has=("StepDone",)))}
    expected = Expectation("ORD-06", **wanted)
    found = expectation(expected, Observation(), ONE)
    assert (found.status, found.why) == ("not_applicable", f"facet {facet}")


# --- calls that need not be committed -------------------------------------------------------

C2 = ExpectMessages(result=ResultMatch("c2"))


def reached(*replies: Reply, **given: Any) -> str:
    """Judge a complete history without the call c2."""
    script = Scenario(replies, (tool(),), **given)
    expected = Expectation("MSG-05", history=C2)
    return expectation(expected, Observation(history=history()), script).status


def asking(identifier: str = "c2", arguments: str = "{}", **given: Any) -> Reply:
    return Reply(calls=(scripted(identifier, arguments),), **given)


def test_a_call_that_nothing_keeps_from_being_committed_is_missed() -> None:
    assert reached(asking()) == "fail"
    assert reached(asking("c1"), asking()) == "fail"


def test_a_call_that_a_turn_may_end_before_is_not_missed() -> None:
    assert reached(asking(), policy={"echo": "deny"}) == "not_applicable"
    assert reached(asking(breaks=True)) == "not_applicable"
    assert reached(asking("c1", "{"), asking()) == "not_applicable"
    for behaviour in ({"raises": "x"}, {"hangs": True}):
        script = Scenario((asking(),), (tool(**behaviour),))
        seen = Observation(history=history())
        found = expectation(Expectation("MSG-05", history=C2), seen, script)
        assert found.status == "not_applicable"
