"""The reference behind the adapter interface, so that it can be judged through the wire."""

from typing import Any

import msgspec

from toolassay.adapter import Play
from toolassay.simulator.reference import Reference
from toolassay.spec.scenario import Scenario
from toolassay.spec.text import text_of


class Adapter:
    def __init__(self) -> None:
        self.reference = Reference()

    def initialize(self) -> dict[str, object]:
        return self.reference.describe()

    def turn_run(self, play: Play) -> Any:  # noqa: ANN401 - plain data
        scenario = msgspec.convert(play.scenario, Scenario)
        return msgspec.to_builtins(self.reference.turn_run(scenario, play.seed))

    def event_validate(self, event: str) -> Any:  # noqa: ANN401 - as above
        return msgspec.to_builtins(self.reference.event_validate(event))

    def arguments_sanitize(self, raw: bytes) -> Any:  # noqa: ANN401 - as above
        return msgspec.to_builtins(self.reference.arguments_sanitize(text_of(raw)))
