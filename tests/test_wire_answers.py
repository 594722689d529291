"""Answers of foreign JSON-RPC libraries, and of adapters that get a text wrong."""

from __future__ import annotations

import pytest

from toolassay import adapter
from toolassay.properties.verdict import FINDINGS_MAX, Note, verdict_of
from toolassay.recordings.errors import RecordingShapeError
from toolassay.recordings.reader import Line, read_line
from toolassay.spec.case import Operation
from toolassay.spec.events import Event
from toolassay.spec.messages import Message
from toolassay.spec.observation import (
    Deliveries,
    Delivery,
    Execution,
    Executions,
    History,
    Journal,
    Observation,
    Record,
    Requests,
    Subscription,
)
from toolassay.targets import bounds
from toolassay.targets.base import Answer
from toolassay.targets.wire import UnreadableError, read_answer, read_described, read_reply


def answer_of(result: str, operation: Operation = "turn/run") -> Answer:
    """Read the answer to a case."""
    line = f'{{"jsonrpc":"2.0","id":1,"result":{result}}}'
    return read_answer(read_reply(line.encode()), operation)


@pytest.mark.parametrize(
    ("rest", "detail"),
    [
        ("", ""),
        (',"data":null', ""),
        (',"data":"method not found"', ""),
        (',"data":[1e400]', ""),
        (',"data":{"detail":7}', ""),
        (',"data":{"detail":"a traceback"}', "a traceback"),
    ],
)
@pytest.mark.parametrize("result", ["", '"result":null,'])
def test_an_error_is_read_whatever_data_it_carries_and_with_a_result_of_null(
    rest: str, detail: str, result: str
) -> None:
    error = f'{{"code":-32601,"message":"no"{rest}}}'
    reply = read_reply(f'{{"jsonrpc":"2.0","id":1,{result}"error":{error}}}'.encode())

    assert reply.error is not None
    assert (reply.error.code, reply.error.detail) == (-32601, detail)


def test_null_is_no_outcome_and_no_observation() -> None:
    assert answer_of('{"status":"ok","outcome":null}', "event/validate").status == "ok"
    assert answer_of('{"status":"ok","observation":null}').message == (
        "the result has no observation"
    )


@pytest.mark.parametrize(
    "number", ["4.0", "true", '"4"', "1e400", "[4]", "{}"], ids=lambda text: text.strip('"[]{}')
)
def test_an_id_is_a_whole_number(number: str) -> None:
    with pytest.raises(UnreadableError, match=r"`\$\.id`"):
        read_reply(f'{{"jsonrpc":"2.0","id":{number},"result":{{}}}}'.encode())


@pytest.mark.parametrize("half", [r"\ud800", r"\udc00", r"\uDBFF x", r"\ud83d\ud83d"])
@pytest.mark.parametrize("place", ['"result":{"status":"%s"}', '"result":{},"more":"%s"'])
def test_half_of_a_surrogate_pair_is_named_and_what_to_give_instead(half: str, place: str) -> None:
    line = f'{{"jsonrpc":"2.0","id":1,{place % half}}}'

    with pytest.raises(UnreadableError, match=r"surrogate pair\? Such a text is given as base64"):
        read_reply(line.encode())


def test_json_that_is_broken_elsewhere_is_not_blamed_on_a_whole_pair() -> None:
    with pytest.raises(UnreadableError) as caught:
        read_reply(rb'{"jsonrpc":"2.0","id":1,"result":{"x":"\ud83d\ude00"},}')

    assert "surrogate" not in str(caught.value)


CALL = '{"id":"","name":"","arguments":%s}'


@pytest.mark.parametrize("value", ['{"path":"a"}', "{}", "[1]", "7", "null"])
@pytest.mark.parametrize(
    ("facet", "key", "hint"),
    [
        ('"executions":{"executions":[{"tool":"t","arguments":%s}]}', "arguments", "JSON as a"),
        (f'"history":{{"messages":[{{"role":"assistant","calls":[{CALL}]}}]}}', "arguments", "JSO"),
        ('"history":{"messages":[{"role":"user","text":%s}]}', "text", "a string, and join"),
    ],
)
def test_a_value_in_place_of_a_text_is_told_to_be_one(
    facet: str, key: str, hint: str, value: str
) -> None:
    answer = answer_of(f'{{"status":"ok","observation":{{{facet % value}}}}}')

    assert answer.status == "error"
    assert f"`{key}` is a Text: write " in answer.message
    assert hint in answer.message


def test_what_is_no_text_is_not_told_to_be_one() -> None:
    for seen in ('"history":{"messages":[],"arguments":{}}', '"history":{"text":{}}'):
        assert "Text" not in answer_of(f'{{"status":"ok","observation":{{{seen}}}}}').message


