"""Targets: whatever an adapter does, a case gets the right status and the next one runs."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from toolassay import worker
from toolassay.errors import (
    AdapterProtocolError,
    AdapterStartError,
    AdapterUnusableError,
    TargetSyntaxError,
)
from toolassay.runner.applies import withheld
from toolassay.runner.judging import offered
from toolassay.simulator.reference import Reference
from toolassay.spec.case import Case, Operation
from toolassay.spec.errors import UnknownNameError
from toolassay.spec.observation import Observation, Outcome
from toolassay.spec.scenario import Reply, Scenario
from toolassay.spec.text import Base64, Text
from toolassay.targets import process, stdio
from toolassay.targets.base import Answer, Target
from toolassay.targets.open import open_target
from toolassay.targets.python import InProcessTarget, PythonTarget
from toolassay.targets.sim import SimTarget

TARGETS = Path(__file__).parent / "data" / "bad_targets"

LONG_S = 60.0
"""A deadline that no answer misses; only what fails waits for it."""

SHORT_S = 0.5
"""A deadline for what never answers."""


def case(user: str = "go") -> Case:
    scenario = Scenario(model=(Reply(text="hi"),), users=(user,))
    return Case("a", "a", "t", "events", "positive", "turn/run", scenario)


def stateless(*, event: Text | None = None, arguments: Text | None = None) -> Case:
    operation: Operation = "event/validate" if event is not None else "arguments/sanitize"
    return Case("a", "a", "t", "events", "positive", operation, event=event, arguments=arguments)


def withheld_of(target: Target, asked: Case) -> tuple[str, ...]:
    """Name the declared facets that an answer lacks without a reason."""
    seen = target.run(asked, deadline_s=LONG_S).observation
    assert seen is not None
    return withheld(asked.operation, offered(target.implementation), seen)


@pytest.fixture
def bad(request: pytest.FixtureRequest) -> Iterator[PythonTarget]:
    """Open the bad target that the test names."""
    target = PythonTarget(f"bad:{request.param}", folder=TARGETS)
    yield target
    target.close()


@pytest.mark.parametrize(
    ("bad", "status", "words"),
    [
        ("raises", "raised", r"ValueError: no \ud800 luck"),
        ("exits_politely", "raised", "SystemExit: 3"),
        ("interrupts", "raised", "KeyboardInterrupt"),
        ("raises_what_cannot_print", "raised", "UnprintableError"),
        ("raises_in_coroutine", "raised", "ValueError: later"),
        ("exits", "crashed", "exit code 7"),
        ("exits_and_leaves_child", "crashed", "exit code 7"),
        ("segfaults", "crashed", "SIGSEGV"),
        ("writes_half_a_line", "crashed", "exit code 0 in the midst of a line of 23 bytes"),
        ("writes_noise", "error", "the line is no UTF-8: invalid start byte (byte 0)"),
        ("writes_without_end", "error", "more than"),
        ("answers_another_request", "error", "another request, 99, awaited was 2"),
        (
            "gives_nothing",
            "error",
            "turn_run() gave NoneType; it returns what play.observation() gives",
        ),
        ("gives_wrong_types", "error", "`$.history.messages[0].role`"),
        ("gives_unknown_facet", "error", "unknown key 'exections'"),
        ("gives_unserialisable", "error", "not JSON serializable"),
        ("gives_nan", "error", "no JSON"),
        ("gives_surrogate", "error", "surrogates not allowed"),
        ("gives_itself", "error", "Circular"),
        ("gives_deep", "error", "recursion"),
        ("gives_rather_deep", "error", "nested too deeply"),
        ("gives_huge", "error", "more than"),
    ],
    indirect=["bad"],
)
def test_a_misdeed_gets_its_status_and_the_next_case_still_runs(
    bad: PythonTarget, status: str, words: str
) -> None:
    answer = bad.run(case("bad"), deadline_s=LONG_S)

    assert answer.status == status
    assert words in answer.message
    assert answer.observation is None
    assert bad.run(case(), deadline_s=LONG_S).status == "ok"


@pytest.mark.parametrize("bad", ["hangs", "hangs_and_swallows", "hangs_with_child"], indirect=True)
def test_what_hangs_is_killed_at_its_deadline_and_the_next_case_still_runs(
    bad: PythonTarget,
) -> None:
    answer = bad.run(case("bad"), deadline_s=SHORT_S)

    assert answer == Answer("timeout", message="no answer within 0.5 s")
    assert bad.run(case(), deadline_s=LONG_S).status == "ok"


@pytest.mark.parametrize("bad", ["closes_its_pipes_and_hangs"], indirect=True)
def test_what_closes_its_pipes_and_hangs_is_not_waited_for(
    bad: PythonTarget, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "ENDING_S", 0.01)

    answer = bad.run(case("bad"), deadline_s=LONG_S)

    assert (answer.status, answer.message) == ("crashed", "the adapter closed its output")
    assert bad.run(case(), deadline_s=LONG_S).status == "ok"


@pytest.mark.parametrize("bad", ["floods_stderr", "floods_stdout", "reads_stdin"], indirect=True)
def test_prints_and_reads_of_an_implementation_do_not_meet_the_protocol(bad: PythonTarget) -> None:
    assert bad.run(case("bad"), deadline_s=LONG_S).status == "ok"


@pytest.mark.parametrize("bad", ["exits"], indirect=True)
def test_a_crash_shows_the_end_of_standard_error(bad: PythonTarget) -> None:
    assert bad.run(case("bad"), deadline_s=LONG_S).detail == "going down\n"


@pytest.mark.parametrize("bad", ["raises"], indirect=True)
def test_what_was_raised_shows_its_traceback(bad: PythonTarget) -> None:
    assert "in misdeed" in bad.run(case("bad"), deadline_s=LONG_S).detail


@pytest.mark.parametrize("bad", ["lacks_a_facet"], indirect=True)
def test_a_declared_facet_that_is_missing_is_named(bad: PythonTarget) -> None:
    assert withheld_of(bad, case("bad")) == ("executions",)


@pytest.mark.parametrize("bad", ["lacks_a_facet_with_reason"], indirect=True)
def test_a_declared_facet_that_is_left_out_with_a_reason_is_not_missing(bad: PythonTarget) -> None:
    assert withheld_of(bad, case("bad")) == ()


@pytest.mark.parametrize("bad", ["exits_always"], indirect=True)
def test_an_adapter_that_never_answers_is_given_up(bad: PythonTarget) -> None:
    for _ in range(stdio.FAILURES_BEFORE_ANSWER_MAX - 1):
        assert bad.run(case("bad"), deadline_s=LONG_S).status == "crashed"

    with pytest.raises(AdapterUnusableError) as caught:
        bad.run(case("bad"), deadline_s=LONG_S)
    assert caught.value.detail == "going down\n"


@pytest.mark.parametrize("bad", ["exits"], indirect=True)
def test_an_adapter_that_some_cases_defeat_is_not_given_up(bad: PythonTarget) -> None:
    """Before it is given up it is asked for the plainest scenario."""
    for _ in range(stdio.FAILURES_MAX + stdio.FAILURES_BEFORE_ANSWER_MAX):
        assert bad.run(case("bad"), deadline_s=LONG_S).status == "crashed"

    assert bad.run(case(), deadline_s=LONG_S).status == "ok"


@pytest.mark.parametrize("bad", ["exits"], indirect=True)
def test_an_adapter_that_has_answered_is_borne_with_longer(
    bad: PythonTarget, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stdio, "FAILURES_BEFORE_ANSWER_MAX", 1)
    bad.run(case(), deadline_s=LONG_S)

    assert bad.run(case("bad"), deadline_s=LONG_S).status == "crashed"


@pytest.mark.parametrize(
    ("factory", "words"),
    [
        ("declares_no_dict", "not a dict"),
        ("cannot_be_made", "RuntimeError: no licence key"),
        ("dies_at_start", "exit code 9 when it was started: dying early"),
        ("absent", "has no 'absent'"),
    ],
)
def test_an_adapter_that_cannot_be_started_says_why(factory: str, words: str) -> None:
    with pytest.raises(AdapterStartError, match=words) as caught:
        PythonTarget(f"bad:{factory}", folder=TARGETS)

    # Where it was found, a hint at where it is looked for would mislead.
    assert ("PYTHONPATH" in caught.value.hint) == (factory == "absent")


def test_what_an_adapter_wrote_before_it_died_is_kept() -> None:
    with pytest.raises(AdapterStartError) as caught:
        PythonTarget("bad:dies_at_start", folder=TARGETS)

    assert caught.value.detail == "dying early\n"


def test_an_interpreter_that_is_not_there_is_named() -> None:
    with pytest.raises(AdapterStartError, match="no-python' cannot be run"):
        PythonTarget("bad:raises", python="/nowhere/no-python", folder=TARGETS)


def test_an_unknown_facet_is_refused_with_what_is_near() -> None:
    with pytest.raises(AdapterProtocolError, match=r"unknown facet 'histroy'; there is history"):
        PythonTarget("bad:declares_nonsense", folder=TARGETS)


def test_an_unknown_feature_is_refused_with_what_is_near() -> None:
    with pytest.raises(AdapterProtocolError, match="unknown feature 'paralell'; there is parallel"):
        PythonTarget("bad:declares_a_misspelt_feature", folder=TARGETS)


ECHO = """
from toolassay.adapter import call, message, text_of

