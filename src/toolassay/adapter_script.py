"""
What is scripted in a scenario: the model's replies and the tools, for adapters.

Standard library only, Python 3.9 and newer: this module runs where the
implementation under test runs. Users import its names from
`toolassay.adapter`.
"""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any, NamedTuple

from toolassay.adapter_text import raw_of, string_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from toolassay.adapter import Play

TICK_S = 0.001
"""Length of one tick."""

WAIT_TICKS = 50
"""Longest wait of a tool with `waits_for` that names no `ticks`."""

HANG_S = 3600.0
"""Longest time for which a hanging tool really hangs; the kit kills it long before."""


class ScriptedError(Exception):
    """The exception that a scripted tool throws (`raises`)."""


class ToolFailed(Exception):  # noqa: N818 - it tells of a result
    """
    A scripted tool failed and accepts it (`fails`): a result with the error flag.

    An adapter turns it into its library's own way to say so.
    """

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


class StreamBroken(ConnectionError):  # noqa: N818 - it tells of an event
    """The model's stream failed in place of its end (`breaks`)."""


class TooMuch(RuntimeError):  # noqa: N818 - it tells of a limit
    """The implementation asked for more than any scenario needs."""


class Call(NamedTuple):
    """One tool call of the scripted model."""

    id: str
    """The model's id of the call."""
    name: str
    """Name of the tool; the implementation may not know it."""
    raw: bytes
    """The raw argument text as bytes."""
    cuts: tuple[int, ...] = ()
    """Byte offsets at which a stream cuts the arguments."""

    @property
    def arguments(self) -> str:
        """The raw argument text, JSON or not."""
        return string_of(self.raw) or ""


class Reply(NamedTuple):
    """One whole reply of the scripted model."""

    text: str = ""
    """Text that precedes the calls."""
    calls: tuple[Call, ...] = ()
    """The calls; none ends the turn."""
    streamed: bool = False
    """True if the scenario wants it in fragments."""
    stall: int = 0
    """Ticks for which a stream stops before its end."""
    breaks: bool = False
    """True if a stream fails in place of its end."""


class Fragment(NamedTuple):
    """One fragment of a streamed reply."""

    kind: str
    """`text`, `call` (the start of one: id and name) or `arguments`."""
    text: str = ""
    """The fragment of text, or of arguments (empty where it is no string: see `raw`)."""
    index: int = 0  # type: ignore[assignment]  # hides the method of tuples, which nobody needs
    """Position of the call in the reply, from 0."""
    id: str = ""
    """The model's id of the call."""
    name: str = ""
    """Name of the tool."""
    raw: bytes = b""
    """The fragment of arguments as bytes."""


class Subscriber(NamedTuple):
    """One subscriber that the scenario wants."""

    name: str
    """Its name."""
    stalls_after: int | None = None
    """Number of deliveries after which it reads no more."""


class Tool:
    """One scripted tool; call it from the implementation's callback."""

    def __init__(self, play: Play, script: Mapping[str, Any]) -> None:
        self.name: str = script["name"]
        """Name under which the model calls it."""
        self.parameters: dict[str, Any] = script.get("parameters", {"type": "object"})
        """JSON Schema of its arguments."""
        self.denied: bool = play.denies(self.name)
        """True if the policy of the scenario denies it."""
        self._play = play
        self._behaviour: Mapping[str, Any] = script.get("behaviour", {})

    def call(self, arguments: object, call_id: str | None = None, execution_id: str = "") -> str:
        """
        Enter the callback.

        Args:
            arguments: What the callback was given: a str or bytes if it sees
                the text, any other value if it sees parsed arguments, and
                `Parsed` around one that may itself be a string.
            call_id: The model's id of the call, where the callback can know it.
            execution_id: The implementation's id of this execution, if it has one.

        Returns:
            The text of the result.

        Raises:
            ToolFailed: The tool fails, and accepts that.
            ScriptedError: The tool throws.
            Unsupported: The result is no text.
        """
        entry = self._play.enter(self.name, arguments, call_id, execution_id)
        try:
            for pause in self._pauses(entry, execution_id):
                self._play.closed.wait(pause)
            return self._result()
        finally:
            self._play.leave(entry)

    async def acall(
        self, arguments: object, call_id: str | None = None, execution_id: str = ""
    ) -> str:
        """Do the same as `call`, in a coroutine."""
        entry = self._play.enter(self.name, arguments, call_id, execution_id)
        try:
            for pause in self._pauses(entry, execution_id):
                await asyncio.sleep(pause)
            return self._result()
        finally:
            self._play.leave(entry)

    def _pauses(self, entry: Mapping[str, Any], execution_id: str) -> Iterator[float]:
        """Yield how long to sleep, until the time is up or what is awaited was seen."""
        behaviour = self._behaviour
        awaited = behaviour.get("waits_for")
        ticks = behaviour.get("ticks", 0) or (WAIT_TICKS if awaited else 0)
        if not awaited and not behaviour.get("hangs"):
            if ticks:
                yield ticks * TICK_S
            return
        # A request may have come between the entry and this look, from another thread or task.
        before = entry["began"]["requests"] if awaited == "request" else 0
        end = time.monotonic() + (ticks * TICK_S if awaited else HANG_S)
        while not self._play.closed.is_set() and time.monotonic() < end:
            if awaited and self._play.seen(awaited, execution_id) > before:
                return
            # A hang needs no haste; what is awaited is looked for every tick.
            yield TICK_S if awaited else 0.05

    def _result(self) -> str:
        behaviour = self._behaviour
        if behaviour.get("hangs"):
            raise ScriptedError("the hanging tool was given up")
        if behaviour.get("raises") is not None:
            raise ScriptedError(behaviour["raises"])
        if behaviour.get("fails") is not None:
            raise ToolFailed(self._play.string(behaviour["fails"], "a result"))
        returns = behaviour.get("returns")
        return "ok" if returns is None else self._play.string(returns, "a result")


def reply_of(script: Mapping[str, Any]) -> Reply:
    """Read one reply of a scenario."""
    calls = tuple(
        Call(
            item["id"],
            item["name"],
            raw_of(item.get("arguments", "{}")),
            tuple(item.get("cuts", ())),
        )
        for item in script.get("calls", ())
    )
    return Reply(
        script.get("text", ""),
        calls,
        script.get("streamed", False),
        script.get("stall", 0),
        script.get("breaks", False),
    )


def pieces_of(raw: bytes, cuts: Iterable[int]) -> Iterator[bytes]:
    """Cut a text at byte offsets; an empty text is one empty fragment."""
    start = 0
    for cut in sorted(cuts):
        place = min(max(cut, start), len(raw))
        yield raw[start:place]
        start = place
    yield raw[start:]
