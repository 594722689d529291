"""`make peers`: a known verdict passes, anything else fails, and nothing is skipped in silence."""

import importlib.util
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from conftest import ROOT


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


@pytest.fixture(autouse=True)
def elsewhere(peers: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Keep reports out of the checkout."""
    monkeypatch.setattr(peers, "REPORTS", tmp_path)
    yield
    sys.path.remove(str(ROOT / "adapters"))


def answer_with(
    peers: ModuleType, monkeypatch: pytest.MonkeyPatch, code: int, *lines: object
) -> None:
    """Let the kit answer with an exit code and a report."""

    def judged(peer: object) -> subprocess.CompletedProcess[str]:
        if lines:
            peers.report_of(peer).write_text("".join(json.dumps(line) + "\n" for line in lines))
        return subprocess.CompletedProcess([], code, "", "what went wrong")

    monkeypatch.setattr(peers, "toolassay", judged)


HEAD = {"implementation": {"name": "looprig", "version": "0.28"}}
FOOT = {"verdict": "conformant", "counts": {"checks": {"pass": 3, "xfail": 2, "fail": 0}}}


def test_every_peer_has_an_adapter_a_baseline_and_findings(
    peers: ModuleType, repository: Path
) -> None:
    for peer in peers.PEERS:
        assert (peer.folder / peer.baseline).is_file()
        assert (peer.folder / "README.md").is_file()
        assert f"docs/findings/{peer.findings}" in (peer.folder / "README.md").read_text()
        assert (repository / "docs/findings" / peer.findings).is_file()


LOCKS = {"python": "requirements.txt", "go": "go.sum", "node": "package-lock.json", "": ""}


def test_a_lock_file_names_releases_and_hashes_and_no_host(peers: ModuleType) -> None:
    for peer in peers.PEERS:
        if peer.runs_on:
            text = (peer.folder / LOCKS[peer.runs_on]).read_text()
            assert "://" not in text
        if peer.runs_on == "python":
            assert text.count("==") <= text.count("--hash=sha256:")


def test_the_page_of_dependencies_names_what_adapters_depend_on(repository: Path) -> None:
    adapters = repository / "adapters"
    said = (repository / "docs/dependencies.md").read_text()
    wanted = {
        re.split(r"[=<>~\[]", line)[0]
        for path in adapters.glob("python/*/requirements.in")
        for line in path.read_text().splitlines()
    }
    for path in adapters.glob("ts/*/package.json"):
        package = json.loads(path.read_text())
        wanted |= package.get("dependencies", {}).keys() | package.get("devDependencies", {}).keys()
    for path in adapters.glob("go/*/go.mod"):
        modules = re.findall(r"^require (\S+)", path.read_text(), re.MULTILINE)
        wanted |= {name.rpartition("/")[2] for name in modules if name[0] != "("}

    assert len(wanted) > 8
    assert [name for name in sorted(wanted) if name not in said] == []


def test_the_known_verdict_passes_and_is_shown_in_one_line(
    peers: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answer_with(peers, monkeypatch, 0, HEAD, FOOT)

    assert peers.main(["looprig"]) == 0
    assert "conformant: 3 pass, 2 xfail\n" in capsys.readouterr().out


def test_any_other_verdict_fails_and_says_how_to_see_it(
    peers: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answer_with(peers, monkeypatch, 1, HEAD, {**FOOT, "verdict": "non-conformant"})

    assert peers.main(["looprig"]) == 1
    assert "see: cd adapters/recorded/looprig && toolassay run" in capsys.readouterr().out


@pytest.mark.parametrize("lines", [(), (HEAD,), ({}, FOOT)])
def test_a_run_without_a_whole_report_fails(
    peers: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    lines: tuple[object, ...],
) -> None:
    answer_with(peers, monkeypatch, 4, *lines)

    assert peers.main(["looprig"]) == 1
    assert "what went wrong" in capsys.readouterr().err


def test_the_report_of_an_earlier_run_is_not_taken_for_a_new_one(
    peers: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer_with(peers, monkeypatch, 0, HEAD, FOOT)
    assert peers.main(["looprig"]) == 0
    answer_with(peers, monkeypatch, 0)

    assert peers.main(["looprig"]) == 1


PAGE = "before\n<!-- peers: begin -->\nold\n<!-- peers: end -->\nafter\n"


def test_a_stale_table_fails_and_is_renewed_when_that_is_wanted(
    peers: ModuleType, tmp_path: Path
) -> None:
    page = tmp_path / "README.md"
    page.write_text(PAGE)

    assert peers.renew(page, "new\n", write=False) == 1
    assert page.read_text() == PAGE
    assert peers.renew(page, "new\n", write=True) == 0
    assert page.read_text() == PAGE.replace("old", "new")
    assert peers.renew(page, "new\n", write=False) == 0


def test_a_page_without_a_place_for_the_table_is_left_alone(
    peers: ModuleType, tmp_path: Path
) -> None:
    page = tmp_path / "README.md"
    page.write_text("nothing\n")

    assert peers.renew(page, "new\n", write=True) == 1
    assert page.read_text() == "nothing\n"


def test_what_was_not_judged_is_not_compared(
    peers: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    assert peers.compare(write=False) == 0
    assert "not compared" in capsys.readouterr().out


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
    assert "unknown peer 'nobody'; there are pydantic-ai, " in capsys.readouterr().err
