"""
`[tool.toolassay]` of the `pyproject.toml` in the current folder or above it.

Flags win over it. Paths in it are relative to the file that holds them.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from toolassay.near import near
from toolassay.spec.errors import UsageError

TABLE = b"[tool.toolassay"
NAME = b"toolassay"
MAX_BYTES = 4 * 1024 * 1024
DEADLINE_MAX_S = 86_400


class ConfigError(UsageError):
    """The configuration cannot be used."""

    code = "usage.config"


class Config(msgspec.Struct, frozen=True):
    """What the configuration says; None where it says nothing."""

    target: str | None = None
    """How the implementation under test is reached."""
    profile: str | None = None
    """The profile to judge by."""
    baseline: str | None = None
    """The file of known failures."""
    deadline: float | None = None
    """Seconds that one case may take."""
    start: float | None = None
    """Longest wait in seconds for an adapter to be started."""
    vectors: tuple[str, ...] = ()
    """Authored vectors to run beside the shipped ones."""
    python: str | None = None
    """The interpreter for `python:` targets."""
    where: str = ""
    """The file it was read from; empty if there is none."""


_KEYS: dict[str, tuple[type, ...]] = {
    "target": (str,),
    "profile": (str,),
    "baseline": (str,),
    "deadline": (int, float),
    "start": (int, float),
    "vectors": (str, list),
    "python": (str,),
}
_SECONDS = ("deadline", "start")
_PATHS = ("baseline", "vectors", "python")


def load_config(folder: Path | None = None) -> Config:
    """
    Read the nearest configuration.

    Raises:
        ConfigError: It is not TOML, has an unknown key, or a value of a wrong type.
    """
    start = (folder or Path.cwd()).absolute()
    for place in (start, *start.parents):
        path = place / "pyproject.toml"
        data = _read(path)
        if NAME in data:
            table = _table(data, path)
            if table is not None:
                return _config(table, path)
    return Config()


def _read(path: Path) -> bytes:
    try:
        if not path.is_file():  # a pipe without a writer would never end
            return b""
        with path.open("rb") as file:
            return file.read(MAX_BYTES)
    except OSError:
        return b""


def _table(data: bytes, path: Path) -> dict[str, object] | None:
    import tomllib  # noqa: PLC0415 - most folders have no configuration

    try:
        document = tomllib.loads(data.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as fault:
        if TABLE not in data:  # it names the kit, as one that depends on it does, and no more
            return None
        raise ConfigError(f"not valid TOML: {fault}", where=str(path)) from None
    tool = document.get("tool", {})
    table = tool.get("toolassay") if isinstance(tool, dict) else None
    if table is not None and not isinstance(table, dict):
        raise ConfigError("[tool.toolassay] must be a table", where=str(path))
    return table


def _config(table: dict[str, object], path: Path) -> Config:
    for key, value in table.items():
        _check(key, value, path)
    given = dict(table)
    if isinstance(given.get("vectors"), str):
        given["vectors"] = [given["vectors"]]
    for key in _PATHS:
        if key in given:
            given[key] = _resolved(given[key], path.parent, key)
    return msgspec.convert({**given, "where": str(path)}, Config)


def _check(key: str, value: object, path: Path) -> None:
    if key not in _KEYS:
        also = near(key, _KEYS) or tuple(_KEYS)
        raise ConfigError(
            f"unknown key {key!r} in [tool.toolassay] (did you mean {' or '.join(also)}?)",
            where=str(path),
        )
    right = isinstance(value, _KEYS[key]) and not isinstance(value, bool)
    texts = value if isinstance(value, list) else []
    if not right or not all(isinstance(item, str) for item in texts):
        seconds = dict.fromkeys(_SECONDS, "a number of seconds")
        wanted = {**seconds, "vectors": "a path or a list of paths"}
        raise ConfigError(
            f"[tool.toolassay] {key} must be {wanted.get(key, 'a text')}", where=str(path)
        )
    if value == "" or "" in texts:
        raise ConfigError(f"[tool.toolassay] {key} is empty", where=str(path))
    if key in _SECONDS and not (isinstance(value, int | float) and 0 < value <= DEADLINE_MAX_S):
        what = f"[tool.toolassay] {key} must be more than 0, and at most {DEADLINE_MAX_S}"
        raise ConfigError(what, where=str(path))


def _resolved(value: object, folder: Path, key: str) -> object:
    """Make paths absolute; a bare command (`python3.12`) stays one."""
    if isinstance(value, list):
        return [_resolved(item, folder, key) for item in value]
    if key == "python" and "/" not in str(value):
        return value
    return str(folder / str(value))
