"""The Go SDK: it shows what the Python one shows, and hides no fault of a loop."""

from __future__ import annotations

import base64
import json
import subprocess
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest
from commands import NEEDS_GO, ran
from live import DEADLINE_S

from toolassay.authoring.packs import load_pack_cases
from toolassay.cli import run_cli
from toolassay.skeletons import skeleton, write
from toolassay.spec.case import Case
from toolassay.spec.observation import Observation
from toolassay.spec.scenario import Behaviour, Reply, Scenario, ScriptedCall, ToolScript
from toolassay.spec.text import Base64
from toolassay.targets.python import PythonTarget
from toolassay.targets.stdio import StdioTarget

Json = dict[str, Any]

ROOT = Path(__file__).resolve().parent.parent
SDK = ROOT / "adapters" / "go" / "sdk"
TWIN = ROOT / "tests" / "data" / "adapters"
SCHEMA: Json = json.loads((ROOT / "spec/schemas/protocol.json").read_text())

pytestmark = NEEDS_GO

START = "\tagent := &Agent{"
"""Where the sample adapter begins to play."""

IMPORTS = '\t"iter"\n\t"time"\n'
"""A part of what it imports."""

BEGIN = {"protocol": 1, "kit": "toolassay 0.1.0", "limits": {"line_bytes": 1 << 26}}

