"""The built-in axes, and the features that scenarios ask for."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolassay.authoring.axes import BUILTIN_AXES, transformed
from toolassay.authoring.cuts import (
    CUTS_MAX,
    char_cuts,
    halving_cut,
    inner_cuts,
    is_inside_character,
)
from toolassay.authoring.features import FEATURES, features_of
from toolassay.spec.scenario import (
    Behaviour,
    Reply,
    Scenario,
    ScriptedCall,
    Subscriber,
    ToolScript,
)
from toolassay.spec.text import Base64, bytes_of

CALL = ScriptedCall("c1", "read", '{"ä":1}')
PLAIN = Scenario((Reply(calls=(CALL,)), Reply("done")), (ToolScript("read"),))


def ids(scenario: Scenario) -> list[list[str]]:
    return [[call.id for call in reply.calls] for reply in scenario.model]


def cuts(scenario: Scenario) -> tuple[int, ...]:
    return scenario.model[0].calls[0].cuts


@pytest.mark.parametrize("axis", BUILTIN_AXES)
def test_the_first_value_of_a_built_in_axis_changes_nothing(axis: str) -> None:
    assert transformed(PLAIN, {axis: BUILTIN_AXES[axis][0]}) == PLAIN


@pytest.mark.parametrize(
    ("value", "expected"),
    [("first", ["sib1", "c1"]), ("last", ["c1", "sib1"]), ("both", ["sib1", "c1", "sib2"])],
)
def test_siblings_stand_around_the_calls_of_the_first_batch(
    value: str, expected: list[str]
) -> None:
    text_first = Scenario((Reply("wait"), *PLAIN.model), PLAIN.tools)
    scenario = transformed(text_first, {"batch": value})

    assert ids(scenario) == [[], expected, []]
    assert scenario.tool("sibling") == ToolScript(
        "sibling", behaviour=Behaviour(returns="sibling ok")
    )


@pytest.mark.parametrize(
    ("value", "expected"),
    [("chars", (1, 2, 4, 5, 6, 7)), ("halves", (5,)), ("bytes", (3,))],
)
def test_streams_are_cut_as_the_value_says(value: str, expected: tuple[int, ...]) -> None:
    scenario = transformed(PLAIN, {"stream": value})

    assert cuts(scenario) == expected
    assert all(reply.streamed for reply in scenario.model)


def test_siblings_are_streamed_like_other_calls() -> None:
    scenario = transformed(PLAIN, {"stream": "chars", "batch": "first"})

    assert scenario.model[0].calls[0].cuts == (1,)


def test_the_stalled_subscriber_is_a_second_one() -> None:
    scenario = transformed(PLAIN, {"subscriber": "stalled"})

    assert scenario.subscribers == (Subscriber(), Subscriber("stalled", stalls_after=1))


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_cuts_are_few_ascending_and_inside_the_text(data: bytes) -> None:
    for cutter in (char_cuts, halving_cut, inner_cuts):
        found = cutter(data)
        assert list(found) == sorted(set(found))
        assert all(0 < cut < len(data) for cut in found)
        assert len(found) <= CUTS_MAX


@given(st.text(max_size=200))
def test_only_cuts_inside_characters_break_a_text(text: str) -> None:
    data = text.encode()
    pieces = [
        data[start:end]
        for found in (char_cuts(data), halving_cut(data))
        for start, end in zip((0, *found), (*found, len(data)), strict=True)
    ]
    assert all(piece.decode() in text for piece in pieces)
    assert all(is_inside_character(data, cut) for cut in inner_cuts(data)) or text.isascii()


def test_a_text_without_multi_byte_characters_is_cut_at_every_byte() -> None:
    assert inner_cuts(b"abcd") == (1, 2, 3)


def test_cuts_of_a_long_text_are_spread_evenly() -> None:
    found = char_cuts(b"x" * 641)
    gaps = {after - before for before, after in pairwise(found)}

    assert len(found) == CUTS_MAX
    assert gaps == {10}


def test_bytes_that_are_no_text_are_cut_one_by_one() -> None:
    assert char_cuts(bytes_of(Base64("/wAv"))) == (1, 2)
    assert not is_inside_character(b"\xff\x80a", 1)


STREAMED = Reply(calls=(CALL,), streamed=True)


@pytest.mark.parametrize(
    ("word", "scenario"),
    [
        ("policy", Scenario((), PLAIN.tools, {"read": "deny"})),
        ("parallel", Scenario((Reply(calls=(CALL, CALL)),))),
        ("sequential", Scenario((Reply(calls=(CALL, CALL)),), sequential=True)),
        ("stream-text", Scenario((STREAMED,))),
        ("subscribers", Scenario((), subscribers=(Subscriber("a"), Subscriber("b")))),
        ("stall", Scenario((), subscribers=(Subscriber(stalls_after=0),))),
        ("next-turn", Scenario((), users=("a", "b"))),
        ("raises", Scenario((), (ToolScript("a", behaviour=Behaviour(raises="")),))),
        ("hangs", Scenario((), (ToolScript("a", behaviour=Behaviour(hangs=True)),))),
        ("waits", Scenario((), (ToolScript("a", behaviour=Behaviour(waits_for="StepDone")),))),
    ],
)
def test_a_scenario_asks_for_the_feature_that_it_uses(word: str, scenario: Scenario) -> None:
    assert features_of(scenario) == (word,)


@pytest.mark.parametrize(
    ("word", "reply"),
    [
        ("stream-bytes", Reply(calls=(ScriptedCall("c", "a", "ä", (1,)),), streamed=True)),
        ("stream-breaks", Reply(streamed=True, breaks=True)),
        ("stream-stall", Reply(streamed=True, stall=1)),
    ],
)
def test_what_a_stream_does_beyond_text_is_a_feature_of_its_own(word: str, reply: Reply) -> None:
    assert features_of(Scenario((reply,))) == ("stream-text", word)


def test_arguments_that_are_no_text_need_bytes_even_unstreamed() -> None:
    call = ScriptedCall("c", "a", Base64("/w=="))

    assert features_of(Scenario((Reply(calls=(call,)),))) == ("stream-bytes",)


def test_a_plain_scenario_asks_for_nothing() -> None:
    assert features_of(PLAIN) == ()
    assert features_of(Scenario((), PLAIN.tools, {"read": "allow"})) == ()
    assert features_of(None) == ()


def test_features_come_in_the_order_of_reports() -> None:
    scenario = transformed(PLAIN, {"stream": "bytes", "batch": "both", "subscriber": "stalled"})
    found = features_of(scenario)

    assert found == ("parallel", "stream-text", "stream-bytes", "subscribers", "stall")
    assert list(found) == sorted(found, key=FEATURES.index)
