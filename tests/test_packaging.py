"""What is shipped is what is in the repository: all of it, and nothing else."""

import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from types import MappingProxyType

import pytest

PREFIXES: Mapping[str, str] = MappingProxyType(
    {
        "src/toolassay": "toolassay",
        "spec": "toolassay/spec",
        "simulator": "toolassay/simulator",
        "properties": "toolassay/properties",
        "vectors": "toolassay/vectors",
    }
)
PARTS = ("spec", "simulator", "properties", "vectors")
BESIDE = (
    "adapters",
    "benchmarks",
    "docs",
    "examples",
    "requirements",
    "tests",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "LICENSE",
    "Makefile",
    "README.md",
    "pyproject.toml",
)
CODE = {".py", ".typed"}
DATA = {".yaml", ".yml", ".json", ".jsonl", ".md", ".j2", ".html", ".css", ".txt"}
HOST = re.compile(r"://|\b[\w-]+(\.[\w-]+)*\.(com|dev|internal|io|local|net|org)\b", re.IGNORECASE)


def known_files(repository: Path, *folders: str) -> set[str]:
    """Return what git holds or would hold below the folders, but for links."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--"]
    listed = subprocess.run(
        [*command, *folders], cwd=repository, check=True, capture_output=True, text=True
    )
    paths = {name for name in listed.stdout.split("\0") if name}
    return {p for p in paths if (repository / p).is_file() and not (repository / p).is_symlink()}


def below(name: str, prefix: str) -> bool:
    return PurePosixPath(name).is_relative_to(prefix)


def shipped_as(name: str) -> str:
    """Return the name that a file of the repository has in the wheel."""
    prefix = next(prefix for prefix in PREFIXES if below(name, prefix))
    return str(PREFIXES[prefix] / PurePosixPath(name).relative_to(prefix))


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy what git knows, so that no build meets a file that is being written."""
    source = Path(__file__).resolve().parent.parent
    if shutil.which("git") is None or not (source / ".git").exists():
        pytest.skip("the set of files to ship is known to git alone")
    target = tmp_path_factory.mktemp("repository")
    names = known_files(source, ".")
    for name in names:
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source / name, target / name)
    for part in PARTS:
        (target / "src/toolassay" / part).symlink_to(f"../../{part}", target_is_directory=True)
    subprocess.run(["git", "init", "--quiet", "."], cwd=target, check=True, capture_output=True)
    return target


@pytest.fixture(scope="module")
def archives(copy: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Build the wheel and the sdist, and return where they are."""
    out = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "hatchling", "build", "-d", str(out)]
    done = subprocess.run(build, cwd=copy, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (wheel,) = out.glob("*.whl")
    (sdist,) = out.glob("*.tar.gz")
    return wheel, sdist


@pytest.fixture(scope="module")
def wheel_names(archives: tuple[Path, Path]) -> set[str]:
    with zipfile.ZipFile(archives[0]) as wheel:
        return {name for name in wheel.namelist() if not name.endswith("/")}


@pytest.fixture(scope="module")
def sdist_names(archives: tuple[Path, Path]) -> set[str]:
    with tarfile.open(archives[1]) as sdist:
        files = [member.name for member in sdist.getmembers() if member.isfile()]
    return {name.split("/", 1)[1] for name in files}


@pytest.mark.parametrize("part", PARTS)
def test_each_part_is_linked_below_the_package(repository: Path, part: str) -> None:
    link = repository / "src/toolassay" / part

    assert link.is_symlink()
    assert not link.readlink().is_absolute()
    assert link.resolve() == repository / part


def test_the_wheel_holds_the_parts_and_the_kit_and_nothing_else(
    copy: Path, wheel_names: set[str]
) -> None:
    expected = {shipped_as(name) for name in known_files(copy, *PREFIXES)}
    shipped = {name for name in wheel_names if ".dist-info/" not in name}

    assert sorted(shipped) == sorted(expected)
    assert "toolassay/py.typed" in shipped


def test_the_wheel_has_one_name_at_its_top(wheel_names: set[str]) -> None:
    top = {name.split("/", 1)[0] for name in wheel_names}

    assert {name for name in top if not name.endswith(".dist-info")} == {"toolassay"}


def test_the_wheel_holds_only_kinds_of_files_that_are_meant_to_be_shipped(
    wheel_names: set[str],
) -> None:
    shipped = [PurePosixPath(name) for name in wheel_names if ".dist-info/" not in name]

    assert [str(path) for path in shipped if path.suffix not in CODE | DATA] == []


def test_the_sdist_holds_all_that_the_repository_does(copy: Path, sdist_names: set[str]) -> None:
    expected = known_files(copy, *PREFIXES, *BESIDE)

    assert sorted(expected - sdist_names) == []


def test_the_wheel_names_its_script_and_its_plugin(archives: tuple[Path, Path]) -> None:
    with zipfile.ZipFile(archives[0]) as wheel:
        (name,) = (name for name in wheel.namelist() if name.endswith("entry_points.txt"))
        entries = wheel.read(name).decode()

    assert "toolassay = toolassay.cli:main" in entries
    assert "toolassay = toolassay.pytest_plugin" in entries


def test_locks_pin_every_package_by_hash_and_name_no_host(repository: Path) -> None:
    locks = sorted((repository / "requirements").glob("*.txt"))

    assert [lock.name for lock in locks if HOST.search(lock.read_text())] == []
    for lock in locks:
        entries = re.split(r"\n(?=\S)", lock.read_text().strip())
        assert [entry for entry in entries if "--hash=sha256:" not in entry] == []


def test_the_lock_holds_every_dependency_of_the_package(repository: Path) -> None:
    names = re.compile(r'^  "([A-Za-z0-9-]+)>=', re.MULTILINE)
    project = (repository / "pyproject.toml").read_text()
    wanted = names.findall(project.split("dependencies = [", 1)[1].split("]", 1)[0])
    locked = re.findall(
        r"^([a-z0-9-]+)==", (repository / "requirements/dev.txt").read_text(), re.MULTILINE
    )

    assert [name for name in wanted if name.lower() not in locked] == []
    assert len(wanted) > 1


def test_each_dependency_is_justified(repository: Path) -> None:
    project = (repository / "pyproject.toml").read_text()
    wanted = re.findall(r'"([A-Za-z0-9-]+)>=', project.split("dependencies = [", 1)[1])
    developers = (repository / "requirements/dev.in").read_text()
    tools = re.findall(r"^([A-Za-z][A-Za-z0-9-]+)", developers, re.MULTILINE)
    said = (repository / "docs/dependencies.md").read_text()

    assert [name for name in (*wanted, *tools) if f"**{name}**" not in said] == []


def test_the_version_is_said_once_in_each_place_and_alike(repository: Path) -> None:
    project = (repository / "pyproject.toml").read_text()
    package = (repository / "src/toolassay/__init__.py").read_text()
    (version,) = re.findall(r'^version = "(.+)"$', project, re.MULTILINE)

    assert f'__version__ = "{version}"' in package
    assert f"## [{version}]" in (repository / "CHANGELOG.md").read_text()


def test_make_lists_each_of_its_targets(repository: Path) -> None:
    makefile = (repository / "Makefile").read_text()
    (phony,) = re.findall(r"^\.PHONY: (.+)$", makefile, re.MULTILINE)
    make = ["make", "--no-print-directory", "-C", str(repository)]
    listed = subprocess.run(make, check=True, capture_output=True, text=True)

    assert re.findall(r"^  ([a-z]+) +\S", listed.stdout, re.MULTILINE) == phony.split()
