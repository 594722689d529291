"""Checks of the two views of the arguments (ARG)."""

from __future__ import annotations

import pytest
from observations import (
    DONE,
    call,
    calls,
    expectation,
    history,
    journal,
    ran,
    replaced,
    requests,
    result,
    run,
    sanitized,
    scenario,
    scripted,
    status,
    step_done,
    tool,
    verdict,
)

from toolassay.properties.judge import judge
from toolassay.spec.case import CallMatch, Expectation, ExpectExecutions
from toolassay.spec.messages import Message
from toolassay.spec.observation import Encoding, Execution, Observation, Outcome
from toolassay.spec.scenario import Reply, Scenario, ToolScript
from toolassay.spec.text import Base64, Text

BROKEN = '{"a":'
MALFORMED = scenario(scripted(arguments=BROKEN))


def stored(text: Text, **given: str) -> Observation:
    held = calls(call(arguments=text))
    return Observation(history=history(held, result(error=True), **given))


def executed(*executions: Execution, **given: object) -> Observation:
    error = result(error=True)
    messages = history(calls(call()), error, DONE)
    return Observation(history=messages, executions=ran(*executions, **given))


# --- ARG-01, 05 -----------------------------------------------------------------------------


def test_malformed_arguments_are_stored_as_an_empty_object() -> None:
    assert status("ARG-01", stored("{}"), MALFORMED) == "pass"
    assert status("ARG-01", stored(BROKEN), MALFORMED) == "fail"
    assert status("ARG-01", stored('{"a":1}'), MALFORMED) == "fail"


def test_a_text_that_is_held_as_text_is_recorded() -> None:
    assert status("ARG-01", stored(BROKEN, arguments="text"), MALFORMED) == "recorded"


def test_a_journal_holds_arguments_in_the_form_of_the_contract() -> None:
    group = step_done(calls(call(arguments=BROKEN)), result(error=True))
    assert status("ARG-01", Observation(journal=journal(group)), MALFORMED) == "fail"


@pytest.mark.parametrize(
    "arguments", ['{"__proto__":{"a":1}}', '{"a":[{"constructor":{"prototype":1}}]}']
)
def test_a_call_that_a_guard_refuses_is_stored_as_it_was_asked(arguments: str) -> None:
    """The text is JSON; who refuses to run it answers with an error, and keeps it."""
    given = scenario(scripted(arguments=arguments))
    assert status("ARG-05", stored(arguments), given) == "pass"
    assert status("ARG-05", stored("{}"), given) == "fail"
    answer = history(calls(call(arguments=arguments)), result(text="refused", error=True), DONE)
    refused = Observation(history=answer, executions=ran())
    for clause in ("ARG-03", "ARG-05", "MSG-05", "MSG-09", "ORD-13"):
        assert status(clause, refused, given) != "fail"


@pytest.mark.parametrize("arguments", ["", "  ", "\ufeff{}", '"\\ud800"', '{"a":1}'])
def test_what_is_valid_or_only_recorded_is_not_judged_as_malformed(arguments: str) -> None:
    given = scenario(scripted(arguments=arguments))
    for clause in ("ARG-01", "ARG-03", "ARG-04", "ARG-09"):
        observation = executed(run(arguments))
        assert status(clause, observation, given) == "not_applicable"


@pytest.mark.parametrize(
    ("sent", "held", "expected"),
    [
        ('{"a":1}', '{"a": 1.0}', "pass"),
        ('{"a":1,"b":2}', '{"b":2,"a":1}', "pass"),
        ('{"a":1}', '{"a":2}', "fail"),
        ('{"a":1}', "{}", "fail"),
        ('{"a":1}', BROKEN, "fail"),
        ('{"a":1,"a":2}', '{"a":2}', "recorded"),
        ("[1]", "{}", "recorded"),
        (BROKEN, "{}", "not_applicable"),
    ],
)
def test_valid_arguments_are_stored_with_the_same_value(
    sent: str, held: str, expected: str
) -> None:
    assert status("ARG-05", stored(held), scenario(scripted(arguments=sent))) == expected


# --- ARG-03, 04, 09 -------------------------------------------------------------------------


def test_a_malformed_call_gets_one_error_and_does_not_run() -> None:
    assert status("ARG-03", executed(), MALFORMED) == "pass"


