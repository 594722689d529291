"""Adapters behind pipes: whatever comes, the right case gets its status, and the run goes on."""

from __future__ import annotations

import json
import os
import shlex
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fakes import REGISTER

from toolassay.cli import run_cli
from toolassay.errors import (
    AdapterProtocolError,
    AdapterStartError,
    AdapterUnusableError,
    TargetSyntaxError,
)
from toolassay.plugin.settings import names_a_file
from toolassay.reports.digest import case_digest
from toolassay.results import CaseFinished, CaseResult, Event, RunFinished, RunStarted
from toolassay.runner import Plan, rules_of, run
from toolassay.spec.case import Case
from toolassay.targets import conversation, process
from toolassay.targets.base import Answer, Target
from toolassay.targets.command import words_of
from toolassay.targets.conversation import Conversation
from toolassay.targets.open import open_target
from toolassay.targets.process import STDERR_MAX, Line, Process
from toolassay.targets.requests import params_of
from toolassay.targets.stdio import StdioTarget

PUPPET = Path(__file__).parent / "puppet.py"

LONG_S = 60.0
"""A deadline that no answer misses; only what fails waits for it."""

SHORT_S = 0.5
"""A deadline for what never answers."""

Make = Callable[..., StdioTarget]


def case(text: str, vector: str = "a.b") -> Case:
    """Give a case of one argument text."""
    name = f"{vector}[text={text}]"
    return Case(name, vector, "t", "events", "positive", "arguments/sanitize", arguments=text)


BAD_THIRD = [case("one"), case("two"), case("bad"), *map(case, ("four", "five", "six"))]


@pytest.fixture
def puppet(tmp_path: Path) -> Iterator[Make]:
    """Start puppets; end them all."""
    made: list[StdioTarget] = []

    def make(misdeed: str = "", window: int = 1, **description: object) -> StdioTarget:
        words = (str(window), misdeed, json.dumps(description))
        command = (sys.executable, "-S", "-E", str(PUPPET), *words)
        made.append(StdioTarget(command, "stdio:puppet", folder=tmp_path))
        return made[-1]

    yield make
    for target in made:
        target.close()


def answers(target: StdioTarget, cases: list[Case], deadline_s: float = LONG_S) -> list[Answer]:
    """Run cases as the engine does: they are told of beforehand."""
    target.foresee(cases, 0, deadline_s)
    return [target.run(one, 0, deadline_s) for one in cases]


def asked(folder: Path) -> list[str]:
    """Give what puppets were asked, in order."""
    return (folder / "asked").read_text(encoding="utf-8").splitlines()


MISDEEDS = [
    ("say(b'hello\\n')",
     "error", "invalid character (byte 0): `hello`; standard output holds answers only, one JSON"),
    ("say(b'\\n')", "error", "an empty line; standard output holds answers only"),
    ("give(number, result={'status': 'ok', 'outcome': {'status': 'ok', 'stored': {'path': 'a'}}})",
     "error", "`$.stored`; `stored` is a Text: write the JSON as a string"),
    ("say(b'[]\\n')", "error", "the line has the wrong shape: Expected `object`, got `array`"),
    ("say(b'{\"id\": \"\\xc3\\x28\"}\\n')",
     "error", "the line is no UTF-8: invalid continuation byte (byte 8)"),
    ("say(b'{\"jsonrpc\":\"2.0\",\"result\":{}}\\n')", "error", "missing required field `id`"),
    ("give(None, error={'code': -32700, 'message': 'what?'})",
     "error", "answers no request, awaited was 4: what?"),
    ("give(str(number), result={})", "error", "Expected `int | null`, got `str` - at `$.id`"),
    ("give(99, result={})", "error", "the line answers another request, 99, awaited was 4"),
    ("give(2, result={})", "error", "request 2 was answered a second time"),
    ("say(b'{\"id\":4,\"result\":{}}\\n')", "error", "missing required field `jsonrpc`"),
    ("give(number)", "error", "neither a result nor an error"),
    ("give(number, result={}, error={'code': 1, 'message': ''})",
     "error", "both a result and an error"),
    ("say(b'x' * 2_000_000)", "error", "the answer has more than 1000000 bytes"),
    ("os._exit(7)", "crashed", "the adapter ended with exit code 7"),
    ("os.kill(0, 9)", "crashed", "the adapter was ended by SIGKILL"),
    ("say(b'{\"id\":'); os._exit(0)",
     "crashed", 'ended with exit code 0 in the midst of a line of 6 bytes: `{"id":`'),
    ("os.fork() or os.execvp('sleep', ['sleep', '600']); os._exit(3)", "crashed", "exit code 3"),
]  # fmt: skip
"""What an adapter does in place of an answer, and what comes of that case."""


