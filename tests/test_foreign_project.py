"""A project of someone else, with the wheel installed: nothing of ours gets in its way."""

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

OWN_TOP = {"toolassay"}


def call(command: Sequence[str | Path], folder: Path) -> str:
    """Run a command in a clean environment; give what it printed."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("PYT", "COV"))}
    done = subprocess.run(
        command, cwd=folder, env=clean, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    command: list[str | Path] = [
        sys.executable,
        "-m",
        "hatchling",
        "build",
        "-t",
        "wheel",
        "-d",
        folder,
    ]
    call(command, repository)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """
    Make an environment with the wheel, and with the locked dependencies.

    They are those of the environment that runs this test, by way of a path
    file. Such a file is read once, so the editable installation of the kit that
    stands beside them is not followed.
    """
    folder = tmp_path_factory.mktemp("foreign") / "venv"
    venv.create(folder, symlinks=True)
    places = sysconfig.get_paths(scheme="venv", vars={"base": str(folder), "platbase": str(folder)})
    site = Path(places["purelib"])
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    site.joinpath("dependencies.pth").write_text(f"{sysconfig.get_paths()['purelib']}\n")
    return Path(places["scripts"]) / "python"


@pytest.fixture(scope="module")
def project(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Copy the project away from the repository."""
    folder = tmp_path_factory.mktemp("project") / "foreign"
    leave = shutil.ignore_patterns("__pycache__", ".pytest_cache")
    shutil.copytree(repository / "examples/foreign_project", folder, ignore=leave)
    yield folder
    assert not (folder / "toolassay").exists()


def test_the_wheel_has_one_name_at_the_top(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        top = {name.partition("/")[0] for name in archive.namelist()}

    assert {name for name in top if not name.endswith(".dist-info")} == OWN_TOP


def test_the_installed_kit_is_the_wheel(python: Path, project: Path) -> None:
    code = "import toolassay.spec as it; print(it.__file__)"

    assert str(python.parent.parent) in call([python, "-c", code], project)


@pytest.mark.parametrize("name", ["simulator", "properties", "tests", "adapters", "benchmarks"])
def test_no_part_of_the_kit_can_be_imported_by_its_bare_name(
    python: Path, project: Path, name: str
) -> None:
    code = f"import importlib.util as u; print(u.find_spec({name!r}))"

    assert call([python, "-c", code], project) == "None\n"


def test_a_foreign_project_is_judged_and_keeps_its_own_packages(
    python: Path, project: Path
) -> None:
    said = call([python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-rA"], project)

    for fact in ("its_own", "leaks_nothing_to_the_top", "refunds[ord.refund-needs-permission]"):
        assert any(line.startswith("PASSED") and fact in line for line in said.splitlines()), said
    assert "test_contract[ord." in said
    assert "failed" not in said.splitlines()[-1]


def test_the_console_script_of_the_wheel_runs(python: Path, project: Path) -> None:
    code = "from toolassay.cli import main; main()"

    assert "toolassay" in call([python, "-c", code, "--help"], project)