@pytest.mark.parametrize(
    ("results", "expected"),
    [
        ([result(error=True)], "pass"),
        ([], "fail"),
        ([result(error=True), result(error=True)], "fail"),
        ([result(error=False)], "fail"),
        ([result(error=None)], "recorded"),
    ],
)
def test_the_result_of_a_malformed_call_is_one_visible_error(
    results: list[Message], expected: str
) -> None:
    messages = (calls(call()), *results, DONE)
    assert status("ARG-03", Observation(history=history(*messages)), MALFORMED) == expected
    assert status("ARG-03", Observation(requests=requests(messages)), MALFORMED) == expected


def test_the_last_group_of_an_aborted_run_may_wait_for_its_result() -> None:
    open_group = Observation(history=history(calls(call()), status="aborted"))
    assert status("ARG-03", open_group, MALFORMED) == "pass"


@pytest.mark.parametrize("arguments", [BROKEN, "{}", '{"a":null}'])
def test_a_malformed_call_that_runs_is_found(arguments: str) -> None:
    assert status("ARG-03", executed(run(arguments)), MALFORMED) == "fail"
    assert status("ARG-03", executed(run(arguments, call_id="c1")), MALFORMED) == "fail"


def test_to_run_the_raw_text_changes_nothing_silently() -> None:
    assert status("ARG-04", executed(run(BROKEN)), MALFORMED) == "pass"
    assert status("ARG-04", executed(run("{}")), MALFORMED) == "fail"
    assert status("ARG-04", executed(run('{"a":null}', call_id="c1")), MALFORMED) == "fail"


def as_value(text: str) -> Observation:
    return Observation(executions=ran(run(text), arguments="value"))


@pytest.mark.parametrize(
    ("sent", "ran_with", "expected"),
    [
        # A reader that knows NaN runs what was asked, however that is written again.
        ('{"a":NaN}', '{"a": NaN}', "pass"),
        ('{"a":NaN,"b":"x"}', '{"b": "x", "a": null}', "pass"),
        ('{"a":[Infinity,1]}', '{"a": [Infinity, 1.0]}', "pass"),
        ('{"a":NaN,"b":1}', '{"a": NaN}', "fail"),
        # A string that spells the word is another value, and so is the word's neighbour.
        ('{"a":NaN}', '{"a":"NaN"}', "fail"),
        ('{"a":-Infinity}', '{"a":"-Infinity"}', "fail"),
        ('{"a":-Infinity}', '{"a":Infinity}', "fail"),
        ('{"a":NaN}', '{"a":"null"}', "fail"),
        ('{"a":NaN,"b":"NaN"}', '{"a": NaN, "b": "NaN"}', "pass"),
        ('{"a":NaN,"b":"NaN"}', '{"a": null, "b": "NaN"}', "pass"),
        ('{"a":NaN,"NaN":1}', '{"NaN": 1, "a": NaN}', "pass"),
        ('{"a":NaN}', "{}", "fail"),
        # A value does not show whether a text was mended, or read by other rules than JSON's.
        ("{'a':1}", '{"a": 1}', "recorded"),
        ('{"a":1,}', '{"a": 1}', "recorded"),
        ('{"a":1} // note', '{"a": 1}', "recorded"),
        ('{"a":/* note */1}', '{"a": 1}', "recorded"),
        ('{"a":"x\ny"}', '{"a": "x\\ny"}', "recorded"),
        ('{"a":True}', '{"a": true}', "recorded"),
        ('{"a":yes}', '{"a": "yes"}', "recorded"),
        ("{'a':'NaN'}", '{"a": "NaN"}', "recorded"),
        ("{'a':'true'}", '{"a": "true"}', "recorded"),
        ('{"a":0x1F}', '{"a": 31}', "recorded"),
        ('{"a":True}', '{"a": "true"}', "fail"),
        ('{"a":1.0,}', '{"a": "1.0"}', "fail"),
        # What closes a text that was cut, or leaves out what trails, does.
        ('{"a":1', '{"a": 1}', "fail"),
        ('{"a":1}}', '{"a": 1}', "fail"),
        ('{"a":NaN,"b":1', '{"a": NaN, "b": 1}', "fail"),
        ("{'a':1}", '{"a": 2}', "fail"),
    ],
)
def test_a_value_that_was_read_by_other_rules_is_not_called_changed(
    sent: str, ran_with: str, expected: str
) -> None:
    assert status("ARG-04", as_value(ran_with), scenario(scripted(arguments=sent))) == expected


