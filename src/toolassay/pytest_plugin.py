"""
The pytest plugin: cases of the kit as tests, where a test file asks for them.

pytest loads this module into every test run of every project that has the kit
installed, so it imports nothing of toolassay and does nothing until a test
file holds an anchor (`toolassay.testing.vectors`).
"""

from __future__ import annotations

import sys
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

if TYPE_CHECKING:
    from toolassay.plugin.anchor import Anchor

OPTIONS = {
    "target": "the implementation under test, such as python:my_agent:adapter",
    "profile": "the profile to judge by, such as core or core@1+resume",
    "baseline": "the file of known failures",
    "seed": "seed of every case",
    "deadline": "seconds that one case may take",
}
"""Options by name, and what they say; values are plain strings, which workers can be sent."""

CRASH = "toolassay_crash"
"""Key under which a worker of a distributed run sends the line for the summary."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options, and settings of the same names."""
    group = parser.getgroup("toolassay", "conformance of tool calls (toolassay)")
    for name, meaning in OPTIONS.items():
        group.addoption(
            f"--toolassay-{name}",
            dest=f"toolassay_{name}",
            metavar=name.upper(),
            default=None,
            help=f"{meaning}; for anchors that leave it open",
        )
        parser.addini(f"toolassay_{name}", f"{meaning} (default of --toolassay-{name})")


def pytest_configure(config: pytest.Config) -> None:
    """Refuse values that no anchor could use."""
    for name, needed in (("seed", _is_seed), ("deadline", _is_deadline)):
        for source, value in _given(config, name):
            if not needed(value):
                wanted = "a whole number" if name == "seed" else "a number of seconds above 0"
                raise pytest.UsageError(f"{source}: {value!r} is not {wanted}")
    path = config.getoption("toolassay_baseline")
    if path is not None and not Path(config.invocation_params.dir, path).is_file():
        raise pytest.UsageError(f"--toolassay-baseline: no file {path!r}")


def pytest_pycollect_makeitem(
    collector: pytest.Module | pytest.Class, name: str, obj: object
) -> list[pytest.Item] | None:
    """Turn an anchor into one test for each of its cases."""
    anchors = sys.modules.get("toolassay.plugin.anchor")
    if anchors is None or type(obj) is not anchors.Anchor:
        return None
    anchor = cast("Anchor", obj)
    if not collector.funcnamefilter(name):
        if not name.startswith("_"):
            warning = f"the anchor {name!r} is no test: its name is not one of a test function"
            collector.warn(pytest.PytestCollectionWarning(warning))
        return []
    # Loaded here, so that no other test run pays for the kit.
    from toolassay.plugin.collecting import collect  # noqa: PLC0415

    return list(collect(collector, name, anchor))


@pytest.hookimpl(wrapper=True)
def pytest_report_to_serializable(
    report: pytest.CollectReport | pytest.TestReport,
) -> Generator[None, dict[str, Any] | None, dict[str, Any] | None]:
    """Send along where and how a case failed; pytest sends no more than its text."""
    data = yield
    items = sys.modules.get("toolassay.plugin.items")
    shown: Any = report.longrepr
    if data is not None and items is not None and type(shown) is items.Report:
        crash = shown.reprcrash
        data[CRASH] = [crash.path, crash.lineno, crash.message]
    return data


@pytest.hookimpl(wrapper=True)
def pytest_report_from_serializable(
    data: dict[str, Any],
) -> Generator[None, pytest.TestReport | None, pytest.TestReport | None]:
    """Make the report of a case again of what a worker sent."""
    crash = data.pop(CRASH, None)
    report = yield
    if crash is not None and report is not None:
        from toolassay.plugin.items import Crash, Report  # noqa: PLC0415 - as above

        shown: Any = Report(str(report.longrepr), Crash(*crash))  # pytest prints it as its own
        report.longrepr = shown
    return report


def _given(config: pytest.Config, name: str) -> list[tuple[str, str]]:
    """Give where a value is said, and the value."""
    option, setting = config.getoption(f"toolassay_{name}"), config.getini(f"toolassay_{name}")
    places = ((f"--toolassay-{name}", option), (f"toolassay_{name}", setting))
    return [(source, value) for source, value in places if value]


def _is_seed(value: str) -> bool:
    return value.strip().lstrip("-").isdecimal() and len(value) <= 20


def _is_deadline(value: str) -> bool:
    try:
        return 0 < float(value) < 1e6
    except ValueError:
        return False
