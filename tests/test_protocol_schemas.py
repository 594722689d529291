"""The schema of the protocol is that of what is sent, and the page says the same."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest

from toolassay import worker
from toolassay.adapter_script import pieces_of
from toolassay.authoring.features import FEATURES, features_of
from toolassay.authoring.packs import load_pack_cases
from toolassay.cli import run_cli
from toolassay.serving import Server
from toolassay.simulator.reference import Reference
from toolassay.spec.case import OPERATIONS, Case, Operation
from toolassay.spec.observation import FACETS, Observation
from toolassay.spec.scenario import Scenario
from toolassay.spec.text import bytes_of
from toolassay.targets.base import DEADLINE_S
from toolassay.targets.requests import INITIALIZE, params_of, request
from toolassay.targets.smoke import UNKNOWN_METHOD
from toolassay.targets.trials import ONE_CALL, PLAINEST
from toolassay.targets.wire import UnreadableError, read_answer, read_described, read_reply

Json = dict[str, Any]

ROOT = Path(__file__).resolve().parent.parent
SCHEMA: Json = json.loads((ROOT / "spec/schemas/protocol.json").read_text())
PAGE = (ROOT / "docs/adapter-protocol.md").read_text(encoding="utf-8")
CASES = load_pack_cases()
EXPECTED = {operation: operation.replace("/", "_") for operation in OPERATIONS}


@cache
def validator(name: str) -> jsonschema.Draft202012Validator:
    """Give the validator of one kind of message."""
    return jsonschema.Draft202012Validator(
        {"$ref": f"#/$defs/{name}", "$defs": SCHEMA["$defs"], "$schema": SCHEMA["$schema"]}
    )


def fits(name: str, message: object) -> bool:
    return bool(validator(name).is_valid(message))


def answer(result: object) -> Json:
    return {"jsonrpc": "2.0", "id": 3, "result": result}


def line(message: Mapping[str, Any]) -> bytes:
    return json.dumps(message).encode()


# --- the models --------------------------------------------------------------------------------


def models() -> Json:
    """Give the schemas of all types that a scenario and an observation are made of."""
    _, found = msgspec.json.schema_components(
        [Scenario, Observation],
        schema_hook=lambda _: {"title": "any JSON value"},
        ref_template="#/$defs/{name}",
    )
    return {name: tightened(name, bare(schema)) for name, schema in found.items()}


def bare(schema: Any) -> Any:  # noqa: ANN401 - a part of a schema is of any type
    """Leave out what says nothing of what is valid."""
    if isinstance(schema, dict):
        return {key: bare(part) for key, part in schema.items() if key not in {"title", "default"}}
    return [bare(part) for part in schema] if isinstance(schema, list) else schema


def tightened(name: str, schema: Json) -> Json:
    """Refuse keys that the kit would pass over, but for those of events, which may be foreign."""
    schema["description"] = schema["description"].splitlines()[0]
    schema.pop("additionalProperties", None)
    if name == "Base64":
        schema["properties"]["base64"]["pattern"] = SCHEMA["$defs"][name]["properties"]["base64"][
            "pattern"
        ]
    return schema if name == "Event" else {**schema, "additionalProperties": False}


@pytest.mark.parametrize("name", sorted(models()))
def test_the_schema_of_a_model_is_that_of_its_type(name: str) -> None:
    assert SCHEMA["$defs"][name] == models()[name]


def test_the_words_of_initialize_are_those_that_the_kit_knows() -> None:
    keys = SCHEMA["$defs"]["initialize_result"]["properties"]

    assert keys["operations"]["items"]["enum"] == list(OPERATIONS)
    assert keys["facets"]["items"]["enum"] == list(FACETS)
    assert keys["features"]["items"]["enum"] == list(FEATURES)


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


# --- what the kit sends ------------------------------------------------------------------------


def asked(case: Case) -> Json:
    sent = request(7, case.operation, params_of(case, "t-1", 0, 10.0))
    assert sent.count(b"\n") == 1
    return dict(json.loads(sent))


@pytest.mark.parametrize("operation", OPERATIONS)
def test_every_request_for_a_shipped_case_is_valid(operation: Operation) -> None:
    judge = validator(f"{EXPECTED[operation]}_request")
    sent = [asked(case) for case in CASES if case.operation == operation]

    assert len(sent) > 40
    assert [fault.message for one in sent for fault in judge.iter_errors(one)] == []


@pytest.mark.parametrize(
    ("name", "method", "params"),
    [
        ("initialize_request", "initialize", INITIALIZE),
        ("reset_request", "reset", {}),
        ("shutdown_request", "shutdown", {}),
        ("unknown_request", UNKNOWN_METHOD, {}),
    ],
)
def test_every_other_request_is_valid_and_of_one_kind(name: str, method: str, params: Json) -> None:
    sent = json.loads(request(1, method, params))

    assert fits(name, sent)
    assert fits("request", sent)


# --- what adapters answer ----------------------------------------------------------------------


def one_of_each_vector() -> list[Case]:
    """Give the first case of each vector: its cases are answered in one form."""
    return list({case.vector: case for case in reversed(CASES)}.values())


def test_every_answer_of_the_reference_is_valid() -> None:
    server = Server(Reference())
    greeted = json.loads(server.answer(request(1, "initialize", INITIALIZE)))
    faults = [fault.message for fault in validator("initialize_answer").iter_errors(greeted)]
    for case in one_of_each_vector():
        given = json.loads(server.answer(line(asked(case))))
        judge = validator(f"{EXPECTED[case.operation]}_answer")
        faults += [f"{case.id}: {fault.message[:200]}" for fault in judge.iter_errors(given)]
    ended = json.loads(server.answer(request(9, "shutdown", {})))

    assert faults == []
    assert fits("done_answer", ended)


@pytest.mark.parametrize("sent", [b"x", b"[]", b"{}", b'{"jsonrpc":"2.0","id":1,"method":"?"}'])
def test_every_complaint_of_the_reference_is_valid(sent: bytes) -> None:
    server = Server(Reference())
    before = json.loads(server.answer(sent))
    server.answer(request(1, "initialize", INITIALIZE))

    assert fits("error", before)
    assert fits("error", json.loads(server.answer(sent)))
    assert fits("error", json.loads(server.answer(request(2, "turn/run", {"scenario": 1}))))


WORKER = """
from toolassay.adapter import Rejected, Unsupported, call, message


