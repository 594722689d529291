"""The examples do what their README says."""

import os
import subprocess
import sys
from pathlib import Path

import pytest


def run(folder: Path, target: str, *more: str) -> tuple[int, str]:
    """Run the command line on a target in a folder; give its exit code and what it printed."""
    code = "import sys; from toolassay.cli import main; sys.exit(main())"
    command = [sys.executable, "-c", code, "run", target, *more]
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


def hunks(readme: str) -> list[tuple[str, str]]:
    """Give what the diffs of a README remove and add."""
    found = []
    for block in readme.split("```diff\n")[1:]:
        for hunk in block.partition("```")[0].split("...\n"):
            lines = hunk.splitlines()
            old = [line[1:] for line in lines if not line.startswith("+")]
            new = [line[1:] for line in lines if not line.startswith("-")]
            found.append(("\n".join(old).strip("\n"), "\n".join(new).strip("\n")))
    return found


def test_the_broken_agent_breaks_what_it_says(repository: Path) -> None:
    code, said = run(repository / "examples", "python:broken_agent:make")

    assert code == 1
    assert "ORD-06" in said
    assert "ARG-04" in said
    assert said.splitlines()[-1].startswith("NON-CONFORMANT")


def test_the_first_divergence_is_gone_with_the_changes_of_the_readme(
    repository: Path, tmp_path: Path
) -> None:
    source = (repository / "examples/first_divergence/my_agent.py").read_text()
    agent = tmp_path / "my_agent.py"
    agent.write_text(source)
    code, said = run(tmp_path, "python:my_agent:adapter", "--family", "arg", "-x")
    assert code == 1
    assert "ARG-04" in said

    for old, new in hunks((repository / "examples/README.md").read_text()):
        if old:
            assert source.count(old) == 1
            source = source.replace(old, new)
        else:
            source = source.replace("class Agent", f"{new}\n\n\nclass Agent")
    agent.write_text(source)

    code, said = run(tmp_path, "python:my_agent:adapter")
    assert code == 0, said
    assert said.splitlines()[-1].startswith("CONFORMANT")


@pytest.mark.parametrize("name", ["broken_agent.py", "first_divergence/my_agent.py"])
def test_the_loop_of_an_example_fits_on_a_screen(repository: Path, name: str) -> None:
    text = (repository / "examples" / name).read_text()
    loop = text.partition("class Agent")[2].partition("\nclass ")[0]

    assert len(loop.splitlines()) <= 36
