"""What the tests of adapters of real Python libraries share: target, scenario, what was seen."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from toolassay.spec.case import Case
from toolassay.spec.messages import Message
from toolassay.spec.observation import Executions, History, Observation, Requests
from toolassay.spec.scenario import Permission, Reply, Scenario, ToolScript
from toolassay.targets.base import Target
from toolassay.targets.python import PythonTarget

ROOT = Path(__file__).resolve().parent.parent

DEADLINE_S = 60.0
"""Generous, for a machine that runs other tests beside this one."""


def folder_of(name: str) -> Path:
    return ROOT / "adapters" / "python" / name


def needs_environment(name: str) -> pytest.MarkDecorator:
    """
    Skip tests where the environment of a library was not made.

    `make test` makes it; where CI lacks it, the tests fail by themselves.
    """
    return pytest.mark.skipif(
        not python_of(name).exists() and os.environ.get("CI") != "true",
        reason="`make environments` makes the environment",
    )


@contextmanager
def opened(name: str) -> Iterator[PythonTarget]:
    target = PythonTarget("adapter:Adapter", python=str(python_of(name)), folder=folder_of(name))
    try:
        yield target
    finally:
        target.close()


def python_of(name: str) -> Path:
    return ROOT / ".venv-peers" / name / "bin" / "python"


def observed(
    target: Target,
    *replies: Reply,
    tools: tuple[ToolScript, ...] = (ToolScript("t"),),
    policy: dict[str, Permission] | None = None,
    users: tuple[str, ...] = ("go",),
    sequential: bool = False,
) -> Observation:
    """Play a scenario, and give what was seen."""
    scenario = Scenario(replies, tools, policy or {}, users, sequential=sequential)
    case = Case("a", "a", "t", "events", "positive", "turn/run", scenario)
    answer = target.run(case, deadline_s=DEADLINE_S)
    assert (answer.status, answer.message) == ("ok", "")
    assert answer.observation is not None
    return answer.observation


def history(observation: Observation) -> History:
    assert observation.history is not None
    return observation.history


def requests(observation: Observation) -> Requests:
    assert observation.requests is not None
    return observation.requests


def executions(observation: Observation) -> Executions:
    assert observation.executions is not None
    return observation.executions


def roles(messages: tuple[Message, ...]) -> list[str]:
    return [one.role for one in messages]


def results(messages: tuple[Message, ...]) -> list[tuple[str | None, object, bool | None]]:
    """Give id, text and flag of every result, in the order in which they stand."""
    return [(one.tool_use_id, one.text, one.is_error) for one in messages if one.role == "tool"]


def endings(observation: Observation) -> list[str]:
    assert observation.ending is not None
    return [ending.how for ending in observation.ending.turns]
