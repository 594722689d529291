"""The SDK for TypeScript: it keeps the protocol, and shows what Python's SDK would show."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest
from commands import NEEDS_NODE, ran
from live import needs

from toolassay.authoring.features import features_of
from toolassay.authoring.packs import load_pack_cases
from toolassay.spec.observation import Encoding, Execution, Observation
from toolassay.targets.base import Target
from toolassay.targets.open import open_target

Json = dict[str, Any]

ROOT = Path(__file__).resolve().parent.parent
SDK = ROOT / "adapters" / "ts" / "sdk"
SKELETON = ROOT / "src" / "toolassay" / "skeletons" / "ts"
TWIN = Path(__file__).parent / "data" / "adapters"
FIXTURE = SDK / "trial" / "fixture.mjs"
TSC = SDK / "node_modules" / "typescript" / "bin" / "tsc"
NODE = shutil.which("node") or "node"

pytestmark = NEEDS_NODE

INITIALIZE: Json = {
    "protocol": 1,
    "kit": "toolassay 0.1.0",
    "limits": {"line_bytes": 64 * 1024 * 1024},
}
LONG_S = 60.0
"""A deadline that no answer misses."""


@cache
def validator() -> jsonschema.Draft202012Validator:
    """Give the validator of any line of an adapter."""
    schema = json.loads((ROOT / "spec/schemas/protocol.json").read_text())
    return jsonschema.Draft202012Validator({**schema, "anyOf": [{"$ref": "#/$defs/answer"}]})


def request(number: int, method: str, params: object) -> bytes:
    envelope = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    return json.dumps(envelope).encode() + b"\n"


def turn(number: int, user: str, **more: object) -> bytes:
    reply = {"text": "hi", "streamed": user == "swallow the whole"}
    params = {"token": "t", "seed": 0, "deadline_ms": 60_000}
    scenario = {"model": [reply], "users": [user]}
    return request(number, "turn/run", {**params, "scenario": scenario, **more})


def spoken(
    *lines: bytes, begin: bool = True, code: int = 0, adapter: Path = FIXTURE
) -> tuple[list[Json], str]:
    """Say lines to an adapter, at once; give its answers, and what it printed beside them."""
    begun = request(1, "initialize", INITIALIZE) if begin else b""
    done = subprocess.run(
        [NODE, str(adapter), "pipes"],
        input=begun + b"".join(lines),
        capture_output=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == code, done.stderr.decode()
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    for answer in answers:
        validator().validate(answer)
    return answers[1 if begin else 0 :], done.stderr.decode()


# --- its own tests -----------------------------------------------------------------------------


def test_the_unit_tests_of_the_sdk_pass() -> None:
    files = sorted(str(path) for path in (SDK / "test").glob("*.test.mjs"))
    assert len(files) == 3

    code, said = ran(SDK, NODE, "--test", *files)

    assert code == 0, said[-10_000:]
    assert "fail 0" in said


@needs(TSC)
def test_the_declarations_say_what_the_modules_are() -> None:
    assert ran(SDK, NODE, str(TSC), "-p", "test") == (0, "")


@needs(TSC)
def test_the_skeleton_is_typed_as_the_sdk_declares(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    (folder / "node_modules").symlink_to(SDK / "node_modules")
    options = json.loads((SDK / "test" / "tsconfig.json").read_text())["compilerOptions"]
    config = {"compilerOptions": options, "include": ["*.mjs"]}
    (folder / "tsconfig.json").write_text(json.dumps(config))

    assert ran(folder, NODE, str(TSC), "-p", ".") == (0, "")


def test_users_of_the_sdk_install_nothing() -> None:
    package = json.loads((SDK / "package.json").read_text())
    lock = (SDK / "package-lock.json").read_text()

    assert "dependencies" not in package
    assert "resolved" not in lock


# --- what is answered --------------------------------------------------------------------------


def test_initialize_says_what_the_adapter_declares_and_how_far_ahead_it_reads() -> None:
    (answer,), _ = spoken(request(5, "initialize", INITIALIZE), begin=False)

    result = answer["result"]
    assert (answer["id"], result["protocol"], result["window"]) == (5, 1, 16)
    assert (result["name"], result["reset"]) == ("fixture", True)


@pytest.mark.parametrize(
    ("user", "expected"),
    [
        ("refuse", {"status": "rejected", "code": "too-many", "field": "Tools", "native": "full"}),
        ("limit", {"status": "unsupported", "why": "no such thing"}),
        (
            "swallow the whole",
            {
                "status": "unsupported",
                "why": "the reply is streamed, and the adapter asked for a whole one",
            },
        ),
    ],
)
def test_a_play_that_is_not_gone_through_says_why(user: str, expected: Json) -> None:
    (answer,), _ = spoken(turn(2, user))

    assert answer["result"] == expected


@pytest.mark.parametrize(
    ("user", "kind", "words"),
    [
        ("raise", "RangeError", "RangeError: of the adapter (in Object.raise, fixture.mjs:"),
        ("raise later", "string", "string: a string"),
        ("forget a rejection", "TypeError", "TypeError: forgotten"),
        ("forget a rejection and wait", "TypeError", "TypeError: forgotten"),
        ("throw in a timer", "SyntaxError", "SyntaxError: in a timer"),
    ],
)
def test_what_is_thrown_even_past_everyone_is_raised_and_the_next_case_runs(
    user: str, kind: str, words: str
) -> None:
    (raised, fine), _ = spoken(turn(2, user), turn(3, "go"))

    assert raised["result"]["status"] == "raised"
    assert raised["result"]["error"]["type"] == kind
    assert raised["result"]["error"]["message"].startswith(words)
    assert fine["result"]["status"] == "ok"


@pytest.mark.parametrize(
    ("user", "words"),
    [
        ("show nonsense", "role 'wizard'"),
        ("give nothing", "turnRun() gave undefined; it returns what play.observation() gives"),
        ("give a text", "turnRun() gave string"),
        ("give an unknown facet", "turnRun() gave exections"),
        ("give NaN", "no JSON: NaN at 'messages'"),
        ("give a circle", "no JSON: Converting circular"),
    ],
)
def test_a_mistake_of_the_adapter_is_an_error_and_never_an_observation(
    user: str, words: str
) -> None:
    (answer, fine), _ = spoken(turn(2, user), turn(3, "go"))

    assert answer["error"]["code"] == -32001
    assert words in answer["error"]["message"]
    assert fine["result"]["status"] == "ok"


def test_what_fails_after_its_answer_is_told_and_blamed_on_no_later_case() -> None:
    (first, second), printed = spoken(turn(2, "leak"), turn(3, "wait for the leak"))

    assert [first["result"]["status"], second["result"]["status"]] == ["ok", "ok"]
    assert "after the scenario had ended, nobody caught: Error: late" in printed


@pytest.mark.parametrize(("user", "code"), [("stray", 1), ("exit", 7)])
def test_what_nobody_can_place_ends_the_process(user: str, code: int) -> None:
    answers, _ = spoken(turn(2, "go"), turn(3, user), turn(4, "go"), code=code)

    assert [answer["id"] for answer in answers] == [2]


def test_what_is_printed_goes_to_standard_error_whoever_prints_it() -> None:
    (answer,), printed = spoken(turn(2, "print"))

    assert answer["result"]["status"] == "ok"
    assert sorted(printed.splitlines()) == [
        "printed by a child",
        "printed by console",
        "printed by descriptor",
        "printed by stdout",
    ]


def test_standard_input_is_empty_for_the_implementation() -> None:
    (answer, later), _ = spoken(turn(2, "read input"), turn(3, "go"))

    assert answer["result"]["observation"]["history"]["messages"][0]["text"] == "read 0 bytes"
    assert later["id"] == 3


def test_stateless_operations_give_an_outcome_or_refuse() -> None:
    common = {"token": "t", "seed": 0, "deadline_ms": 60_000}
    asked: list[tuple[str, Json]] = [
        ("event/validate", {"event": "{}"}),
        ("event/validate", {"event": {"base64": "/w=="}}),
        ("event/validate", {"event": "{"}),
        ("arguments/sanitize", {"arguments": {"base64": "/w=="}}),
        ("arguments/sanitize", {"arguments": ""}),
    ]
    lines = [
        request(number, method, {**common, **params})
        for number, (method, params) in enumerate(asked, 2)
    ]

    fine, refused, raised, sanitized, wrong = spoken(*lines)[0]

    assert fine["result"] == {"status": "ok"}
    assert refused["result"] == {"status": "rejected", "code": "encoding", "rule": "utf-8"}
    assert raised["result"]["error"]["type"] == "SyntaxError"
    assert sanitized["result"]["outcome"] == {
        "status": "ok",
        "stored": "{}",
        "executable": {"base64": "/w=="},
    }
    assert wrong["error"]["code"] == -32001


def test_reset_is_carried_out_and_shutdown_ends_the_process() -> None:
    answers, _ = spoken(
        request(2, "reset", {}),
        request(3, "reset", {}),
        turn(4, "resets"),
        request(5, "shutdown", {}),
        turn(6, "go"),
    )

    assert [answer["id"] for answer in answers] == [2, 3, 4, 5]
    assert answers[2]["result"]["observation"]["history"]["messages"][0]["text"] == "2 resets"
    assert answers[3]["result"] == {"status": "ok"}


def test_a_hanging_request_ends_with_its_deadline_when_the_kit_is_gone() -> None:
    answers, _ = spoken(turn(2, "hang", deadline_ms=1), code=1)

    assert answers == []


# --- what is no request ------------------------------------------------------------------------

SCENARIOS: list[tuple[object, str]] = [
    ([], "params.scenario is a Array; it is an object"),
    ({}, "params.scenario has no model"),
    ({"model": {}}, "params.scenario.model is a Object; it is a list"),
    ({"model": [], "when": []}, "params.scenario has the unknown key 'when'"),
    ({"model": [{"txet": ""}]}, "params.scenario.model[0] has the unknown key 'txet'"),
    ({"model": [{"stall": -1}]}, "params.scenario.model[0].stall is -1; it is an integer from 0"),
    ({"model": [{"streamed": 1}]}, "params.scenario.model[0].streamed is 1; it is true or false"),
    ({"model": [{"calls": [{"id": "c"}]}]}, "params.scenario.model[0].calls[0] has no name"),
    (
        {"model": [{"calls": [{"id": "c", "name": "t", "arguments": {"base64": "=="}}]}]},
        "params.scenario.model[0].calls[0].arguments.base64 is ==; it is base64",
    ),
    (
        {"model": [{"calls": [{"id": "c", "name": "t", "arguments": {"a": 1}}]}]},
        "params.scenario.model[0].calls[0].arguments has no base64",
    ),
    ({"model": [], "policy": {"t": "ask"}}, 'params.scenario.policy["t"] is ask; it is one of'),
    ({"model": [], "subscribers": []}, "params.scenario.subscribers is a Array; it is a list"),
    ({"model": [], "users": [1]}, "params.scenario.users[0] is 1; it is a string"),
    (
        {"model": [], "tools": [{"name": "t", "behaviour": {"waits_for": "tea"}}]},
        "params.scenario.tools[0].behaviour.waits_for is tea; it is one of",
    ),
]


def test_a_scenario_that_is_none_is_refused_by_its_place() -> None:
    lines = [turn(number, "go", scenario=one) for number, (one, _) in enumerate(SCENARIOS, 2)]
    *answers, fine = spoken(*lines, turn(99, "go"))[0]

    for answer, (_, words) in zip(answers, SCENARIOS, strict=True):
        assert answer["error"]["code"] == -32602
        assert answer["error"]["message"].startswith(words)
    assert fine["result"]["status"] == "ok"


LINES: list[tuple[bytes, int | None, int]] = [
    (b"", None, -32700),
    (b"nonsense", None, -32700),
    (b'{"jsonrpc":"2.0","id":2,"method":"turn/run"', None, -32700),
    (b'{"jsonrpc":"2.0","id":2,"method":"\xff"}', None, -32700),
    (b'\xef\xbb\xbf{"jsonrpc":"2.0","id":2,"method":"shutdown"}', None, -32700),
    (b"x" * 5_000_000, None, -32700),
    (b"[" * 200_000, None, -32700),
    (b"[" * 200_000 + b"]" * 200_000, None, -32600),
    (b"null", None, -32600),
    (b"[]", None, -32600),
    (b'[{"jsonrpc":"2.0","id":2,"method":"shutdown"}]', None, -32600),
    (b'{"jsonrpc":"2.0","method":"shutdown"}', None, -32600),
    (b'{"jsonrpc":"2.0","id":"2","method":"shutdown"}', None, -32600),
    (b'{"jsonrpc":"1.0","id":2,"method":"shutdown"}', 2, -32600),
    (b'{"jsonrpc":"2.0","id":2}', 2, -32600),
    (b'{"jsonrpc":"2.0","id":2,"method":"turn/fly","params":{}}', 2, -32601),
    (b'{"jsonrpc":"2.0","id":2,"method":"__proto__"}', 2, -32601),
    (b'{"jsonrpc":"2.0","id":2,"method":"turn/run"}', 2, -32602),
    (b'{"jsonrpc":"2.0","id":2,"method":"turn/run","params":[]}', 2, -32602),
    (b'{"jsonrpc":"2.0","id":2,"method":"event/validate","params":{"event":{}}}', 2, -32602),
    (b'{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocol":"1"}}', 2, -32602),
]


def test_a_line_that_is_no_request_gets_its_error_and_the_next_one_an_answer() -> None:
    lines = [line + b"\n" + turn(number, "go") for number, (line, _, _) in enumerate(LINES, 10)]
    answers = spoken(*lines)[0]

    wrong = [(answer["id"], answer["error"]["code"]) for answer in answers[::2]]
    assert wrong == [(number, code) for _, number, code in LINES]
    fine = [(answer["id"], answer["result"]["status"]) for answer in answers[1::2]]
    assert fine == [(number, "ok") for number in range(10, 10 + len(LINES))]


def test_a_request_before_initialize_is_no_request() -> None:
    (early, later), _ = spoken(turn(1, "go"), request(2, "initialize", INITIALIZE), begin=False)

    assert early["error"]["code"] == -32600
    assert later["result"]["protocol"] == 1


def test_half_a_line_at_the_end_is_not_answered() -> None:
    assert spoken(turn(2, "go")[:-1])[0] == []


def test_a_large_request_is_read_and_a_large_answer_written_whole() -> None:
    scenario = {"model": [{"text": "x" * 5_000_000}], "users": ["give much"]}
    (answer,), _ = spoken(turn(2, "", scenario=scenario))

    assert len(answer["result"]["observation"]["history"]["messages"][0]["text"]) == 1_500_000


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("serve({})", "it has no initialize()"),
        ("serve({ initialize: () => 5 })", "initialize() gave number, not an object"),
        ("serve({ initialize: () => ({ operations: [] }) })", "initialize() gave no name"),
        (
            "serve({ initialize: () => ({ name: 'x', operations: 'turn/run' }) })",
            "the operations that initialize() gave are no list of words",
        ),
        (
            "serve({ initialize: () => ({ name: 'x', operations: ['turn/run'] }) })",
            "initialize() declares turn/run, and there is no turnRun()",
        ),
        (
            "serve({ initialize: () => ({ name: 'x', operations: [], window: 65 }) })",
            "the window that initialize() gave is not 1 to 64",
        ),
        ("serve({ initialize: () => { throw new Error('no') } })", "Error: no"),
    ],
)
def test_an_adapter_that_is_none_is_named(source: str, words: str, tmp_path: Path) -> None:
    adapter = tmp_path / "adapter.mjs"
    adapter.write_text(f"import {{ serve }} from '{SDK.as_uri()}/index.mjs';\nawait {source};\n")

    (answer,), _ = spoken(request(1, "initialize", INITIALIZE), begin=False, adapter=adapter)

    assert answer["error"]["code"] == -32001
    assert words in answer["error"]["message"]


def test_what_is_printed_while_it_is_loaded_can_be_kept_from_the_protocol(tmp_path: Path) -> None:
    (tmp_path / "loud.mjs").write_text("console.log('printed while loading');\n")
    adapter = tmp_path / "adapter.mjs"
    adapter.write_text(
        f"import '{SDK.as_uri()}/stdout.mjs';\nimport './loud.mjs';\n"
        f"import {{ serve }} from '{SDK.as_uri()}/index.mjs';\n"
        "await serve({ initialize: () => ({ name: 'x', operations: ['arguments/sanitize'] }),\n"
        "  argumentsSanitize: (raw) => ({ stored: raw, executable: raw }) });\n"
    )

    (answer,), printed = spoken(request(1, "initialize", INITIALIZE), begin=False, adapter=adapter)

    assert answer["result"]["name"] == "x"
    assert printed == "printed while loading\n"


AGENT = """
export class Agent {
  messages = [];
  constructor({ model, tools }) {
    Object.assign(this, { model, tools });
  }
  async run(user) {
    this.messages.push({ role: "user", text: user });
    const reply = await this.model(this.messages);
    const calls = reply.calls.map((one) => ({ ...one, args: JSON.parse(one.arguments) }));
    this.messages.push({ role: "assistant", text: reply.text, calls });
    for (const { id, name, args } of calls) {
      const text = await this.tools.find((tool) => tool.name === name).run(args, id);
      this.messages.push({ role: "tool", text, callId: id, isError: false });
    }
  }
}
"""


def test_the_example_of_the_readme_runs(tmp_path: Path) -> None:
    example = (SDK / "README.md").read_text().split("```js\n")[1].split("```")[0]
    assert example.count("./sdk/") == example.count('"my-agent";') == 1
    adapter = tmp_path / "adapter.mjs"
    adapter.write_text(
        example.replace("./sdk/", f"{SDK.as_uri()}/").replace('"my-agent";', '"./agent.mjs";')
    )
    (tmp_path / "agent.mjs").write_text(AGENT)
    scenario = {
        "model": [{"calls": [{"id": "c1", "name": "t", "arguments": '{"a":1}'}]}],
        "tools": [{"name": "t"}],
    }

    (answer,), _ = spoken(turn(2, "", scenario=scenario), adapter=adapter)

    seen = answer["result"]["observation"]
    assert [one["role"] for one in seen["history"]["messages"]] == ["user", "assistant", "tool"]
    assert seen["executions"]["executions"][0]["call_id"] == "c1"
    assert seen["executions"]["arguments"] == "value"
    assert seen["ending"] == {"turns": [{"turn": 0, "how": "done", "error": ""}]}


# --- the agent of the skeleton -----------------------------------------------------------------


def copied(place: Path, fault: tuple[str, str] | None = None) -> Path:
    """Copy the skeleton; plant a fault in its agent."""
    folder = place / "contract"
    shutil.copytree(SKELETON, folder, ignore=shutil.ignore_patterns("node_modules", "test"))
    if fault is not None:
        agent = folder / "agent.mjs"
        source = agent.read_text()
        assert source.count(fault[0]) == 1
        agent.write_text(source.replace(*fault))
    return folder


def judged(folder: Path) -> Mapping[str, Any]:
    """Judge the agent of a skeleton by all shipped cases."""
    command = [sys.executable, "-m", "toolassay", "run", "stdio:node adapter.mjs"]
    done = subprocess.run(
        [*command, "--format", "json"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    document: Mapping[str, Any] = json.loads(done.stdout)
    return document


def test_an_honest_agent_is_conformant_in_all_it_declares(tmp_path: Path) -> None:
    document = judged(copied(tmp_path))

    assert document["verdict"] == "conformant"
    # What it does not declare: stateless operations, and events.
    assert set(document["not_applicable"]) <= {
        "operation arguments/sanitize",
        "operation event/validate",
        "feature subscribers",
        "feature stall",
        "facet deliveries",
        "facet journal",
    }


@pytest.mark.parametrize(
    ("fault", "clauses"),
    [
        (
            (
                "const args = parsed(call.arguments);",
                "const args = isJson(call.arguments) ? parsed(call.arguments) : {};",
            ),
            ["ARG-03", "ARG-04"],
        ),
        (("if (!this.allows(call.name))", "if (false)"), ["ORD-05", "ORD-06"]),
        (
            ("text: `error: ${words}`, isError: true", "text: `error: ${words}`, isError: false"),
            ["ARG-03", "MSG-09"],
        ),
    ],
    ids=["runs-malformed-arguments", "ignores-the-policy", "flags-no-error"],
)
def test_a_planted_fault_breaks_the_clauses_that_speak_of_it_and_no_others(
    fault: tuple[str, str], clauses: list[str], tmp_path: Path
) -> None:
    document = judged(copied(tmp_path, fault))

    assert document["verdict"] == "non-conformant"
    assert document["broken_clauses"] == clauses


@pytest.fixture
def both(tmp_path: Path) -> Iterator[tuple[Target, Target]]:
    """Open the agent of the skeleton, and the same one in Python."""
    with (
        closing(open_target("stdio:node adapter.mjs", folder=copied(tmp_path))) as ours,
        closing(open_target("python:ts_twin:Adapter", folder=TWIN)) as theirs,
    ):
        yield ours, theirs


def test_the_same_agent_shows_the_same_through_both_sdks(both: tuple[Target, Target]) -> None:
    ours, theirs = both
    features = set(ours.implementation.features)
    cases = [
        case
        for case in load_pack_cases()
        if case.operation == "turn/run" and features.issuperset(features_of(case.scenario))
    ]
    assert len(cases) > 800
    assert theirs.implementation.features == ours.implementation.features

    differing = []
    for case in cases:
        seen, expected = (target.run(case, 0, LONG_S).observation for target in both)
        assert seen is not None, case.id
        assert expected is not None, case.id
        if comparable(seen) != comparable(expected):
            differing.append(case.id)
    assert differing == []


def comparable(seen: Observation) -> Observation:
    """Leave out how each language writes the same values, and the text of its own codec."""
    assert seen.history is not None
    assert seen.executions is not None
    assert isinstance(seen.history.encoding, Encoding)
    encoding = msgspec.structs.replace(seen.history.encoding, text=None)
    entries = tuple(rewritten(entry) for entry in seen.executions.executions)
    return msgspec.structs.replace(
        seen,
        history=msgspec.structs.replace(seen.history, encoding=encoding),
        executions=msgspec.structs.replace(seen.executions, executions=entries),
    )


def rewritten(entry: Execution) -> Execution:
    """Write the arguments of an entry in one way; numbers are those of JavaScript."""

    def number(text: str) -> float:
        return float(text) + 0.0  # an integer of Python has no negative zero

    assert isinstance(entry.arguments, str)
    value = json.loads(entry.arguments, parse_int=number, parse_float=number)
    return msgspec.structs.replace(entry, arguments=json.dumps(value, sort_keys=True))
