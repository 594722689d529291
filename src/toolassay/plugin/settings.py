"""
What an anchor asks for, once options and configuration have been heard.

A value comes from the command line, else from the anchor, else from pytest's
configuration, else from `[tool.toolassay]`. The command line and an anchor that
say different things are a clash: a run that silently judged something else than
the test file names would be worse than none.
"""

from __future__ import annotations

import shlex
from pathlib import Path

import msgspec
import pytest

from toolassay.config import Config, load_config
from toolassay.plugin.anchor import Anchor
from toolassay.selection import Selection
from toolassay.targets.base import DEADLINE_S, START_S

_NAMES = ("target", "profile", "baseline", "seed", "deadline")


class AnchorError(pytest.Collector.CollectError):
    """An anchor cannot be turned into tests; pytest shows the message alone."""


class ClashError(AnchorError):
    """The command line says one thing and an anchor another: a usage error of this run."""


class Settings(msgspec.Struct, frozen=True):
    """What one anchor asks for."""

    target: str
    """How the implementation is reached."""
    profile: str
    """The profile to judge by."""
    selection: Selection
    """Which cases."""
    vectors: tuple[Path, ...]
    """Authored vectors."""
    shipped: bool
    """Whether the shipped vectors are run."""
    baseline: Path | None
    """The file of known failures."""
    seed: int
    """Seed of every case."""
    deadline_s: float
    """Seconds that one case may take."""
    start_s: float
    """Longest wait for an adapter to be started."""
    python: str | None
    """The interpreter for `python:` targets."""
    folder: Path
    """Where an adapter runs."""


def resolve(anchor: Anchor, name: str, config: pytest.Config, path: Path) -> Settings:
    """
    Work out what an anchor asks for.

    Args:
        anchor: The anchor.
        name: What the test file calls it.
        config: The configuration of this run of pytest.
        path: The test file.

    Raises:
        ClashError: It says something else than the command line.
        AnchorError: It has no target.
        UsageError: `[tool.toolassay]` cannot be used.
    """
    table = load_config(config.rootpath)
    said = {key: _value(key, anchor, name, config, path) for key in _NAMES}
    target = said["target"] or table.target
    if target is None:
        raise AnchorError(
            f"toolassay: {name} has no target: write vectors(target=...), "
            "or give --toolassay-target or the setting toolassay_target"
        )
    seed, deadline = said["seed"], said["deadline"]
    return Settings(
        target=target,
        profile=said["profile"] or table.profile or "core",
        selection=Selection(anchor.cases, anchor.families, anchor.clauses),
        vectors=_vectors(anchor, path, table),
        shipped=anchor.shipped,
        baseline=_path(said["baseline"] or table.baseline),
        seed=0 if seed is None else int(seed),
        deadline_s=float(deadline or table.deadline or DEADLINE_S),
        start_s=float(table.start or START_S),
        python=anchor.python or table.python,
        folder=_folder(target, config, path),
    )


def _value(key: str, anchor: Anchor, name: str, config: pytest.Config, path: Path) -> str | None:
    """Give one value as text, from whoever says it first."""
    option = config.getoption(f"toolassay_{key}")
    setting = config.getini(f"toolassay_{key}") or None
    mine = getattr(anchor, key)
    if key == "baseline":
        option = option and str(Path(config.invocation_params.dir, option))
        setting = setting and str(Path(config.rootpath, setting))
        mine = mine and Path(path.parent, mine)
    mine = None if mine is None else str(mine)
    if option is not None and mine is not None and not _same(key, option, mine):
        raise ClashError(
            f"toolassay: --toolassay-{key} {option} clashes with {name}, which says {mine}; "
            f"leave {key} out of the test file to choose it on the command line"
        )
    return option or mine or setting


def _same(key: str, option: str, mine: str) -> bool:
    return float(option) == float(mine) if key in {"seed", "deadline"} else option == mine


def _vectors(anchor: Anchor, path: Path, table: Config) -> tuple[Path, ...]:
    if anchor.vectors:
        return tuple(Path(path.parent, one) for one in anchor.vectors)
    return tuple(Path(one) for one in table.vectors)


def _path(text: str | None) -> Path | None:
    return None if text is None else Path(text)


def _folder(target: str, config: pytest.Config, path: Path) -> Path:
    """Find the folder in which an adapter runs: the one that holds it, or else the root folder."""
    root = config.rootpath
    if target.startswith("stdio:"):
        return path.parent if names_a_file(target, path.parent) else root
    module = target.removeprefix("python:").partition(":")[0].partition(".")[0]
    if not target.startswith("python:") or not module.isidentifier():
        return root
    for place in (path.parent, root, *(Path(root, one) for one in config.getini("pythonpath"))):
        if (place / module).is_dir() or (place / f"{module}.py").is_file():
            return place
    return root


def names_a_file(target: str, folder: Path) -> bool:
    """Tell whether a word of a command is a file of a folder."""
    try:
        words = shlex.split(target.removeprefix("stdio:"))
    except ValueError:  # opening the target says what is wrong
        return False
    return any(Path(folder, word).is_file() for word in words)