@pytest.mark.parametrize("window", [1, 2, 8])
@pytest.mark.parametrize(("misdeed", "status", "words"), MISDEEDS)
def test_a_fault_of_the_wire_is_the_fault_of_its_case_alone(
    puppet: Make,
    monkeypatch: pytest.MonkeyPatch,
    misdeed: str,
    status: str,
    words: str,
    window: int,
) -> None:
    monkeypatch.setattr(process, "LINE_MAX", 1_000_000)

    found = answers(puppet(misdeed, window), BAD_THIRD)

    assert [one.status for one in found] == ["ok", "ok", status, "ok", "ok", "ok"]
    assert words in found[2].message


@pytest.mark.parametrize("window", [1, 8])
@pytest.mark.parametrize(
    ("misdeed", "words"),
    [
        ("import time; time.sleep(600)", "no answer within 0.5 s"),
        (
            "say(b'{\"id\"'); import time; time.sleep(600)",
            'no answer within 0.5 s, but a line without its end, of 5 bytes: `{"id"`',
        ),
        (
            "import signal, time; signal.signal(15, signal.SIG_IGN); time.sleep(600)",
            "no answer within 0.5 s",
        ),
    ],
)
def test_what_hangs_is_killed_at_its_deadline_and_what_was_sent_after_it_is_sent_again(
    puppet: Make, tmp_path: Path, misdeed: str, words: str, window: int
) -> None:
    target = puppet(misdeed, window)
    target.foresee(BAD_THIRD, 0, LONG_S)
    first = [target.run(one, 0, LONG_S) for one in BAD_THIRD[:2]]
    found = [*first, *answers(target, BAD_THIRD[2:3], SHORT_S), *answers(target, BAD_THIRD[3:])]

    assert [one.status for one in found] == ["ok", "ok", "timeout", "ok", "ok", "ok"]
    assert found[2].message == words


@pytest.mark.parametrize("window", [1, 8])
@pytest.mark.parametrize(
    "misdeed",
    [
        "ok(number); ok(number)",
        "ok(number); say(b'x')",
        "ok(number); say(b'x\\n' * 20_000)",
        "ok(number); say(b'x' * 20_000_000)",
        "ok(number); give(None, result={})",
    ],
)
def test_what_nobody_asked_for_is_held_against_the_next_case(
    puppet: Make, monkeypatch: pytest.MonkeyPatch, misdeed: str, window: int
) -> None:
    monkeypatch.setattr(process, "LINE_MAX", 1_000_000)

    found = answers(puppet(misdeed, window), BAD_THIRD)

    assert [one.status for one in found] == ["ok", "ok", "ok", "error", "ok", "ok"]


def test_an_answer_to_a_request_that_was_not_sent_is_none(puppet: Make) -> None:
    """Numbers can be guessed; the guess is not taken for an answer."""
    found = answers(puppet("say(good(number) + good(number + 1))"), BAD_THIRD)

    assert [one.status for one in found] == ["ok", "ok", "ok", "error", "ok", "ok"]
    assert "something came before request 5 was sent" in found[3].message


def test_answers_come_in_the_order_of_the_requests(puppet: Make) -> None:
    turned = "following = json.loads(sys.stdin.buffer.readline()); ok(following['id'])"

    found = answers(puppet(turned, 8), BAD_THIRD)

    assert [one.status for one in found] == ["ok", "ok", "error", "ok", "ok", "ok"]
    assert "request 5 was answered before request 4" in found[2].message


