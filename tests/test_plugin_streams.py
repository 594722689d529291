"""Cases as tests: a test runs no more than the cases that its verdict needs."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

OWN = """\
- id: arg.own-text-runs
  title: A call with sound arguments runs
  contract: events
  kind: positive
  axes:
    text: {a: '{"path":"a"}', b: '{"path":"b"}', c: '{"path":"c"}'}
    stream: [whole, chars]
  given:
    tools: [{name: write_file}]
    model:
      - calls: [{id: c1, name: write_file, arguments: $text}]
      - text: done
  expect:
    - {clause: ORD-01, executions: {count: 1}}
  relate:
    - {clause: ARG-13, across: stream}
"""

ADAPTER = """\
import pathlib


class Adapter:
    def initialize(self):
        return {"name": "noting", "version": "1", "operations": ["turn/run"],
                "facets": ["executions"], "features": ["stream-text"], "deterministic": False}

    def turn_run(self, play):
        with pathlib.Path("asked").open("a") as file:
            file.write(f"{play.streamed}\\n")
        for tool in play.tools:
            if play.replies[0].calls and tool.name != "write_file":
                tool.call('{"path":"a"}', "c1")
        return play.observation()
"""


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a vector of three relations, and an agent that runs nothing of it."""
    pytester.path.joinpath("own.yaml").write_text(OWN)
    pytester.path.joinpath("noting.py").write_text(ADAPTER)
    pytester.path.joinpath("test_contract.py").write_text(
        "from toolassay.testing import vectors\n"
        "test_contract = vectors(target='python:noting:Adapter', shipped=False,\n"
        "                        vectors='own.yaml')\n"
    )
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    return pytester.path


def asked(project: Path) -> list[str]:
    """Give what was asked for of the vector, whole or streamed: two requests try the adapter."""
    return (project / "asked").read_text().splitlines()[2:]


def test_only_the_cases_of_one_relation_are_run_before_the_first_verdict(
    project: Path, pytester: pytest.Pytester
) -> None:
    result = pytester.runpytest_subprocess("-p", "toolassay.pytest_plugin", "-q", "-x")

    result.assert_outcomes(failed=1)
    assert asked(project) == ["False", "True"]


def test_no_case_is_run_a_second_time_for_its_relation(
    project: Path, pytester: pytest.Pytester
) -> None:
    result = pytester.runpytest_subprocess("-p", "toolassay.pytest_plugin", "-q")

    result.assert_outcomes(failed=6)
    assert sorted(asked(project)) == ["False"] * 3 + ["True"] * 3
