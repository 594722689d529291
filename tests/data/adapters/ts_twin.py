"""The sample loop of the TypeScript skeleton once more, in Python: both are to be seen alike."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

from toolassay.adapter import Play, call, encoding_of, message

Json = dict[str, Any]


class Agent:
    def __init__(self, play: Play, patience: float = 0.2) -> None:
        self.play, self.patience = play, patience
        self.tools = {tool.name: tool.acall for tool in play.tools}
        self.messages: list[Json] = []
        self.running: list[asyncio.Future[str]] = []

    async def run(self, user: str) -> None:
        self.messages.append({"role": "user", "text": user})
        while True:
            reply = await self.ask()
            results = await self.run_all(reply["calls"])
            calls = [{**one, "arguments": stored(one["arguments"])} for one in reply["calls"]]
            said = {"role": "assistant", "text": reply["text"], "calls": calls}
            self.messages += [said, *results]
            if not calls:
                return

    async def ask(self) -> Json:
        text = ""
        calls: list[Json] = []
        async for part in parts(self.play, plain(self.messages)):
            text += part.get("text", "")
            if "call" in part:
                calls.append({**part["call"], "parts": []})
            if "bytes" in part:
                calls[part["index"]]["parts"].append(part["bytes"])
        held = [{"id": c["id"], "name": c["name"], "arguments": joined(c["parts"])} for c in calls]
        return {"text": text, "calls": held}

    async def run_all(self, calls: list[Json]) -> list[Json]:
        if not self.play.sequential:
            return await asyncio.gather(*(self.answer(one) for one in calls))
        return [await self.answer(one) for one in calls]

    async def answer(self, one: Json) -> Json:
        result = {"role": "tool", "call_id": one["id"]}
        try:
            return {**result, "text": await self.execute(one), "is_error": False}
        except Exception as error:  # noqa: BLE001 - whatever it is, it is the result
            return {**result, "text": f"error: {error}", "is_error": True}

    async def execute(self, one: Json) -> str:
        arguments = parsed(one["arguments"])
        if one["name"] not in self.tools:
            raise LookupError(f"there is no tool {one['name']}")
        if self.play.denies(one["name"]):
            raise PermissionError("denied by the policy")
        running = asyncio.ensure_future(self.tools[one["name"]](arguments, one["id"]))
        self.running.append(running)  # what is given up goes on
        done, _ = await asyncio.wait({running}, timeout=self.patience)
        if not done:
            raise TimeoutError("timed out")
        return running.result()


def parsed(text: str) -> Json:
    if not is_json(text):
        raise ValueError("the arguments are no JSON")
    value = json.loads(text)
    if not isinstance(value, dict):
        raise TypeError("the arguments are no object")
    return value


def stored(text: str) -> str:
    return text if is_json(text) else "{}"


def is_json(text: str) -> bool:
    def refuse(word: str) -> None:
        raise ValueError(word)

    try:
        json.loads(text, parse_constant=refuse)
    except ValueError:
        return False
    return True


def joined(pieces: list[bytes]) -> str:
    try:
        return b"".join(pieces).decode()
    except UnicodeDecodeError:
        return ""


class Adapter:
    def initialize(self) -> Json:
        return {
            "name": "twin",
            "version": "0.1.0",
            "deterministic": True,
            "operations": ["turn/run"],
            "facets": ["history", "requests", "executions", "ending"],
            "features": [
                "policy", "parallel", "sequential", "next-turn", "stream-text", "stream-bytes",
                "stream-breaks", "stream-stall", "raises", "hangs", "waits",
            ],
        }  # fmt: skip

    async def turn_run(self, play: Play) -> Json:
        agent = Agent(play)
        for turn, user in enumerate(play.users):
            try:
                await agent.run(user)
                play.ended(turn, "done")
            except Exception as error:  # noqa: BLE001 - whatever it is, it ends the turn
                play.ended(turn, "failed", error)
        encoding = encoding_of(
            lambda: json.dumps(agent.messages), lambda data: json.dumps(json.loads(data)) == data
        )
        return play.observation(plain(agent.messages), encoding=encoding)


async def parts(play: Play, messages: list[Json]) -> AsyncIterator[Json]:
    if not play.streamed:
        reply = play.model(messages, as_bytes=True)
        yield {"text": reply.text}
        for index, one in enumerate(reply.calls):
            yield {"index": index, "call": {"id": one.id, "name": one.name}, "bytes": one.raw}
        return
    async for part in play.astream(messages, as_bytes=True):
        if part.kind == "text":
            yield {"text": part.text}
        elif part.kind == "call":
            yield {"index": part.index, "call": {"id": part.id, "name": part.name}}
        else:
            yield {"index": part.index, "bytes": part.raw}


def plain(messages: list[Json]) -> list[Json]:
    return [
        message(
            one["role"],
            one["text"],
            calls=[call(c["id"], c["name"], c["arguments"]) for c in one.get("calls", ())],
            tool_use_id=one.get("call_id"),
            is_error=one.get("is_error"),
        )
        for one in messages
    ]
