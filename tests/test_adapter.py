"""What adapters are written with: the scripted world and its record."""

import ast
import asyncio
import json
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec
import pytest

from toolassay import adapter, adapter_script, adapter_text, worker
from toolassay.adapter import Play, ScriptedError, StreamBroken, ToolFailed, TooMuch, Unsupported
from toolassay.spec.case import Case
from toolassay.spec.observation import Execution, Mark, Observation
from toolassay.spec.scenario import (
    Behaviour,
    Permission,
    Reply,
    Scenario,
    ScriptedCall,
    Subscriber,
    ToolScript,
)
from toolassay.spec.text import Base64, bytes_of, text_of
from toolassay.targets.python import PythonTarget


def play(
    *replies: Reply,
    facets: Iterable[str] | None = None,
    tools: tuple[ToolScript, ...] = (),
    policy: dict[str, Permission] | None = None,
    subscribers: tuple[Subscriber, ...] = (Subscriber(),),
) -> Play:
    whole = Scenario(
        model=replies or (Reply(),), tools=tools, policy=policy or {}, subscribers=subscribers
    )
    return Play(json.loads(msgspec.json.encode(whole)), facets=facets)


def tool(behaviour: Behaviour) -> adapter.Tool:
    return play(tools=(ToolScript("t", behaviour=behaviour),)).tools[0]


def seen(data: dict[str, Any]) -> Observation:
    """Decode an observation as the kit does, through JSON text."""
    return msgspec.json.decode(json.dumps(data, allow_nan=False).encode(), type=Observation)


def calling(*calls: ScriptedCall, text: str = "", streamed: bool = False, stall: int = 0) -> Reply:
    return Reply(text, calls, streamed, stall)


# --- texts ---


@pytest.mark.parametrize("data", [b"", b"plain", "häß".encode(), b"\xff\x00", b"\xed\xa0\x80"])
def test_bytes_become_the_text_that_the_kit_makes_of_them(data: bytes) -> None:
    ours = msgspec.convert(adapter.text_of(data), str | Base64)

    assert ours == text_of(data)
    assert bytes_of(ours) == data


def test_a_lone_surrogate_becomes_base64() -> None:
    assert adapter.text_of("a\ud800") == {"base64": "Ye2ggA=="}


def test_a_held_value_is_written_as_json_text() -> None:
    assert adapter_text.held_text({"a": [1, "ü"]}) == ('{"a":[1,"ü"]}', True)


def test_a_held_value_with_a_lone_surrogate_is_written_with_its_escape() -> None:
    assert adapter_text.held_text({"a": "\ud800"}) == ('{"a":"\\ud800"}', True)


def test_a_held_value_that_json_does_not_know_is_shown_and_not_hidden() -> None:
    text, _ = adapter_text.held_text({"a": float("nan"), "b": float("inf")})

    assert text == '{"a":NaN,"b":Infinity}'


def test_a_held_value_that_json_cannot_write_disturbs_no_callback() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    ring: list[Any] = []
    ring.append(ring)

    for value in (deep, ring, {("a", 1): 2}):
        kind = type(value).__name__
        assert adapter_text.held_text(value) == (f'"({kind}, which JSON cannot write)"', True)


def test_a_message_with_an_unknown_role_or_key_is_refused() -> None:
    for wrong in ({"role": "wizard"}, {"role": "user", "txet": ""}):
        with pytest.raises(ValueError, match="make it with message"):
            play().model([wrong])


def test_a_text_or_a_call_that_is_none_is_refused_by_its_type() -> None:
    with pytest.raises(ValueError, match="text of a message is a list"):
        play().model([adapter.message("user", ["block"])])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="make it with call"):
        play().model([adapter.message("assistant", calls=[("c1", "t", "{}")])])  # type: ignore[list-item]


