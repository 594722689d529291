"""
The anchor: what a test file holds, and the plugin recognises.

Standard library only: a test file may be imported where nothing is run.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Anchor:
    """The cases of one target, as tests; made by `toolassay.testing.vectors`."""

    target: str | None
    """How the implementation is reached; None where options say it."""
    profile: str | None
    """The profile to judge by."""
    clauses: tuple[str, ...]
    """Clauses to judge; empty for all."""
    families: tuple[str, ...]
    """Families of vectors to run; empty for all."""
    cases: tuple[str, ...]
    """Patterns of cases to run; empty for all."""
    vectors: tuple[Path, ...]
    """Authored vectors to run beside the shipped ones."""
    shipped: bool
    """False if the shipped vectors are left out."""
    baseline: Path | None
    """The file of known failures."""
    seed: int | None
    """Seed of every case."""
    deadline: float | None
    """Seconds that one case may take."""
    python: str | None
    """The interpreter for `python:` targets."""
    line: int
    """The line on which it was made, from 1."""
