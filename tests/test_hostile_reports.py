"""What a hostile implementation says reaches no terminal and no report as it is: end to end."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from fakes import REGISTER, paper
from hostile import EVIL, HUGE, hostile_events, unseen

from toolassay.reports.terminal import Terminal
from toolassay.statuses import Exit

TEXT = EVIL.replace("\ud800", "").replace("\udfff", "")
"""What an adapter can send: halves of pairs it has to send as bytes."""

ADAPTER = f"""\
EVIL = {TEXT!r}
HUGE = EVIL + "A" * 100_000 + EVIL


class Loop:
    def initialize(self):
        return {{"name": EVIL, "version": HUGE, "operations": ["turn/run"], "deterministic": True,
                "facets": ["history", "executions", "deliveries"], "features": ["policy"]}}

    def turn_run(self, play):
        if not play.replies[0].calls:
            return self.seen([], [], "done")
        call = play.replies[0].calls[0]
        if call.name.startswith("trial"):  # the adapter itself is tried: it answers as it should
            held = {{"id": call.id, "name": call.name, "arguments": call.arguments}}
            answer = {{"role": "tool", "text": "ok", "tool_use_id": call.id, "is_error": False}}
            return self.seen([{{"role": "assistant", "calls": [held]}}, answer], [], "done")
        print(EVIL)
        if "denied" in call.name or call.name == "write_file":
            raise RuntimeError(HUGE)
        held = {{"id": EVIL, "name": HUGE, "arguments": HUGE}}
        done = {{"tool": EVIL, "arguments": HUGE, "call_id": EVIL}}
        return self.seen([{{"role": "assistant", "calls": [held], "text": HUGE}}], [done], EVIL)

    def seen(self, messages, executions, last):
        event = {{"type": EVIL, "session_id": EVIL, "tool_execution_id": EVIL, "action": EVIL}}
        return {{
            "history": {{"messages": [*messages, {{"role": "assistant", "text": last}}]}},
            "executions": {{"executions": executions}},
            "deliveries": {{"subscriptions": [
                {{"name": EVIL, "deliveries": [{{"event": event}}]}}]}},
        }}


def make():
    return Loop()
"""

FILES = ("r.xml", "r.sarif", "r.md", "r.ndjson", "seen.ndjson")


@pytest.mark.parametrize("text", [EVIL, HUGE])
@pytest.mark.parametrize("show_all", [False, True])
def test_the_terminal_shows_no_control_and_no_line_without_end(text: str, show_all: bool) -> None:
    out, stream = paper()
    report = Terminal(out, REGISTER, show_all=show_all)
    for event in hostile_events(text):
        report(event)

    assert unseen(stream.getvalue()) == []
    assert max(map(len, stream.getvalue().split("\n"))) < 3000


def judged(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    program = "from toolassay.cli import main; main()"
    return subprocess.run(
        [
            sys.executable, "-c", program, "run", *arguments, "--all", "--junit", "r.xml",
            "--sarif", "r.sarif", "--github-summary", "r.md", "--ndjson", "r.ndjson",
            "--observations", "seen.ndjson",
        ],
        cwd=folder, capture_output=True, text=True, check=False, encoding="utf-8",
    )  # fmt: skip


def sound(folder: Path, done: subprocess.CompletedProcess[str]) -> None:
    """See that nothing of what was written acts on whoever reads it, and all of it is readable."""
    texts = {name: (folder / name).read_text(encoding="utf-8") for name in FILES}
    texts |= {"stdout": done.stdout, "stderr": done.stderr}

    assert {name: unseen(text) for name, text in texts.items() if unseen(text)} == {}
    assert "<script" not in texts["r.md"]
    assert "<script" not in texts["r.xml"]
    assert "\\x1b[2J" in texts["r.xml"], "what was said is there, to be seen"
    ET.fromstring(texts["r.xml"])
    json.loads(texts["r.sarif"])
    for name in ("r.ndjson", "seen.ndjson"):
        assert [json.loads(line) for line in texts[name].splitlines()]


def test_a_hostile_adapter_reaches_no_report_unescaped(tmp_path: Path) -> None:
    (tmp_path / "evil.py").write_text(ADAPTER, encoding="utf-8")
    cases = ("--case", "ord.plain-call", "--case", "ord.denied-call-never-runs*")
    done = judged(tmp_path, "python:evil:make", *cases, "-j", "2")

    sound(tmp_path, done)
    assert done.returncode == Exit.NON_CONFORMANT
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_file()) == sorted(
        ("evil.py", *FILES)
    )


def test_a_hostile_recording_reaches_no_report_unescaped(tmp_path: Path) -> None:
    call = {"id": TEXT, "name": TEXT, "arguments": TEXT}
    messages = [
        {"role": "assistant", "calls": [call], "text": TEXT},
        {"role": "assistant", "text": TEXT},
    ]
    lines = [
        {"id": f"run-{number}", "observation": {"history": {"messages": messages}}}
        for number in range(3)
    ]
    (tmp_path / "runs.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    done = judged(tmp_path, "recorded:runs.jsonl")

    sound(tmp_path, done)
    assert done.returncode == Exit.NON_CONFORMANT
