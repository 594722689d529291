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
        "Wrong", "Stateless",
    ],
)  # fmt: skip
def test_an_adapter_passes_whatever_its_implementation_does(factory: str, folder: Path) -> None:
    open_target(f"python:smoking:{factory}", folder=folder).close()


@pytest.mark.parametrize(
    ("factory", "step", "words"),
    [
        ("NeverAsks", "the plainest scenario", "the model was never asked"),
        ("LacksAFacet", "the plainest scenario", "the declared facet ending did not come"),
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


def test_a_step_that_takes_too_long_is_a_failure(folder: Path) -> None:
    with pytest.raises(SmokeError, match=r"timeout: no answer within 0\.5 s") as caught:
        open_target("python:smoking:Hangs", folder=folder, deadline_s=0.5)
    assert "--deadline" in caught.value.hint


def test_what_an_adapter_wrote_before_it_died_is_kept(folder: Path) -> None:
    with pytest.raises(SmokeError) as caught:
        open_target("python:smoking:Dies", folder=folder)

    assert caught.value.detail == "going down"


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("", "it was answered with a result"),
        ("give(number, error={'code': -32600, 'message': ''})", "answered with the error -32600"),
        ("os._exit(1)", "crashed: the adapter ended with exit code 1"),
        ("say(b'what?\\n')", "error: the line is no JSON"),
    ],
)
def test_an_unknown_method_is_answered_with_its_error(
    script: str, words: str, tmp_path: Path
) -> None:
    """Who leaves it unanswered would hang on what later versions ask."""
    command = [sys.executable, "-S", "-E", str(PUPPET), "1", "", "{}", script]

    with pytest.raises(SmokeError) as caught:
        open_target(f"stdio:{shlex.join(command)}", folder=tmp_path)
    assert words in caught.value.message
    assert "-32601" in caught.value.hint


def test_a_run_that_fails_the_smoke_test_judges_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)

    for verb in (["run"], ["baseline", "update", "--baseline", "known.yaml"]):
        assert run_cli([*verb, "python:smoking:Raises"]) == 4
        out, error = capfd.readouterr()
        assert "smoke test: the plainest scenario" in error
        assert "no such model" in error
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
