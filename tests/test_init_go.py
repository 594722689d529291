"""`toolassay init go`: what it writes builds, is tidy, and is judged at once."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import NEEDS_GO, ran

from toolassay.cli import run_cli
from toolassay.skeletons import next_commands, skeleton, write

pytestmark = NEEDS_GO


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the skeleton as `init` does, and build it."""
    folder = tmp_path_factory.mktemp("go")
    write(skeleton("go"), folder, force=False)
    assert ran(folder, "go", "build", "-o", "adapter", ".") == (0, "")
    return folder


def test_it_writes_the_adapter_the_loop_the_sdk_and_what_ci_needs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_cli(["init", "go", str(tmp_path / "mine")]) == 0
    capsys.readouterr()

    found = {path.relative_to(tmp_path / "mine").as_posix() for path in tmp_path.rglob("*.*")}
    assert found > {
        ".github/workflows/toolassay.yml",
        ".gitignore",
        "README.md",
        "agent.go",
        "baseline.yaml",
        "go.mod",
        "main.go",
        "sdk/go.mod",
        "sdk/play.go",
    }
    assert not [name for name in found if name.endswith(("_test.go", ".tmpl"))]


def test_the_commands_of_its_readme_give_a_verdict(folder: Path) -> None:
    codes = [ran(folder, *command.split()) for command in next_commands(skeleton("go"), None)]

    assert [code for code, _ in codes] == [0, 0, 0]
    assert "CONFORMANT" in codes[1][1]


def test_what_is_written_is_formatted_and_has_nothing_that_vet_finds(folder: Path) -> None:
    assert ran(folder, "gofmt", "-l", ".") == (0, "")
    assert ran(folder, "go", "vet", "./...") == (0, "")


def test_it_needs_nothing_but_the_standard_library(folder: Path) -> None:
    code, listed = ran(folder, "go", "list", "-m", "all")

    assert code == 0
    assert [line.split()[0] for line in listed.splitlines()] == ["adapter", "toolassay/sdk"]


def test_ci_judges_with_the_baseline_that_is_there() -> None:
    files = skeleton("go")

    workflow = files[".github/workflows/toolassay.yml"].decode()
    assert "toolassay run stdio:./adapter --profile core@1 --baseline baseline.yaml" in workflow
    assert b"known: []" in files["baseline.yaml"]
