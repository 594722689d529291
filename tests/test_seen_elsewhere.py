"""
What real libraries do in a case of ours, and which clauses that breaks.

Each observation is the smallest one of a kind that a library gave when it was
plugged in. What it breaks is said, and so is what it does not break: a fault
is told once, under its own clause.
"""

from __future__ import annotations

from functools import cache

import pytest
from observations import (
    DONE,
    call,
    calls,
    ending,
    history,
    ran,
    replaced,
    requests,
    result,
    run,
)

from toolassay.authoring.packs import load_pack_cases
from toolassay.properties.judge import judge
from toolassay.spec.case import Case
from toolassay.spec.observation import Observation


@cache
def cases() -> dict[str, Case]:
    return {case.id: case for case in load_pack_cases()}


def broken(case_id: str, observation: Observation) -> set[str]:
    """Give the clauses that an observation breaks in a shipped case."""
    verdicts = judge(observation, case=cases()[case_id])
    return {one.clause for one in verdicts if one.status == "fail"}


@pytest.mark.parametrize("text", ["garbage", "cut-after-brace"])
def test_a_malformed_call_that_runs_with_an_empty_object_was_not_read_as_json(text: str) -> None:
    """`{` may have been closed or replaced: no one can tell, and the run itself is a fault."""
    seen = Observation(
        history=history(calls(call("c1", "{}")), result("c1"), DONE),
        executions=ran(run("{}", call_id="c1"), arguments="value"),
    )

    found = broken(f"arg.malformed-text-never-runs[text={text}]", seen)
    assert {"ARG-03", "ARG-04"} <= found
    assert "ARG-09" not in found


def test_nan_that_runs_was_read_as_json_and_not_changed() -> None:
    text = '{"a":NaN}'
    seen = Observation(
        history=history(calls(call("c1", text)), result("c1"), DONE, arguments="text"),
        executions=ran(run(text, call_id="c1"), arguments="value"),
    )

    found = broken("arg.malformed-text-never-runs[text=nan]", seen)
    assert {"ARG-03", "ARG-09"} <= found
    assert "ARG-04" not in found


@pytest.mark.parametrize(
    ("case", "ran_with"), [("nan", "NaN"), ("infinity", "Infinity"), ("minus-infinity", "Infinity")]
)
def test_a_word_that_runs_as_a_string_was_changed(case: str, ran_with: str) -> None:
    seen = Observation(
        executions=ran(run(f'{{"a":"{ran_with}"}}', call_id="c1"), arguments="value"),
    )
    assert "ARG-04" in broken(f"arg.malformed-text-never-runs[text={case}]", seen)


def test_a_call_that_is_mended_to_the_value_of_its_sibling_does_not_disturb_it() -> None:
    held = calls(call("c1", '{"a":'), call("c2", '{"a":1}'), call("c3", '{"a":1}'))
    seen = Observation(
        history=history(held, result("c1", "no", error=True), result("c2"), result("c3"), DONE),
        executions=ran(run('{"a":1}', call_id="c2"), run('{"a":1}', call_id="c3")),
    )

    found = broken("arg.malformed-twice-beside-valid", seen)
    assert {"ARG-03", "ARG-04"} <= found
    assert "ARG-08" not in found
    nameless = replaced(seen, executions=ran(run('{"a":1}'), run('{"a":1}')))
    assert "ARG-08" not in broken("arg.malformed-twice-beside-valid", nameless)


def test_a_failure_whose_words_are_withheld_keeps_its_flag_all_the_same() -> None:
    made = call("c1", '{"key":"missing"}', "record")
    answer = result("c1", "Error: Function failed.", error=True)
    seen = Observation(
        history=history(calls(made), answer, DONE),
        requests=requests((), (calls(made), answer)),
        executions=ran(run('{"key":"missing"}', "record", call_id="c1")),
        ending=ending("done"),
    )

    assert broken("msg.accepted-failure", seen) == set()


def test_a_runtime_that_refuses_an_id_used_again_breaks_no_pairing() -> None:
    made = call("K", '{"p":"a"}', "write")
    step = (calls(made), result("K", "written"))
    seen = Observation(
        history=history(*step),
        requests=requests((), step),
        executions=ran(run('{"p":"a"}', "write", call_id="K")),
        ending=ending("failed"),
    )

    assert broken("msg.id-used-again-in-a-later-step", seen) == set()


@pytest.mark.parametrize("answered", ["K", "k-2"])
def test_an_id_used_again_whose_second_call_stays_unanswered_is_a_fault(answered: str) -> None:
    first = (calls(call("K", '{"p":"a"}', "write")), result("K", "written"))
    second = calls(call(answered, '{"p":"b"}', "write"))
    seen = Observation(history=history(*first, second, DONE), ending=ending("done"))

    assert "MSG-05" in broken("msg.id-used-again-in-a-later-step", seen)


def test_a_tool_that_raised_and_was_not_answered_is_told_as_unanswered_alone() -> None:
    made = call("c1", "{}", "exec")
    seen = Observation(
        history=history(calls(made)),
        executions=ran(run("{}", "exec", call_id="c1")),
        ending=ending("failed"),
    )

    found = broken("msg.one-result-after-an-error", seen)
    assert "MSG-05" in found
    assert "MSG-06" not in found
