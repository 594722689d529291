"""Arguments of 10 MB go through in bounded time, sound or not, and are judged."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from toolassay.properties.judge import judge
from toolassay.spec.case import Case
from toolassay.spec.scenario import Reply, Scenario, ScriptedCall, ToolScript
from toolassay.targets.base import Target
from toolassay.targets.python import PythonTarget
from toolassay.targets.sim import SimTarget

ADAPTERS = Path(__file__).parent / "data" / "adapters"
SIZE = 10_000_000
DEADLINE_S = 120.0

TEXTS = {
    "long": '{"a":"' + "x" * SIZE + '"}',
    "cut": '{"a":"' + "x" * SIZE,
    "deep": '{"a":' + "[" * 10_000 + "]" * 10_000 + "}",
    "deep and cut": '{"a":' + "[" * 100_000,
}


@pytest.fixture(params=["sim", "worker"])
def target(request: pytest.FixtureRequest) -> Iterator[Target]:
    made: Target = (
        SimTarget()
        if request.param == "sim"
        else PythonTarget("reference_adapter:Adapter", folder=ADAPTERS)
    )
    yield made
    made.close()


@pytest.mark.parametrize("name", TEXTS)
def test_huge_arguments_are_run_and_judged(target: Target, name: str) -> None:
    call = ScriptedCall("c1", "echo", TEXTS[name])
    scenario = Scenario((Reply(calls=(call,)),), (ToolScript("echo"),))
    case = Case("arg.big", "arg.big", "t", "events", "negative", "turn/run", scenario)

    answer = target.run(case, deadline_s=DEADLINE_S)

    assert answer.status == "ok"
    assert answer.observation is not None
    assert answer.observation.executions is not None
    verdicts = judge(answer.observation, scenario, case)
    assert [one for one in verdicts if one.status == "fail"] == []
    assert len(answer.observation.executions.executions) == ("cut" not in name)
