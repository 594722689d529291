"""`make peers`: a known verdict passes, anything else fails, and nothing is skipped in silence."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture
def peers(repository: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Load the program afresh."""
    path = repository / "adapters" / "peers.py"
    spec = importlib.util.spec_from_file_location("peers_program", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "peers_program", module)
    spec.loader.exec_module(module)
    return module


def answer_with(
    peers: ModuleType, monkeypatch: pytest.MonkeyPatch, code: int, report: object
) -> None:
    """Let the kit answer with an exit code and a report."""
    done = subprocess.CompletedProcess([], code, json.dumps(report), "what went wrong")
    monkeypatch.setattr(peers, "toolassay", lambda _peer, _python: done)


REPORT = {"verdict": "conformant", "counts": {"checks": {"pass": 3, "xfail": 2, "fail": 0}}}


def test_every_peer_has_an_adapter_and_a_baseline(peers: ModuleType) -> None:
    for peer in peers.PEERS:
        assert (peer.folder / "baseline.yaml").is_file()
        assert not peer.requirements or (peer.folder / peer.requirements).is_file()


def test_a_lock_file_names_releases_and_hashes_and_no_host(peers: ModuleType) -> None:
    for peer in peers.PEERS:
        if peer.requirements:
            text = (peer.folder / peer.requirements).read_text()
            assert "://" not in text
            assert text.count("==") <= text.count("--hash=sha256:")


def test_the_known_verdict_passes_and_is_shown_in_one_line(
    peers: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answer_with(peers, monkeypatch, 0, REPORT)

    assert peers.main(["looprig"]) == 0
    assert capsys.readouterr().out == "looprig        conformant: 3 pass, 2 xfail\n"


def test_any_other_verdict_fails_and_says_how_to_see_it(
    peers: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answer_with(peers, monkeypatch, 1, {**REPORT, "verdict": "non-conformant"})

    assert peers.main(["looprig"]) == 1
    assert "see: cd adapters/recorded/looprig && toolassay run" in capsys.readouterr().out


def test_a_run_without_a_report_fails(
    peers: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answer_with(peers, monkeypatch, 4, None)

    assert peers.main(["looprig"]) == 1
    assert "what went wrong" in capsys.readouterr().err


@pytest.mark.parametrize(("ci", "code", "word"), [("true", 1, "FAILED"), ("", 0, "skipped")])
def test_a_peer_that_cannot_be_set_up_is_skipped_by_name_but_fails_in_ci(
    peers: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    ci: str,
    code: int,
    word: str,
) -> None:
    def fail(_peer: object) -> None:
        raise peers.SetupError("no network")

    monkeypatch.setattr(peers, "environment", fail)
    monkeypatch.setenv("CI", ci)

    assert peers.main(["pydantic-ai"]) == code
    assert f"{word}: no network" in capsys.readouterr().out


def test_an_unknown_peer_is_a_usage_error(
    peers: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    assert peers.main(["nobody"]) == 2
    assert "there are pydantic-ai, looprig" in capsys.readouterr().err
