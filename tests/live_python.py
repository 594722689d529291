"""Where the adapters of real Python libraries are, and how one is opened."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from live import ADAPTERS, ENVIRONMENTS, needs

from toolassay.targets.python import PythonTarget


def folder_of(name: str) -> Path:
    return ADAPTERS / "python" / name


def needs_environment(name: str) -> pytest.MarkDecorator:
    return needs(python_of(name))


@contextmanager
def opened(name: str) -> Iterator[PythonTarget]:
    target = PythonTarget("adapter:Adapter", python=str(python_of(name)), folder=folder_of(name))
    try:
        yield target
    finally:
        target.close()


def python_of(name: str) -> Path:
    return ENVIRONMENTS / name / "bin" / "python"
