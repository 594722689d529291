"""The adapter of openai-agents says what the library does; it hides nothing and adds nothing."""

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

NAME = "openai_agents"

pytestmark = needs_environment(NAME)

REFUSED = "An error occurred while running the tool. Please try again."


@pytest.fixture(scope="module")
def target() -> Iterator[PythonTarget]:
    with opened(NAME) as target:
        yield target


def test_it_says_which_release_it_judges(target: PythonTarget) -> None:
    said = target.implementation

    lock = (folder_of(NAME) / "requirements.txt").read_text()
    assert f"openai-agents=={said.version}" in lock


def test_a_call_runs_and_its_result_is_sent_to_the_provider(target: PythonTarget) -> None:
    seen = observed(target, Reply("hey", (ScriptedCall("c1", "t", '{"a": 1}'),)))

    messages = history(seen).messages
    assert roles(messages) == ["user", "assistant", "tool", "assistant"]
    assert (messages[1].text, messages[1].calls[0].arguments) == ("hey", '{"a": 1}')
    assert requests(seen).requests == (messages[:1], messages[:3])
    (entry,) = executions(seen).executions
    assert (entry.call_id, entry.arguments) == ("c1", '{"a":1}')
    assert executions(seen).arguments == "value"
    assert endings(seen) == ["done"]


def test_the_text_and_the_calls_of_a_reply_are_one_message(target: PythonTarget) -> None:
    calls = (ScriptedCall("c1", "t"), ScriptedCall("c2", "t"))

    seen = observed(target, Reply("hey", calls), Reply("", (ScriptedCall("c3", "t"),)))

    assert [
        (one.text, [item.id for item in one.calls])
        for one in history(seen).messages
        if one.role == "assistant"
    ] == [("hey", ["c1", "c2"]), ("", ["c3"]), ("done", [])]


def test_a_streamed_reply_goes_through_the_stream_and_gives_the_same(target: PythonTarget) -> None:
    streams_as_it_is_whole(target)


def test_a_stream_that_breaks_fails_the_turn_and_commits_nothing(target: PythonTarget) -> None:
    broken = Reply("x", (ScriptedCall("c1", "t"),), streamed=True, breaks=True)

    seen = observed(target, broken, users=("a", "b"))

    assert endings(seen) == ["failed", "done"]
    assert executions(seen).executions == ()
    assert [one.text for one in history(seen).messages] == ["a", "b", "done"]


@pytest.mark.parametrize("streamed", [False, True])
def test_a_reply_without_anything_is_played(target: PythonTarget, *, streamed: bool) -> None:
    assert endings(observed(target, Reply(streamed=streamed))) == ["done"]


def test_arguments_that_are_no_object_are_answered_and_not_run(target: PythonTarget) -> None:
    calls = (ScriptedCall("c1", "t", '{"a":1'), ScriptedCall("c2", "t", "[1]"))

    seen = observed(target, Reply(calls=calls))

    assert executions(seen).executions == ()
    # The library has no error flag: None, never one that is guessed from the words.
    assert results(history(seen).messages) == [("c1", REFUSED, None), ("c2", REFUSED, None)]


def test_a_denied_tool_does_not_run_and_its_result_stands_last(target: PythonTarget) -> None:
    calls = (ScriptedCall("c1", "d"), ScriptedCall("c2", "t"))

    seen = observed(
        target,
        Reply(calls=calls),
        tools=(ToolScript("t"), ToolScript("d")),
        policy={"d": "deny"},
    )

    assert [entry.tool for entry in executions(seen).executions] == ["t"]
    denial = ("c1", "Tool execution was not approved.", None)
    assert results(history(seen).messages) == [("c2", "ok", None), denial]
    assert endings(seen) == ["done"]


def test_a_failure_that_a_tool_accepts_is_its_result(target: PythonTarget) -> None:
    tool = ToolScript("t", behaviour=Behaviour(fails="no such file"))

    seen = observed(target, Reply(calls=(ScriptedCall("c1", "t"),)), tools=(tool,))

    assert results(history(seen).messages) == [("c1", "no such file", None)]


def test_a_tool_that_raises_is_answered_with_the_library_s_words(target: PythonTarget) -> None:
    tool = ToolScript("t", behaviour=Behaviour(raises="boom"))

    seen = observed(target, Reply(calls=(ScriptedCall("c1", "t"),)), tools=(tool,))

    assert results(history(seen).messages) == [("c1", REFUSED, None)]
    assert endings(seen) == ["done"]


def test_an_unknown_tool_ends_the_run_and_the_session_keeps_the_user(target: PythonTarget) -> None:
    calls = (ScriptedCall("c1", "nowhere"), ScriptedCall("c2", "t"))

    seen = observed(target, Reply(calls=calls))

    assert endings(seen) == ["failed"]
    assert executions(seen).executions == ()
    assert (history(seen).status, roles(history(seen).messages)) == ("complete", ["user"])


def test_the_next_turn_is_shown_the_turn_before(target: PythonTarget) -> None:
    seen = observed(target, Reply("one"), Reply("two"), users=("a", "b"))

    assert [one.text for one in requests(seen).requests[1]] == ["a", "one", "b"]


def test_sequential_calls_run_in_call_order(target: PythonTarget) -> None:
    first = ToolScript("f", behaviour=Behaviour(ticks=5))
    calls = (ScriptedCall("c1", "f"), ScriptedCall("c2", "t"), ScriptedCall("c3", "f"))

    seen = observed(target, Reply(calls=calls), tools=(first, ToolScript("t")), sequential=True)

    assert [entry.call_id for entry in executions(seen).executions] == ["c1", "c2", "c3"]


def test_what_the_session_holds_is_what_its_codec_gives_back(target: PythonTarget) -> None:
    tool = ToolScript("t", behaviour=Behaviour(returns=Base64("7aCA")))

    seen = history(observed(target, Reply(calls=(ScriptedCall("c1", "t"),)), tools=(tool,)))

    assert seen.encoding is not None
    assert (seen.encoding.ok, seen.encoding.round_trips) == (True, True)
    assert results(seen.messages) == [("c1", Base64("7aCA"), None)]
