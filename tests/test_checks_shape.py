"""Checks of the shape of step groups (MSG, ORD-12)."""

# ruff: noqa: ANN401 - what is given is passed on to the models, which say what they take

from __future__ import annotations

from typing import Any

import pytest
from observations import (
    DONE,
    GROUP,
    USER,
    call,
    calls,
    deliveries,
    history,
    journal,
    ran,
    replaced,
    requests,
    result,
    run,
    scenario,
    scripted,
    status,
    step_done,
    tool,
    verdict,
)

from toolassay.properties.groups import pair, split
from toolassay.spec.messages import Message
from toolassay.spec.observation import Mark, Observation
from toolassay.spec.register import load_register
from toolassay.spec.scenario import Scenario

END = Mark()
ANSWERED_TWICE = (*GROUP, result())
UNANSWERED = (calls(call()), DONE)


# --- pairing --------------------------------------------------------------------------------


def test_equal_ids_are_answered_one_after_the_other() -> None:
    found = pair([call("a"), call("a")], [result("a"), result("a")])
    assert (found.answers, found.whole) == (((0,), (1,)), True)


def test_a_result_beyond_the_last_call_of_its_id_repeats_an_answer() -> None:
    found = pair([call("a"), call("b")], [result("a"), result("a")])
    assert (found.repeated, found.unanswered, found.orphans) == ((0,), (1,), ())


def test_a_result_without_an_id_takes_the_next_open_call() -> None:
    assert pair([call("a"), call("b")], [result("a"), result(None)]).whole


def test_a_result_belongs_to_the_last_assistant_message_before_it() -> None:
    found = split([result("z"), *GROUP, USER, result("c1"), DONE])
    assert found.strays == (0,)
    assert [len(group.results) for group in found.groups] == [2, 0]


def test_pairing_takes_time_in_proportion() -> None:
    many = [call(f"c{number % 7}") for number in range(20_000)]
    assert pair(many, [result(one.id) for one in many]).whole


# --- MSG-01, 02, 04 -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("clause", "messages"), [("MSG-01", ()), ("MSG-02", (calls(call()), result(), USER))]
)
def test_the_shape_of_a_group_is_judged_in_journal_and_deliveries(
    clause: str, messages: tuple[Message, ...]
) -> None:
    assert status(clause, Observation(journal=journal(step_done(*messages)))) == "fail"
    assert status(clause, Observation(deliveries=deliveries(step_done(*messages)))) == "fail"
    assert status(clause, Observation(journal=journal(step_done(*GROUP)))) == "pass"


def test_a_text_only_step_is_one_message() -> None:
    assert status("MSG-04", Observation(history=history(DONE))) == "pass"
    assert status("MSG-04", Observation(history=history(DONE, result()))) == "fail"
    assert status("MSG-04", Observation(history=history(*GROUP))) == "not_applicable"


# --- MSG-05, 06, 08, 11, ORD-12 -------------------------------------------------------------


def test_every_call_of_the_history_has_one_result() -> None:
    assert status("MSG-05", Observation(history=history(*GROUP))) == "pass"
    assert status("MSG-05", Observation(history=history(*UNANSWERED))) == "fail"
    assert status("MSG-05", Observation(history=history(*ANSWERED_TWICE))) == "fail"
    assert status("MSG-05", Observation(history=history(DONE))) == "not_applicable"


def test_the_open_last_group_of_a_run_that_raised_is_no_finding() -> None:
    open_group = history(*GROUP, calls(call("c2")), status="aborted")
    for clause in ("MSG-05", "MSG-08", "ORD-12"):
        assert status(clause, Observation(history=open_group)) == "pass"


def test_a_group_that_another_one_follows_must_be_whole_though_the_run_raised() -> None:
    open_group = history(calls(call()), *GROUP, status="aborted")
    for clause in ("MSG-05", "ORD-12"):
        assert status(clause, Observation(history=open_group)) == "fail"


def test_a_request_with_an_open_call_is_found_once() -> None:
    found = verdict("MSG-05", Observation(requests=requests([USER], UNANSWERED, UNANSWERED)))
    assert (found.status, len(found.findings)) == ("fail", 1)
    place = found.findings[0].place
    assert place is not None
    assert (place.facet, place.index, place.part) == ("requests", 1, "message 0")


def test_a_result_answers_a_call_of_its_own_group() -> None:
    assert status("MSG-06", Observation(history=history(*GROUP))) == "pass"
    assert status("MSG-06", Observation(history=history(calls(call()), result("x")))) == "fail"
    assert status("MSG-06", Observation(history=history(result(), calls(call())))) == "fail"
    assert status("MSG-06", Observation(requests=requests([*GROUP, DONE, result()]))) == "fail"


