"""The adapter of strands-agents says what the library does; it hides nothing and adds nothing."""

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

NAME = "strands"

pytestmark = needs_environment(NAME)


@pytest.fixture(scope="module")
def target() -> Iterator[PythonTarget]:
    with opened(NAME) as target:
        yield target


def test_it_says_which_release_it_judges(target: PythonTarget) -> None:
    said = target.implementation

    lock = (folder_of(NAME) / "requirements.txt").read_text()
    assert f"strands-agents=={said.version}" in lock


def test_a_call_runs_and_its_result_is_shown_to_the_model(target: PythonTarget) -> None:
    seen = observed(target, Reply("hey", (ScriptedCall("c1", "t", '{"a": 1}'),)))

    messages = history(seen).messages
    assert roles(messages) == ["user", "assistant", "tool", "assistant"]
    # It holds the parsed value, not the text that the model sent.
    assert (messages[1].text, messages[1].calls[0].arguments) == ("hey", '{"a":1}')
    assert history(seen).arguments == "value"
    assert requests(seen).requests == (messages[:1], messages[:3])
    (entry,) = executions(seen).executions
    assert (entry.call_id, entry.arguments) == ("c1", '{"a":1}')
    assert endings(seen) == ["done"]


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


def test_text_that_does_not_parse_becomes_an_empty_object_and_runs(target: PythonTarget) -> None:
    seen = observed(target, Reply(calls=(ScriptedCall("c1", "t", '{"a":1'),)))

    assert [entry.arguments for entry in executions(seen).executions] == ["{}"]
    assert history(seen).messages[1].calls[0].arguments == "{}"
    assert results(history(seen).messages) == [("c1", "ok", False)]


def test_a_denied_tool_does_not_run_and_is_answered_in_its_place(target: PythonTarget) -> None:
    calls = (ScriptedCall("c1", "d"), ScriptedCall("c2", "t"))

    seen = observed(
        target,
        Reply(calls=calls),
        tools=(ToolScript("t"), ToolScript("d")),
        policy={"d": "deny"},
    )

    assert [entry.tool for entry in executions(seen).executions] == ["t"]
    assert results(history(seen).messages) == [
        ("c1", "denied by policy", True),
        ("c2", "ok", False),
    ]


def test_a_failure_that_a_tool_accepts_is_a_flagged_result(target: PythonTarget) -> None:
    tool = ToolScript("t", behaviour=Behaviour(fails="no such file"))

    seen = observed(target, Reply(calls=(ScriptedCall("c1", "t"),)), tools=(tool,))

    assert results(history(seen).messages) == [("c1", "no such file", True)]


def test_a_tool_that_raises_is_answered_with_a_flagged_result(target: PythonTarget) -> None:
    tool = ToolScript("t", behaviour=Behaviour(raises="boom"))

    seen = observed(target, Reply(calls=(ScriptedCall("c1", "t"),)), tools=(tool,))

    assert results(history(seen).messages) == [("c1", "Error: boom", True)]
    assert endings(seen) == ["done"]


def test_an_unknown_tool_is_answered_and_its_sibling_runs(target: PythonTarget) -> None:
    calls = (ScriptedCall("c1", "nowhere"), ScriptedCall("c2", "t"))

    seen = observed(target, Reply(calls=calls))

    assert results(history(seen).messages) == [
        ("c1", "Unknown tool: nowhere", True),
        ("c2", "ok", False),
    ]
    assert [entry.call_id for entry in executions(seen).executions] == ["c2"]


def test_the_next_turn_is_shown_the_turn_before(target: PythonTarget) -> None:
    seen = observed(target, Reply("one"), Reply("two"), users=("a", "b"))

    assert [one.text for one in requests(seen).requests[1]] == ["a", "one", "b"]


def test_sequential_calls_run_in_call_order(target: PythonTarget) -> None:
    first = ToolScript("f", behaviour=Behaviour(ticks=5))
    calls = (ScriptedCall("c1", "f"), ScriptedCall("c2", "t"), ScriptedCall("c3", "f"))

    seen = observed(target, Reply(calls=calls), tools=(first, ToolScript("t")), sequential=True)

    assert [entry.call_id for entry in executions(seen).executions] == ["c1", "c2", "c3"]


def test_the_store_of_the_library_is_asked(target: PythonTarget) -> None:
    good = history(observed(target, Reply("x"))).encoding
    tool = ToolScript("t", behaviour=Behaviour(returns=Base64("7aCA")))
    bad = history(observed(target, Reply(calls=(ScriptedCall("c1", "t"),)), tools=(tool,))).encoding

    assert good is not None
    assert (good.ok, good.round_trips) == (True, True)
    assert bad is not None
    assert not bad.ok
