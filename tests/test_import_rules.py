"""Who may import whom, and how long things may get: rules that a reader relies on."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PARTS = ("spec", "simulator", "properties", "vectors")
MAY_IMPORT = {
    "spec": {"spec"},
    "simulator": {"simulator", "spec"},
    "properties": {"properties", "spec"},
    "vectors": {"vectors"},
}
STANDARD_ALONE = ("adapter", "worker")
"""Modules of the kit that run where the kit is not installed."""

LINES_OF_FUNCTION_MAX = 70
LINES_OF_MODULE_MAX = 500


def modules(folder: Path) -> Iterator[Path]:
    """Yield the modules below a folder, without following links."""
    yield from (path for path in sorted(folder.rglob("*.py")) if not path.is_symlink())


def kit() -> list[Path]:
    package = ROOT / "src/toolassay"
    linked = {package / part for part in PARTS}
    return [path for path in modules(package) if linked.isdisjoint(path.parents)]


def all_modules() -> list[Path]:
    return [*kit(), *(path for part in PARTS for path in modules(ROOT / part))]


def imported(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield the line and the full name of everything that a module imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            source = "." * node.level + (node.module or "")
            yield from ((node.lineno, f"{source}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.Call) and (name := imported_by_call(node)):
            yield node.lineno, name


def imported_by_call(node: ast.Call) -> str:
    """Return what a call of `import_module` or `__import__` names, if it is a literal."""
    called = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    called = node.func.id if isinstance(node.func, ast.Name) else called
    if called not in {"import_module", "__import__"} or not node.args:
        return ""
    first = node.args[0]
    return str(first.value) if isinstance(first, ast.Constant) else ""


def imports_of(path: Path) -> list[tuple[str, str]]:
    """Return where (`file:line`) and what a file imports."""
    where = path.relative_to(ROOT)
    return [(f"{where}:{line}", name) for line, name in imported(ast.parse(path.read_text()))]


def part_of(name: str) -> str:
    """Return the part of toolassay that a full name lies in, or nothing."""
    head, _, rest = name.partition(".")
    return rest.partition(".")[0] or "toolassay" if head == "toolassay" else ""


def is_standard(name: str) -> bool:
    return name.partition(".")[0] in sys.stdlib_module_names


def stands_alone(path: Path) -> bool:
    """Return whether a module of the kit must run on the standard library alone."""
    first = path.relative_to(ROOT / "src/toolassay").parts[0].removesuffix(".py")
    return first == "adapter" or first.startswith("worker")


@pytest.mark.parametrize("part", PARTS)
def test_a_part_imports_only_what_it_may(part: str) -> None:
    wrong = [
        f"{where} imports {name}"
        for path in modules(ROOT / part)
        for where, name in imports_of(path)
        if part_of(name) and part_of(name) not in MAY_IMPORT[part]
    ]

    assert wrong == []


def test_no_import_is_relative() -> None:
    wrong = [
        f"{where} imports {name}"
        for path in all_modules()
        for where, name in imports_of(path)
        if name.startswith(".")
    ]

    assert wrong == []


def test_nothing_is_imported_by_a_second_name() -> None:
    bare = {*PARTS, "src"}
    wrong = [
        f"{where} imports {name}"
        for path in [*all_modules(), *modules(ROOT / "tests")]
        for where, name in imports_of(path)
        if name.partition(".")[0] in bare
    ]

    assert wrong == []


def test_the_package_itself_imports_nothing() -> None:
    assert imports_of(ROOT / "src/toolassay/__init__.py") == []


def test_what_runs_without_the_kit_imports_only_the_standard_library() -> None:
    allowed = {f"toolassay.{name}" for name in STANDARD_ALONE}
    wrong = [
        f"{where} imports {name}"
        for path in kit()
        if stands_alone(path)
        for where, name in imports_of(path)
        if not is_standard(name)
        and not any(name == mine or name.startswith((f"{mine}.", f"{mine}_")) for mine in allowed)
    ]

    assert wrong == []


def test_no_function_is_longer_than_a_screen() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name} has {lines} lines"
        for path in all_modules()
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (lines := (node.end_lineno or node.lineno) - node.lineno + 1) > LINES_OF_FUNCTION_MAX
    ]

    assert wrong == []


def test_no_module_is_longer_than_one_can_hold_in_mind() -> None:
    wrong = [
        f"{path.relative_to(ROOT)} has {lines} lines"
        for path in all_modules()
        if (lines := len(path.read_text().splitlines())) > LINES_OF_MODULE_MAX
    ]

    assert wrong == []


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("import a.b", ["a.b"]),
        ("from a import b, c", ["a.b", "a.c"]),
        ("from . import b", ["..b"]),
        ("from .a import b", [".a.b"]),
        ("def f():\n    import a", ["a"]),
        ("import importlib\nimportlib.import_module('a.b')", ["importlib", "a.b"]),
    ],
)
def test_every_form_of_import_is_seen(source: str, names: list[str]) -> None:
    assert [name for _, name in imported(ast.parse(source))] == names


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("toolassay", "toolassay"),
        ("toolassay.spec.models", "spec"),
        ("toolassay.cli", "cli"),
        ("toolassayer.spec", ""),
        ("json", ""),
    ],
)
def test_a_name_lies_in_the_part_that_follows_the_package(name: str, part: str) -> None:
    assert part_of(name) == part
