"""The reference as an implementation under test: its operations and facets."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from toolassay.simulator.session import Config, Session
from toolassay.simulator.validate import Validator
from toolassay.spec.canonical import canonical
from toolassay.spec.case import OPERATIONS
from toolassay.spec.messages import Message
from toolassay.spec.observation import (
    FACETS,
    Deliveries,
    Encoding,
    Ending,
    Executions,
    History,
    Journal,
    Observation,
    Outcome,
    Requests,
)
from toolassay.spec.scenario import Scenario
from toolassay.spec.text import Text, bytes_of, text_of

FEATURES = (
    "policy", "parallel", "sequential", "stream-text", "stream-bytes", "stream-breaks",
    "stream-stall", "subscribers", "stall", "next-turn", "raises", "hangs", "waits",
)  # fmt: skip
"""Everything that a scenario of this contract can ask for."""

_MESSAGES = msgspec.json.Decoder(tuple[Message, ...])


class Reference:
    """The reference, or a mutant of it, with the operations of an adapter."""

    def __init__(
        self,
        *,
        session: type[Session] = Session,
        validator: type[Validator] = Validator,
        config: Config | None = None,
    ) -> None:
        self._session = session
        self._validator = validator
        self._config = config or Config()
        self.faults = 0
        """How often a mutant's fault was reached since this object was made."""

    def describe(self) -> dict[str, object]:
        """Give name, version, operations, facets and features."""
        return {
            "name": "toolassay-reference",
            "version": "1",
            "operations": list(OPERATIONS),
            "facets": list(FACETS),
            "features": list(FEATURES),
            "deterministic": True,
        }

    def turn_run(
        self, scenario: Scenario, seed: int = 0, choose: Callable[[int], int] | None = None
    ) -> Observation:
        """Run a scenario and give all facets of what happened."""
        session = self._session(scenario, seed, self._config, choose)
        session.run()
        self.faults += session.faults + session.arguments.faults
        return self.observe(session)

    def event_validate(self, event: Text) -> Outcome:
        """Judge one event, given as JSON text."""
        validator = self._validator()
        outcome = validator.validate(event)
        self.faults += validator.faults
        return outcome

    def arguments_sanitize(self, arguments: Text) -> Outcome:
        """Give both views of a raw argument text."""
        rules = self._config.arguments()
        raw = bytes_of(arguments)
        stored, executable = text_of(rules.stored(raw)), text_of(rules.executable(raw))
        self.faults += rules.faults
        return Outcome("ok", stored=stored, executable=executable)

    def observe(self, session: Session) -> Observation:
        """Give what a session let us see."""
        messages = tuple(session.history)
        return Observation(
            history=History(messages, arguments="value", encoding=self.encode(messages)),
            requests=Requests(tuple(session.requests), arguments="value"),
            executions=Executions(tuple(session.executions)),
            deliveries=Deliveries(tuple(box.subscription() for box in session.hub.mailboxes)),
            journal=Journal(tuple(session.journal.records)),
            ending=Ending(tuple(session.endings)),
        )

    def encode(self, messages: tuple[Message, ...]) -> Encoding:
        """Encode the history with the reference's codec, and decode it again (ARG-06, ARG-07)."""
        data = canonical(messages)
        return Encoding(ok=True, round_trips=_MESSAGES.decode(data) == messages)


class Choices:
    """
    Enumerates sequences of choices, depth first.

    Each run replays a prefix and takes the first task afterwards; then the last
    choice that has an untried alternative is advanced.
    """

    def __init__(self) -> None:
        self._prefix: list[int] = []
        self._taken: list[tuple[int, int]] = []

    def choose(self, count: int) -> int:
        """Pick one of `count` ready tasks in the current run."""
        place = len(self._taken)
        pick = self._prefix[place] if place < len(self._prefix) else 0
        self._taken.append((pick, count))
        return pick

    def advance(self) -> bool:
        """Go on to the next sequence; False if there is none."""
        taken, self._taken = self._taken, []
        while taken and taken[-1][0] + 1 == taken[-1][1]:
            taken.pop()
        self._prefix = [pick for pick, _ in taken]
        if taken:
            self._prefix[-1] += 1
        return bool(taken)


def explore(
    scenario: Scenario, *, limit: int, reference: Reference | None = None
) -> Iterator[Observation]:
    """Run a scenario under every interleaving of its tasks, at most `limit` of them."""
    runner = reference or Reference()
    choices = Choices()
    for _ in range(limit):
        yield runner.turn_run(scenario, choose=choices.choose)
        if not choices.advance():
            return
