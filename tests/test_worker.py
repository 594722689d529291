"""The worker: one adapter, one JSON-RPC object per line, in any environment."""

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from toolassay import worker
from toolassay.worker import Fault, Session, load_factory

SCENARIO = {"model": [{"text": "hi"}], "users": ["go"]}

TARGETS = Path(__file__).parent / "data" / "bad_targets"

ADAPTER = """
import sys
from toolassay.adapter import Rejected, Unsupported, message, text_of

print("printed while importing")

class Adapter:
    def initialize(self):
        print("printed by initialize")
        return {"name": "mine", "operations": ["turn/run"], "facets": ["history", "requests"]}

    async def turn_run(self, play):
        print("printed by turn_run")
        if play.users == ("refuse",):
            raise Rejected("too-many", field="Tools", native=ValueError("full"))
        if play.users == ("swallow",):
            try:
                play.model([])
            except Exception:
                pass
        elif play.users == ("show nonsense",):
            try:
                play.model([{"role": "wizard"}])
            except Exception:
                pass
        elif play.users == ("raise",):
            raise LookupError("of the adapter")
        else:
            play.model([message("user", play.users[0])])
        return play.observation([message("user", play.users[0]), message("assistant", "hi")])

    def event_validate(self, event):
        if not isinstance(event, str):
            raise Rejected("encoding", event="", rule="utf-8")
        return {"status": "ok"}

    def arguments_sanitize(self, raw):
        return {"status": "ok", "stored": "{}", "executable": text_of(raw)}

def make():
    return Adapter()

class Mute:
    pass

class Few:
    def initialize(self):
        return {}

class Limited(Few):
    async def turn_run(self, play):
        raise Unsupported("no")
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("adapter")
    (folder / "mine.py").write_text(ADAPTER)
    return folder


@pytest.fixture
def session(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Session:
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, "mine", raising=False)
    session = Session("mine:make")
    ask(session, "initialize", {"protocol": 1})
    return session


def ask(session: Session, method: str, params: dict[str, Any]) -> dict[str, Any]:
    answer = json.loads(session.answer({"id": 1, "method": method, "params": params}))
    assert isinstance(answer, dict)
    return answer


def turn(user: str, **reply: object) -> dict[str, Any]:
    return {"scenario": {"model": [{"text": "hi", **reply}], "users": [user]}}


def test_a_coroutine_gives_an_observation(session: Session) -> None:
    result = ask(session, "turn/run", turn("go"))["result"]

    assert result["status"] == "ok"
    assert set(result["observation"]) == {"history", "requests"}


def test_a_refusal_of_a_scenario_says_what_was_refused(session: Session) -> None:
    result = ask(session, "turn/run", turn("refuse"))["result"]

    assert result == {
        "status": "rejected",
        "code": "too-many",
        "field": "Tools",
        "native": "full",
    }


def test_what_cannot_be_played_is_unsupported_even_if_the_exception_was_swallowed(
    session: Session,
) -> None:
    result = ask(session, "turn/run", turn("swallow", streamed=True))["result"]

    assert result["status"] == "unsupported"


def test_messages_that_are_none_are_the_adapter_s_fault_even_if_the_exception_was_swallowed(
    session: Session,
) -> None:
    error = ask(session, "turn/run", turn("show nonsense"))["error"]

    assert error["code"] == worker.ADAPTER_FAULT
    assert "role 'wizard'" in error["message"]


def test_what_was_raised_names_the_line_of_the_adapter(session: Session) -> None:
    words = ask(session, "turn/run", turn("raise"))["result"]["error"]["message"]

    line = ADAPTER.splitlines().index('            raise LookupError("of the adapter")') + 1
    assert words == f"LookupError: of the adapter (in turn_run, mine.py:{line})"


def test_an_object_that_is_no_adapter_is_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(folder))

    error = ask(Session("mine:Mute"), "initialize", {})["error"]
    assert error["message"] == "mine:Mute made Mute, which has no initialize()"


def test_a_stateless_operation_gives_its_outcome(session: Session) -> None:
    assert ask(session, "event/validate", {"event": "{}"})["result"] == {
        "status": "ok",
        "outcome": {"status": "ok"},
    }


def test_a_stateless_operation_that_refuses_gives_the_refusal(session: Session) -> None:
    assert ask(session, "event/validate", {"event": {"base64": "/w=="}})["result"] == {
        "status": "rejected",
        "outcome": {"status": "rejected", "code": "encoding", "rule": "utf-8"},
    }


def test_arguments_arrive_as_the_bytes_that_were_meant(session: Session) -> None:
    result = ask(session, "arguments/sanitize", {"arguments": {"base64": "/w=="}})["result"]

    assert result["outcome"]["executable"] == {"base64": "/w=="}


def test_an_operation_that_the_adapter_lacks_is_unsupported(session: Session) -> None:
    few = Session("mine:Few")
    ask(few, "initialize", {})

    assert ask(few, "turn/run", turn("go"))["result"]["status"] == "unsupported"


def test_an_adapter_that_says_so_is_unsupported(session: Session) -> None:
    limited = Session("mine:Limited")
    ask(limited, "initialize", {})

    assert ask(limited, "turn/run", turn("go"))["result"] == {"status": "unsupported", "why": "no"}


def test_a_request_before_initialize_and_an_unknown_method_are_errors(session: Session) -> None:
    assert ask(Session("mine:make"), "turn/run", turn("go"))["error"]["code"] == worker.BAD_REQUEST
    assert ask(session, "turn/fly", {})["error"]["code"] == worker.BAD_METHOD


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("nowhere:make", "no module named 'nowhere'"),
        ("bad:absent", "has no 'absent'"),
        ("bad:NOT_CALLABLE", "cannot be called"),
        ("needs_missing:make", "needs the module 'module_that_nobody_has'"),
        ("broken:make", "importing broken raised SyntaxError"),
    ],
)
def test_a_factory_that_cannot_be_had_says_why(
    spec: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken.py").write_text("def broken(:")
    monkeypatch.syspath_prepend(str(TARGETS))
    monkeypatch.syspath_prepend(str(tmp_path))

    with pytest.raises(Fault) as caught:
        load_factory(spec)
    assert words in caught.value.message


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("turn/run", {}),
        ("turn/run", {"scenario": []}),
        ("turn/run", {"scenario": {"model": [3]}}),
        ("event/validate", {"event": 3}),
        ("arguments/sanitize", {"arguments": {"base64": "?"}}),
        ("arguments/sanitize", {"arguments": {"base64": 3}}),
        ("arguments/sanitize", ["{}"]),
    ],
)
def test_parameters_of_the_wrong_shape_are_refused_and_end_nothing(
    session: Session, method: str, params: dict[str, Any]
) -> None:
    assert ask(session, method, params)["error"]["code"] == worker.BAD_PARAMS
    assert ask(session, "turn/run", turn("go"))["result"]["status"] == "ok"


def test_the_adapter_is_told_to_reset_by_its_method_of_that_name(session: Session) -> None:
    class Kept:
        resets = 0

        def reset(self) -> None:
            Kept.resets += 1

    assert "no reset()" in ask(session, "reset", {})["error"]["message"]
    session._adapter = Kept()
    assert ask(session, "reset", {})["result"] == {"status": "ok"}
    assert Kept.resets == 1


def test_lines_that_are_no_requests_are_answered_with_an_error() -> None:
    sink = io.BytesIO()

    worker.serve(Session("mine:make"), io.BytesIO(b'nonsense\n[1]\n{"method":"shutdown"}\n'), sink)

    answers = [json.loads(line) for line in sink.getvalue().splitlines()]
    assert [answer.get("error", {}).get("code") for answer in answers] == [
        worker.BAD_JSON,
        worker.BAD_REQUEST,
        None,
    ]


def test_the_worker_runs_where_the_kit_is_not_installed(folder: Path) -> None:
    requests = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocol": 1}},
        {"jsonrpc": "2.0", "id": 2, "method": "turn/run", "params": turn("go")},
        {"jsonrpc": "2.0", "id": 3, "method": "shutdown", "params": {}},
    ]
    lines = "".join(json.dumps(request) + "\n" for request in requests)

    # -S and -E leave out every installed package, the kit among them.
    done = subprocess.run(
        [sys.executable, "-S", "-E", worker.__file__, "mine:make"],
        cwd=folder,
        input=lines,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )

    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [answer["id"] for answer in answers] == [1, 2, 3]
    assert answers[1]["result"]["status"] == "ok"
    assert done.stderr.splitlines() == [
        "printed while importing",
        "printed by initialize",
        "printed by turn_run",
    ]


def test_the_modules_of_the_kit_do_not_hide_those_of_the_user(tmp_path: Path) -> None:
    (tmp_path / "errors.py").write_text(
        "class make:\n    def initialize(self):\n        return {}\n"
    )

    done = subprocess.run(
        [sys.executable, worker.__file__, "errors:make"],
        cwd=tmp_path,
        input='{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}\n',
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )

    assert json.loads(done.stdout)["result"] == {"protocol": 1, "window": worker.WINDOW}


def test_the_worker_says_how_it_is_called() -> None:
    done = subprocess.run(
        [sys.executable, worker.__file__], capture_output=True, text=True, check=False, timeout=60
    )

    assert (done.returncode, "usage" in done.stderr) == (2, True)