def test_a_call_without_an_id_has_an_empty_one() -> None:
    plain = adapter_text.normalise(
        [adapter.message("assistant", calls=[adapter.call(None, "t", "{}")])]
    )

    assert plain.messages[0]["calls"][0]["id"] == ""


def test_what_the_model_is_shown_wrong_is_noted_even_if_the_implementation_swallows_it() -> None:
    world = play()
    with pytest.raises(ValueError, match="wizard"):
        world.model([{"role": "wizard"}])

    assert "role 'wizard'" in world.fault


# --- the model ---


def test_the_model_says_done_when_its_replies_are_used_up() -> None:
    world = play(Reply(text="first"))

    assert [world.model([]).text, world.model([]).text] == ["first", "done"]


def test_requests_are_recorded_as_the_model_saw_them() -> None:
    world = play()
    world.model(
        [
            adapter.message("user", "go"),
            adapter.message("assistant", calls=[adapter.call("c1", "t", '{"a": 1}')]),
            adapter.message("tool", "no", tool_use_id="c1", is_error=True),
        ]
    )

    requests = seen(world.observation()).requests
    assert requests is not None
    assert requests.arguments == "text"
    (messages,) = requests.requests
    assert [message.role for message in messages] == ["user", "assistant", "tool"]
    assert messages[1].calls[0].arguments == '{"a": 1}'
    assert (messages[2].tool_use_id, messages[2].is_error) == ("c1", True)


def test_arguments_that_are_shown_parsed_are_marked_as_values() -> None:
    world = play()
    world.model([adapter.message("assistant", calls=[adapter.call("c1", "t", {"a": 1})])])

    requests = seen(world.observation()).requests
    assert requests is not None
    assert requests.arguments == "value"


def test_arguments_of_which_some_are_texts_are_not_held_to_be_values() -> None:
    mixed = adapter.message(
        "assistant", calls=[adapter.call("c1", "t", {"a": 1}), adapter.call("c2", "t", '{"a":')]
    )
    world = play()
    world.model([mixed])

    observation = seen(world.observation([mixed]))
    assert observation.requests is not None
    assert observation.history is not None
    assert (observation.requests.arguments, observation.history.arguments) == ("text", "text")


def test_a_string_that_was_parsed_is_written_as_json() -> None:
    parsed = adapter.Parsed("text")
    plain = adapter_text.normalise(
        [adapter.message("assistant", calls=[adapter.call("c1", "t", parsed)])]
    )

    assert plain.messages[0]["calls"][0]["arguments"] == '"text"'
    assert plain.held_as == {"value"}


def test_a_callback_that_was_given_a_parsed_string_says_so() -> None:
    world = play(tools=(ToolScript("t"),))
    world.tools[0].call(adapter.Parsed("text"))

    executions = seen(world.observation()).executions
    assert executions is not None
    assert executions.executions[0].arguments == '"text"'
    assert executions.arguments == "value"


def test_an_agent_that_runs_in_a_circle_is_stopped() -> None:
    world = play()
    for _ in range(adapter.REQUESTS_MAX):
        world.model([])

    with pytest.raises(TooMuch):
        world.model([])


def test_a_streamed_reply_is_not_given_whole() -> None:
    world = play(Reply(text="x", streamed=True))

    with pytest.raises(Unsupported):
        world.model([])
    assert world.unsupported


def test_arguments_that_are_no_text_are_given_as_bytes_only() -> None:
    reply = calling(ScriptedCall("c1", "t", Base64("/w==")))

    with pytest.raises(Unsupported):
        play(reply).model([])
    assert play(reply).model([], as_bytes=True).calls[0].raw == b"\xff"


# --- the stream ---