def test_a_window_lets_that_many_requests_wait_and_no_more(puppet: Make, tmp_path: Path) -> None:
    peek = (
        "more = [json.loads(sys.stdin.buffer.readline())['id'] for _ in range(3)];"
        "import select; open('left', 'w').write(str(select.select([0], [], [], 0)[0]));"
        "ok(number); [ok(one) for one in more]"
    )
    cases = [case("bad"), *(case(str(n)) for n in range(12))]

    found = answers(puppet(peek, 4), cases)

    numbers = [one.observation.outcome.executable for one in found]  # type: ignore[union-attr]
    assert numbers == [str(number) for number in range(2, 15)]  # each its own answer
    assert (tmp_path / "left").read_text() == "[]"


def test_a_request_larger_than_all_pipes_is_sent_while_answers_come(puppet: Make) -> None:
    cases = [case(str(n) * 300_000) for n in range(8)]

    assert {one.status for one in answers(puppet(window=8), cases)} == {"ok"}


def test_a_flood_of_standard_error_is_drained_and_kept_to_a_bound(puppet: Make) -> None:
    flood = "[os.write(2, b'x' * 65536) for _ in range(64)]; os.write(2, b'the end'); os._exit(1)"

    found = answers(puppet(flood, 8), BAD_THIRD)

    assert [one.status for one in found] == ["ok", "ok", "crashed", "ok", "ok", "ok"]
    assert len(found[2].detail) == STDERR_MAX
    assert found[2].detail.endswith("the end")


def test_a_fault_of_the_adapter_is_no_fault_of_the_wire(puppet: Make, tmp_path: Path) -> None:
    error = "give(number, error={'code': -32001, 'message': 'no', 'data': {'detail': 'why'}})"

    found = answers(puppet(error, 8), BAD_THIRD)

    assert found[2] == Answer("error", message="no (-32001)", detail="why")
    assert asked(tmp_path).count("initialize") == 1


# --- what comes next ------------------------------------------------------------------------


def test_what_was_foreseen_and_is_passed_over_is_not_missed(puppet: Make, tmp_path: Path) -> None:
    target = puppet("os._exit(1)", 8)
    target.foresee(BAD_THIRD, 0, LONG_S)

    assert [target.run(BAD_THIRD[n], 0, LONG_S).status for n in (0, 1, 2)] == [
        "ok",
        "ok",
        "crashed",
    ]
    # The process is gone, and so nothing was sent to the new one yet.
    assert target.run(BAD_THIRD[5], 0, LONG_S).status == "ok"
    target.close()
    last = asked(tmp_path)[asked(tmp_path).index("initialize", 1) :]
    assert last == ["initialize", "arguments/sanitize six", "shutdown"]


def test_what_nobody_foresaw_is_run_all_the_same(puppet: Make) -> None:
    target = puppet(window=8)
    target.foresee(BAD_THIRD, 0, LONG_S)

    assert target.run(BAD_THIRD[0], 0, LONG_S).status == "ok"
    assert target.run(case("other"), 7, LONG_S).status == "ok"
    assert target.run(BAD_THIRD[1], 0, LONG_S).status == "ok"


