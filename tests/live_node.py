"""Where the adapters of real Node libraries are, and how one is opened."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from live import ADAPTERS, needs

from toolassay.targets.stdio import StdioTarget


def folder_of(name: str) -> Path:
    return ADAPTERS / "ts" / name


def needs_packages(name: str) -> pytest.MarkDecorator:
    return needs(shutil.which("node"), folder_of(name) / "node_modules")


@contextmanager
def opened(name: str) -> Iterator[StdioTarget]:
    command = ("node", "adapter.mjs")
    target = StdioTarget(command, "stdio:node adapter.mjs", folder=folder_of(name))
    try:
        yield target
    finally:
        target.close()
