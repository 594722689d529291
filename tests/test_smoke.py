"""The smoke test: an adapter from which nothing could be learned is not judged, and told why."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from toolassay.cli import run_cli
from toolassay.errors import SmokeError
from toolassay.targets.open import open_target

PUPPET = Path(__file__).parent / "puppet.py"

ADAPTER = """
from toolassay.adapter import Rejected, Unsupported, call, message

class Good:
    asks, shows, facets = True, True, ["history", "requests"]
    operations = ["turn/run"]

    def initialize(self):
        return {"name": "mine", "operations": self.operations, "facets": self.facets}

    def turn_run(self, play):
        self.before(play)
        history = [message("user", play.users[0])]
        while True:
            reply = play.model(history) if self.asks else None
            calls = [call(one.id, one.name, one.arguments) for one in reply.calls] if reply else ()
            history.append(message("assistant", reply.text if reply else "done", calls=calls))
            if not calls:
                return self.seen(play, history)
            for one, tool in zip(reply.calls, play.tools):
                history.append(message("tool", tool.call(one.arguments), tool_use_id=one.id))

    def before(self, play):
        pass

    def seen(self, play, history):
        return play.observation(history=history)

class NeverAsks(Good):
    asks = False

class CutRequests(NeverAsks):
    def seen(self, play, history):
        return play.observation(history, status={"requests": ("cut", "no hook")})

class LacksAFacet(Good):
    facets = ["history", "requests", "ending"]

class LeavesOutWithReason(LacksAFacet):
    def seen(self, play, history):
        return play.observation(history=history, omitted={"ending": "no hook"})

class HidesTheCall(Good):
    facets = ["history", "ending"]

    def seen(self, play, history):
        play.ended(0, "done")
        return play.observation(history=[history[0], history[-1]])

class SaysItIsNotWhole(HidesTheCall):
    def seen(self, play, history):
        play.ended(0, "done")
        cut = {"history": ("cut", "the last two alone")}
        return play.observation([history[0], history[-1]], status=cut)

class ShowsEndingsAlone(HidesTheCall):
    facets = ["ending"]

    def seen(self, play, history):
        play.ended(0, "done")
        return play.observation()

class Wrong(Good):
    def seen(self, play, history):
        history[-1]["text"] = "something else"
        return play.observation(history=history)

class Raises(Good):
    def before(self, play):
        raise LookupError("no such model")

class Refuses(Good):
    def before(self, play):
        raise Rejected("too-many")

class CannotCall(Good):
    def before(self, play):
        if play.tools:
            raise Unsupported("no tools")

class Dies(Good):
    def before(self, play):
        import os
        os.write(2, b"going down")
        os._exit(3)

class Hangs(Good):
    def before(self, play):
        import time
        time.sleep(600)

class NoTurns(Good):
    facets = ["history", "ending"]

    def seen(self, play, history):
        return {**play.observation(history=history), "ending": {"turns": []}}

class Aliases(Good):
    facets = ["history", "requests", "ending"]

    def seen(self, play, history):
        play.ended(0, "done")
        shown = play.observation(history=history)
        requests = shown["requests"]["requests"]
        shown["requests"]["requests"] = [history for _ in requests]
        return shown

class AliasesUpToTheResult(Aliases):
    def seen(self, play, history):
        shown = super().seen(play, history)
        hidden = [one for one in history if not one.get("calls")]
        shown["requests"]["requests"] = [hidden[:2], hidden]
        shown["requests"]["requests"][0] = [one for one in hidden if one["role"] != "assistant"]
        return shown

class Remembers(Good):
    kept = []

    def seen(self, play, history):
        self.kept.extend(history)
        return play.observation(history=list(self.kept))

class RemembersForItsModel(Good):
    facets = ["requests"]
    kept = []

    def seen(self, play, history):
        shown = play.observation()
        shown["requests"]["requests"] = [
            [*self.kept, *one] for one in shown["requests"]["requests"]
        ]
        self.kept.extend(history)
        return shown