def test_a_text_that_was_mended_is_changed_where_texts_are_seen() -> None:
    given = scenario(scripted(arguments='{"a":1,}'))
    assert status("ARG-04", executed(run('{"a":1}')), given) == "fail"


@pytest.mark.parametrize("held", ['{"INVALID_JSON":"{\'a\':1}"}', "\"{'a':1}\"", "null"])
def test_a_text_that_is_only_wrapped_was_not_read_as_json(held: str) -> None:
    given = scenario(scripted(arguments="{'a':1}"))
    assert status("ARG-09", stored(held), given) == "recorded"


@pytest.mark.parametrize(
    ("ran_with", "expected"),
    [
        ('{"raw":"{\\"a\\":1"}', "pass"),
        ('{"error":{"texts":[" {\\"a\\":1\\n"]}}', "pass"),
        ('{"raw":"{\\"a\\":1}"}', "fail"),
        ('{"{\\"a\\":1":1}', "fail"),
        ('{"a":1}', "fail"),
    ],
)
def test_a_run_that_holds_the_whole_text_as_a_string_did_not_read_it(
    ran_with: str, expected: str
) -> None:
    given = scenario(scripted(arguments='{"a":1'))
    assert status("ARG-09", as_value(ran_with), given) == expected
    assert status("ARG-04", as_value(ran_with), given) == "fail"
    assert status("ARG-03", as_value(ran_with), given) == "fail"


def test_arguments_that_were_read_as_json_are_found() -> None:
    given = scenario(scripted(arguments="{'a':1}"))
    assert status("ARG-09", executed(run('{"a":1}')), given) == "fail"
    assert status("ARG-09", executed(run("{}")), given) == "pass"
    assert status("ARG-09", stored('{"a":1}'), given) == "fail"
    assert status("ARG-09", stored("{}"), given) == "pass"


def two(first: Text, second: Text, **given: object) -> Scenario:
    return scenario(scripted("c1", first), scripted("c2", second), **given)


def both(*executions: Execution, answered: tuple[str, ...] = ("c1", "c2")) -> Observation:
    held = calls(call("c1"), call("c2", "{}"))
    errors = [result(one, error=one == "c1") for one in answered]
    return Observation(history=history(held, *errors, DONE), executions=ran(*executions))


def test_a_run_that_a_sound_sibling_explains_is_no_run_of_the_malformed_call() -> None:
    given = two(BROKEN, "{}")
    assert status("ARG-03", both(run("{}")), given) == "pass"
    assert status("ARG-03", both(run('{"filled":"in"}')), given) == "pass"


def test_one_run_more_than_sound_calls_is_a_run_of_the_malformed_call() -> None:
    given = two(BROKEN, '{"b":1}')
    runs = both(run('{"b":1}'), run("{}"))
    assert status("ARG-03", runs, given) == "fail"
    assert status("ARG-04", runs, given) == "fail"


@pytest.mark.parametrize("ids", [("c2", "c1"), (None, None)])
def test_a_mended_call_that_runs_as_its_sibling_is_no_second_run_of_that(
    ids: tuple[str | None, str | None],
) -> None:
    """A text that was closed or cut may come to the very value of a sound sibling."""
    given = two('{"b":1}}', '{"b":1}')
    seen = both(*(run('{"b":1}', call_id=one) for one in ids))
    once = Expectation("ARG-08", executions=ExpectExecutions(once=CallMatch("c2", "echo")))
    assert expectation(once, seen, given).status == "pass"
    assert status("ARG-08", seen, given) == "pass"


def test_a_sound_call_that_runs_again_is_not_laid_at_the_malformed_one() -> None:
    given = two(BROKEN, '{"b":1}')
    assert status("ARG-03", both(run('{"b":1}'), run('{"b":1}')), given) == "pass"
    retried = two(BROKEN, '{"b":1}', tools=(tool(fails="no"),))
    assert status("ARG-03", both(run('{"b":1}'), run('{"b":2}')), retried) == "pass"


def test_a_call_id_tells_whose_run_it_is() -> None:
    given = two(BROKEN, "{}")
    assert status("ARG-03", both(run("{}", call_id="c1")), given) == "fail"
    assert status("ARG-03", both(run("{}", call_id="c2")), given) == "pass"


