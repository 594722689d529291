"""The adapter of fantasy says what the library does; it hides nothing and adds nothing."""

from collections.abc import Iterator

import pytest
from live import (
    ADAPTERS,
    ENVIRONMENTS,
    endings,
    executions,
    history,
    needs,
    observed,
    ran,
    requests,
    results,
    roles,
    streams_as_it_is_whole,
)

from toolassay.spec.scenario import Behaviour, Reply, ScriptedCall, ToolScript
from toolassay.targets.stdio import StdioTarget

FOLDER = ADAPTERS / "go" / "fantasy"
BINARY = ENVIRONMENTS / "fantasy" / "adapter"

pytestmark = needs(BINARY)


def started(*flags: str) -> Iterator[StdioTarget]:
    target = StdioTarget((str(BINARY), *flags), "stdio:adapter", folder=FOLDER)
    yield target
    target.close()


@pytest.fixture(scope="module")
def plain() -> Iterator[StdioTarget]:
    yield from started()


@pytest.fixture(scope="module")
def repairing() -> Iterator[StdioTarget]:
    yield from started("--repair")


@pytest.fixture(params=["plain", "repairing"])
def target(request: pytest.FixtureRequest) -> StdioTarget:
    either: StdioTarget = request.getfixturevalue(request.param)
    return either


def test_it_says_which_release_it_judges(target: StdioTarget) -> None:
    said = target.implementation

    assert f"charm.land/fantasy v{said.version}\n" in (FOLDER / "go.mod").read_text()


def test_the_two_variants_go_by_two_names(plain: StdioTarget, repairing: StdioTarget) -> None:
    assert plain.implementation.name == "fantasy-norepair"
    assert repairing.implementation.name == "fantasy"


def test_a_call_runs_and_its_result_is_shown_to_the_model(target: StdioTarget) -> None:
    seen = observed(target, Reply("hey", (ScriptedCall("c1", "t", '{"a": 1}'),)))

    messages = history(seen).messages
    assert roles(messages) == ["user", "assistant", "tool", "assistant"]
    assert (messages[1].text, messages[1].calls[0].arguments) == ("hey", '{"a": 1}')
    assert requests(seen).requests == (messages[:1], messages[:3])
    assert ran(seen) == [("c1", '{"a": 1}')]
    assert executions(seen).arguments == "text"
    assert endings(seen) == ["done"]


def test_a_streamed_reply_goes_through_the_stream_and_gives_the_same(target: StdioTarget) -> None:
    # Parallel results of a streamed reply stand in the order in which goroutines ended.
    streams_as_it_is_whole(target, sequential=True)


def test_no_call_runs_while_its_stream_is_open(target: StdioTarget) -> None:
    seen = observed(target, Reply(calls=(ScriptedCall("c1", "t"),), streamed=True, stall=20))

    (entry,) = executions(seen).executions
    assert entry.began.streaming is False


def test_a_stream_that_breaks_fails_the_turn_and_is_not_asked_for_again(
    target: StdioTarget,
) -> None:
    seen = observed(target, Reply("x", streamed=True, breaks=True), users=("a", "b"))

    assert endings(seen) == ["failed", "done"]
    assert [[one.text for one in shown] for shown in requests(seen).requests] == [["a"], ["b"]]


def test_a_streamed_reply_without_anything_is_played(target: StdioTarget) -> None:
    assert endings(observed(target, Reply(streamed=True))) == ["done"]


@pytest.mark.parametrize("is_streamed", [False, True])
def test_without_repair_a_malformed_call_is_answered_and_not_run(
    plain: StdioTarget, is_streamed: bool
) -> None:
    calls = (ScriptedCall("c1", "t", '{"a":1'), ScriptedCall("c2", "t", '{"a":2}'))

    seen = observed(plain, Reply(calls=calls, streamed=is_streamed))

    assert ran(seen) == [("c2", '{"a":2}')]
    flags = {call: flag for call, _, flag in results(history(seen).messages)}
    assert flags == {"c1": True, "c2": False}
    assert history(seen).messages[1].calls[0].arguments == '{"a":1'


@pytest.mark.parametrize("is_streamed", [False, True])
def test_with_repair_a_malformed_call_runs_changed(
    repairing: StdioTarget, is_streamed: bool
) -> None:
    call = ScriptedCall("c1", "t", '{"path":"/etc/pas')

    seen = observed(repairing, Reply(calls=(call,), streamed=is_streamed))

    assert ran(seen) == [("c1", '{"path": "/etc/pas"}')]
    assert results(history(seen).messages) == [("c1", "ok", False)]
    assert history(seen).messages[1].calls[0].arguments == '{"path": "/etc/pas"}'


