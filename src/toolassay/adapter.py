"""
What adapters are written with: the scripted world of one scenario.

Standard library only, Python 3.9 and newer, so that an adapter runs in the
environment of its implementation, without the kit. A complete adapter, for an
agent loop that takes a model function and a list of tools::

    from toolassay.adapter import call, message
    from my_agent import Agent, Tool  # the implementation under test


    class Adapter:
        def initialize(self):
            return {
                "name": "my-agent",
                "version": "1.0",
                "deterministic": True,
                "operations": ["turn/run"],
                "facets": ["history", "requests", "executions", "ending"],
                "features": ["parallel", "next-turn", "raises"],
            }

        def turn_run(self, play):
            def model(messages):  # the scripted model, in the agent's terms
                reply = play.model(plain(messages))
                calls = [(c.id, c.name, c.arguments) for c in reply.calls]
                return {"text": reply.text, "calls": calls}

            tools = [Tool(t.name, t.parameters, t.call) for t in play.tools]
            agent = Agent(model, tools)
            for turn, user in enumerate(play.users):
                try:
                    agent.run(user)
                    play.ended(turn, "done")
                except Exception as error:
                    play.ended(turn, "failed", error)
            return play.observation(history=plain(agent.messages))


    def plain(messages):  # the agent's messages, as plain data
        return [
            message("tool", m.text, tool_use_id=m.call_id, is_error=m.is_error)
            if m.role == "tool"
            else message(m.role, m.text, calls=[call(c.id, c.name, c.arguments) for c in m.calls])
            for m in messages
        ]

`toolassay run python:my_adapter:Adapter` then judges it. `turn_run` may be a
coroutine function; `play.astream` and `tool.acall` are for such adapters.
"""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any