def test_where_no_result_names_its_call_none_is_found_to_name_the_right_one() -> None:
    nameless = Observation(history=history(calls(call()), Message("tool", "ok")))

    assert status("MSG-06", nameless) == "not_applicable"
    assert status("MSG-05", nameless) == "pass"


def test_an_id_that_is_used_again_in_a_later_group_is_no_finding() -> None:
    for clause in ("MSG-05", "MSG-06", "MSG-08", "ORD-12"):
        assert status(clause, Observation(history=history(*GROUP, *GROUP))) == "pass"


def test_there_are_no_more_result_messages_than_calls() -> None:
    assert status("MSG-08", Observation(history=history(*ANSWERED_TWICE))) == "fail"
    assert status("MSG-08", Observation(journal=journal(step_done(*ANSWERED_TWICE)))) == "fail"


PAIR = (call("c1"), call("c2"))
TWO = scenario(scripted("c1"), scripted("c2"))


def joined(*answers: Message, runs: str = "c1 c2", end: Mark | None = END) -> str:
    """Judge the group of two calls, of which the named ones ran to their end."""
    executions = ran(*(run(call_id=one, ended=end) for one in runs.split()))
    seen = Observation(history=history(calls(*PAIR), *answers, DONE), executions=executions)
    return status("MSG-08", seen, TWO)


def test_two_calls_that_ran_to_their_end_have_two_result_messages() -> None:
    assert joined(result("c1"), result("c2")) == "pass"
    assert joined(result("c1", "ok\nok")) == "fail"


def test_joined_results_are_found_in_the_journal_too() -> None:
    step = journal(step_done(calls(*PAIR), result("c1", "ok\nok")))
    executions = ran(run(call_id="c1", ended=END), run(call_id="c2", ended=END))
    assert status("MSG-08", Observation(journal=step, executions=executions), TWO) == "fail"


def test_a_call_without_a_result_is_no_joined_result() -> None:
    assert status("MSG-08", Observation(history=history(*UNANSWERED))) == "pass"
    assert status("MSG-08", Observation(journal=journal(step_done(calls(call()))))) == "pass"
    # The second call never ran, or never returned.
    assert joined(result("c1"), runs="c1") == "pass"
    assert joined(result("c1"), runs="") == "pass"
    assert joined(result("c1"), end=None) == "pass"


def test_a_callback_that_throws_leaves_no_result_to_be_joined() -> None:
    raising = replaced(TWO, tools=(tool(raises="no"),))
    executions = ran(run(call_id="c1", ended=END), run(call_id="c2", ended=END))
    seen = Observation(history=history(calls(*PAIR), result("c1"), DONE), executions=executions)
    assert status("MSG-08", seen, raising) == "pass"


def test_the_last_group_of_an_aborted_run_may_wait_for_its_other_results() -> None:
    executions = ran(run(call_id="c1", ended=END), run(call_id="c2", ended=END))
    held = history(calls(*PAIR), result("c1"), status="aborted")
    assert status("MSG-08", Observation(history=held, executions=executions), TWO) == "pass"


# --- MSG-10 ---------------------------------------------------------------------------------

SWAPPED = (calls(*PAIR), result("c2"), result("c1"))


def test_results_stand_in_the_order_of_their_calls() -> None:
    in_order = (calls(*PAIR), result("c1"), result("c2"))
    assert status("MSG-10", Observation(history=history(*in_order, DONE))) == "pass"
    assert status("MSG-10", Observation(journal=journal(step_done(*in_order)))) == "pass"
    assert status("MSG-10", Observation(requests=requests([USER, *in_order]))) == "pass"


@pytest.mark.parametrize(
    "seen",
    [
        Observation(history=history(*SWAPPED, DONE)),
        Observation(history=history(calls(*PAIR), result("c2"), USER, result("c1"))),
        Observation(journal=journal(step_done(*SWAPPED))),
        Observation(deliveries=deliveries(step_done(*SWAPPED))),
        Observation(requests=requests([USER], [USER, *SWAPPED])),
    ],
    ids=["history", "apart", "journal", "deliveries", "requests"],
)
def test_a_result_ahead_of_that_of_an_earlier_call_is_found(seen: Observation) -> None:
    found = verdict("MSG-10", seen)
    assert found.status == "fail"
    assert [one.call for one in found.findings] == ["c2"]


def test_results_out_of_order_are_told_of_one_request_only() -> None:
    seen = Observation(requests=requests([USER], SWAPPED, SWAPPED))
    assert len(verdict("MSG-10", seen).findings) == 1