def test_a_call_id_that_stands_twice_tells_nothing() -> None:
    given = scenario(scripted("c1", BROKEN), scripted("c1", "{}"))
    held = calls(call("c1"), call("c1"))
    messages = history(held, result(error=True), result(), DONE)
    observation = Observation(history=messages, executions=ran(run("{}", call_id="c1")))
    assert status("ARG-03", observation, given) == "pass"


# --- ARG-06, 07 -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("clause", "encoding", "expected"),
    [
        ("ARG-06", Encoding(ok=True), "pass"),
        ("ARG-06", Encoding(ok=False, error="no"), "fail"),
        ("ARG-06", None, "not_applicable"),
        ("ARG-07", Encoding(ok=True, round_trips=True), "pass"),
        ("ARG-07", Encoding(ok=True, round_trips=False), "fail"),
        ("ARG-07", Encoding(ok=True), "not_applicable"),
        ("ARG-07", Encoding(ok=False), "not_applicable"),
    ],
)
def test_the_history_encodes_and_decodes(
    clause: str, encoding: Encoding | None, expected: str
) -> None:
    messages = (calls(call()), result(error=True))
    observation = Observation(history=history(*messages, encoding=encoding))
    assert status(clause, observation, MALFORMED) == expected


def test_an_odd_tool_result_may_be_why_the_history_does_not_encode() -> None:
    given = scenario(scripted(), tools=(tool(returns=Base64("/w==")),))
    history_of = history(calls(call()), result(), encoding=Encoding(ok=False))
    assert status("ARG-06", Observation(history=history_of), given) == "recorded"


# --- ARG-08 ---------------------------------------------------------------------------------


def test_the_sibling_of_a_malformed_call_runs_and_is_answered() -> None:
    given = two(BROKEN, "{}")
    assert status("ARG-08", both(run("{}")), given) == "pass"
    assert status("ARG-08", both(), given) == "fail"
    assert status("ARG-08", both(run("{}"), answered=("c1",)), given) == "fail"


def test_a_run_of_the_malformed_call_itself_is_not_that_of_its_sibling() -> None:
    given = two(BROKEN, "{}")
    assert status("ARG-08", both(run("{}", call_id="c1")), given) == "fail"


@pytest.mark.parametrize(
    "given",
    [
        two(BROKEN, "{}", policy={"echo": "deny"}),
        two(BROKEN, "[1]"),
        two(BROKEN, '{"a":{"__proto__":1}}'),
        two(BROKEN, '{"\\u005f_proto__":1}'),
        two(BROKEN, '{"constructor":{"prototype":1}}'),
        two(BROKEN, "{}", tools=()),
        two(BROKEN, "{}", tools=(tool(hangs=True),)),
        two(BROKEN, "{}", tools=(tool(raises="no"),)),
    ],
)
def test_a_sibling_that_need_not_run_is_not_judged(given: Scenario) -> None:
    assert status("ARG-08", both(), given) == "not_applicable"


def test_a_malformed_call_that_ran_and_raised_explains_what_became_of_its_siblings() -> None:
    """That it ran is a fault of its own; what follows is that of an exception."""
    asked = scripted("c1", BROKEN, "boom"), scripted("c2", "{}")
    given = scenario(*asked, tools=(tool("boom", raises="planted"), tool()))
    held = calls(call("c1", "{}", "boom"), call("c2"))

    def seen(*executions: Execution, **facet: str) -> Observation:
        return Observation(history=history(held), executions=ran(*executions, **facet))

    assert status("ARG-08", seen(run(name="boom")), given) == "not_applicable"
    assert status("ARG-08", seen(status="cut"), given) == "not_applicable"
    assert status("ARG-08", seen(), given) == "fail"


def test_a_batch_that_lost_all_results_to_an_exception_is_told_as_unanswered_alone() -> None:
    asked = scripted("c1", BROKEN), scripted("c2", "{}", "boom")
    given = scenario(*asked, tools=(tool("boom", raises="planted"), tool()))
    held = calls(call("c1"), call("c2", "{}", "boom"))
    lost = Observation(history=history(held, DONE), executions=ran(run(name="boom")))
    assert status("ARG-03", lost, given) == "not_applicable"
    assert status("MSG-05", lost, given) == "fail"
    kept = Observation(history=history(held, result("c2", "no", error=True), DONE))
    assert status("ARG-03", kept, given) == "fail"
    unplanned = scenario(scripted("c1", BROKEN), scripted("c2", "{}", "boom"), tools=(tool(),))
    assert status("ARG-03", lost, unplanned) == "fail"


