"""What the tests of adapters of real libraries share: a scenario is played, and what was seen."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from conftest import ROOT

from toolassay.spec.case import Case
from toolassay.spec.messages import Message
from toolassay.spec.observation import Executions, History, Observation, Requests
from toolassay.spec.scenario import Permission, Reply, Scenario, ScriptedCall, ToolScript
from toolassay.targets.base import Target

ADAPTERS = ROOT / "adapters"
ENVIRONMENTS = ROOT / ".venv-peers"

DEADLINE_S = 60.0
"""Generous, for a machine that runs other tests beside this one."""


def needs(*places: Path | str | None) -> pytest.MarkDecorator:
    """
    Skip tests where a program or an environment is missing.

    `make test` makes the environments; where CI lacks something, the tests fail by themselves.
    """
    there = all(place is not None and Path(place).exists() for place in places)
    return pytest.mark.skipif(
        not there and os.environ.get("CI") != "true",
        reason="a program is not installed, or `make environments` was not run",
    )


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


def streams_as_it_is_whole(target: Target, *, sequential: bool = False) -> None:
    """See that a reply in fragments gives what the same reply gives that comes whole."""
    calls = (ScriptedCall("c1", "t", '{"a":"\u00e9"}', cuts=(2, 4)), ScriptedCall("c2", "t"))

    whole = observed(target, Reply("hey", calls), sequential=sequential)
    streamed = observed(target, Reply("hey", calls, streamed=True, stall=5), sequential=sequential)

    assert history(streamed).messages == history(whole).messages
    assert requests(streamed) == requests(whole)
    assert sorted(ran(streamed), key=str) == sorted(ran(whole), key=str)


def history(observation: Observation) -> History:
    assert observation.history is not None
    return observation.history


def requests(observation: Observation) -> Requests:
    assert observation.requests is not None
    return observation.requests


def executions(observation: Observation) -> Executions:
    assert observation.executions is not None
    return observation.executions


def ran(observation: Observation) -> list[tuple[str | None, object]]:
    """Give id and arguments of every entry into a callback, in order."""
    return [(entry.call_id, entry.arguments) for entry in executions(observation).executions]


def roles(messages: tuple[Message, ...]) -> list[str]:
    return [one.role for one in messages]


def results(messages: tuple[Message, ...]) -> list[tuple[str | None, object, bool | None]]:
    """Give id, text and flag of every result, in the order in which they stand."""
    return [(one.tool_use_id, one.text, one.is_error) for one in messages if one.role == "tool"]


def endings(observation: Observation) -> list[str]:
    assert observation.ending is not None
    return [ending.how for ending in observation.ending.turns]