def test_the_required_members_of_the_scenario_s_schema_are_the_tool_s(target: StdioTarget) -> None:
    schema: dict[str, object] = {
        "type": "object",
        "properties": {"a": {"type": "integer"}},
        "required": ["a"],
    }
    calls = (ScriptedCall("c1", "t", '{"a":1}'), ScriptedCall("c2", "t", '{"b":"x"}'))

    seen = observed(target, Reply(calls=calls), tools=(ToolScript("t", schema),))

    assert ran(seen) == [("c1", '{"a":1}')]
    assert sorted(results(history(seen).messages), key=str) == [
        ("c1", "ok", False),
        ("c2", "missing required parameter: a", True),
    ]


def test_a_big_integer_reaches_the_tool_with_all_its_digits(target: StdioTarget) -> None:
    call = ScriptedCall("c1", "t", '{"n":12345678901234567890123}')

    assert ran(observed(target, Reply(calls=(call,)))) == [("c1", call.arguments)]


def test_a_failure_that_a_tool_accepts_is_a_flagged_result(target: StdioTarget) -> None:
    tool = ToolScript("t", behaviour=Behaviour(fails="no such file"))

    seen = observed(target, Reply(calls=(ScriptedCall("c1", "t"),)), tools=(tool,))

    assert results(history(seen).messages) == [("c1", "no such file", True)]


def test_a_tool_that_is_not_there_is_a_flagged_result(target: StdioTarget) -> None:
    seen = observed(target, Reply(calls=(ScriptedCall("c1", "nowhere"),)))

    words = "tool not found: nowhere. Available tools: t"
    assert results(history(seen).messages) == [("c1", words, True)]


def test_a_whole_run_whose_tool_raises_ends_well_without_any_result(target: StdioTarget) -> None:
    boom = ToolScript("boom", behaviour=Behaviour(raises="planted"))
    calls = (ScriptedCall("c1", "t"), ScriptedCall("c2", "boom"), ScriptedCall("c3", "t"))

    seen = observed(target, Reply(calls=calls), tools=(ToolScript("t"), boom))

    assert endings(seen) == ["done"]
    assert [call for call, _ in ran(seen)] == ["c1", "c2"]
    assert roles(history(seen).messages) == ["user", "assistant"]
    assert history(seen).status == "complete"


def test_a_streamed_run_whose_tool_raises_fails_and_commits_nothing(target: StdioTarget) -> None:
    boom = ToolScript("boom", behaviour=Behaviour(raises="planted"))
    reply = Reply(calls=(ScriptedCall("c1", "boom"),), streamed=True)

    seen = observed(target, reply, tools=(boom,))

    assert endings(seen) == ["failed"]
    assert seen.ending is not None
    assert seen.ending.turns[0].error == "planted"
    assert (history(seen).status, history(seen).messages) == ("aborted", ())


def test_the_turn_after_one_that_failed_goes_on_with_what_was_committed(
    target: StdioTarget,
) -> None:
    boom = ToolScript("boom", behaviour=Behaviour(raises="planted"))
    replies = (Reply("one"), Reply(calls=(ScriptedCall("c1", "boom"),), streamed=True))

    seen = observed(target, *replies, tools=(boom,), users=("a", "b", "c"))

    assert endings(seen) == ["done", "failed", "done"]
    assert [one.text for one in requests(seen).requests[2]] == ["a", "one", "c"]
    assert history(seen).status == "complete"


def test_the_next_turn_is_shown_the_turn_before(target: StdioTarget) -> None:
    seen = observed(target, Reply("one"), Reply("two"), users=("a", "b"))

    assert [one.text for one in requests(seen).requests[1]] == ["a", "one", "b"]


def test_sequential_calls_do_not_overlap(target: StdioTarget) -> None:
    first = ToolScript("f", behaviour=Behaviour(ticks=5))
    calls = (ScriptedCall("c1", "f"), ScriptedCall("c2", "t"))
    tools = (first, ToolScript("t"))

    seen = observed(target, Reply(calls=calls, streamed=True), tools=tools, sequential=True)

    assert [call for call, _ in ran(seen)] == ["c1", "c2"]
    assert [call for call, _, _ in results(history(seen).messages)] == ["c1", "c2"]


def test_the_codec_of_the_library_is_asked(target: StdioTarget) -> None:
    encoding = history(observed(target, Reply("x"))).encoding

    assert encoding is not None
    assert (encoding.ok, encoding.round_trips) == (True, True)
    assert '"role":"assistant"' in str(encoding.text)
