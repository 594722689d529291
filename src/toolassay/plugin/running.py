"""
Running the items: pytest's own protocol, or a short way that reports the same.

Most of what pytest does around a test function would do nothing for an item
that has no fixtures and no output. The short way leaves that out. It is taken
only where nobody could see a difference: no plugin or conftest of the user
listens to the phases of a test, no mark acts on them, no debugger is wanted, and
another item of the same file follows, so that nothing has to be torn down.
"""

from __future__ import annotations

import time
from typing import Any, Literal

import pytest

from toolassay.plugin.contract import Contract
from toolassay.plugin.items import ContractItem
from toolassay.plugin.outcome import Outcome

NAME = "toolassay-runner"
"""The name under which pytest knows this plugin."""

PHASES = (
    "pytest_runtest_setup", "pytest_runtest_call", "pytest_runtest_teardown",
    "pytest_runtest_makereport", "pytest_runtest_protocol",
)  # fmt: skip
"""Hooks through which others take part in the run of a test."""

INDIFFERENT = ("_pytest.", "xdist.", "_hypothesis_pytestplugin", "toolassay.")
"""Modules whose part in these hooks is nothing for an item without function and output."""

ACTING_MARKS = frozenset(("skip", "skipif", "xfail", "usefixtures"))
"""Marks that pytest acts on around a test."""

WATCHING = ("setupshow", "setuponly", "setupplan", "usepdb", "trace", "runxfail")
"""Options that change or show what happens around a test."""


class Runner:
    """
    The part of the plugin that is registered when there is something to run.

    Args:
        config: The configuration of this run of pytest.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._contracts: list[Contract] = []
        self._alone: bool | None = None
        self._unmarked: dict[pytest.Collector, bool] = {}
        self._refusal = ""

    def add(self, contract: Contract) -> None:
        """Take over a contract, to close it in the end."""
        self._contracts.append(contract)

    def refuse(self, why: str) -> None:
        """Note that the command line asks for something impossible."""
        self._refusal = self._refusal or why

    def pytest_collectreport(self) -> None:
        """
        End a run that asks for something impossible.

        What is raised while a file is collected would be taken for a fault of
        the file. Workers of a distributed run leave it at that: their exit
        codes reach nobody.
        """
        if self._refusal and not hasattr(self._config, "workerinput"):
            raise pytest.UsageError(self._refusal)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(
        self, item: pytest.Item, nextitem: pytest.Item | None
    ) -> bool | None:
        """Run an item the short way, where that makes no difference."""
        if type(item) is not ContractItem or not self._may_be_short(item, nextitem):
            return None
        hook, location, node = item.ihook, item.location, item.nodeid
        hook.pytest_runtest_logstart(nodeid=node, location=location)
        for report in _reports(item):
            hook.pytest_runtest_logreport(report=report)
        hook.pytest_runtest_logfinish(nodeid=node, location=location)
        return True

    def pytest_sessionfinish(self) -> None:
        """End all targets."""
        for contract in self._contracts:
            contract.close()

    def _may_be_short(self, item: ContractItem, following: pytest.Item | None) -> bool:
        parent = item.parent
        if type(following) is not ContractItem or following.parent is not parent:
            return False
        if item.own_markers or parent is None:
            return False
        unmarked = self._unmarked.get(parent)
        if unmarked is None:
            marks = {mark.name for mark in parent.iter_markers()}
            unmarked = self._unmarked[parent] = marks.isdisjoint(ACTING_MARKS)
        if self._alone is None:
            self._alone = _nobody_listens(self._config)
        return unmarked and self._alone


def runner_of(config: pytest.Config) -> Runner:
    """Give the runner of this run of pytest; the first call registers it."""
    manager = config.pluginmanager
    found = manager.get_plugin(NAME)
    if isinstance(found, Runner):
        return found
    runner = Runner(config)
    manager.register(runner, NAME)
    return runner


def _nobody_listens(config: pytest.Config) -> bool:
    if any(config.getoption(name, default=False) for name in WATCHING):
        return False
    return all(
        implementation.function.__module__.startswith(INDIFFERENT)
        or (name == "pytest_runtest_protocol" and _wraps(implementation))
        for name in PHASES
        for implementation in getattr(config.hook, name).get_hookimpls()
    )


def _wraps(implementation: object) -> bool:
    """Tell whether a hook runs around others, and so around the short way too."""
    return bool(
        getattr(implementation, "wrapper", False) or getattr(implementation, "hookwrapper", False)
    )


def _reports(item: ContractItem) -> tuple[pytest.TestReport, ...]:
    """Run an item; give the reports that pytest's own protocol would make."""
    start, clock = time.time(), time.perf_counter()
    fault: object = None
    try:
        outcome = item.judged()
    except Exception:  # noqa: BLE001 - a fault of the kit fails this test, and no other
        outcome = Outcome("failed")
        fault = item.repr_failure(pytest.ExceptionInfo.from_current())
    seconds = time.perf_counter() - clock
    keywords: dict[str, Literal[1]] = dict.fromkeys(item.keywords, 1)
    # A newer pytest has read the id into its parts, and need not do so again.
    shared = (getattr(item, "id", item.nodeid), item.location, keywords)
    call = _report(shared, "call", start, seconds)
    if outcome.kind == "failed":
        shown: Any = fault or item.report(outcome)  # pytest prints what knows `toterminal`
        call.outcome, call.longrepr = "failed", shown
    elif outcome.kind == "skipped":
        call.outcome = "skipped"
        call.longrepr = (str(item.path), item.line + 1, f"Skipped: {outcome.text}")
    elif outcome.kind == "xfailed":
        call.outcome, call.wasxfail = "skipped", outcome.text
    if outcome.warning:
        call.sections.append(("toolassay warning call", outcome.warning))
    return _report(shared, "setup", start), call, _report(shared, "teardown", start + seconds)


def _report(
    shared: tuple[Any, tuple[str, int | None, str], dict[str, Literal[1]]],
    when: Literal["setup", "call", "teardown"],
    start: float,
    seconds: float = 0.0,
) -> pytest.TestReport:
    return pytest.TestReport(
        *shared,
        "passed",
        None,
        when,
        duration=seconds,
        start=start,
        stop=start + seconds,
    )
