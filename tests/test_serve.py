"""`toolassay serve`: the reference as an adapter, whatever it is asked."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from typing import Any

import pytest

from toolassay import serving
from toolassay.authoring.packs import load_pack_cases
from toolassay.cli import run_cli
from toolassay.serving import Server, serve
from toolassay.simulator.reference import Reference
from toolassay.spec.observation import Observation
from toolassay.targets.open import open_target

COMMAND = f"stdio:{sys.executable} -m toolassay serve"

CALL = {"id": "a", "name": "b"}

TURN = {"scenario": {"model": [{"text": "hi"}]}, "token": "t", "seed": 1, "deadline_ms": 1000}


def ask(server: Server, method: str, params: object, **more: object) -> Any:  # noqa: ANN401 - plain JSON
    """Ask a server; give its answer, which is for this request."""
    request = {"jsonrpc": "2.0", "id": 7, "method": method, "params": params, **more}
    answer = json.loads(server.answer(json.dumps(request).encode() + b"\n"))
    assert answer["jsonrpc"] == "2.0"
    assert answer["id"] == more.get("id", 7)
    return answer


@pytest.fixture
def server() -> Server:
    """Give a server that has been greeted."""
    server = Server(Reference())
    ask(server, "initialize", {"protocol": 1})
    return server


def test_it_says_what_it_is(server: Server) -> None:
    said = ask(server, "initialize", {"protocol": 1})["result"]

    assert (said["protocol"], said["name"], said["window"]) == (1, "toolassay-reference", 64)
    assert said["operations"] == ["turn/run", "event/validate", "arguments/sanitize"]


def test_it_answers_every_operation(server: Server) -> None:
    turn = ask(server, "turn/run", TURN)["result"]
    event = ask(server, "event/validate", {"event": "{}"})["result"]
    text = ask(server, "arguments/sanitize", {"arguments": {"base64": "/w=="}})["result"]

    assert (turn["status"], turn["observation"]["history"]["messages"][-1]["text"]) == ("ok", "hi")
    assert (event["status"], event["outcome"]["status"]) == ("rejected", "rejected")
    assert text["outcome"]["executable"] == {"base64": "/w=="}


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"nonsense\n", serving.BAD_JSON),
        (b"\xff\n", serving.BAD_JSON),
        (b"[]\n", serving.BAD_REQUEST),
        (b'[{"jsonrpc":"2.0","id":1,"method":"reset"}]\n', serving.BAD_REQUEST),
        (b'{"id":1,"method":"shutdown"}\n', serving.BAD_REQUEST),
        (b'{"jsonrpc":"2.0","id":1}\n', serving.BAD_REQUEST),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"shutdown"}\n', serving.BAD_REQUEST),
        (b'{"jsonrpc":"2.0","id":1,"method":"x","a":' + b"[" * 5000 + b"]" * 5000 + b"}\n", None),
    ],
)
def test_a_line_that_is_no_request_is_an_error_and_ends_nothing(
    server: Server, line: bytes, code: int | None
) -> None:
    error = json.loads(server.answer(line))["error"]

    assert error["code"] == code or code is None
    assert ask(server, "turn/run", TURN)["result"]["status"] == "ok"


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("turn/run", {}),
        ("turn/run", {"scenario": {"model": "hi"}}),
        ("turn/run", {"scenario": {"model": [], "colour": "green"}}),
        ("turn/run", []),
        (
            "turn/run",
            {"scenario": {"model": [{"calls": [{**CALL, "arguments": {"base64": "?"}}]}]}},
        ),
        ("event/validate", {"event": 3}),
        ("arguments/sanitize", {"arguments": {"base64": "?"}}),
    ],
)  # fmt: skip
def test_parameters_of_the_wrong_shape_are_refused(
    server: Server, method: str, params: object
) -> None:
    assert ask(server, method, params)["error"]["code"] == serving.BAD_PARAMS


def test_an_unknown_method_and_one_before_initialize_are_errors(server: Server) -> None:
    assert ask(server, "turn/fly", {})["error"]["code"] == serving.BAD_METHOD
    assert ask(Server(Reference()), "turn/run", TURN)["error"]["code"] == serving.BAD_REQUEST


def test_what_the_reference_throws_is_a_result() -> None:
    class Broken(Reference):
        def turn_run(self, *_: object, **__: object) -> Observation:
            raise ValueError("planted")

    server = Server(Broken())
    ask(server, "initialize", {})
    words = {"type": "ValueError", "message": "ValueError: planted"}

    assert ask(server, "turn/run", TURN)["result"] == {"status": "raised", "error": words}


def test_lines_that_are_too_long_are_refused_both_ways(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving, "LINE_MAX", 300)
    sink = io.BytesIO()

    serve(server, io.BytesIO(b"x" * 1000), sink)
    answer = ask(server, "turn/run", TURN)

    assert json.loads(sink.getvalue())["error"]["code"] == serving.BAD_REQUEST
    assert answer["error"]["code"] == serving.ADAPTER_FAULT


def test_it_serves_until_the_end_is_asked_for() -> None:
    lines = [
        {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        for number, method, params in (
            (1, "initialize", {}), (2, "turn/run", TURN), (3, "shutdown", {}),
        )
    ]  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-m", "toolassay", "serve"],
        input="".join(json.dumps(line) + "\n" for line in lines) + "not read any more\n",
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )

    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [answer["id"] for answer in answers] == [1, 2, 3]
    assert done.stderr == ""


def test_a_mutant_can_be_served_and_is_found_to_be_one() -> None:
    case = next(one for one in load_pack_cases() if one.id == "ord.denied-call-never-runs")
    for options, ran in (("", 0), (" --mutant denied-runs", 1)):
        target = open_target(COMMAND + options)
        seen = target.run(case).observation
        target.close()
        assert seen is not None
        assert seen.executions is not None
        assert len(seen.executions.executions) == ran


def test_an_unknown_mutant_is_named_with_what_is_near(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_cli(["serve", "--mutant", "denied-run"]) == 2
    assert "did you mean denied-runs" in capsys.readouterr().err
