"""The adapter of pydantic-ai says what the library does; it hides nothing and adds nothing."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from toolassay.spec.case import Case
from toolassay.spec.messages import Message
from toolassay.spec.observation import Executions, History, Observation, Requests
from toolassay.spec.scenario import (
    Behaviour,
    Permission,
    Reply,
    Scenario,
    ScriptedCall,
    ToolScript,
)
from toolassay.spec.text import Base64
from toolassay.targets.python import PythonTarget

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "adapters" / "python" / "pydantic_ai"
PYTHON = ROOT / ".venv-peers" / "pydantic_ai" / "bin" / "python"

# Its environment is made by `make test`; where CI lacks it, the tests fail by themselves.
pytestmark = pytest.mark.skipif(
    not PYTHON.exists() and os.environ.get("CI") != "true",
    reason="`make environments` makes the environment",
)

DEADLINE_S = 60.0


@pytest.fixture(scope="module")
def target() -> Iterator[PythonTarget]:
    target = PythonTarget("adapter:Adapter", python=str(PYTHON), folder=FOLDER)
    yield target
    target.close()


def observed(
    target: PythonTarget,
    *replies: Reply,
    tools: tuple[ToolScript, ...] = (ToolScript("t"),),
    policy: dict[str, Permission] | None = None,
    users: tuple[str, ...] = ("go",),
    sequential: bool = False,
) -> Observation:
    scenario = Scenario(replies, tools, policy or {}, users, sequential=sequential)
    case = Case("a", "a", "t", "events", "positive", "turn/run", scenario)
    answer = target.run(case, deadline_s=DEADLINE_S)
    assert (answer.status, answer.message) == ("ok", "")
    assert answer.observation is not None
    return answer.observation


def history(observation: Observation) -> History:
    assert observation.history is not None
    return observation.history


def requests(observation: Observation) -> Requests:
    assert observation.requests is not None
    return observation.requests


def executions(observation: Observation) -> Executions:
    assert observation.executions is not None
    return observation.executions


def results(messages: tuple[Message, ...]) -> dict[str | None, tuple[object, bool | None]]:
    """Give text and flag of every result, by the id that it answers."""
    return {one.tool_use_id: (one.text, one.is_error) for one in messages if one.role == "tool"}


def endings(observation: Observation) -> list[str]:
    assert observation.ending is not None
    return [ending.how for ending in observation.ending.turns]


def test_it_says_which_release_it_judges(target: PythonTarget) -> None:
    said = target.implementation

    assert f"pydantic-ai-slim=={said.version}" in (FOLDER / "requirements.txt").read_text()


def test_a_call_runs_and_its_result_is_shown_to_the_model(target: PythonTarget) -> None:
    seen = observed(target, Reply("hey", (ScriptedCall("c1", "t", '{"a": 1}'),)))

    messages = history(seen).messages
    assert [one.role for one in messages] == ["user", "assistant", "tool", "assistant"]
    assert (messages[1].text, messages[1].calls[0].arguments) == ("hey", '{"a": 1}')
    assert requests(seen).requests == (messages[:1], messages[:3])
    (entry,) = executions(seen).executions
    assert (entry.call_id, entry.arguments) == ("c1", '{"a":1}')
    assert executions(seen).arguments == "value"
    assert endings(seen) == ["done"]


def test_a_streamed_reply_goes_through_the_stream_and_gives_the_same(target: PythonTarget) -> None:
    calls = (ScriptedCall("c1", "t", '{"a":1}', cuts=(2, 4)), ScriptedCall("c2", "t"))

    whole = observed(target, Reply("hey", calls))
    streamed = observed(target, Reply("hey", calls, streamed=True, stall=5))

    assert history(streamed).messages == history(whole).messages
    assert requests(streamed) == requests(whole)


def test_a_stream_that_breaks_fails_the_turn(target: PythonTarget) -> None:
    seen = observed(target, Reply("x", streamed=True, breaks=True), users=("a", "b"))

    assert endings(seen) == ["failed", "done"]


def test_a_streamed_reply_without_anything_is_played(target: PythonTarget) -> None:
    assert endings(observed(target, Reply(streamed=True))) == ["done"]


def test_arguments_that_are_no_object_are_answered_and_not_run(target: PythonTarget) -> None:
    calls = (ScriptedCall("c1", "t", '{"a":1'), ScriptedCall("c2", "t", "[1]"))

    seen = observed(target, Reply(calls=calls))

    assert executions(seen).executions == ()
    assert {flag for _, flag in results(history(seen).messages).values()} == {True}


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

    flags = {call: flag for call, (_, flag) in results(history(seen).messages).items()}
    assert flags == {"c1": False, "c2": True, "c3": True}
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
    assert results(history(seen).messages) == {
        "c1": ("denied by policy", True),
        "c2": ("ok", False),
    }


def test_a_failure_that_a_tool_accepts_is_a_flagged_result(target: PythonTarget) -> None:
    tool = ToolScript("t", behaviour=Behaviour(fails="no such file"))

    seen = observed(target, Reply(calls=(ScriptedCall("c1", "t"),)), tools=(tool,))

    assert results(history(seen).messages) == {"c1": ("no such file", True)}


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
    roles = [one.role for one in requests(seen).requests[1]]
    assert roles == ["user", "assistant", "tool", "user"]
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