def test_the_order_is_that_of_the_calls_as_they_are_held() -> None:
    """A runtime may hold the calls of a reply in an order of its own."""
    held = (calls(call("c2"), call("c1")), result("c2"), result("c1"), DONE)
    assert status("MSG-10", Observation(history=history(*held)), TWO) == "pass"


@pytest.mark.parametrize(
    "group",
    [
        (calls(call("a"), call("a")), result("a"), result("a")),
        (calls(call("a"), call("b"), call("a")), result("a"), result("a"), result("b")),
        (calls(*PAIR), result(None), result(None)),
        (calls(*PAIR), result("c2"), result(None)),
        (calls(*PAIR), result("c2"), result("x")),
        (calls(*PAIR), result("c2"), result("c2")),
        (calls(*PAIR), result("c1"), result("c2"), result("c1")),
    ],
    ids=["equal", "equal-among-others", "no-ids", "one-id", "orphan", "unanswered", "twice"],
)
def test_no_order_is_missed_where_it_is_in_doubt_whose_a_result_is(
    group: tuple[Message, ...],
) -> None:
    assert status("MSG-10", Observation(history=history(*group, DONE))) == "pass"
    assert status("MSG-10", Observation(journal=journal(step_done(*group)))) == "pass"


def test_one_result_alone_has_no_order() -> None:
    assert status("MSG-10", Observation(history=history(*GROUP, *GROUP))) == "not_applicable"


def test_the_order_of_results_is_a_warning_in_core_and_scored_in_strict() -> None:
    register = load_register()
    clause = register.clauses["MSG-10"]
    scores = [register.profile(name).scores(clause) for name in ("pages", "core", "strict")]
    assert scores == ["unscored", "warning", "scored"]


# --- MSG-11, ORD-12 -------------------------------------------------------------------------


def test_nothing_stands_between_calls_and_results() -> None:
    assert status("MSG-11", Observation(history=history(*GROUP, USER))) == "pass"
    assert status("MSG-11", Observation(history=history(calls(call()), USER, result()))) == "fail"


def test_an_unanswered_call_is_never_committed() -> None:
    assert status("ORD-12", Observation(history=history(*UNANSWERED))) == "fail"
    assert status("ORD-12", Observation(journal=journal(step_done(calls(call()))))) == "fail"
    assert status("ORD-12", Observation(history=history(*ANSWERED_TWICE))) == "pass"


@pytest.mark.parametrize(
    "clause", ["MSG-01", "MSG-04", "MSG-05", "MSG-06", "MSG-08", "MSG-10", "ORD-12"]
)
def test_without_its_facets_a_check_names_them(clause: str) -> None:
    found = verdict(clause, Observation())
    assert found.status == "not_applicable"
    assert found.why.startswith("facet ")


# --- MSG-09 ---------------------------------------------------------------------------------

NOT_RUN = ran()
MALFORMED = scenario(scripted(arguments="{"))
DENIED = scenario(scripted(), policy={"echo": "deny"})
UNKNOWN = scenario(scripted(name="nope"))
FAILING = scenario(scripted(), tools=(tool(fails="no"),))
RAISING = scenario(scripted(), tools=(tool(raises="no"),))
SOUND = scenario(scripted())


def observed(*messages: Message, name: str = "echo", **given: Any) -> Observation:
    held = calls(call(name=name))
    return Observation(history=history(held, *messages), **given)


@pytest.mark.parametrize("given", [MALFORMED, DENIED, FAILING, RAISING])
def test_the_flag_of_a_failure_survives(given: Scenario) -> None:
    assert status("MSG-09", observed(result(error=True)), given) == "pass"
    lost = observed(result(error=False), executions=NOT_RUN)
    assert status("MSG-09", lost, given) == "fail"


@pytest.mark.parametrize("given", [MALFORMED, DENIED])
def test_a_call_that_ran_to_a_good_end_had_no_error_flag(given: Scenario) -> None:
    for executions in (ran(run()), ran(run(call_id="c1")), None):
        seen = observed(result(error=False), executions=executions)
        assert status("MSG-09", seen, given) == "not_applicable"
    # Its result may be told in other words, and is still that of a good end.
    told = observed(result(text="1 line", error=False), executions=ran(run(call_id="c1")))
    assert status("MSG-09", told, given) == "not_applicable"


@pytest.mark.parametrize("given", [MALFORMED, DENIED])
def test_a_result_in_the_words_of_a_refusal_has_the_flag_though_no_one_saw_whether_it_ran(
    given: Scenario,
) -> None:
    refused = result(text="was not run", error=False)
    assert status("MSG-09", observed(refused), given) == "fail"


