"""What is shipped is what is in the repository: all of it, and nothing else."""

import os
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

from toolassay.skeletons import skeleton

PREFIXES: Mapping[str, str] = MappingProxyType(
    {
        "src/toolassay": "toolassay",
        "spec": "toolassay/spec",
        "simulator": "toolassay/simulator",
        "properties": "toolassay/properties",
        "vectors": "toolassay/vectors",
        "adapters/go/sdk": "toolassay/skeletons/go/sdk",
        "adapters/ts/sdk": "toolassay/skeletons/ts/sdk",
    }
)
LINKS: Mapping[str, str] = MappingProxyType(
    {f"src/{shipped}": real for real, shipped in PREFIXES.items() if f"src/{shipped}" != real}
)
"""Links below the package, and the folders that they stand for."""
SDKS = ("go", "ts")
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
SKELETON = {".npmrc", ".tmpl", ".go", ".mod", ".mjs", ".mts", ".ts", ".toml"}
"""What only skeletons and their SDKs are made of."""
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
    for link, real in LINKS.items():
        place = target / link
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(os.path.relpath(target / real, place.parent), target_is_directory=True)
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


@pytest.mark.parametrize("name", LINKS)
def test_each_part_is_linked_below_the_package(repository: Path, name: str) -> None:
    link = repository / name

    assert link.is_symlink()
    assert not link.readlink().is_absolute()
    assert link.resolve() == repository / LINKS[name]


def for_makers(name: str) -> bool:
    """Tell what only those need who change an SDK."""
    path = PurePosixPath(name)
    return (
        name.endswith("_test.go")
        or below(name, "adapters/ts/sdk/test")
        or below(name, "adapters/ts/sdk/trial")
        or (below(name, "adapters/ts/sdk") and path.name in {"package-lock.json", ".npmrc"})
    )


def test_the_wheel_holds_the_parts_and_the_kit_and_nothing_else(
    copy: Path, wheel_names: set[str]
) -> None:
    expected = {shipped_as(name) for name in known_files(copy, *PREFIXES) if not for_makers(name)}
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
    of_skeletons = [path for path in shipped if below(str(path), "toolassay/skeletons")]
    others = set(shipped) - set(of_skeletons)

    assert [str(path) for path in others if path.suffix not in CODE | DATA] == []
    kinds = CODE | DATA | SKELETON
    assert [str(one) for one in of_skeletons if (one.suffix or one.name) not in kinds] == []


@pytest.mark.parametrize("language", SDKS)
def test_the_wheel_holds_each_skeleton_with_its_sdk_once(
    copy: Path, wheel_names: set[str], language: str
) -> None:
    sdk = f"toolassay/skeletons/{language}/sdk"
    files = known_files(copy, f"adapters/{language}/sdk")
    expected = {shipped_as(name) for name in files if not for_makers(name)}

    assert 0 < len(expected) < len(files)
    assert {name for name in wheel_names if below(name, sdk)} == expected
    assert f"toolassay/skeletons/{language}/README.md" in wheel_names
    assert not any(below(name, "toolassay/adapters") for name in wheel_names)


@pytest.mark.parametrize("language", ["python", *SDKS])
def test_an_installed_kit_writes_the_skeletons_of_the_checkout(
    copy: Path, archives: tuple[Path, Path], tmp_path: Path, language: str
) -> None:
    with zipfile.ZipFile(archives[0]) as wheel:
        wheel.extractall(tmp_path / "site")
    code = "from toolassay.cli import main; main()"
    command = [sys.executable, "-c", code, "init", language, "contract"]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "site")}
    subprocess.run(command, cwd=tmp_path, env=environment, check=True, capture_output=True)
    written = tmp_path / "contract"

    assert {
        path.relative_to(written).as_posix(): path.read_bytes()
        for path in written.rglob("*")
        if path.is_file()
    } == skeleton(language, copy / "src/toolassay/skeletons")


@pytest.mark.parametrize("language", SDKS)
def test_the_sdist_holds_each_sdk_once(sdist_names: set[str], language: str) -> None:
    assert any(below(name, f"adapters/{language}/sdk") for name in sdist_names)
    assert not any(below(name, f"src/toolassay/skeletons/{language}/sdk") for name in sdist_names)


def test_a_wheel_of_the_sdist_is_the_wheel_of_the_checkout(
    archives: tuple[Path, Path], wheel_names: set[str], tmp_path: Path
) -> None:
    with tarfile.open(archives[1]) as sdist:
        sdist.extractall(tmp_path, filter="data")
    (source,) = tmp_path.iterdir()
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=source, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")

    with zipfile.ZipFile(wheel) as archive:
        assert {name for name in archive.namelist() if not name.endswith("/")} == wheel_names


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

    assert re.findall(r"^  ([a-z-]+) +\S", listed.stdout, re.MULTILINE) == phony.split()