def test_a_request_has_its_time_from_the_answer_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A deadline is for one case, however long it waited behind others."""
    now = 100.0
    ends: list[float] = []

    class Scripted:
        def __init__(self, *_: object) -> None:
            self.waiting = 0
            self.number = 0

        def send(self, data: bytes) -> None: ...

        def come(self, _lines: int) -> bytes:
            return b""

        def line(self, end: float) -> Line:
            nonlocal now
            ends.append(end)
            now += 3.0
            self.number += 1
            result = {"protocol": 1, "name": "x", "operations": ["turn/run"], "window": 8}
            said = {"jsonrpc": "2.0", "id": self.number, "result": result}
            return Line("ok", json.dumps(said).encode())

    monkeypatch.setattr(conversation, "Process", Scripted)
    monkeypatch.setattr(time, "monotonic", lambda: now)
    talk = Conversation(("x",), Path())
    talk.described(talk.begin(60.0))
    for _ in range(3):
        talk.send("arguments/sanitize", {}, 5.0)
    for _ in range(3):
        talk.receive()

    assert ends == [160.0, 108.0, 111.0, 114.0]


@pytest.mark.parametrize("window", [1, 2, 8])
def test_a_reset_precedes_every_case_where_it_is_declared(
    puppet: Make, tmp_path: Path, window: int
) -> None:
    target = puppet("os._exit(1)", window, reset=True)
    found = answers(target, BAD_THIRD[:4])
    target.close()

    assert [one.status for one in found] == ["ok", "ok", "crashed", "ok"]
    words = asked(tmp_path)
    before = [words[n - 1] for n, word in enumerate(words) if word.startswith("arguments")]
    assert set(before) == {"reset"}


# --- how it begins and ends -----------------------------------------------------------------


def test_an_adapter_is_asked_to_end_and_its_input_is_closed(puppet: Make, tmp_path: Path) -> None:
    target = puppet()
    target.close()
    target.close()

    assert asked(tmp_path) == ["initialize", "shutdown"]


def test_an_adapter_that_will_not_end_is_killed_with_its_children(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "SHUTDOWN_S", 0.05)
    monkeypatch.setattr(process, "TERMINATE_S", 0.05)
    script = (
        "import os, signal, time; signal.signal(15, signal.SIG_IGN);"
        "child = os.fork(); print(os.getpid(), flush=True) if child == 0 else None;"
        "time.sleep(600)"
    )
    running = Process([sys.executable, "-S", "-E", "-c", script], tmp_path)
    child = int(running.line(time.monotonic() + LONG_S).data)

    running.end(b"")

    assert running._process.returncode == -signal.SIGKILL
    end = time.monotonic() + LONG_S  # a signal takes a moment
    while _alive(child):
        assert time.monotonic() < end
        os.sched_yield()


def _alive(number: int) -> bool:
    """Tell whether a process runs; one that is dead may not have been noticed yet."""
    try:
        os.kill(number, 0)
        state = Path(f"/proc/{number}/stat")
        return not state.exists() or state.read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except ProcessLookupError:
        return False


@pytest.mark.parametrize(
    ("description", "words"),
    [
        ({"protocol": 2}, "gives version 2 of the protocol, and the kit speaks 1"),
        ({"protocol": None}, "gives no version of the protocol"),
        ({"operations": []}, "declares no operation; there is turn/run"),
        ({"window": 0}, "gives the window 0, not 1 to 64"),
        ({"window": 65}, "gives the window 65, not 1 to 64"),
        ({"reset": 1}, "Expected `bool`, got `int` - at `$.reset`"),
        ({"name": None}, "Expected `str`, got `null` - at `$.name`"),
        ({"operations": ["turn/rum"]}, "unknown operation 'turn/rum'; there is turn/run"),
        ({"facets": ["histroy"]}, "unknown facet 'histroy'; there is history"),
        ({"features": ["paralell"]}, "unknown feature 'paralell'; there is parallel"),
        ({"features": ["\u001b[2J"]}, r"unknown feature '\\x1b[2J'"),
    ],
)
def test_what_an_adapter_says_of_itself_is_read_strictly(
    puppet: Make, description: dict[str, object], words: str
) -> None:
    with pytest.raises(AdapterProtocolError) as caught:
        puppet(**description)

    assert words in str(caught.value)


LOST = '{"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"no ai"}}'
"""How an adapter says that its implementation cannot be loaded."""


def test_what_a_later_version_may_add_is_passed_over(puppet: Make) -> None:
    assert puppet(colour="green").implementation.name == "puppet"


@pytest.mark.parametrize(
    ("script", "words", "hint"),
    [
        (
            "import time; time.sleep(600)",
            "no answer within 0.3 s when it was started",
            "is the answer flushed, and ended by a newline? --start gives it longer",
        ),
        (
            "import sys, time; print('{}', end='', flush=True); time.sleep(600)",
            "no answer within 0.3 s, but a line without its end, of 2 bytes: `{}` when it was",
            "is the answer flushed, and ended by a newline?",
        ),
        (
            "import sys; sys.exit('no licence')",
            "ended with exit code 1 when it was started: no lic",
            "toolassay's docs/adapter-protocol.md",
        ),
        (
            "print('Welcome!', flush=True); input()",
            "in place of an answer to initialize: the line is no JSON: JSON is malformed: invalid",
            "print to standard error",
        ),
        (
            "print('{\\n  \"jsonrpc\": 2}', flush=True); input()",
            ": `{`",
            "one JSON object per line",
        ),
        ("print('\\x1b[2Jhi', flush=True); input()", ": `\\x1b[2Jhi`", "print to standard error"),
        (
            "print('x' * 9000, flush=True); input()",
            f"`{'x' * 197}...`",
            "print to standard error",
        ),
        (
            "raise SystemExit('a\\nError [NOT_FOUND]: no ai\\n  at x\\n}\\n\\nNode.js v20')",
            "when it was started: Error [NOT_FOUND]: no ai",
            "the fault is in the adapter",
        ),
        (
            f"print({LOST!r}, flush=True); input()",
            "stdio:x: no ai",
            "look at what it loads",
        ),
    ],
)  # fmt: skip
def test_an_adapter_that_does_not_begin_says_why(
    script: str, words: str, hint: str, tmp_path: Path
) -> None:
    command = (sys.executable, "-S", "-E", "-c", script)

    with pytest.raises(AdapterStartError) as caught:
        StdioTarget(
            command, "stdio:x", folder=tmp_path, start_s=0.3 if "sleep" in script else LONG_S
        )
    assert words in str(caught.value)
    assert hint in caught.value.hint
    assert "PYTHONPATH" not in caught.value.hint


@pytest.mark.parametrize("said", ["flag", "configuration"])
def test_how_long_a_start_may_take_can_be_said(
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    if said == "configuration":
        (tmp_path / "pyproject.toml").write_text("[tool.toolassay]\nstart = 0.3\n")
    flags = ["--start", "0.3"] if said == "flag" else []

    assert run_cli(["run", "stdio:sleep 600", *flags]) == 4
    assert "no answer within 0.3 s when it was started" in capsys.readouterr().err


def test_a_test_file_s_command_runs_in_its_folder_if_that_holds_a_word_of_it(
    tmp_path: Path,
) -> None:
    (tmp_path / "adapter.mjs").touch()

    assert names_a_file("stdio:node adapter.mjs --fast", tmp_path)
    assert names_a_file("stdio:./adapter.mjs", tmp_path)
    assert not names_a_file("stdio:node other.mjs", tmp_path)
    assert not names_a_file("stdio:'", tmp_path)


@pytest.mark.parametrize("command", ["", "  ", "''", "a 'b"])
def test_a_command_that_is_none_is_refused(command: str) -> None:
    with pytest.raises(TargetSyntaxError):
        open_target(f"stdio:{command}")


def test_a_command_that_is_not_there_is_named_with_its_folder(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no program")

    with pytest.raises(AdapterStartError, match=rf"'\./no-such' cannot be run: .*in {tmp_path}"):
        open_target("stdio:./no-such --flag", folder=tmp_path)
    with pytest.raises(AdapterStartError, match=r"'\./text' cannot be run: Permission denied"):
        open_target("stdio:./text", folder=tmp_path)


@pytest.mark.parametrize(
    ("command", "hint"),
    [
        ("./my agent.py", "there is no program './my'; the command was split at blanks"),
        ("no-such-program-at-all x", "there is no program 'no-such-program-at-all'"),
        ("plain", "written with it: stdio:./plain"),
        ("./plain", "chmod +x makes it a program; or name its interpreter, as in python3 ./plain"),
        ("./lost", "not the interpreter that its first line names: `#!/nowhere/\\x1b[2Jpython`"),
        ("./odd", "its first line names its interpreter"),
        ("./folder", "'./folder' is a folder, and no program"),
    ],
)
def test_a_command_that_cannot_be_run_is_told_what_to_do(
    command: str, hint: str, tmp_path: Path
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "plain").write_text("no program")
    for name, text in (("lost", "#!/nowhere/\x1b[2Jpython\n"), ("odd", "no program")):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)

    with pytest.raises(AdapterStartError) as caught:
        open_target(f"stdio:{command}", folder=tmp_path)
    assert hint in caught.value.hint


def test_a_folder_that_is_not_there_is_not_blamed_on_the_program(tmp_path: Path) -> None:
    with pytest.raises(AdapterStartError, match="there is no such folder"):
        open_target("stdio:sh -c true", folder=tmp_path / "gone")


@pytest.mark.parametrize(
    ("command", "word"),
    [
        ("node a.mjs | tee log", "|"),
        ("cd agent && node a.mjs", "&&"),
        ("node a.mjs || true", "||"),
        ("cd agent ; node a.mjs", ";"),
        ("cd agent; node a.mjs", "agent;"),
        ("node a.mjs &", "&"),
        ("node a.mjs > log", ">"),
        ("node a.mjs 2>log", "2>log"),
        ("node a.mjs 2>&1", "2>&1"),
        ("node a.mjs < in", "<"),
        ("node ~/a.mjs", "~/a.mjs"),
        ("~/adapter", "~/adapter"),
        ("$HOME/adapter", "$HOME/adapter"),
        ('node "${HOME}/a.mjs"', "${HOME}/a.mjs"),
        ("node $(which a)", "$(which"),
        ("MODE=fast node a.mjs", "MODE=fast"),
    ],
)
def test_shell_syntax_is_refused_before_anything_runs(
    command: str, word: str, tmp_path: Path
) -> None:
    """It would be handed on as it stands, and something else would be judged."""
    with pytest.raises(TargetSyntaxError) as caught:
        open_target(f"stdio:{command}", folder=tmp_path)

    assert f"holds {word!r}: this is shell syntax" in caught.value.message
    assert "stdio:sh -c '...'" in caught.value.hint
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "command",
    [
        "sh -c 'cd agent && exec node a.mjs 2>>log'",
        'sh -c "cd agent; exec node"',
        r"a \> \$x '~/b' '$c' \;",
        "a 'x;' --flag='a > b' '|'",
        "env MODE=fast node a.mjs",
        "a MODE=fast --url=http://h/?a=1&b=2 x~ a$b 5 '' \"\" -> => a|b",
        """a 'it'"'"'s' "say \\"hi\\" > x" """,
    ],
)
def test_what_is_quoted_or_stands_inside_a_word_is_no_shell_syntax(command: str) -> None:
    assert words_of("stdio:x", command) == tuple(shlex.split(command))


def test_a_command_is_split_as_a_shell_would_and_read_by_none(tmp_path: Path) -> None:
    script = "import sys; sys.exit(repr(sys.argv[1:]))"
    command = f"{shlex.quote(sys.executable)} -c {shlex.quote(script)} 'a b' '$HOME' *"

    with pytest.raises(AdapterStartError) as caught:
        open_target(f"stdio:{command}", folder=tmp_path)
    assert caught.value.detail == "['a b', '$HOME', '*']\n"


def test_nothing_of_the_case_but_its_input_reaches_the_implementation() -> None:
    import msgspec

    params = msgspec.to_builtins(params_of(case("{}"), "token", 3, 10.0))

    assert params == {"token": "token", "seed": 3, "deadline_ms": 10_000, "arguments": "{}"}


def test_an_adapter_that_never_answers_is_given_up(puppet: Make) -> None:
    target = puppet("#always\nos.write(2, b'going down'); os._exit(7)", 8)
    bad = [case("bad") for _ in range(5)]
    target.foresee(bad, 0, LONG_S)
    assert {target.run(one, 0, LONG_S).status for one in bad[:4]} == {"crashed"}

    with pytest.raises(AdapterUnusableError) as caught:
        target.run(bad[4], 0, LONG_S)
    assert caught.value.detail == "going down"


def test_an_adapter_that_some_cases_defeat_is_not_given_up(puppet: Make) -> None:
    """Before it is given up it is asked for the plainest input."""
    found = answers(puppet("os._exit(7)", 8), [case("bad") for _ in range(7)])

    assert {one.status for one in found} == {"crashed"}


# --- the engine -----------------------------------------------------------------------------


def results(plan: Plan) -> tuple[list[CaseResult], RunFinished]:
    """Run a plan."""
    found: list[CaseResult] = []

    def take(event: Event) -> None:
        if isinstance(event, CaseFinished):
            found.append(event.result)

    return found, run(plan, take)


def plan_of(
    target: Target,
    cases: list[Case],
    *,
    more: Callable[[], Target] | None = None,
    deadline_s: float = LONG_S,
    stop_first: bool = False,
) -> Plan:
    """Put a run together."""
    rules = rules_of(REGISTER, REGISTER.profile("core"))
    started = RunStarted("x", "x", "", True, rules.profile, 0, len(cases), "")
    return Plan(
        target, cases, rules, started, more, None, None, 0, deadline_s, stop_first, 2 if more else 1
    )


@pytest.mark.parametrize("window", [1, 8])
@pytest.mark.parametrize("several", [False, True])
def test_the_rest_of_a_vector_that_hangs_is_spared_whatever_was_sent_ahead(
    puppet: Make, tmp_path: Path, window: int, several: bool
) -> None:
    hang = "import time; time.sleep(600)"
    slow = [case("bad", "a.slow") for _ in range(8)]
    cases = [case("one"), *slow, *(case(str(n), f"a.v{n}") for n in range(9))]
    more = (lambda: puppet(hang, window)) if several else None

    found, finished = results(plan_of(puppet(hang, window), cases, more=more, deadline_s=0.2))

    assert [one.case.id for one in found] == [one.id for one in cases]
    statuses = [one.status for one in found]
    assert statuses[1:9] == ["timeout"] * 5 + ["not_run"] * 3
    assert not {"timeout", "not_run", "crashed", "error"} & set(statuses[9:])
    assert finished.exit_code == 3 or "fail" in statuses


@pytest.mark.parametrize("window", [1, 8])
def test_the_first_failure_ends_a_run_whatever_was_sent_ahead(puppet: Make, window: int) -> None:
    found, _ = results(plan_of(puppet("os._exit(1)", window), BAD_THIRD[2:], stop_first=True))

    assert [one.status for one in found] == ["crashed"]


def test_an_interrupted_run_ends_at_once_and_tells_what_it_had(puppet: Make) -> None:
    """Workers that are in the midst of a case that hangs are not waited for."""
    hang = "import time; time.sleep(600)"
    cases = [case("one", "a.v0"), *(case("bad", f"a.v{n}") for n in range(1, 9))]
    seen: list[str] = []

    def take(event: Event) -> None:
        if isinstance(event, CaseFinished):
            seen.append(event.result.case.id)
            raise KeyboardInterrupt

    finished = run(plan_of(puppet(hang), cases, more=lambda: puppet(hang)), take)

    assert (finished.exit_code, seen) == (130, ["a.v0[text=one]"])


@pytest.fixture(scope="module")
def shipped() -> list[Case]:
    """Give a part of the shipped cases."""
    from toolassay.authoring.packs import load_pack_cases

    return list(load_pack_cases())[::9]


@pytest.fixture(scope="module")
def in_process(shipped: list[Case]) -> list[str]:
    """Give the digests of the reference in this process."""
    return [case_digest(one) for one in results(plan_of(open_target("sim"), shipped))[0]]


@pytest.mark.parametrize("window", [1, 5, 64])
@pytest.mark.parametrize("several", [False, True])
def test_the_reference_over_the_wire_has_the_digest_of_the_one_in_process(
    shipped: list[Case], in_process: list[str], window: int, several: bool
) -> None:
    made: list[StdioTarget] = []

    def wired() -> StdioTarget:
        target = open_target("sim+stdio", smoke=not made)
        assert isinstance(target, StdioTarget)
        assert target._conversation is not None
        target._conversation.window = window
        made.append(target)
        return target

    found, finished = results(plan_of(wired(), shipped, more=wired if several else None))
    for target in made:
        target.close()

    assert [case_digest(one) for one in found] == in_process
    assert finished.exit_code == 0
