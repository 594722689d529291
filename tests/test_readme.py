"""Every block of the README is run, in order, in one empty folder."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

from toolassay.printable import printable

README = Path(__file__).parent.parent / "README.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILES = {"python", "yaml"}
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


def test_every_block_of_the_readme_does_what_it_says(tmp_path: Path) -> None:
    output = ""
    seen = []
    for kind, block in BLOCK.findall(README.read_text(encoding="utf-8")):
        seen.append(kind)
        if kind in FILES:
            name = block.splitlines()[0].removeprefix("# ")
            (tmp_path / name).write_text(block, encoding="utf-8")
        elif kind == "sh":
            output = run_lines(block, tmp_path)
        else:
            assert kind == "text", f"a block of kind {kind} is not tested"
            assert words(block) in words(output)

    assert {"python", "sh", "text", "yaml"} == set(seen)


def test_commands_named_in_the_readme_exist() -> None:
    text = README.read_text(encoding="utf-8")
    makefile = (README.parent / "Makefile").read_text(encoding="utf-8")
    targets = {name for name in re.findall(r"`make (\w+)`", text)}
    verbs = {shlex.split(line)[0] for line in re.findall(r"`toolassay ([a-z][^`]*)`", text)}

    for target in targets:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
    for verb in verbs:
        code, printed = run(f"toolassay {verb} --help", README.parent)
        assert (code, verb in printed) == (0, True)


def test_links_of_the_readme_lead_somewhere() -> None:
    prose = BLOCK.sub("", README.read_text(encoding="utf-8"))
    for link in re.findall(r"\]\(([^)]+)\)", prose):
        assert (README.parent / link).exists(), link
