"""The adapter of openai-agents-js says what the library does; it hides and adds nothing."""

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

NAME = "openai_agents"

pytestmark = needs_packages(NAME)

REFUSED = "An error occurred while running the tool. Please try again."


@pytest.fixture(scope="module")
def target() -> Iterator[StdioTarget]:
    with opened(NAME) as target:
        yield target


def test_it_says_which_release_it_judges(target: StdioTarget) -> None:
    said = target.implementation

    wanted = json.loads((folder_of(NAME) / "package.json").read_text())["dependencies"]
    assert (said.name, said.version) == ("openai-agents-js", wanted["@openai/agents"])


def test_the_lock_file_names_no_address() -> None:
    assert "://" not in (folder_of(NAME) / "package-lock.json").read_text()


def test_a_call_runs_and_its_result_is_shown_to_the_model(target: StdioTarget) -> None:
    seen = observed(target, Reply("hey", (ScriptedCall("c1", "t", '{"a": 1}'),)))

    messages = history(seen).messages
    assert roles(messages) == ["user", "assistant", "tool", "assistant"]
    assert (messages[1].text, messages[1].calls[0].arguments) == ("hey", '{"a": 1}')
    assert requests(seen).requests == (messages[:1], messages[:3])
    (entry,) = executions(seen).executions
    assert (entry.call_id, entry.arguments) == ("c1", '{"a":1}')
    assert (history(seen).arguments, executions(seen).arguments) == ("text", "value")
    assert endings(seen) == ["done"]


def test_the_text_and_the_calls_of_a_reply_are_one_message(target: StdioTarget) -> None:
    calls = (ScriptedCall("c1", "t"), ScriptedCall("c2", "t"))

    seen = observed(target, Reply("hey", calls), Reply("", (ScriptedCall("c3", "t"),)))

    replies = [one for one in history(seen).messages if one.role == "assistant"]
    assert [[call.id for call in one.calls] for one in replies] == [["c1", "c2"], ["c3"], []]


def test_a_streamed_reply_goes_through_the_stream_and_gives_the_same(target: StdioTarget) -> None:
    streams_as_it_is_whole(target)


def test_an_empty_object_in_front_of_streamed_arguments_is_lost(target: StdioTarget) -> None:
    call = ScriptedCall("c1", "t", '{}{"a":1}')

    whole = observed(target, Reply(calls=(call,)))
    streamed = observed(target, Reply(calls=(call,), streamed=True))

    assert executions(whole).executions == ()
    assert [entry.arguments for entry in executions(streamed).executions] == ['{"a":1}']
    assert history(streamed).messages[1].calls[0].arguments == '{"a":1}'


def test_a_stream_that_breaks_fails_the_turn(target: StdioTarget) -> None:
    called = Reply(calls=(ScriptedCall("c1", "t"),))

    seen = observed(target, called, Reply("x", streamed=True, breaks=True), users=("a", "b"))

    assert endings(seen) == ["failed", "done"]
    # What the session has kept is shown, whatever became of the run.
    assert roles(requests(seen).requests[2]) == ["user", "user"]
    assert roles(history(seen).messages) == ["user", "user", "assistant"]
    assert history(seen).status == "complete"


def test_text_that_is_no_json_is_answered_and_not_run(target: StdioTarget) -> None:
    seen = observed(target, Reply(calls=(ScriptedCall("c1", "t", '{"a":1'),)))

    assert executions(seen).executions == ()
    assert history(seen).messages[1].calls[0].arguments == '{"a":1'
    assert [(answers, flag) for answers, _, flag in results(history(seen).messages)] == [
        ("c1", None)
    ]


def test_an_unknown_tool_ends_the_run(target: StdioTarget) -> None:
    calls = (ScriptedCall("c1", "nowhere"), ScriptedCall("c2", "t"))

    seen = observed(target, Reply(calls=calls))

    assert endings(seen) == ["failed"]
    assert executions(seen).executions == ()
    assert history(seen).messages == ()


def test_a_denied_tool_does_not_run_and_is_answered(target: StdioTarget) -> None:
    calls = (ScriptedCall("c1", "d"), ScriptedCall("c2", "t"))
    tools = (ToolScript("t"), ToolScript("d"))

    seen = observed(target, Reply(calls=calls), tools=tools, policy={"d": "deny"})

    assert [entry.tool for entry in executions(seen).executions] == ["t"]
    assert results(history(seen).messages) == [
        ("c2", "ok", None),
        ("c1", "denied by policy", None),
    ]
    assert endings(seen) == ["done"]


def test_a_denied_call_stays_without_its_result_when_the_run_then_fails(
    target: StdioTarget,
) -> None:
    replies = (Reply(calls=(ScriptedCall("c1", "t"),)), Reply("x", streamed=True, breaks=True))

    seen = observed(target, *replies, policy={"t": "deny"})

    assert roles(requests(seen).requests[1]) == ["user", "assistant", "tool"]
    assert roles(history(seen).messages) == ["user", "assistant"]


def test_a_call_whose_id_comes_again_is_parted_from_its_result(target: StdioTarget) -> None:
    first, second = ScriptedCall("K", "t", '{"n":1}'), ScriptedCall("K", "t", '{"n":2}')
    replies = (Reply(calls=(first,)), Reply("done"), Reply(calls=(second,)))

    seen = observed(target, *replies, users=("a", "b"))

    shown = requests(seen).requests[3]
    assert roles(shown) == ["user", "assistant", "assistant", "user", "tool"]
    assert [call.arguments for one in shown for call in one.calls] == ['{"n":2}']


@pytest.mark.parametrize("behaviour", [Behaviour(fails="no file"), Behaviour(raises="no file")])
def test_what_a_tool_throws_is_answered_without_its_words(
    target: StdioTarget, behaviour: Behaviour
) -> None:
    tool = ToolScript("t", behaviour=behaviour)

    seen = observed(target, Reply(calls=(ScriptedCall("c1", "t"),)), tools=(tool,))

    assert results(history(seen).messages) == [("c1", REFUSED, None)]
    assert endings(seen) == ["done"]


def test_the_next_turn_is_shown_the_turn_before(target: StdioTarget) -> None:
    seen = observed(target, Reply("one"), Reply("two"), users=("a", "b"))

    assert [one.text for one in requests(seen).requests[1]] == ["a", "one", "b"]


def test_a_sequential_batch_runs_in_the_order_of_its_calls(target: StdioTarget) -> None:
    first = ToolScript("f", behaviour=Behaviour(ticks=5))
    calls = (ScriptedCall("c1", "f"), ScriptedCall("c2", "t"))

    seen = observed(target, Reply(calls=calls), tools=(first, ToolScript("t")), sequential=True)

    assert [entry.tool for entry in executions(seen).executions] == ["f", "t"]
    assert [answers for answers, _, _ in results(history(seen).messages)] == ["c1", "c2"]


def test_the_state_of_a_run_is_read_back(target: StdioTarget) -> None:
    encoding = history(observed(target, Reply("x"))).encoding

    assert encoding is not None
    assert (encoding.ok, encoding.round_trips) == (True, True)
