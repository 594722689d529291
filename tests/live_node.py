"""What the tests of adapters of real Node libraries share: the target, and where it is."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from toolassay.targets.stdio import StdioTarget

ROOT = Path(__file__).resolve().parent.parent


def folder_of(name: str) -> Path:
    return ROOT / "adapters" / "ts" / name


def needs_packages(name: str) -> pytest.MarkDecorator:
    """
    Skip tests where there is no Node, or the packages of a library were not installed.

    `make test` installs them; where CI lacks them, the tests fail by themselves.
    """
    there = shutil.which("node") is not None and (folder_of(name) / "node_modules").exists()
    return pytest.mark.skipif(
        not there and os.environ.get("CI") != "true",
        reason="`make environments` installs the packages",
    )


@contextmanager
def opened(name: str) -> Iterator[StdioTarget]:
    command = ("node", "adapter.mjs")
    target = StdioTarget(command, "stdio:node adapter.mjs", folder=folder_of(name))
    try:
        yield target
    finally:
        target.close()