@pytest.mark.parametrize("behaviour", [{"fails": "no"}, {"raises": "no"}])
def test_a_malformed_call_that_runs_into_a_failure_keeps_the_flag(behaviour: Any) -> None:
    given = replaced(MALFORMED, tools=(tool(**behaviour),))
    seen = observed(result(error=False), executions=ran(run(call_id="c1")))
    assert status("MSG-09", seen, given) == "fail"


def test_a_run_that_a_sound_sibling_explains_does_not_excuse_a_lost_flag() -> None:
    given = scenario(scripted("c1", "{"), scripted("c2", '{"a":1}'))
    answers = (result("c1", "broken text", error=False), result("c2"))
    held = history(calls(call("c1"), call("c2", '{"a":1}')), *answers, DONE)
    seen = Observation(history=held, executions=ran(run('{"a":1}')))
    assert status("MSG-09", seen, given) == "fail"


def test_an_unavailable_tool_ends_in_an_error() -> None:
    assert status("MSG-09", observed(result(error=False), name="nope"), UNKNOWN) == "fail"


def test_the_result_of_a_tool_that_ran_and_succeeded_has_no_flag() -> None:
    executions = ran(run())
    assert status("MSG-09", observed(result(), executions=executions), SOUND) == "pass"
    wrong = observed(result(error=True), executions=executions)
    assert status("MSG-09", wrong, SOUND) == "fail"


def test_an_error_of_a_call_that_did_not_run_is_no_finding() -> None:
    wrong = observed(result(text="skipped", error=True), executions=ran())
    assert status("MSG-09", wrong, SOUND) == "not_applicable"


def test_an_error_in_the_words_of_the_runtime_is_as_good_as_any() -> None:
    given_up = observed(result(text="timed out", error=True), executions=ran(run()))
    assert status("MSG-09", given_up, SOUND) == "not_applicable"
    # A long text of the tool is known inside another one, a short one could be an accident.
    told = replaced(SOUND, tools=(tool(returns="written to the file"),))
    wrapped = result(text="[3 ms]\nwritten to the file\n", error=True)
    assert status("MSG-09", observed(wrapped), told) == "fail"
    assert status("MSG-09", observed(result(text="[3 ms] ok", error=True)), SOUND) == (
        "not_applicable"
    )


def test_what_becomes_of_equal_ids_in_one_message_is_recorded() -> None:
    twice = calls(call("c1"), call("c1"))
    once = Observation(
        history=history(twice, result()), journal=journal(step_done(twice, result()))
    )
    for clause in ("MSG-05", "ORD-12"):
        assert status(clause, once) == "recorded"
    thrice = (twice, result(), result(), result())
    seen = Observation(history=history(*thrice), journal=journal(step_done(*thrice)))
    assert status("MSG-08", seen) == "recorded"


def test_a_history_without_flags_is_not_judged() -> None:
    assert status("MSG-09", observed(result(error=None)), MALFORMED) == "not_applicable"


def test_where_the_history_has_no_flags_the_journal_is_judged() -> None:
    group = step_done(calls(call()), result(error=False))
    flagged = observed(result(error=None), journal=journal(group), executions=NOT_RUN)
    assert status("MSG-09", flagged, MALFORMED) == "fail"


def test_renamed_call_ids_are_followed() -> None:
    group = (calls(call("other")), result("other"))
    seen = Observation(history=history(*group), executions=NOT_RUN)
    assert status("MSG-09", seen, MALFORMED) == "fail"


def test_a_message_that_names_other_tools_is_not_matched() -> None:
    assert status("MSG-09", observed(result(), name="else"), MALFORMED) == "not_applicable"


def test_an_empty_text_is_recorded_elsewhere_and_not_judged_here() -> None:
    given = scenario(scripted(arguments=""))
    for error in (True, False):
        assert status("MSG-09", observed(result(error=error)), given) == "not_applicable"


def test_results_that_are_crossed_answer_the_wrong_calls() -> None:
    tools = (tool("read", returns="the text read"), tool("list", returns="the list of files"))
    given = scenario(scripted("c1", name="read"), scripted("c2", name="list"), tools=tools)
    held = calls(call("c1", name="read"), call("c2", name="list"))

    def answers(first: str, second: str) -> str:
        said = (result("c1", first), result("c2", second))
        return status("MSG-06", Observation(history=history(held, *said)), given)

    assert answers("the text read", "the list of files") == "pass"
    assert answers("the list of files", "the text read") == "fail"
    # A runtime may say what became of the others.
    assert answers("skipped after: the list of files", "the list of files") == "pass"