class ShowsExecutions(Good):
    facets = ["history", "requests", "executions"]
    said = "run_7"

    def seen(self, play, history):
        shown = play.observation(history=history)
        for one in shown["executions"]["executions"]:
            one["call_id"] = self.said
        return shown

class RenamesIds(ShowsExecutions):
    def seen(self, play, history):
        for one in history:
            for call in one.get("calls", ()):
                call["id"] = "native_1"
            if "tool_use_id" in one:
                one["tool_use_id"] = "native_1"
        shown = super().seen(play, history)
        shown["requests"] = {"requests": [history[:1], history[:3]]}
        return shown

class GivesIds(ShowsExecutions):
    said = "call_trial"

class NeverExecutes(Good):
    facets = ["history", "executions"]

    def seen(self, play, history):
        shown = play.observation(history=history)
        shown["executions"] = {"executions": []}
        return shown

class Refused(Good):
    def seen(self, play, history):
        for one in history:
            if one["role"] == "tool":
                one.update(is_error=True, text="no such\\x1b tool")
        return play.observation(history=history)

class Undeclared(Good):
    facets = ["history", "requests"]

    def seen(self, play, history):
        shown = play.observation(history=history)
        shown["ending"] = {"turns": [{"turn": 0, "how": "done"}]}
        return shown

class Stateless(Good):
    operations, facets = ["event/validate", "arguments/sanitize"], []

    def event_validate(self, event):
        raise Rejected("whatever")

    def arguments_sanitize(self, raw):
        return {"status": "ok", "stored": "{}", "executable": "{}"}