Build = Callable[[Mapping[str, str]], Path]


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Give a builder of the sample adapter, with some of its text replaced."""

    @cache
    def built(changes: tuple[tuple[str, str], ...]) -> Path:
        folder = tmp_path_factory.mktemp("go")
        write(skeleton("go"), folder, force=False)
        for old, new in changes:
            (path,) = (one for one in folder.glob("*.go") if old in one.read_text())
            assert path.read_text().count(old) == 1
            path.write_text(path.read_text().replace(old, new))
        assert ran(folder, "go", "build", "-o", "adapter", ".") == (0, "")
        return folder / "adapter"

    return lambda changes: built(tuple(changes.items()))


@pytest.fixture(scope="module")
def sample(build: Build) -> Iterator[StdioTarget]:
    """Open the sample adapter as it is."""
    target = StdioTarget([str(build({}))], "stdio:adapter")
    yield target
    target.close()


def case(*replies: Reply, tools: tuple[ToolScript, ...] = ()) -> Case:
    return Case(
        "a", "a", "t", "events", "positive", "turn/run", Scenario(model=replies, tools=tools)
    )


def seen(target: StdioTarget, asked: Case) -> Observation:
    answer = target.run(asked, deadline_s=DEADLINE_S)
    assert (answer.status, answer.message) == ("ok", "")
    assert answer.observation is not None
    return answer.observation


# --- its own tests ---


def test_its_own_tests_pass_and_its_code_is_tidy() -> None:
    assert ran(SDK, "gofmt", "-l", ".") == (0, "")
    assert ran(SDK, "go", "vet", "./...") == (0, "")
    code, said = ran(SDK, "go", "test", "./...")
    assert code == 0, said


@pytest.mark.parametrize("system", ["windows", "darwin", "freebsd"])
def test_it_builds_on_other_systems(system: str) -> None:
    assert ran(SDK, "env", f"GOOS={system}", "go", "build", "./...") == (0, "")


def test_it_needs_nothing_but_the_standard_library() -> None:
    assert ran(SDK, "go", "list", "-m", "all") == (0, "toolassay/sdk\n")


# --- what it shows ---


def plain(observation: Observation) -> Json:
    """Leave out what two honest loops may differ in: words of errors, the order of a batch."""
    data: Json = json.loads(msgspec.json.encode(observation))
    for turn in data["ending"]["turns"]:
        turn.pop("error", None)
    data["history"]["encoding"].pop("text", None)
    data["executions"].get("executions", []).sort(key=lambda one: json.dumps(one, sort_keys=True))
    return data


def test_it_shows_of_every_case_what_the_python_adapter_of_the_same_loop_shows(
    sample: StdioTarget,
) -> None:
    twin = PythonTarget("go_twin:Adapter", folder=TWIN)
    features = set(twin.implementation.features)
    compared = 0
    try:
        for asked in load_pack_cases():
            if asked.operation == "turn/run" and features.issuperset(asked.features):
                ours, theirs = plain(seen(sample, asked)), plain(seen(twin, asked))
                assert ours == theirs, asked.id
                compared += 1
    finally:
        twin.close()
    assert compared > 800


@pytest.mark.parametrize("data", [b"\xff\xfe{}", b'{"a":"\xed\xa0\x80"}', b'{"a":"\xc3'])
def test_arguments_that_are_no_text_arrive_and_come_back_as_they_are(
    build: Build, data: bytes
) -> None:
    adapter = build({"if !isJSON(call.Arguments) {": "if false {"})
    target = StdioTarget([str(adapter)], "stdio:adapter")
    sent = Base64(base64.b64encode(data).decode())
    try:
        for streamed in (False, True):
            asked = case(Reply(calls=(ScriptedCall("c", "t", sent),), streamed=streamed))
            history = seen(target, asked).history
            assert history is not None
            assert history.messages[1].calls[0].arguments == sent
    finally:
        target.close()


def test_callbacks_that_see_values_show_them_without_loss(build: Build) -> None:
    adapter = build(
        {
            "toolassay.AsText(call.Arguments), toolassay.CallID(call.ID)": "toolassay.AsValue("
            'map[string]any{"n": math.NaN(), "i": math.Inf(-1), "b": uint64(1<<63 + 1)})',
            IMPORTS: f'\t"math"\n{IMPORTS}',
        }
    )
    target = StdioTarget([str(adapter)], "stdio:adapter")
    try:
        executions = seen(target, CALLING).executions
    finally:
        target.close()
    assert executions is not None
    assert executions.arguments == "value"
    assert executions.executions[0].arguments == '{"b":9223372036854775809,"i":-Infinity,"n":NaN}'
    assert executions.executions[0].call_id is None


CALLING = case(Reply(calls=(ScriptedCall("c1", "t"),)), tools=(ToolScript("t"),))


def test_what_the_loop_prints_and_reads_disturbs_nothing(build: Build) -> None:
    adapter = build(
        {
            START: '\tfmt.Println("printed")\n'
            f'\texec.Command("sh", "-c", "echo printed by a child; cat").Run()\n{START}',
            IMPORTS: f'\t"fmt"\n\t"os/exec"\n{IMPORTS}',
        }
    )
    target = StdioTarget([str(adapter)], "stdio:adapter")
    try:
        assert seen(target, CALLING) == seen(target, CALLING)
    finally:
        target.close()


def test_a_panic_of_the_loop_is_raised_and_names_its_line_and_the_next_case_is_played(
    build: Build,
) -> None:
    adapter = build(
        {
            START: f'\tif len(play.Replies) == 0 {{\n\t\tpanic("no \\xff luck")\n\t}}\n{START}',
        }
    )
    target = StdioTarget([str(adapter)], "stdio:adapter")
    try:
        answer = target.run(case(), deadline_s=DEADLINE_S)
        seen(target, CALLING)
    finally:
        target.close()
    assert answer.status == "raised"
    assert answer.message.startswith(r"panic: no \xff luck (in main.adapter.TurnRun, main.go:")
    assert "main.adapter.TurnRun" in answer.detail


def test_a_panic_in_a_goroutine_is_a_crash_with_its_last_words(build: Build) -> None:
    adapter = build({START: f'\tgo panic("far away")\n\tselect {{}}\n{START}'})
    process = subprocess.run(
        [adapter],
        input=lines(("initialize", BEGIN), ("turn/run", {"scenario": {"model": []}})),
        capture_output=True,
        check=False,
        timeout=DEADLINE_S,
    )
    assert process.returncode == 2
    assert b"far away" in process.stderr
    assert len(process.stdout.splitlines()) == 1


def test_a_hanging_tool_is_left_when_the_loop_gives_it_up(sample: StdioTarget) -> None:
    hanging = (ToolScript("t", behaviour=Behaviour(hangs=True)),)
    observation = seen(sample, case(Reply(calls=(ScriptedCall("c1", "t"),)), tools=hanging))

    assert observation.history is not None
    assert observation.history.messages[2].is_error is True
    assert observation.history.messages[2].text == "error: context deadline exceeded"


# --- faults are seen ---


@pytest.mark.parametrize(
    ("old", "new", "broken"),
    [
        pytest.param(
            "if !a.Allows(call.Name) {",
            "if false {",
            {"ORD-05", "ORD-06"},
            id="runs-what-is-denied",
        ),
        pytest.param(
            "return isJSON(text) && json.Unmarshal(text, &object) == nil && object != nil",
            "return json.Unmarshal(text, &object) == nil && object != nil || !isJSON(text)",
            {"ARG-03", "ARG-09"},
            id="runs-what-is-no-json",
        ),
        pytest.param(
            "\tif !isObject(call.Arguments) {",
            '\tif !isJSON(call.Arguments) {\n\t\tcall.Arguments = json.RawMessage("{}")\n\t}\n'
            "\tif !isObject(call.Arguments) {",
            {"ARG-03", "ARG-04"},
            id="runs-an-empty-object-in-its-place",
        ),
        pytest.param(
            "call.Arguments = append(call.Arguments, delta.Arguments...)",
            "call.Arguments = append(call.Arguments, string([]rune(delta.Arguments))...)",
            {"ARG-04", "ARG-05", "ARG-09", "ARG-13", "ORD-13"},
            id="replaces-cut-characters",
        ),
        pytest.param(
            '"error: "+err.Error(), true',
            '"error: "+err.Error(), false',
            {"ARG-03", "MSG-09"},
            id="sets-no-flags",
        ),
    ],
)
def test_a_fault_of_the_loop_breaks_its_clauses_and_no_others(
    build: Build, capsys: pytest.CaptureFixture[str], old: str, new: str, broken: set[str]
) -> None:
    code = run_cli(["run", f"stdio:{build({old: new})}", "--ndjson", "-", "-q"])

    printed = capsys.readouterr().out.splitlines()
    checks = [
        check
        for one in map(json.loads, filter(lambda line: line.startswith("{"), printed))
        for check in one.get("checks", ())
    ]
    assert code == 1
    assert {one["clause"] for one in checks if one["status"] == "fail"} == broken


# --- hostile requests ---


def lines(*requests: tuple[str, object]) -> bytes:
    messages = [
        {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        for number, (method, params) in enumerate(requests, 1)
    ]
    return b"".join(json.dumps(one).encode() + b"\n" for one in messages)


def answers(adapter: Path, sent: bytes) -> list[Json]:
    done = subprocess.run(
        [adapter], input=sent, capture_output=True, check=False, timeout=DEADLINE_S
    )
    assert (done.returncode, done.stderr) == (0, b"")
    return [json.loads(line) for line in done.stdout.splitlines()]


def fits(name: str, message: object) -> bool:
    schema = {"$ref": f"#/$defs/{name}", "$defs": SCHEMA["$defs"]}
    return bool(jsonschema.Draft202012Validator(schema).is_valid(message))


def test_what_is_no_request_is_answered_in_its_turn_and_the_next_one_is_played(
    build: Build,
) -> None:
    turn = {"token": "t", "seed": 1, "deadline_ms": 10_000, "scenario": {"model": []}}
    huge = {"model": [{"calls": [{"id": "c", "name": "t", "arguments": "[" * 5_000_000}]}]}
    deep = b'{"jsonrpc":"2.0","id":7,"method":"turn/run","params":' + b"[" * 200_000 + b"\n"
    hostile: list[tuple[bytes, int]] = [
        (b"\n", -32700),
        (b"no JSON\n", -32700),
        (b'"\xff"\n', -32700),
        (deep, -32700),
        (b"x" * 5_000_000 + b"\n", -32700),
        (b"[]\n", -32600),
        (b'{"jsonrpc":"2.0","method":"reset","params":{}}\n', -32600),
        (b'{"jsonrpc":"2.0","id":"one","method":"reset"}\n', -32600),
        (lines(("no/such/\x1b[31m\ud800", {})), -32601),
        (lines(("reset", {})), -32601),
        (lines(("turn/run", [])), -32602),
        (lines(("turn/run", {})), -32602),
        (lines(("turn/run", {**turn, "scenario": {"model": {}}})), -32602),
        (lines(("turn/run", {**turn, "seed": 1.5})), -32602),
    ]
    begun, *found, played, ended = answers(
        build({}),
        lines(("initialize", BEGIN))
        + b"".join(line for line, _ in hostile)
        + lines(("turn/run", {**turn, "scenario": huge}), ("shutdown", {})),
    )

    assert fits("initialize_answer", begun)
    assert [one["error"]["code"] for one in found] == [code for _, code in hostile]
    assert all(fits("error", one) for one in found)
    assert fits("turn_run_answer", played)
    assert fits("done_answer", ended)


def test_a_request_before_initialize_is_none(build: Build) -> None:
    (found,) = answers(build({}), lines(("turn/run", {"scenario": {"model": []}})))

    assert found["error"]["code"] == -32600


def test_every_answer_to_a_shipped_case_has_the_shape_that_the_schema_says(build: Build) -> None:
    cases = [one for one in load_pack_cases() if one.operation == "turn/run"][::7]
    params = [
        {"token": "t", "seed": 0, "deadline_ms": 10_000, "scenario": json.loads(scenario)}
        for scenario in (msgspec.json.encode(one.scenario) for one in cases)
    ]
    _, *found = answers(
        build({}), lines(("initialize", BEGIN), *(("turn/run", one) for one in params))
    )

    assert len(found) == len(cases)
    assert all(one["result"]["status"] == "ok" for one in found)
    assert [one for one in found if not fits("turn_run_answer", one)] == []