def test_a_stream_is_the_text_and_then_each_call_cut_at_its_cuts() -> None:
    reply = calling(
        ScriptedCall("c1", "t", '{"a":1}', cuts=(1, 4)),
        ScriptedCall("c2", "u", "{}"),
        text="hello",
        streamed=True,
    )

    fragments = [(f.kind, f.text, f.index) for f in play(reply).stream([])]

    assert fragments == [
        ("text", "hello", 0),
        ("call", "", 0),
        ("arguments", "{", 0),
        ("arguments", '"a"', 0),
        ("arguments", ":1}", 0),
        ("call", "", 1),
        ("arguments", "{}", 1),
    ]


def test_the_start_of_a_call_names_it() -> None:
    reply = calling(ScriptedCall("c1", "t"), streamed=True)

    start = next(play(reply).stream([]))

    assert (start.kind, start.id, start.name) == ("call", "c1", "t")


def test_a_cut_inside_a_character_needs_bytes() -> None:
    reply = calling(ScriptedCall("c1", "t", '"ü"', cuts=(2,)), streamed=True)

    with pytest.raises(Unsupported):
        play(reply).stream([])
    pieces = [f.raw for f in play(reply).stream([], as_bytes=True) if f.kind == "arguments"]
    assert pieces == [b'"\xc3', b'\xbc"']


def test_the_mark_says_whether_the_reply_had_ended() -> None:
    world = play(calling(ScriptedCall("c1", "t"), streamed=True, stall=1))
    assert "streaming" not in world.mark()

    fragments = world.stream([])
    next(fragments)
    during = world.mark()
    list(fragments)

    assert (during["streaming"], world.mark()["streaming"]) == (True, False)


def test_a_stream_that_breaks_gives_its_fragments_first() -> None:
    world = play(Reply(text="x", streamed=True, breaks=True))
    got: list[adapter.Fragment] = []

    with pytest.raises(StreamBroken):
        got.extend(world.stream([]))
    assert [f.text for f in got] == ["x"]
    assert world.mark()["streaming"] is False


def test_the_asynchronous_stream_gives_the_same_fragments() -> None:
    reply = calling(ScriptedCall("c1", "t", '{"a":1}', cuts=(2,)), streamed=True, stall=1)

    async def collect() -> list[adapter.Fragment]:
        return [fragment async for fragment in play(reply).astream([])]

    assert asyncio.run(collect()) == list(play(reply).stream([]))


def test_the_asynchronous_stream_breaks_too() -> None:
    async def collect() -> None:
        async for _ in play(Reply(streamed=True, breaks=True)).astream([]):
            pass

    with pytest.raises(StreamBroken):
        asyncio.run(collect())


# --- tools ---


def both_ways(script: adapter.Tool) -> Iterator[Any]:
    """Call a tool synchronously and in a coroutine."""
    yield lambda: script.call({})
    yield lambda: asyncio.run(script.acall({}))


@pytest.mark.parametrize(
    ("behaviour", "text"),
    [
        (Behaviour(), "ok"),
        (Behaviour(returns=""), ""),
        (Behaviour(returns="fine", ticks=1), "fine"),
        (Behaviour(returns=Base64("7aCA")), "\ud800"),
        (Behaviour(waits_for="request", ticks=2), "ok"),
        (Behaviour(waits_for="StepDone", ticks=2), "ok"),
    ],
)
def test_a_tool_returns_what_is_scripted(behaviour: Behaviour, text: str) -> None:
    for enter in both_ways(tool(behaviour)):
        assert enter() == text


@pytest.mark.parametrize(
    ("behaviour", "error"),
    [
        (Behaviour(fails="no"), ToolFailed),
        (Behaviour(raises="boom"), ScriptedError),
        (Behaviour(returns=Base64("/w==")), Unsupported),
    ],
)
def test_a_tool_fails_as_is_scripted(behaviour: Behaviour, error: type[Exception]) -> None:
    for enter in both_ways(tool(behaviour)):
        with pytest.raises(error):
            enter()


def test_a_hanging_tool_gives_up_when_the_play_is_over() -> None:
    world = play(tools=(ToolScript("t", behaviour=Behaviour(hangs=True)),))
    world.close()

    for enter in both_ways(world.tools[0]):
        with pytest.raises(ScriptedError):
            enter()