def test_a_malformed_call_whose_tool_would_have_raised_is_missed_where_it_never_ran() -> None:
    given = scenario(scripted("c1", BROKEN, "boom"), tools=(tool("boom", raises="planted"),))
    held = history(calls(call("c1", name="boom")), DONE)
    assert status("ARG-03", Observation(history=held, executions=ran()), given) == "fail"
    thrown = Observation(history=held, executions=ran(run(name="boom", call_id="c1")))
    assert verdict("ARG-03", thrown, given).findings[0].observed == "boom ran with '{}'"


def test_a_sibling_that_its_schema_may_refuse_is_not_judged() -> None:
    schema: dict[str, object] = {
        "type": "object",
        "properties": {"n": {"type": "integer"}},
        "required": ["n"],
    }
    tools = (ToolScript("echo", parameters=schema),)
    assert status("ARG-08", both(), two(BROKEN, '{"n":"x"}', tools=tools)) == "not_applicable"
    assert status("ARG-08", both(), two(BROKEN, '{"n":1}', tools=tools)) == "fail"


# --- ARG-11 ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("executions", "expected"),
    [
        ([], "pass"),
        ([run("[1]")], "pass"),
        ([run("{}")], "fail"),
        ([run("{}", call_id="c1")], "fail"),
    ],
)
def test_arguments_that_are_no_object_are_not_replaced(
    executions: list[Execution], expected: str
) -> None:
    given = scenario(scripted(arguments="[1]"))
    assert status("ARG-11", executed(*executions), given) == expected


def test_a_run_with_an_empty_object_may_be_that_of_another_call() -> None:
    given = two("[1]", "{}")
    assert status("ARG-11", both(run("{}")), given) == "pass"
    assert status("ARG-11", both(run("{}", call_id="c1")), given) == "fail"


# --- arguments/sanitize ---------------------------------------------------------------------


def views(sent: Text, held: Text | None, kept: Text | None, clause: str) -> str:
    observation = Observation(outcome=Outcome("ok", stored=held, executable=kept))
    return verdict(clause, observation, case=sanitized(sent)).status


@pytest.mark.parametrize(
    ("clause", "sent", "held", "kept", "expected"),
    [
        ("ARG-01", BROKEN, "{}", BROKEN, "pass"),
        ("ARG-01", BROKEN, "{ }", BROKEN, "fail"),
        ("ARG-01", BROKEN, None, BROKEN, "not_applicable"),
        ("ARG-01", "{}", "{}", "{}", "not_applicable"),
        ("ARG-02", BROKEN, "{}", BROKEN, "pass"),
        ("ARG-02", BROKEN, "{}", "{}", "fail"),
        ("ARG-02", BROKEN + " ", "{}", BROKEN, "pass"),
        ("ARG-02a", BROKEN + " ", "{}", BROKEN, "fail"),
        ("ARG-02a", Base64("eyL/"), "{}", Base64("eyL/"), "pass"),
        ("ARG-02a", '{ "a":1}', '{"a":1}', '{"a":1}', "recorded"),
        ("ARG-05", '{"a":1}', '{"a": 1}', '{"a":1}', "pass"),
        ("ARG-05", '{"a":1}', "{}", '{"a":1}', "fail"),
        ("ARG-05", "[1]", "{}", "[1]", "fail"),
        ("ARG-07", BROKEN, BROKEN, BROKEN, "fail"),
        ("ARG-07", BROKEN, "{}", BROKEN, "pass"),
        ("ARG-09", '{"a":NaN}', '{"a":null}', '{"a":NaN}', "fail"),
        ("ARG-09", '{"a":NaN}', "{}", '{"a":NaN}', "pass"),
        ("ARG-01", "", "x", "", "not_applicable"),
    ],
)
def test_the_two_views_that_sanitising_gives(
    clause: str, sent: Text, held: Text | None, kept: Text | None, expected: str
) -> None:
    assert views(sent, held, kept, clause) == expected


# --- robustness -----------------------------------------------------------------------------


def test_a_broken_stream_puts_the_script_out_of_step() -> None:
    replies = scenario(scripted("c1", BROKEN)).model
    given = Scenario(model=(Reply(text="x", breaks=True), *replies), tools=(tool(),))
    lost = history(calls(call("renamed")), result("renamed"))
    assert status("ARG-03", Observation(history=lost), given) == "not_applicable"
    kept = history(Message("assistant", "cut"), calls(call("c1")), result("c1"))
    assert status("ARG-03", Observation(history=kept), given) == "fail"


