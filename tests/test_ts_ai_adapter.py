"""The adapter of the Vercel AI SDK says what the library does; it hides and adds nothing."""

import json
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
from live_node import folder_of, needs_packages, opened

from toolassay.spec.scenario import Behaviour, Reply, ScriptedCall, ToolScript
from toolassay.targets.stdio import StdioTarget

NAME = "ai"

pytestmark = needs_packages(NAME)


@pytest.fixture(scope="module")
def target() -> Iterator[StdioTarget]:
    with opened(NAME) as target:
        yield target


def test_it_says_which_release_it_judges(target: StdioTarget) -> None:
    said = target.implementation

    wanted = json.loads((folder_of(NAME) / "package.json").read_text())["dependencies"]
    assert (said.name, said.version) == ("ai", wanted["ai"])


def test_the_lock_file_names_no_address() -> None:
    assert "://" not in (folder_of(NAME) / "package-lock.json").read_text()


def test_a_call_runs_and_its_result_is_shown_to_the_model(target: StdioTarget) -> None:
    seen = observed(target, Reply("hey", (ScriptedCall("c1", "t", '{"a": 1}'),)))

    messages = history(seen).messages
    assert roles(messages) == ["user", "assistant", "tool", "assistant"]
    assert (messages[1].text, messages[1].calls[0].arguments) == ("hey", '{"a":1}')
    assert requests(seen).requests == (messages[:1], messages[:3])
    (entry,) = executions(seen).executions
    assert (entry.call_id, entry.arguments) == ("c1", '{"a":1}')
    assert (history(seen).arguments, executions(seen).arguments) == ("value", "value")
    assert endings(seen) == ["done"]


def test_a_streamed_reply_goes_through_the_stream_and_gives_the_same(target: StdioTarget) -> None:
    streams_as_it_is_whole(target)


def test_a_stream_that_breaks_fails_the_turn_and_commits_nothing(target: StdioTarget) -> None:
    called = Reply(calls=(ScriptedCall("c1", "t"),))

    seen = observed(target, called, Reply("x", streamed=True, breaks=True))

    assert endings(seen) == ["failed"]
    assert history(seen).status == "aborted"
    assert roles(history(seen).messages) == ["user"]
    assert len(executions(seen).executions) == 1


def test_the_turn_after_one_that_failed_is_shown_what_was_said(target: StdioTarget) -> None:
    seen = observed(target, Reply("x", streamed=True, breaks=True), users=("a", "b"))

    assert endings(seen) == ["failed", "done"]
    assert [one.text for one in requests(seen).requests[1]] == ["a", "b"]
    assert history(seen).status == "complete"


def test_no_tool_runs_while_a_stream_has_not_ended(target: StdioTarget) -> None:
    seen = observed(target, Reply(calls=(ScriptedCall("c1", "t"),), streamed=True, stall=5))

    assert [entry.began.streaming for entry in executions(seen).executions] == [False]


def test_text_that_is_no_json_is_stored_as_an_empty_object(target: StdioTarget) -> None:
    seen = observed(target, Reply(calls=(ScriptedCall("c1", "t", '{"a":1'),)))

    assert executions(seen).executions == ()
    assert history(seen).messages[1].calls[0].arguments == "{}"
    ((_, text, flag),) = results(history(seen).messages)
    assert flag
    assert '{"a":1' in str(text)


def test_a_value_that_is_a_string_is_held_as_one(target: StdioTarget) -> None:
    seen = observed(target, Reply(calls=(ScriptedCall("c1", "t", '"x"'),)))

    assert history(seen).messages[1].calls[0].arguments == '"x"'
    assert [entry.arguments for entry in executions(seen).executions] == ['"x"']


def test_a_denied_tool_does_not_run_and_is_answered(target: StdioTarget) -> None:
    calls = (ScriptedCall("c1", "d"), ScriptedCall("c2", "t"))
    tools = (ToolScript("t"), ToolScript("d"))

    seen = observed(target, Reply(calls=calls), tools=tools, policy={"d": "deny"})

    assert [entry.tool for entry in executions(seen).executions] == ["t"]
    assert results(history(seen).messages) == [
        ("c2", "ok", False),
        ("c1", "denied by policy", True),
    ]
    assert results(requests(seen).requests[1]) == results(history(seen).messages)
    assert endings(seen) == ["done"]


@pytest.mark.parametrize("behaviour", [Behaviour(fails="no file"), Behaviour(raises="no file")])
def test_what_a_tool_throws_is_a_flagged_result(target: StdioTarget, behaviour: Behaviour) -> None:
    tool = ToolScript("t", behaviour=behaviour)

    seen = observed(target, Reply(calls=(ScriptedCall("c1", "t"),)), tools=(tool,))

    assert results(history(seen).messages) == [("c1", "no file", True)]
    assert endings(seen) == ["done"]


def test_the_next_turn_is_shown_the_turn_before(target: StdioTarget) -> None:
    seen = observed(target, Reply("one"), Reply("two"), users=("a", "b"))

    assert [one.text for one in requests(seen).requests[1]] == ["a", "one", "b"]
    assert [one.text for one in history(seen).messages] == ["a", "one", "b", "two"]