def test_a_tool_returns_as_soon_as_the_next_request_is_seen() -> None:
    long = Behaviour(waits_for="request", ticks=3_600_000)
    world = play(tools=(ToolScript("t", behaviour=long),))

    async def race() -> str:
        running = asyncio.ensure_future(world.tools[0].acall({}))
        await asyncio.sleep(0)
        world.model([])
        return await asyncio.wait_for(running, 60)

    assert asyncio.run(race()) == "ok"


def test_a_request_between_the_entry_and_the_first_look_is_not_missed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A tool that waits for a request waits for one that comes after it was entered."""
    behaviour = Behaviour(waits_for="request", ticks=3_600_000)
    world = play(tools=(ToolScript("t", behaviour=behaviour),))
    entered = world.enter

    def enter(*given: Any) -> dict[str, Any]:  # noqa: ANN401 - handed on as they are
        entry = entered(*given)
        world.model([])  # another thread was faster
        return entry

    monkeypatch.setattr(world, "enter", enter)

    assert [call() for call in both_ways(world.tools[0])] == ["ok", "ok"]


def test_events_of_another_execution_or_an_earlier_step_are_not_waited_for() -> None:
    world = play()
    world.deliver({"type": "ToolCallStarted", "tool_execution_id": "x1"})

    assert world.seen("ToolCallStarted", "x1") == 1
    assert world.seen("ToolCallStarted", "x2") == 0
    world.model([])
    assert world.seen("ToolCallStarted", "x1") == 0


def test_an_execution_is_recorded_with_marks_of_entry_and_return() -> None:
    world = play(facets=["executions", "deliveries"], tools=(ToolScript("t"),))
    world.model([])
    world.tools[0].call('{"a":1}', "c1", "x1")
    world.deliver({"type": "StepDone"})

    executions = seen(world.observation()).executions
    assert executions is not None
    mark = Mark(requests=1, deliveries=0, streaming=False)
    assert executions.executions == (Execution("t", '{"a":1}', "x1", "c1", mark, mark),)
    assert executions.arguments == "text"


def test_a_callback_that_never_returned_has_no_mark_of_its_return() -> None:
    world = play()
    world.enter("t", {"a": 1}, None, "")

    executions = seen(world.observation()).executions
    assert executions is not None
    assert executions.executions[0].ended is None
    assert executions.executions[0].call_id is None
    assert executions.arguments == "value"


def test_the_policy_denies_tools_by_name() -> None:
    world = play(tools=(ToolScript("a"), ToolScript("b")), policy={"a": "deny", "b": "allow"})

    assert [one.denied for one in world.tools] == [True, False]
    assert not world.denies("unknown")


# --- the observation ---


def test_every_facet_reads_as_the_kit_reads_it() -> None:
    world = play(subscribers=(Subscriber("main"), Subscriber("slow", stalls_after=1)))
    world.journalled(1, {"type": "StepDone"})
    world.deliver({"type": "StepDone"}, durability="enduring", seq=1, in_journal=True)
    world.subscription_ended("slow", status="unsubscribed", why="stalled", error="lagged")
    world.ended(0, "failed", ValueError("bad \ud800"))

    observation = seen(
        world.observation(
            [adapter.message("assistant", "hi")],
            encoding=adapter.encoding_of(lambda: b"[]", lambda data: data == b"[]"),
            status={"history": ("aborted", "the run threw")},
        )
    )

    assert observation.history is not None
    assert (observation.history.status, observation.history.why) == ("aborted", "the run threw")
    assert observation.history.encoding is not None
    assert observation.history.encoding.round_trips is True
    assert observation.deliveries is not None
    main, slow = observation.deliveries.subscriptions
    assert (main.deliveries[0].durability, main.deliveries[0].seq) == ("enduring", 1)
    assert (slow.status, slow.error) == ("unsubscribed", "lagged")
    assert observation.journal is not None
    assert observation.ending is not None
    assert observation.ending.turns[0].error == "ValueError: bad \\ud800"


def test_facets_that_are_not_declared_or_left_out_are_not_shown() -> None:
    world = play(facets=["requests", "executions"])
    world.ended(0, "done")

    observation = seen(world.observation([], omitted={"executions": "no hook"}))

    assert observation == Observation(
        requests=observation.requests, omitted={"executions": "no hook"}
    )


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"omitted": {"histroy": "typo"}}, "no facet 'histroy'"),
        ({"status": {"histroy": ("aborted", "typo")}}, "no facet 'histroy'"),
        ({"status": {"history": "aborted"}}, "a pair: a word, and why"),
        ({"status": {"history": ("raised", "it did")}}, "the words are complete, aborted"),
    ],
)
def test_a_facet_or_a_status_that_is_none_is_refused_and_not_lost(
    given: dict[str, Any], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        play().observation([], **given)


def test_a_turn_ends_in_one_of_three_ways() -> None:
    with pytest.raises(ValueError, match="the words are done, failed, interrupted"):
        play().ended(0, "completed")


def test_a_codec_that_throws_is_an_observation() -> None:
    def throws() -> bytes:
        raise ValueError("no")

    assert adapter.encoding_of(throws) == {"ok": False, "error": "ValueError: no"}
    encoding = adapter.encoding_of(lambda: b"\xff", lambda _: throws() == b"")
    assert encoding == {
        "ok": True,
        "text": {"base64": "/w=="},
        "round_trips": False,
        "error": "ValueError: no",
    }


def test_events_and_executions_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adapter, "EVENTS_MAX", 1)
    monkeypatch.setattr(adapter, "EXECUTIONS_MAX", 1)
    world = play()
    world.deliver({"type": "StepDone"})
    world.enter("t", {}, None, "")

    with pytest.raises(TooMuch):
        world.journalled(1, {})
    with pytest.raises(TooMuch):
        world.enter("t", {}, None, "")


@pytest.mark.parametrize("module", [adapter, adapter_script, adapter_text, worker])
def test_what_adapters_run_with_reads_under_old_pythons(module: ModuleType) -> None:
    source = Path(str(module.__file__)).read_text()

    ast.parse(source, feature_version=(3, 9))
    assert "from __future__ import annotations" in source


def blocks(page: str) -> list[str]:
    """Give the Python blocks of a page."""
    return [part.split("\n```")[0] for part in page.split("```python\n")[1:]]


def test_the_example_of_the_documentation_is_the_docstring_s_and_runs(
    repository: Path, tmp_path: Path
) -> None:
    agent, example = blocks((repository / "docs" / "adapter-python.md").read_text())
    docstring = str(adapter.__doc__).partition("::\n\n")[2].partition("\n\n`toolassay")[0]
    assert textwrap.dedent(docstring).rstrip() == example.rstrip()
    (tmp_path / "my_agent.py").write_text(agent)
    (tmp_path / "my_adapter.py").write_text(example)
    reply = calling(ScriptedCall("c1", "t", '{"a":1}'), ScriptedCall("c2", "none"))
    scenario = Scenario((reply,), tools=(ToolScript("t"),), users=("a", "b"))

    target = PythonTarget("my_adapter:Adapter", folder=tmp_path)
    answer = target.run(Case("a", "a", "t", "events", "positive", "turn/run", scenario))
    target.close()

    assert (answer.status, answer.message) == ("ok", "")
    assert answer.observation is not None
    history = answer.observation.history
    assert history is not None
    assert [(m.role, m.is_error) for m in history.messages] == [
        ("user", None),
        ("assistant", None),
        ("tool", False),
        ("tool", True),
        ("assistant", None),
        ("user", None),
        ("assistant", None),
    ]
