"""Every block of the pages that begin something is run, in order, in one empty folder."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

from toolassay.cli import root
from toolassay.printable import printable

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
PAGES = {
    "README.md": (),
    "docs/adapter-python.md": (),
    "docs/adapter-protocol.md": (),
    "docs/pytest.md": ("examples/first_divergence/my_agent.py",),
}
"""Pages whose blocks are run, and what of the examples must lie in the folder."""
PROSE = [
    *(path.name for path in ROOT.glob("*.md")),
    *("vectors/README.md", "spec/README.md", "properties/README.md", "examples/README.md"),
    *(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")),
    *(str(path.relative_to(ROOT)) for path in ROOT.glob("src/toolassay/skeletons/*/README.md")),
]
"""Pages whose links and commands are looked up."""
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILES = {"python", "yaml"}
ELSEWHERE = {"jsonl"}
"""Blocks that other tests look at: lines of the protocol (test_protocol_schemas.py)."""
DEADLINE_S = 240


def words(text: str) -> str:
    return " ".join(text.split())


def run(command: str, folder: Path) -> tuple[int, str]:
    tools = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command,
        shell=True,
        check=False,
        cwd=folder,
        env={**os.environ, "PATH": tools, "COLUMNS": "100", "NO_COLOR": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=DEADLINE_S,
    )
    return done.returncode, done.stdout


def run_lines(block: str, folder: Path) -> str:
    output = ""
    for line in block.strip().splitlines():
        expected = re.search(r"# exits with (\d+)$", line)
        code, printed = run(line, folder)

        assert code == int(expected[1] if expected else 0), f"{line}\n{printable(printed)}"
        output += printed
    return output


def named(block: str, before: str) -> str:
    """Give the name of a file: that of its first line, or the last one that the prose names."""
    first = re.match(r"# (\S+\.\w+)\n", block)
    return first[1] if first else re.findall(r"`(\w+\.(?:py|yaml|toml))`", before)[-1]


@pytest.mark.parametrize("page", PAGES)
def test_every_block_of_a_page_does_what_it_says(page: str, tmp_path: Path) -> None:
    for example in PAGES[page]:
        shutil.copy(ROOT / example, tmp_path)
    text = (ROOT / page).read_text(encoding="utf-8")
    output = ""
    seen = set()
    for found in BLOCK.finditer(text):
        kind, block = found.groups()
        seen.add(kind)
        if kind in FILES:
            name = named(block, text[: found.start()])
            (tmp_path / name).write_text(block, encoding="utf-8")
        elif kind == "sh":
            output = run_lines(block, tmp_path)
        elif kind not in ELSEWHERE:
            assert kind == "text", f"a block of kind {kind} is not tested"
            assert words(block) in words(output)

    assert {"python", "sh", "text"} <= seen


def options(given: list[str]) -> set[str]:
    """Give the options of a command line's verb."""
    command: click.Command | None = root
    for word in given:
        if not isinstance(command, click.Group):
            break
        command = command.get_command(click.Context(command), word)
        assert command is not None, f"there is no command {word}"
    assert command is not None
    return {flag for option in command.params for flag in option.opts} | {"--help"}


@pytest.mark.parametrize("page", PROSE)
def test_commands_that_a_page_names_exist(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    shell = "\n".join(block for kind, block in BLOCK.findall(text) if kind == "sh")
    commands = [*re.findall(r"`([^`\n]+)`", BLOCK.sub("", text)), *shell.splitlines()]
    jobs = [re.match(r"make ([a-z]+)", command) for command in commands]
    said = [re.match(r"toolassay ([a-z].*)", command) for command in commands]

    for job in filter(None, jobs):
        assert re.search(rf"^{job[1]}:", makefile, re.MULTILINE), job[0]
    for verb in filter(None, said):
        given = shlex.split(verb[1], comments=True)
        assert {word for word in given if re.match("--?[a-z]", word)} <= options(given), verb[0]


@pytest.mark.parametrize("page", PROSE)
def test_links_of_a_page_lead_somewhere(page: str) -> None:
    path = ROOT / page
    prose = BLOCK.sub("", path.read_text(encoding="utf-8"))
    for link in re.findall(r"\]\(([^)]+)\)", prose):
        name = link.partition("#")[0]
        assert not name or name.startswith("https://") or (path.parent / name).exists(), link
