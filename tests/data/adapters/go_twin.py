"""The sample loop of the Go skeleton once more, in Python: both are to be seen alike."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NoReturn

from toolassay.adapter import Play, ToolFailed, call, encoding_of, message

Asked = tuple[str, str, bytes]
"""A call: its id, the name of the tool, the arguments."""


class Adapter:
    def initialize(self) -> dict[str, Any]:
        return {
            "name": "twin",
            "version": "0.1.0",
            "operations": ["turn/run"],
            "facets": ["history", "requests", "executions", "ending"],
            "features": [
                "policy", "parallel", "sequential", "next-turn", "stream-text", "stream-bytes",
                "stream-breaks", "stream-stall", "raises", "waits",
            ],
        }  # fmt: skip

    def turn_run(self, play: Play) -> dict[str, Any]:
        agent = Agent(play)
        for turn, user in enumerate(play.users):
            try:
                agent.run(user)
                play.ended(turn, "done")
            except Exception as error:  # noqa: BLE001 - whatever it is, it ends the turn
                play.ended(turn, "failed", error)
        encoding = encoding_of(
            lambda: encode(agent.messages), lambda data: encode(json.loads(data)) == data
        )
        return play.observation(plain(agent.messages), encoding=encoding)


class Agent:
    def __init__(self, play: Play) -> None:
        self.play = play
        self.tools = {tool.name: tool for tool in play.tools}
        self.messages: list[dict[str, Any]] = []

    def run(self, user: str) -> None:
        self.messages.append({"role": "user", "text": user})
        while True:
            text, calls = self.ask()
            results = self.run_all(calls)
            held = [(*one[:2], one[2] if parsed(one[2]) is not None else b"{}") for one in calls]
            self.messages += [{"role": "assistant", "text": text, "calls": held}, *results]
            if not calls:
                return

    def ask(self) -> tuple[str, list[Asked]]:
        if not self.play.streamed:
            reply = self.play.model(plain(self.messages), as_bytes=True)
            return reply.text, [(one.id, one.name, one.raw) for one in reply.calls]
        text, calls = "", dict[int, Asked]()
        for one in self.play.stream(plain(self.messages), as_bytes=True):
            if one.kind == "text":
                text += one.text
            else:
                before = calls.get(one.index, ("", "", b""))[2]
                calls[one.index] = (one.id, one.name, before + one.raw)
        return text, list(calls.values())

    def run_all(self, calls: list[Asked]) -> list[dict[str, Any]]:
        if self.play.sequential:
            return [self.answer(one) for one in calls]
        with ThreadPoolExecutor(max(1, len(calls))) as pool:
            return list(pool.map(self.answer, calls))

    def answer(self, one: Asked) -> dict[str, Any]:
        identifier, name, raw = one
        try:
            text, is_error = self.execute(identifier, name, raw), False
        except ToolFailed as failed:
            text, is_error = f"error: {failed.text}", True
        except Exception as error:  # noqa: BLE001 - whatever it is, it is the result
            text, is_error = f"error: {error}", True
        return {"role": "tool", "text": text, "tool_use_id": identifier, "is_error": is_error}

    def execute(self, identifier: str, name: str, raw: bytes) -> str:
        value = parsed(raw)
        if value is None or not isinstance(value[0], dict):
            raise ValueError("the arguments are no JSON object")
        if name not in self.tools:
            raise ValueError(f"there is no tool {json.dumps(name)}")
        if self.play.denies(name):
            raise ValueError("denied by the policy")
        return self.tools[name].call(raw, identifier)


def parsed(raw: bytes) -> tuple[object] | None:
    """Give a JSON value in a tuple; None if it is none."""
    try:
        return (json.loads(raw.decode(), parse_constant=refuse, parse_int=str, parse_float=str),)
    except ValueError:
        return None
    except RecursionError:
        return ({},) if raw.lstrip().startswith(b"{") else ([],)


def refuse(word: str) -> NoReturn:
    raise ValueError(word)


def plain(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        message(
            one["role"],
            one["text"],
            calls=[call(*item) for item in one.get("calls", ())],
            tool_use_id=one.get("tool_use_id"),
            is_error=one.get("is_error"),
        )
        for one in messages
    ]


def encode(messages: object) -> bytes:
    return json.dumps(messages, default=bytes.decode).encode()
