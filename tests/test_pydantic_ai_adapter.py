"""The adapter of pydantic-ai says what the library does; it hides nothing and adds nothing."""

from collections.abc import Iterator

import pytest
from live import (
    endings,
    executions,
    history,
    observed,
    requests,
    results,
    roles,
    streams_as_it_is_whole,
)
from live_python import folder_of, needs_environment, opened

from toolassay.spec.scenario import Behaviour, Reply, ScriptedCall, ToolScript
from toolassay.spec.text import Base64
from toolassay.targets.python import PythonTarget

NAME = "pydantic_ai"

pytestmark = needs_environment(NAME)


@pytest.fixture(scope="module")
def target() -> Iterator[PythonTarget]:
    with opened(NAME) as target:
        yield target


def test_it_says_which_release_it_judges(target: PythonTarget) -> None:
    said = target.implementation

    lock = (folder_of(NAME) / "requirements.txt").read_text()
    assert f"pydantic-ai-slim=={said.version}" in lock


def test_a_call_runs_and_its_result_is_shown_to_the_model(target: PythonTarget) -> None:
    seen = observed(target, Reply("hey", (ScriptedCall("c1", "t", '{"a": 1}'),)))

    messages = history(seen).messages
    assert roles(messages) == ["user", "assistant", "tool", "assistant"]
    assert (messages[1].text, messages[1].calls[0].arguments) == ("hey", '{"a": 1}')
    assert requests(seen).requests == (messages[:1], messages[:3])
    (entry,) = executions(seen).executions
    assert (entry.call_id, entry.arguments) == ("c1", '{"a":1}')
    assert executions(seen).arguments == "value"
    assert endings(seen) == ["done"]


def test_a_streamed_reply_goes_through_the_stream_and_gives_the_same(target: PythonTarget) -> None:
    streams_as_it_is_whole(target)


def test_a_stream_that_breaks_fails_the_turn(target: PythonTarget) -> None:
    seen = observed(target, Reply("x", streamed=True, breaks=True), users=("a", "b"))

    assert endings(seen) == ["failed", "done"]


def test_a_streamed_reply_without_anything_is_played(target: PythonTarget) -> None:
    assert endings(observed(target, Reply(streamed=True))) == ["done"]


def test_arguments_that_are_no_object_are_answered_and_not_run(target: PythonTarget) -> None:
    calls = (ScriptedCall("c1", "t", '{"a":1'), ScriptedCall("c2", "t", "[1]"))

    seen = observed(target, Reply(calls=calls))

    assert executions(seen).executions == ()
    assert [(call, flag) for call, _, flag in results(history(seen).messages)] == [
        ("c1", True),
        ("c2", True),
    ]


def test_the_schema_of_the_scenario_is_the_tool_s(target: PythonTarget) -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "string"}},
        "required": ["a"],
        "additionalProperties": False,
    }
    calls = (
        ScriptedCall("c1", "t", '{"a":1}'),
        ScriptedCall("c2", "t", '{"b":"x"}'),
        ScriptedCall("c3", "t", '{"a":1,"z":1}'),
    )

    seen = observed(target, Reply(calls=calls), tools=(ToolScript("t", schema),))

    flags = [(call, flag) for call, _, flag in results(history(seen).messages)]
    assert flags == [("c1", False), ("c2", True), ("c3", True)]
    assert [entry.arguments for entry in executions(seen).executions] == ['{"a":1}']


def test_a_denied_tool_does_not_run_and_is_answered(target: PythonTarget) -> None:
    calls = (ScriptedCall("c1", "d"), ScriptedCall("c2", "t"))

    seen = observed(
        target,
        Reply(calls=calls),
        tools=(ToolScript("t"), ToolScript("d")),
        policy={"d": "deny"},
    )

    assert [entry.tool for entry in executions(seen).executions] == ["t"]
    assert results(history(seen).messages) == [
        ("c2", "ok", False),
        ("c1", "denied by policy", True),
    ]


def test_a_failure_that_a_tool_accepts_is_a_flagged_result(target: PythonTarget) -> None:
    tool = ToolScript("t", behaviour=Behaviour(fails="no such file"))

    seen = observed(target, Reply(calls=(ScriptedCall("c1", "t"),)), tools=(tool,))

    assert results(history(seen).messages) == [("c1", "no such file", True)]


def test_a_run_that_raised_is_no_committed_history(target: PythonTarget) -> None:
    tool = ToolScript("t", behaviour=Behaviour(raises="boom"))

    seen = observed(target, Reply(calls=(ScriptedCall("c1", "t"),)), tools=(tool,))

    assert endings(seen) == ["failed"]
    assert (history(seen).status, history(seen).messages) == ("aborted", ())


def test_the_turn_after_one_that_raised_goes_on_with_what_was_left(target: PythonTarget) -> None:
    tool = ToolScript("t", behaviour=Behaviour(raises="boom"))

    seen = observed(
        target, Reply(calls=(ScriptedCall("c1", "t"),)), tools=(tool,), users=("a", "b")
    )

    assert endings(seen) == ["failed", "done"]
    assert roles(requests(seen).requests[1]) == ["user", "assistant", "tool", "user"]
    assert history(seen).status == "complete"


def test_the_next_turn_is_shown_the_turn_before(target: PythonTarget) -> None:
    seen = observed(target, Reply("one"), Reply("two"), users=("a", "b"))

    assert [one.text for one in requests(seen).requests[1]] == ["a", "one", "b"]


def test_sequential_calls_do_not_overlap(target: PythonTarget) -> None:
    first = ToolScript("f", behaviour=Behaviour(ticks=5))
    calls = (ScriptedCall("c1", "f"), ScriptedCall("c2", "t"))

    seen = observed(target, Reply(calls=calls), tools=(first, ToolScript("t")), sequential=True)

    assert [entry.tool for entry in executions(seen).executions] == ["f", "t"]


def test_the_codec_of_the_library_is_asked(target: PythonTarget) -> None:
    good = history(observed(target, Reply("x"))).encoding
    tool = ToolScript("t", behaviour=Behaviour(returns=Base64("7aCA")))
    bad = history(observed(target, Reply(calls=(ScriptedCall("c1", "t"),)), tools=(tool,))).encoding

    assert good is not None
    assert (good.ok, good.round_trips) == (True, True)
    assert bad is not None
    assert not bad.ok