class Adapter:
    def initialize(self):
        return {"name": "echo", "version": "2", "features": ["next-turn"], "deterministic": True,
                "operations": ["turn/run", "event/validate", "arguments/sanitize"],
                "facets": ["history", "requests", "executions", "ending"]}

    def turn_run(self, play):
        history = []
        for turn, user in enumerate(play.users):
            history.append(message("user", user))
            reply = play.model(history)
            calls = [call(one.id, one.name, one.arguments) for one in reply.calls]
            history.append(message("assistant", reply.text, calls=calls))
            play.ended(turn, "done")
        return play.observation(history)

    def event_validate(self, event):
        return {"status": "rejected" if event == "{}" else "ok", "code": "empty"}

    def arguments_sanitize(self, raw):
        return {"status": "ok", "stored": "{}", "executable": text_of(raw)}
"""


@pytest.fixture(scope="module", params=["worker", "in process"])
def echo(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Target]:
    folder = tmp_path_factory.mktemp("echo")
    (folder / "echo_adapter.py").write_text(ECHO)
    patch = pytest.MonkeyPatch()
    patch.chdir(folder)
    patch.setattr(sys, "path", list(sys.path))
    target = open_target("python:echo_adapter:Adapter", in_process=request.param == "in process")
    yield target
    target.close()
    patch.undo()


def test_an_implementation_says_what_it_is(echo: Target) -> None:
    said = echo.implementation

    assert (said.name, said.version, said.features) == ("echo", "2", ("next-turn",))
    assert said.target == "python:echo_adapter:Adapter"


def test_a_scenario_gives_an_observation(echo: Target) -> None:
    answer = echo.run(case(), deadline_s=LONG_S)

    assert answer.status == "ok"
    assert answer.observation is not None
    assert answer.observation.history is not None
    assert [message.text for message in answer.observation.history.messages] == ["go", "hi"]


def test_a_refusal_by_a_stateless_operation_is_an_observation(echo: Target) -> None:
    refused = Observation(outcome=Outcome("rejected", "empty"))

    assert echo.run(stateless(event="{}"), deadline_s=LONG_S) == Answer("ok", refused)


def test_bytes_that_are_no_text_reach_the_implementation_and_come_back(echo: Target) -> None:
    answer = echo.run(stateless(arguments=Base64("/w==")), deadline_s=LONG_S)

    outcome = Outcome("ok", stored="{}", executable=Base64("/w=="))
    assert answer == Answer("ok", Observation(outcome=outcome))


def test_in_process_an_exception_is_raised_and_ctrl_c_reaches_the_kit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(str(TARGETS))

    assert InProcessTarget("bad:raises").run(case("bad")).status == "raised"
    with pytest.raises(KeyboardInterrupt):
        InProcessTarget("bad:interrupts").run(case("bad"))


def test_the_simulator_answers_every_operation() -> None:
    target = open_target("sim")

    assert withheld_of(target, case()) == ()
    for asked in (case(), stateless(event="{}"), stateless(arguments="{}")):
        assert target.run(asked).status == "ok"


def test_a_simulator_that_throws_is_an_answer() -> None:
    class Broken(Reference):
        def turn_run(self, *_: object, **__: object) -> Observation:
            raise ValueError("planted")

    answer = SimTarget(Broken()).run(case())

    assert (answer.status, answer.message) == ("raised", "ValueError: planted")


@pytest.mark.parametrize(
    ("spec", "near"),
    [
        ("simm", ("sim",)),
        ("recordd:x", ("recorded:PATH",)),
        ("zzz", ()),
        ("python", ("python:MODULE:FACTORY",)),
    ],
)
def test_an_unknown_target_is_named_with_what_is_near(spec: str, near: tuple[str, ...]) -> None:
    with pytest.raises(UnknownNameError) as caught:
        open_target(spec)

    assert caught.value.near == near
    assert "recorded:PATH" in caught.value.hint


@pytest.mark.parametrize("spec", ["python:module", "python:", "python:a b:c", "recorded:"])
def test_a_target_that_is_not_written_right_is_refused(spec: str) -> None:
    with pytest.raises(TargetSyntaxError):
        open_target(spec)


def test_another_interpreter_and_this_process_exclude_each_other() -> None:
    with pytest.raises(TargetSyntaxError):
        open_target("python:a:b", python="python3", in_process=True)


def test_the_worker_is_a_file_beside_the_kit() -> None:
    assert Path(worker.__file__).name == "worker.py"
