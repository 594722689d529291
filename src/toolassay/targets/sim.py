"""The target `sim`: the reference simulator, in the kit's own process."""

from __future__ import annotations

from typing import Any, Protocol

import msgspec

from toolassay.errors import AdapterProtocolError
from toolassay.simulator.reference import Reference
from toolassay.spec.case import Case
from toolassay.spec.observation import Observation, Outcome
from toolassay.spec.scenario import Scenario
from toolassay.spec.text import Text
from toolassay.targets.base import (
    DEADLINE_S,
    Answer,
    Described,
    Implementation,
    implementation_of,
)


class Simulator(Protocol):
    """What the reference and its mutants offer."""

    def describe(self) -> dict[str, Any]:
        """Say what it is and what it can do."""

    def turn_run(self, scenario: Scenario, seed: int) -> Observation:
        """Go through a scenario."""

    def event_validate(self, event: Text) -> Outcome:
        """Judge an event."""

    def arguments_sanitize(self, arguments: Text) -> Outcome:
        """Give the two views of raw arguments."""


class SimTarget:
    """
    The reference simulator, or one of its mutants.

    Args:
        simulator: What is run; the reference if not given.
    """

    def __init__(self, simulator: Simulator | None = None) -> None:
        self._simulator: Simulator = Reference() if simulator is None else simulator
        try:
            described = msgspec.convert(self._simulator.describe(), Described)
        except msgspec.ValidationError as error:
            raise AdapterProtocolError("sim", f"describe() has the wrong shape: {error}") from None
        self._implementation = implementation_of(described, "sim")

    @property
    def implementation(self) -> Implementation:
        """What the simulator says of itself."""
        return self._implementation

    def run(self, case: Case, seed: int = 0, deadline_s: float = DEADLINE_S) -> Answer:  # noqa: ARG002 - its clock is virtual
        """Run one case; the simulator bounds itself."""
        try:
            return Answer("ok", self._observe(case, seed))
        except Exception as error:  # noqa: BLE001 - a mutant may do anything
            import traceback  # noqa: PLC0415 - needed for mutants that throw alone

            message = f"{type(error).__name__}: {error}"
            return Answer("raised", message=message, detail=traceback.format_exc(limit=-20))

    def close(self) -> None:
        """Do nothing: it holds nothing."""

    def _observe(self, case: Case, seed: int) -> Observation:
        if case.operation == "event/validate":
            assert case.event is not None, "a case of event/validate has an event"
            return Observation(outcome=self._simulator.event_validate(case.event))
        if case.operation == "arguments/sanitize":
            assert case.arguments is not None, "a case of arguments/sanitize has arguments"
            return Observation(outcome=self._simulator.arguments_sanitize(case.arguments))
        assert case.scenario is not None, "a case of turn/run has a scenario"
        return self._simulator.turn_run(case.scenario, seed)