from toolassay.adapter_script import (
    TICK_S,
    Call,
    Fragment,
    Reply,
    ScriptedError,
    StreamBroken,
    Subscriber,
    Tool,
    ToolFailed,
    TooMuch,
    pieces_of,
    reply_of,
)
from toolassay.adapter_text import (
    ENDINGS,
    Encoded,
    Parsed,
    Rejected,
    Unsupported,
    call,
    check_facets,
    encoding_of,
    error_of,
    held_text,
    history_of,
    message,
    normalise,
    one_word,
    printable,
    raw_of,
    string_of,
    text_of,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence

__all__ = [
    "Call",
    "Encoded",
    "Fragment",
    "Parsed",
    "Play",
    "Rejected",
    "Reply",
    "ScriptedError",
    "StreamBroken",
    "Subscriber",
    "TooMuch",
    "Tool",
    "ToolFailed",
    "Unsupported",
    "call",
    "encoding_of",
    "error_of",
    "message",
    "text_of",
]

REQUESTS_MAX = 1000
"""Model requests of one play; an agent that asks for more runs in a circle."""

EXECUTIONS_MAX = 10_000
"""Entries into callbacks of one play."""

EVENTS_MAX = 100_000
"""Deliveries and journal records of one play, together."""


class Play:
    """
    The scripted world of one scenario, and the record of what happened in it.

    Args:
        scenario: The scenario as JSON data.
        seed: Seed of this run, for implementations that draw ids or choose an order.
        facets: Facets that the adapter declares; None for what it reports.
        deadline_s: After this time the kit kills the worker.
    """

    def __init__(
        self,
        scenario: Mapping[str, Any],
        *,
        seed: int = 0,
        facets: Iterable[str] | None = None,
        deadline_s: float = 10.0,
    ) -> None:
        self.scenario: dict[str, Any] = dict(scenario)
        """The scenario as plain data, for an adapter that plays it in a way of its own."""
        self.seed = seed
        """Seed of this run."""
        self.deadline_s = deadline_s
        """After this time the kit kills the worker."""
        self.users: tuple[str, ...] = tuple(scenario.get("users", ("go",)))
        """One user message per turn."""
        self.sequential: bool = scenario.get("sequential", False)
        """True if the calls of one batch are to run one after the other."""
        self.policy: dict[str, str] = dict(scenario.get("policy", {}))
        """`allow` or `deny` by tool name; a tool without an entry is allowed."""
        self.replies: tuple[Reply, ...] = tuple(reply_of(item) for item in scenario["model"])
        """What the model will say, one reply per request."""
        self.tools: tuple[Tool, ...] = tuple(Tool(self, item) for item in scenario.get("tools", ()))
        """The tools that the implementation is to be given."""
        self.subscribers: tuple[Subscriber, ...] = tuple(
            Subscriber(item.get("name", "main"), item.get("stalls_after"))
            for item in scenario.get("subscribers", ({},))
        )
        """Who listens to the events; never empty."""
        self.unsupported = ""
        """Why this scenario cannot be played; empty if it can."""
        self.fault = ""
        """What the adapter did wrong, even if the implementation swallowed the exception."""
        self.closed = threading.Event()
        """Set when the play is over: hanging tools give up."""
        self._facets = None if facets is None else frozenset(facets)
        self._lock = threading.Lock()
        self._requests: list[list[dict[str, Any]]] = []
        self._executions: list[dict[str, Any]] = []
        self._deliveries: dict[str, list[dict[str, Any]]] = {s.name: [] for s in self.subscribers}
        self._ends: dict[str, dict[str, Any]] = {}
        self._journal: list[dict[str, Any]] = []
        self._turns: list[dict[str, Any]] = []
        self._shown_as: set[str] = set()
        self._run_with = "text"
        self._streaming: bool | None = None
        self._step_start = 0

    # --- what the scenario asks for ---

    @property
    def streamed(self) -> bool:
        """True if any reply is to arrive in fragments."""
        return any(reply.streamed for reply in self.replies)

    def denies(self, tool: str) -> bool:
        """Tell whether the policy denies a tool."""
        return self.policy.get(tool) == "deny"

    def give_up(self, why: str) -> Unsupported:
        """Note that this scenario cannot be played; raise what is returned."""
        self.unsupported = self.unsupported or why
        return Unsupported(why)

    def string(self, text: str | Mapping[str, str], what: str) -> str:
        """
        Give a text of the scenario as a string; lone surrogates are let through.

        Raises:
            Unsupported: It is no string.
        """
        string = string_of(raw_of(text))
        if string is None:
            raise self.give_up(f"{what} is no text")
        return string

    # --- the model ---

    def model(self, messages: Iterable[Mapping[str, Any]], *, as_bytes: bool = False) -> Reply:
        """
        Answer a model request with a whole reply.

        Args:
            messages: What the model is shown, made by `message`.
            as_bytes: True if arguments are taken from `Call.raw`, so that they
                need not be a string.

        Raises:
            Unsupported: The scenario wants this reply streamed, or its
                arguments are no string.
            TooMuch: There were too many requests.
        """
        reply = self._next_reply(messages)
        if reply.streamed:
            raise self.give_up("the reply is streamed, and the adapter asked for a whole one")
        for item in reply.calls:
            if not as_bytes and string_of(item.raw) is None:
                raise self.give_up("arguments are no text")
        self._streaming = False
        return reply

    def stream(
        self, messages: Iterable[Mapping[str, Any]], *, as_bytes: bool = False
    ) -> Iterator[Fragment]:
        """
        Answer a model request in fragments: the text, then each call in turn.

        Args:
            messages: What the model is shown, made by `message`.
            as_bytes: True if fragments of arguments are taken from
                `Fragment.raw`, so that a cut may fall inside a character.

        Raises:
            Unsupported: A fragment of arguments is no string.
            StreamBroken: When iterated: the stream fails in place of its end.
            TooMuch: There were too many requests.
        """
        reply = self._next_reply(messages)
        fragments = self._fragments(reply, as_bytes=as_bytes)
        self._streaming = True
        return self._flow(fragments, reply)

    async def astream(
        self, messages: Iterable[Mapping[str, Any]], *, as_bytes: bool = False
    ) -> AsyncIterator[Fragment]:
        """Do the same as `stream`, as an asynchronous generator."""
        reply = self._next_reply(messages)
        fragments = self._fragments(reply, as_bytes=as_bytes)
        self._streaming = True
        try:
            for fragment in fragments:
                yield fragment
            if reply.stall:
                await asyncio.sleep(reply.stall * TICK_S)
            if reply.breaks:
                raise StreamBroken("the stream of the model broke")
        finally:
            self._streaming = False

    def _flow(self, fragments: Sequence[Fragment], reply: Reply) -> Iterator[Fragment]:
        try:
            yield from fragments
            if reply.stall:
                self.closed.wait(reply.stall * TICK_S)
            if reply.breaks:
                raise StreamBroken("the stream of the model broke")
        finally:
            self._streaming = False

    def _next_reply(self, messages: Iterable[Mapping[str, Any]]) -> Reply:
        try:
            plain = normalise(messages)
        except ValueError as error:
            # Raised inside the implementation's run, it would look like a failure of its own.
            self.fault = self.fault or str(error)
            raise
        with self._lock:
            number = len(self._requests)
            if number >= REQUESTS_MAX:
                raise TooMuch(f"more than {REQUESTS_MAX} model requests in one scenario")
            self._requests.append(plain.messages)
            self._step_start = len(self._deliveries[self.subscribers[0].name])
            self._shown_as |= plain.held_as
        return self.replies[number] if number < len(self.replies) else Reply("done")

    def _fragments(self, reply: Reply, *, as_bytes: bool) -> list[Fragment]:
        fragments = [Fragment("text", reply.text)] if reply.text else []
        for index, item in enumerate(reply.calls):
            fragments.append(Fragment("call", "", index, item.id, item.name))
            for piece in pieces_of(item.raw, item.cuts):
                string = string_of(piece)
                if string is None and not as_bytes:
                    raise self.give_up("a fragment of arguments is no text")
                fragments.append(
                    Fragment("arguments", string or "", index, item.id, item.name, piece)
                )
        return fragments

    # --- what the implementation reports ---

    def mark(self) -> dict[str, Any]:
        """Say how far the facets have come."""
        mark: dict[str, Any] = {"requests": len(self._requests)}
        if self._reports("deliveries"):
            mark["deliveries"] = len(self._deliveries[self.subscribers[0].name])
        if self._reports("journal"):
            mark["journal"] = len(self._journal)
        if self._streaming is not None:
            mark["streaming"] = self._streaming
        return mark

    def enter(
        self, tool: str, arguments: object, call_id: str | None, execution_id: str
    ) -> dict[str, Any]:
        """Record the entry into a callback; `Tool.call` does so."""
        text, is_value = held_text(arguments)
        entry: dict[str, Any] = {"tool": tool, "arguments": text, "began": self.mark()}
        if execution_id:
            entry["execution_id"] = printable(execution_id)
        if call_id is not None:
            entry["call_id"] = printable(call_id)
        with self._lock:
            if len(self._executions) >= EXECUTIONS_MAX:
                raise TooMuch(f"more than {EXECUTIONS_MAX} executions in one scenario")
            self._executions.append(entry)
            if is_value:
                self._run_with = "value"
        return entry

    def leave(self, entry: dict[str, Any]) -> None:
        """Record that a callback returned or threw; `Tool.call` does so."""
        entry["ended"] = self.mark()

    def deliver(
        self,
        event: Mapping[str, Any],
        *,
        subscriber: str | None = None,
        durability: str = "",
        seq: int | None = None,
        in_journal: bool | None = None,
    ) -> None:
        """
        Record an event as a subscriber got it.

        Args:
            event: The event with the contract's keys.
            subscriber: Name of the subscriber; the first one if not given.
            durability: `enduring` or `ephemeral`, where the form shows it.
            seq: Its journal sequence number, if it has one.
            in_journal: Whether the journal held it at this moment, where that is known.
        """
        name = self.subscribers[0].name if subscriber is None else subscriber
        given = {"class": durability or None, "seq": seq, "in_journal": in_journal}
        plain = {key: value for key, value in given.items() if value is not None}
        self._keep(self._deliveries[name], {"event": dict(event), **plain})

    def subscription_ended(
        self, subscriber: str, *, status: str = "complete", why: str = "", error: object = None
    ) -> None:
        """Record how a subscription ended: its status, or the error of its stream."""
        end: dict[str, Any] = {"status": status, "why": why}
        if error is not None:
            end["error"] = printable(error)
        self._ends[subscriber] = end

    def journalled(self, seq: int, event: Mapping[str, Any]) -> None:
        """Record a durable record of the journal."""
        self._keep(self._journal, {"seq": seq, "event": dict(event)})

    def ended(self, turn: int, how: str, error: object = "") -> None:
        """
        Record the end of a turn.

        Args:
            turn: Number of the turn, from 0.
            how: `done`, `failed` or `interrupted`; a run that threw is `failed`.
            error: Native error of a turn that failed.

        Raises:
            ValueError: There is no such way to end.
        """
        if how not in ENDINGS:
            raise ValueError(f"a turn ended {how!r}; the words are {', '.join(ENDINGS)}")
        words = error_of(error) if isinstance(error, BaseException) else printable(error)
        self._turns.append({"turn": turn, "how": how, "error": words})

    def seen(self, what: str, execution_id: str = "") -> int:
        """
        Count what a tool can wait for.

        Args:
            what: `request` for all model requests; else a type of event, counted
                at the first subscriber since the latest model request.
            execution_id: Events of other executions are not counted.
        """
        if what == "request":
            return len(self._requests)
        deliveries = self._deliveries[self.subscribers[0].name]
        return sum(
            item["event"].get("type") == what
            and item["event"].get("tool_execution_id", "") in {"", execution_id}
            for item in deliveries[self._step_start :]
        )

    def close(self) -> None:
        """End the play: hanging tools give up. The worker does so."""
        self.closed.set()

    def _keep(self, place: list[dict[str, Any]], item: dict[str, Any]) -> None:
        with self._lock:
            total = len(self._journal) + sum(len(one) for one in self._deliveries.values())
            if total >= EVENTS_MAX:
                raise TooMuch(f"more than {EVENTS_MAX} events in one scenario")
            place.append(item)

    def _reports(self, facet: str) -> bool:
        if self._facets is not None:
            return facet in self._facets
        return bool(self._journal if facet == "journal" else any(self._deliveries.values()))

    # --- the observation ---

    def observation(
        self,
        history: Iterable[Mapping[str, Any]] | None = None,
        *,
        encoding: Mapping[str, Any] | None = None,
        status: Mapping[str, tuple[str, str]] | None = None,
        omitted: Mapping[str, str] | None = None,
    ) -> dict[str, Any]:
        """
        Assemble what was seen.

        Args:
            history: The committed messages, made by `message`.
            encoding: What the implementation's codec made of them: `encoding_of`.
            status: By facet, a status that is not `complete`, and why.
            omitted: Declared facets that this run leaves out, with the reason.

        Returns:
            The observation as JSON data.

        Raises:
            ValueError: There is no such facet or status, or a message was not
                made by `message`.
        """
        left_out = dict(omitted or {})
        marked = dict(status or {})
        check_facets(left_out, marked)
        with self._lock:
            shown_as, ran = one_word(self._shown_as), [dict(item) for item in self._executions]
            facets: dict[str, dict[str, Any]] = {
                "requests": {"requests": list(self._requests), "arguments": shown_as},
                "executions": {"executions": ran, "arguments": self._run_with},
            }
            if self._turns:
                facets["ending"] = {"turns": list(self._turns)}
            if self._reports("journal"):
                facets["journal"] = {"records": list(self._journal)}
            if self._reports("deliveries"):
                facets["deliveries"] = {"subscriptions": self._subscriptions()}
        if history is not None:
            facets["history"] = history_of(history, encoding)
        for facet, (how, why) in marked.items():
            if facet in facets:
                facets[facet].update(status=how, why=why)
        wanted = facets if self._facets is None else self._facets
        shown: dict[str, Any] = {
            name: facet for name, facet in facets.items() if name in wanted and name not in left_out
        }
        return {**shown, "omitted": left_out} if left_out else shown

    def _subscriptions(self) -> list[dict[str, Any]]:
        return [
            {"name": name, "deliveries": list(items), **self._ends.get(name, {})}
            for name, items in self._deliveries.items()
        ]