class StatelessMute(Stateless):
    def arguments_sanitize(self, raw):
        return None
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the folder of the adapters."""
    folder = tmp_path_factory.mktemp("smoke")
    (folder / "smoking.py").write_text(ADAPTER)
    return folder


@pytest.mark.parametrize(
    "factory",
    [
        "Good", "CutRequests", "LeavesOutWithReason", "SaysItIsNotWhole", "ShowsEndingsAlone",
        "Wrong", "Stateless", "RenamesIds", "GivesIds", "NeverExecutes", "Refused", "Undeclared",
    ],
)  # fmt: skip
def test_an_adapter_passes_whatever_its_implementation_does(factory: str, folder: Path) -> None:
    open_target(f"python:smoking:{factory}", folder=folder).close()


@pytest.mark.parametrize(
    ("factory", "step", "words"),
    [
        ("NeverAsks", "the plainest scenario", "the model was never asked"),
        ("LacksAFacet", "the plainest scenario", "the declared facet ending did not come"),
        ("NoTurns", "the plainest scenario", "no turn has ended, says the facet ending"),
        ("Aliases", "one valid call", "the first of the requests holds the model's reply to it"),
        ("AliasesUpToTheResult", "one valid call", "requests holds the result of the call already"),
        ("Remembers", "one valid call", "the facet history begins with the messages of the scen"),
        ("RemembersForItsModel", "one valid call", "the facet requests begins with the messages"),
        ("ShowsExecutions", "one valid call", "has the call_id 'run_7', and no call has that id"),
        ("HidesTheCall", "one valid call", "to be seen in none of history"),
        ("Raises", "the plainest scenario", "raised: LookupError: no such model"),
        ("Refuses", "the plainest scenario", "rejected: too-many"),
        ("CannotCall", "one valid call", "unsupported: no tools"),
        ("Dies", "the plainest scenario", "crashed: the adapter ended with exit code 3"),
        ("StatelessMute", "one valid input of arguments/sanitize", "error: "),
    ],
)
def test_an_adapter_that_cannot_be_judged_is_told_which_step_and_what_came(
    factory: str, step: str, words: str, folder: Path
) -> None:
    with pytest.raises(SmokeError) as caught:
        open_target(f"python:smoking:{factory}", folder=folder)

    assert caught.value.step.startswith(step)
    assert words in caught.value.message
    assert (caught.value.code, bool(caught.value.hint)) == ("target.smoke", True)


@pytest.mark.parametrize(
    ("factory", "notes"),
    [
        ("GivesIds", []),
        ("NeverExecutes", ["the valid call of 'trial_read' was never executed; if that is not"]),
        ("Refused", [r"was answered with an error, `no such\x1b tool`; if that is not what"]),
        ("Undeclared", ["the facet ending came without being declared: judged where there"]),
    ],
)
def test_what_an_implementation_may_do_and_an_adapter_more_often_does_is_noted(
    factory: str, notes: list[str], folder: Path
) -> None:
    heard: list[str] = []

    open_target(f"python:smoking:{factory}", folder=folder, tell=heard.append).close()

    assert len(heard) == len(notes)
    assert all(note in said for note, said in zip(notes, heard, strict=True))


def test_a_note_is_said_once_in_a_run_on_standard_error(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)

    run_cli(["run", "python:smoking:NeverExecutes", "--family", "evt", "-j", "2"])

    out, error = capfd.readouterr()
    assert error.count("note: in the trial, the valid call") == 1
    assert "note:" not in out


def test_a_step_that_takes_too_long_is_a_failure(folder: Path) -> None:
    with pytest.raises(SmokeError, match=r"timeout: no answer within 0\.5 s") as caught:
        open_target("python:smoking:Hangs", folder=folder, deadline_s=0.5)
    assert "--deadline" in caught.value.hint


def test_what_an_adapter_wrote_before_it_died_is_kept(folder: Path) -> None:
    with pytest.raises(SmokeError) as caught:
        open_target("python:smoking:Dies", folder=folder)

    assert caught.value.detail == "going down"


@pytest.mark.parametrize(
    ("script", "words", "hint"),
    [
        ("", "it was answered with a result", "-32601"),
        (
            "give(number, error={'code': -32600, 'message': 'n\\x1bo'})",
            r"answered with the error -32600 (n\x1bo), not",
            "-32601",
        ),
        ("os._exit(1)", "crashed: the adapter ended with exit code 1", "-32601"),
        (
            "os.write(2, b'KeyError: 7\\n'); os._exit(1)",
            "ended with exit code 1: KeyError: 7",
            "-32601",
        ),
        ("say(b'what?\\n')", "error: the line is no JSON", "print to standard error"),
        ("say(b'stdio:echo hi\\n')", "`stdio:echo hi`", "print to standard error"),
        (
            "say(b'{}'); import time; time.sleep(600)",
            "no answer within 0.5 s, but a line without its end, of 2 bytes: `{}`",
            "is the answer flushed, and ended by a newline? answer methods",
        ),
    ],
)
def test_an_unknown_method_is_answered_with_its_error(
    script: str, words: str, hint: str, tmp_path: Path
) -> None:
    """Who leaves it unanswered would hang on what later versions ask."""
    deadline_s = 0.5 if "sleep" in script else 60.0
    command = [sys.executable, "-S", "-E", str(PUPPET), "1", "", "{}", script]

    with pytest.raises(SmokeError) as caught:
        open_target(f"stdio:{shlex.join(command)}", folder=tmp_path, deadline_s=deadline_s)
    assert words in caught.value.message
    assert hint in caught.value.hint


def test_a_run_that_fails_the_smoke_test_judges_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)

    for verb in (["run"], ["baseline", "update", "--baseline", "known.yaml"]):
        assert run_cli([*verb, "python:smoking:Raises"]) == 4
        out, error = capfd.readouterr()
        assert "smoke test: the plainest scenario" in error
        assert "no such model" in error
        assert error.splitlines()[-1].startswith("  | LookupError: no such model")
        assert len(error.splitlines()) <= 13
        assert "pass" not in out
    assert not (folder / "known.yaml").exists()


def test_it_is_done_once_in_a_run_whatever_the_number_of_workers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = [sys.executable, "-S", "-E", str(PUPPET), "1", ""]
    target = f"stdio:{shlex.join(command)}"

    monkeypatch.chdir(tmp_path)
    run_cli(["run", target, "--family", "arg", "-j", "3", "-q"])

    asked = (tmp_path / "asked").read_text(encoding="utf-8").splitlines()
    assert asked.count("initialize") == 3
    assert asked.count("toolassay/unknown") == 1