class Adapter:
    def initialize(self):
        return {
            "name": "n", "version": "1", "deterministic": True, "features": list(FEATURES),
            "operations": ["turn/run", "event/validate", "arguments/sanitize"],
            "facets": ["history", "requests", "executions", "deliveries", "journal", "ending"],
        }

    def turn_run(self, play):
        if play.tools and play.tools[0].name == "raises":
            raise ValueError("x")
        if play.tools and play.tools[0].name == "unsupported":
            raise Unsupported("x")
        if play.tools and play.tools[0].name == "rejected":
            raise Rejected("input.invalid", native=ValueError("x"))
        reply = play.model([message("user", "go")])
        play.deliver({"type": "StepDone", "more": {"of": "it"}}, durability="enduring", seq=1)
        play.journalled(1, {"type": "StepDone"})
        for tool in play.tools:
            tool.call({"a": float("nan")}, "c1", "x1")
        play.ended(0, "failed", ValueError("x"))
        said = message("assistant", b"\\xff", calls=[call("c1", "t", {"a": 1})])
        done = message("tool", "no", tool_use_id="c1", is_error=True)
        encoding = {"ok": True, "text": "[]", "round_trips": True}
        status = {"history": ("aborted", "it raised")}
        return play.observation([said, done], encoding=encoding, status=status)

    def event_validate(self, event):
        if event == "bad":
            raise Rejected("event.invalid", event="StepDone", field="messages", rule="invalid")
        return {"status": "ok"}

    def arguments_sanitize(self, arguments):
        return {"status": "ok", "stored": "{}", "executable": arguments.decode()}