@pytest.mark.parametrize(
    ("result", "words", "hint"),
    [
        ('{"protocol":2}', "gives version 2 of the protocol, and the kit speaks 1", ""),
        ("{}", "gives no version of the protocol", "initialize() gives name, version"),
        ('{"protocol":1}', "missing required field `name`", "initialize() gives name, version"),
        ("null", "Expected `object`, got `null`", "initialize() gives name, version"),
        ('{"protocol":1,"name":"x","operations":["turn/run"],"window":65}', "not 1 to 64", ""),
        ('{"protocol":1,"name":7,"operations":["turn/run"]}', "Expected `str`, got `int`", ""),
        ('{"protocol":1,"name":"x","operations":[]}', "declares no operation", "declare those"),
    ],
)
def test_a_hint_fits_what_is_wrong_in_what_an_adapter_says_of_itself(
    result: str, words: str, hint: str
) -> None:
    reply = read_reply(f'{{"jsonrpc":"2.0","id":1,"result":{result}}}'.encode())

    with pytest.raises(UnreadableError) as caught:
        read_described(reply)
    assert words in caught.value.message
    assert caught.value.hint.startswith(hint)
    assert bool(caught.value.hint) == bool(hint)


TEXTS = [
    '"history":{"messages":[{"role":"user","text":%s}]}',
    '"requests":{"requests":[[{"role":"assistant","calls":[{"id":"","name":"","arguments":%s}]}]]}',
    '"executions":{"executions":[{"tool":"t","arguments":%s}]}',
    '"history":{"messages":[],"encoding":{"ok":true,"text":%s}}',
]


@pytest.mark.parametrize("facet", TEXTS)
@pytest.mark.parametrize("text", ["!!", "YQ", "YQ===", "Y-_=", "\\u00e9"])
def test_base64_that_is_none_is_the_adapter_s_fault_wherever_it_stands(
    facet: str, text: str
) -> None:
    """The bytes cannot be known, so nothing may be judged by them."""
    seen = facet % f'{{"base64":"{text}"}}'

    answer = answer_of(f'{{"status":"ok","observation":{{{seen}}}}}')

    assert answer.status == "error"
    assert "base64 is not well formed" in answer.message


def test_base64_that_is_none_is_refused_in_an_outcome_too() -> None:
    outcome = '{"status":"ok","stored":{"base64":"%"},"executable":""}'

    answer = answer_of(f'{{"status":"ok","outcome":{outcome}}}', "arguments/sanitize")

    assert answer.message == "the outcome has a text that is none: base64 is not well formed: '%'"


@pytest.mark.parametrize("facet", TEXTS)
def test_base64_that_is_well_formed_is_read(facet: str) -> None:
    seen = facet % '{"base64":"/w=="}'

    assert answer_of(f'{{"status":"ok","observation":{{{seen}}}}}').status == "ok"


def test_base64_that_is_none_is_refused_in_a_recording_too() -> None:
    seen = TEXTS[0] % '{"base64":"!!"}'
    data = f'{{"id":"a","observation":{{{seen}}}}}'.encode()

    with pytest.raises(RecordingShapeError, match="recording a: base64 is not well formed"):
        read_line(Line("f", 1, 0, data))


def test_an_event_of_another_type_may_have_a_key_of_that_name() -> None:
    """Only a text is read as one; other keys of an event are let through."""
    event = '{"type":"Picture","picture":{"base64":"cut short..."}}'
    journal = f'{{"records":[{{"seq":1,"event":{event}}}]}}'

    assert answer_of(f'{{"status":"ok","observation":{{"journal":{journal}}}}}').status == "ok"


def test_a_check_keeps_so_many_findings_and_one_that_counts_among_them() -> None:
    """What is kept of an answer is not to be many times as large as the answer."""
    noted = [Note("a", "b", recorded=True)] * (FINDINGS_MAX * 2)

    verdict = verdict_of("MSG-01", "c", [*noted, Note("a", "counts")])

    assert (verdict.status, len(verdict.findings)) == ("fail", FINDINGS_MAX)
    assert verdict.findings[-1].observed == "counts"
    assert verdict_of("MSG-01", "c", noted).status == "recorded"


def test_the_bounds_of_an_observation_are_those_of_the_sdk() -> None:
    held = (bounds.REQUESTS_MAX, bounds.EXECUTIONS_MAX, bounds.EVENTS_MAX)

    assert held == (adapter.REQUESTS_MAX, adapter.EXECUTIONS_MAX, adapter.EVENTS_MAX)


SAID = Message("assistant", "a")


@pytest.mark.parametrize(
    ("observation", "excess"),
    [
        (Observation(requests=Requests(((),) * 1000)), ""),
        (Observation(requests=Requests(((),) * 1001)), "1001 model requests, more than 1000"),
        (Observation(executions=Executions((Execution("t", "{}"),) * 10_000)), ""),
        (
            Observation(executions=Executions((Execution("t", "{}"),) * 10_001)),
            "10001 executions, more than 10000",
        ),
        (
            Observation(
                journal=Journal((Record(1, Event("x")),) * 50_000),
                deliveries=Deliveries((Subscription((Delivery(Event("x")),) * 50_001),)),
            ),
            "100001 deliveries and records, more than 100000",
        ),
        (
            Observation(
                history=History((SAID,) * 250_000), requests=Requests(((SAID,) * 250_001,))
            ),
            "500001 messages, more than 500000",
        ),
        (Observation(), ""),
    ],
)
def test_an_observation_that_holds_too_much_of_something_says_of_what(
    observation: Observation, excess: str
) -> None:
    assert bounds.excess_of(observation) == excess