@pytest.mark.parametrize("text", [Base64("!!"), Base64("/w=="), "\ud800", "[" * 5000, "\x1b[0m"])
def test_no_text_whatever_makes_a_check_fail(text: Text) -> None:
    given = two(text, text)
    observation = Observation(
        history=history(calls(call("c1", text), call("c2", text)), result("c1", text)),
        executions=ran(run(text), run(text, call_id="c1")),
        requests=requests([result(None, text)]),
    )
    for found in judge(observation, given):
        for finding in found.findings:
            assert "\x1b" not in finding.expected + finding.observed


# --- which held call is which scripted call -------------------------------------------------


def later(*messages: Message) -> Observation:
    return Observation(history=history(*messages, DONE))


def test_an_empty_message_is_none_of_the_script() -> None:
    given = scenario(scripted(arguments='{"a":1}'))
    sound = (calls(call("renamed", '{"a":1}')), result("renamed"))
    assert status("ARG-05", later(replaced(DONE, text=""), *sound), given) == "pass"
    wrong = (calls(call("renamed", '{"a":2}')), result("renamed"))
    assert status("ARG-05", later(replaced(DONE, text=""), *wrong), given) == "fail"


def test_the_very_ids_of_a_later_reply_outweigh_its_place() -> None:
    replies = (Reply(calls=(scripted("c1", BROKEN),)), Reply(calls=(scripted("c2", '{"a":1}'),)))
    again = later(calls(call("c2", '{"a":1}')), result("c2"))
    given = Scenario(replies, (tool(),))
    assert status("ARG-01", again, given) == "not_applicable"
    assert status("ARG-05", again, given) == "pass"


SWAPPED = scenario(scripted("c1", BROKEN), scripted("c2", '{"a":1}'))


def swapped(first: str, second: str, sound: str = '{"a":1}') -> Observation:
    """Show the malformed call behind the sound one."""
    held = calls(call(first, sound), call(second, "{}"))
    said = (result(second, "no", error=True), result(first))
    executions = ran(run(sound, call_id=first), arguments="value")
    return Observation(history=history(held, *said, DONE), executions=executions)


ABOUT = ("ARG-01", "ARG-03", "ARG-05", "ARG-08", "ARG-09", "MSG-09")


def test_calls_that_keep_their_ids_are_matched_by_them_in_any_order() -> None:
    for clause in ABOUT:
        assert status(clause, swapped("c2", "c1"), SWAPPED) == "pass", clause
    assert status("ARG-05", swapped("c2", "c1", '{"a":2}'), SWAPPED) == "fail"


def test_calls_of_several_tools_keep_their_reply_in_another_order() -> None:
    tools = (tool(), tool("other"))
    given = scenario(scripted("c1", BROKEN, "other"), scripted("c2"), tools=tools)
    held = calls(call("c2"), call("c1", "{}", "other"))
    seen = later(held, result("c1", error=True), result("c2"))
    assert status("ARG-01", seen, given) == "pass"
    # Under ids of its own the tools say that it is no message of this reply.
    renamed = calls(call("x"), call("y", "{}", "other"))
    seen = later(renamed, result("x"), result("y", error=True))
    assert status("ARG-01", seen, given) == "not_applicable"


def test_renamed_calls_are_matched_by_their_places() -> None:
    assert status("ARG-01", swapped("x", "y"), SWAPPED) == "fail"
    held = calls(call("x", "{}"), call("y", '{"a":1}'))
    seen = later(held, result("x", error=True), result("y"))
    for clause in ("ARG-01", "ARG-03", "ARG-05"):
        assert status(clause, seen, SWAPPED) == "pass"


def test_a_renamed_call_that_is_not_held_may_be_any() -> None:
    replies = (Reply(calls=(scripted("c1", BROKEN),)), Reply(calls=(scripted("c2"),)))
    held = history(calls(call("call_0")), result("call_0", error=True), DONE)
    observation = Observation(history=held, executions=ran(run(call_id="call_0")))
    # Both replies may have numbered their calls from 0, and the turn of the second was cut.
    assert status("ARG-03", observation, Scenario(replies, (tool(),))) == "pass"