"""


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Json]]:
    """Give a way to ask an adapter that answers in every way there is."""
    code = f"FEATURES = {list(FEATURES)!r}\n{WORKER}"
    (tmp_path / "every_way.py").write_text(code)
    monkeypatch.syspath_prepend(str(tmp_path))
    session = worker.Session("every_way:Adapter")

    def ask(method: str, **params: object) -> Json:
        sent = {"jsonrpc": "2.0", "id": 3, "method": method, "params": params}
        return dict(json.loads(session.answer(sent)))

    yield ask
    sys.modules.pop("every_way", None)


def scenario(*tools: str) -> Json:
    return {"model": [{"text": "done"}], "tools": [{"name": name} for name in tools]}


def test_every_answer_of_the_worker_is_valid(session: Callable[..., Json]) -> None:
    common: Json = {"token": "t", "seed": 0, "deadline_ms": 1000}

    assert fits("error", session("turn/run", **common, scenario=scenario()))
    assert fits("initialize_answer", session("initialize", **INITIALIZE))
    for tools in ((), ("t", "t2"), ("raises",), ("unsupported",), ("rejected",)):
        given = session("turn/run", **common, scenario=scenario(*tools))
        assert fits("turn_run_answer", given), given
    for event in ("{}", "bad", {"base64": "/w=="}):
        assert fits("event_validate_answer", session("event/validate", **common, event=event))
    sane = session("arguments/sanitize", **common, arguments="{}")
    assert fits("arguments_sanitize_answer", sane)
    assert fits("error", session("no/such/method"))
    assert fits("done_answer", session("shutdown"))


# --- near misses -------------------------------------------------------------------------------


def changed(message: Json, path: str, value: object = None, *, leave: bool = False) -> Json:
    """Give a message with one part changed, added, or left out."""
    copy = deepcopy(message)
    place: Any = copy
    *way, last = path.split(".")
    for step in way:
        place = place[int(step)] if isinstance(place, list) else place[step]
    if leave:
        del place[last]
    else:
        place[int(last) if isinstance(place, list) else last] = value
    return copy


DESCRIBED = answer(
    {"protocol": 1, "name": "n", "operations": ["turn/run"], "facets": ["history"], "features": []}
)
SEEN = answer(
    {
        "status": "ok",
        "observation": {
            "history": {"messages": [{"role": "user", "text": "go"}], "status": "complete"},
            "executions": {"executions": [{"tool": "t", "arguments": "{}", "began": {}}]},
            "ending": {"turns": [{"turn": 0, "how": "done"}]},
            "omitted": {"requests": "why"},
        },
    }
)
SAFE = answer({"status": "ok", "outcome": {"status": "ok", "stored": "{}", "executable": "{}"}})
REFUSED = answer({"status": "rejected", "event": "StepDone", "field": "messages"})
FAULT: Json = {"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "unknown method"}}
SEEN_AT = "result.observation"

NEAR_MISSES: list[tuple[str, Json, str, object]] = [
    ("initialize_answer", DESCRIBED, "result.protocol", 2),
    ("initialize_answer", DESCRIBED, "result.protocol", "1"),
    ("initialize_answer", DESCRIBED, "result.window", 0),
    ("initialize_answer", DESCRIBED, "result.window", 65),
    ("initialize_answer", DESCRIBED, "result.operations", ["turn/rum"]),
    ("initialize_answer", DESCRIBED, "result.operations", []),
    ("initialize_answer", DESCRIBED, "result.facets", ["histories"]),
    ("initialize_answer", DESCRIBED, "result.features", ["next_turn"]),
    ("initialize_answer", DESCRIBED, "result.deterministic", "yes"),
    ("initialize_answer", DESCRIBED, "jsonrpc", "1.0"),
    ("initialize_answer", DESCRIBED, "id", "3"),
    ("turn_run_answer", SEEN, "result.status", "fine"),
    ("turn_run_answer", SEEN, f"{SEEN_AT}.histories", {}),
    ("turn_run_answer", SEEN, f"{SEEN_AT}.history.messages.0.content", "x"),
    ("turn_run_answer", SEEN, f"{SEEN_AT}.history.messages.0.role", "model"),
    ("turn_run_answer", SEEN, f"{SEEN_AT}.history.messages.0.text", ["a"]),
    ("turn_run_answer", SEEN, f"{SEEN_AT}.history.messages.0.text", {"base64": "?"}),
    ("turn_run_answer", SEEN, f"{SEEN_AT}.history.status", "done"),
    ("turn_run_answer", SEEN, f"{SEEN_AT}.history.arguments", "parsed"),
    ("turn_run_answer", SEEN, f"{SEEN_AT}.executions.executions.0.arguments", {"a": 1}),
    ("turn_run_answer", SEEN, f"{SEEN_AT}.executions.executions.0.began", {"steps": 1}),
    ("turn_run_answer", SEEN, f"{SEEN_AT}.ending.turns.0.how", "ok"),
    ("turn_run_answer", SEEN, f"{SEEN_AT}.omitted.requests", True),
    ("turn_run_answer", SEEN, "error", FAULT["error"]),
    ("arguments_sanitize_answer", SAFE, "result.outcome.stored", {}),
    ("arguments_sanitize_answer", SAFE, "result.outcome.status", "rejected"),
    ("event_validate_answer", REFUSED, "result.status", "refused"),
    ("event_validate_answer", REFUSED, "result.fields", ["messages"]),
    ("error", FAULT, "error.code", "unknown"),
    ("error", FAULT, "error.message", ""),
    ("error", FAULT, "result", {}),
]


def test_the_messages_that_near_misses_come_near_to_are_valid() -> None:
    for name, message, _, _ in NEAR_MISSES:
        assert fits(name, message), name
        assert fits("answer", message)


@pytest.mark.parametrize(("name", "message", "path", "value"), NEAR_MISSES)
def test_a_near_miss_is_refused(name: str, message: Json, path: str, value: object) -> None:
    assert not fits(name, changed(message, path, value))


@pytest.mark.parametrize(
    ("name", "message", "path"),
    [
        ("initialize_answer", DESCRIBED, "result.protocol"),
        ("initialize_answer", DESCRIBED, "result.name"),
        ("initialize_answer", DESCRIBED, "result.operations"),
        ("turn_run_answer", SEEN, "result.status"),
        ("turn_run_answer", SEEN, "result.observation"),
        ("turn_run_answer", SEEN, "jsonrpc"),
        ("turn_run_answer", SEEN, "id"),
        ("arguments_sanitize_answer", SAFE, "result.outcome"),
        ("error", FAULT, "error.code"),
        ("error", FAULT, "error.message"),
    ],
)
def test_what_is_needed_may_not_be_left_out(name: str, message: Json, path: str) -> None:
    assert not fits(name, changed(message, path, leave=True))


@pytest.mark.parametrize("path", ["params.scenario.modle", "params.seeds", "id2"])
def test_a_request_with_a_key_that_does_not_exist_is_refused(path: str) -> None:
    sent = asked(next(case for case in CASES if case.operation == "turn/run"))

    assert fits("turn_run_request", sent)
    assert not fits("turn_run_request", changed(sent, path, 1))


def test_a_later_key_of_initialize_is_let_through_by_the_schema_and_by_the_kit() -> None:
    later = changed(DESCRIBED, "result.later", 1)

    assert fits("initialize_answer", later)
    assert read_described(read_reply(line(later))).name == "n"


def test_what_the_kit_refuses_the_schema_refuses_too() -> None:
    operations: dict[str, Operation] = {f"{name}_answer": key for key, name in EXPECTED.items()}
    for name, message, path, value in NEAR_MISSES:
        wrong = changed(message, path, value)
        try:
            reply = read_reply(line(wrong))
            if name == "initialize_answer":
                read_described(reply)
                continue
            if name not in operations:
                continue
            refused = read_answer(reply, operations[name]).status == "error"
        except UnreadableError:
            refused = True
        if refused:
            assert not fits(name, wrong), path


# --- the page ----------------------------------------------------------------------------------


def blocks(kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def block(kind: str) -> str:
    (found,) = blocks(kind)
    return found


def exchange(number: int = 0) -> list[tuple[Json, Json]]:
    lines = [json.loads(text) for text in blocks("jsonl")[number].splitlines()]
    return list(zip(lines[::2], lines[1::2], strict=True))


def test_every_line_of_the_worked_exchange_is_valid() -> None:
    kinds = {"initialize": "initialize", "turn/run": "turn_run", "shutdown": "shutdown"}
    answers = {"initialize": "initialize_answer", "turn/run": "turn_run_answer"}
    for sent, given in exchange():
        method = sent["method"]
        assert fits(f"{kinds.get(method, 'unknown')}_request", sent), sent
        expected = "done_answer" if method == "shutdown" else answers.get(method, "error")
        assert fits(expected, given), given
        assert sent["id"] == given["id"]


def test_the_exchange_with_a_stream_is_valid_and_is_what_the_kit_would_send() -> None:
    ((sent, given),) = exchange(1)
    scenario = msgspec.convert(sent["params"]["scenario"], Scenario)
    case = msgspec.structs.replace(ONE_CALL, scenario=scenario)
    again = request(sent["id"], "turn/run", params_of(case, sent["params"]["token"], 0, DEADLINE_S))

    assert fits("turn_run_request", sent)
    assert fits("turn_run_answer", given)
    assert json.loads(again) == sent
    assert sent["id"] == given["id"]
    assert set(features_of(scenario)) == {"stream-text"}


def test_the_exchange_with_a_stream_shows_pieces_a_delivery_and_a_record_that_keep_the_contract(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ((sent, given),) = exchange(1)
    scenario, seen = sent["params"]["scenario"], given["result"]["observation"]
    (call,) = msgspec.convert(scenario, Scenario).model[0].calls
    pieces = [piece.decode() for piece in pieces_of(bytes_of(call.arguments), call.cuts)]
    whole = tmp_path / "seen.jsonl"
    whole.write_text(json.dumps({"id": "x", "scenario": scenario, "observation": seen}))

    assert len(pieces) == 3
    assert all(f"`{piece}`" in PAGE for piece in pieces)
    assert seen["deliveries"]["subscriptions"][0]["deliveries"]
    assert seen["journal"]["records"]
    assert run_cli(["check", str(whole), "--complete"]) == 0
    assert "recorded, not scored" in capsys.readouterr().out


def test_the_worked_exchange_is_what_the_smoke_test_of_the_kit_sends() -> None:
    tokens = iter([sent["params"].get("token", "") for sent, _ in exchange()][2:])
    wanted = [
        request(1, "initialize", INITIALIZE),
        request(2, UNKNOWN_METHOD, {}),
        request(3, "turn/run", params_of(PLAINEST, next(tokens), 0, DEADLINE_S)),
        request(4, "turn/run", params_of(ONE_CALL, next(tokens), 0, DEADLINE_S)),
        request(5, "shutdown", {}),
    ]

    assert [sent for sent, _ in exchange()] == [json.loads(one) for one in wanted]


def test_the_worked_exchange_is_what_the_adapter_of_the_page_answers(
    tmp_path: Path,
) -> None:
    (tmp_path / "minimal.py").write_text(block("python"), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "minimal.py"],
        input="".join(f"{json.dumps(sent)}\n" for sent, _ in exchange()),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )

    assert [json.loads(text) for text in done.stdout.splitlines()] == [
        given for _, given in exchange()
    ]


def test_the_adapter_of_the_page_is_small_and_uses_the_standard_library_alone() -> None:
    code = block("python")

    assert len(code.splitlines()) <= 120
    assert set(re.findall(r"^(?:import|from) (\w+)", code, re.MULTILINE)) <= sys.stdlib_module_names


@pytest.mark.parametrize("name", sorted(set(models()) - {"Base64"}))
def test_the_page_names_every_key_of_every_model(name: str) -> None:
    for key in SCHEMA["$defs"][name]["properties"]:
        assert re.search(rf"[`\"]{key}[`\"]", PAGE), f"{name}.{key}"


def test_the_page_names_every_word_of_every_model() -> None:
    text = json.dumps([SCHEMA["$defs"][name] for name in models()])
    words = {
        word
        for group in re.findall(r'"enum": \[(.*?)\]', text)
        for word in json.loads(f"[{group}]")
    }

    assert len(words) > 20
    assert [word for word in sorted(words) if word and f"`{word}`" not in PAGE] == []


def test_the_page_names_every_feature_facet_operation_method_and_code() -> None:
    codes = re.findall(
        r"-32\d+",
        SCHEMA["$defs"]["error"]["properties"]["error"]["properties"]["code"]["description"],
    )
    methods = [
        kind["properties"]["method"]["const"]
        for name, kind in SCHEMA["$defs"].items()
        if name.endswith("_request") and "const" in kind["properties"]["method"]
    ]
    for word in (*FEATURES, *FACETS, *OPERATIONS, *methods):
        assert f"`{word}`" in PAGE, word
    for code in codes:
        assert f"| {code} |" in PAGE, code

    assert len(codes) == 6
    assert len(methods) == 6
