"""`toolassay init ts`: the skeleton gives a verdict at once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import NEEDS_NODE, shell

from toolassay.skeletons import next_commands, skeleton

pytestmark = NEEDS_NODE


@pytest.fixture
def written(tmp_path: Path) -> Path:
    """Write the skeleton as the command does."""
    code, said = shell("toolassay init ts myadapter", tmp_path)
    assert code == 0, said
    return tmp_path / "myadapter"


def test_every_command_that_init_names_does_what_it_says(written: Path) -> None:
    run, explain = next_commands(skeleton("ts"), None)
    judged, explained = shell(run, written), shell(explain, written)

    assert judged[0] == 0, judged[1]
    assert judged[1].splitlines()[-1].startswith("CONFORMANT")
    assert explained[0] == 0
    assert explained[1].startswith("ARG-03")


def test_it_is_judged_without_anything_to_install_or_to_build(written: Path) -> None:
    package = json.loads((written / "package.json").read_text())

    assert package["type"] == "module"
    assert "dependencies" not in package
    assert not (written / "node_modules").exists()
    assert (written / "sdk" / "index.d.mts").is_file()


def test_its_ci_runs_what_its_readme_names_with_the_profile_pinned(written: Path) -> None:
    workflow = (written / ".github/workflows/toolassay.yml").read_text()
    run = next_commands(skeleton("ts"), None)[0]
    target, _, baseline = run.rpartition(" --baseline ")

    command = f"{target} --profile core@1 --baseline {baseline} --junit toolassay.xml"
    assert f"- run: {command} --github-summary\n" in workflow
    code, said = shell(f"GITHUB_STEP_SUMMARY=summary.md {command} --github-summary -q", written)
    assert (code, said.startswith("CONFORMANT")) == (0, True)
    assert "CONFORMANT" in (written / "summary.md").read_text()
    assert "<testsuites" in (written / "toolassay.xml").read_text()


def test_a_fault_that_is_planted_in_the_agent_is_found(written: Path) -> None:
    agent = written / "agent.mjs"
    source = agent.read_text()
    assert source.count("!this.allows(call.name)") == 1
    agent.write_text(source.replace("!this.allows(call.name)", "false"))

    code, said = shell('toolassay run "stdio:node adapter.mjs" --clause ORD-06', written)

    assert (code, "ORD-06" in said) == (1, True)
