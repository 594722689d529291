"""
The adapter of strands-agents: its agent, its joining of streams, its file of a session.

A model of this library is a stream of events: the scripted one gives the
arguments of a whole reply in one piece, and those of a streamed one as the
scenario cuts them. Nothing is configured but what a scenario asks for, and one
bound: the window of a conversation is no matter of the contract.
"""

from __future__ import annotations

import contextlib
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from strands import Agent
from strands.agent.conversation_manager import NullConversationManager
from strands.hooks import BeforeToolCallEvent, HookProvider, HookRegistry
from strands.models import Model
from strands.session import FileSessionManager
from strands.tools.executors import ConcurrentToolExecutor, SequentialToolExecutor
from strands.tools.tools import PythonAgentTool
from strands.types.session import SessionMessage

from toolassay.adapter import Fragment, Parsed, Play, ToolFailed, call, encoding_of, message
from toolassay.adapter import Tool as ScriptedTool

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from strands.types.content import Message, Messages
    from strands.types.streaming import StreamEvent
    from strands.types.tools import ToolResult, ToolUse


TEXT_BLOCK = -1
"""Stands for the block of text, where a call's block bears its index."""


class Adapter:
    """What toolassay asks of strands-agents."""

    def initialize(self) -> dict[str, Any]:
        return {
            "name": "strands-agents",
            "version": version("strands-agents"),
            "operations": ["turn/run"],
            "facets": ["history", "requests", "executions", "ending"],
            "features": [
                "policy",
                "parallel",
                "sequential",
                "stream-text",
                "stream-breaks",
                "stream-stall",
                "next-turn",
                "raises",
                "waits",
            ],
            # Its messages bear an id that is drawn, and how long the model took.
            "deterministic": False,
        }

    async def turn_run(self, play: Play) -> dict[str, Any]:
        agent = agent_of(play)
        for turn, user in enumerate(play.users):
            try:
                await agent.invoke_async(user)
            except Exception as error:  # noqa: BLE001 - whatever a run raises ends its turn
                play.ended(turn, "failed", error)
            else:
                play.ended(turn, "done")
        # The agent keeps the conversation, and goes on with it after a run that raised.
        history = list(agent.messages)
        return play.observation(list(plain(history)), encoding=encoding_of_history(history))


def agent_of(play: Play) -> Agent:
    return Agent(
        model=Scripted(play),
        tools=[native(tool) for tool in play.tools],
        hooks=[Policy(play)],
        tool_executor=SequentialToolExecutor() if play.sequential else ConcurrentToolExecutor(),
        conversation_manager=NullConversationManager(),
        callback_handler=None,  # the default prints what the model says
    )


class Policy(HookProvider):
    """Cancels the calls of denied tools."""

    def __init__(self, play: Play) -> None:
        self.play = play

    def register_hooks(self, registry: HookRegistry, **_: object) -> None:
        registry.add_callback(BeforeToolCallEvent, self.before)

    def before(self, event: BeforeToolCallEvent) -> None:
        if self.play.denies(event.tool_use["name"]):
            event.cancel_tool = "denied by policy"


# --- the model ---


class Scripted(Model):
    """The scripted model; its events are those of the library's own providers."""

    def __init__(self, play: Play) -> None:
        self.play = play

    def update_config(self, **_: object) -> None:
        pass

    def get_config(self) -> dict[str, Any]:
        return {"model_id": "scripted"}

    async def structured_output(self, *_: object, **__: object) -> AsyncIterator[dict[str, Any]]:
        # The library demands the method; the agent of a scenario never asks for such output.
        raise NotImplementedError
        yield {}

    async def stream(
        self, messages: Messages, *_: object, **__: object
    ) -> AsyncIterator[StreamEvent]:
        shown = list(plain(messages))
        fragments = self.play.astream(shown) if self.play.streamed else whole(self.play, shown)
        reason, block = "end_turn", None
        yield {"messageStart": {"role": "assistant"}}
        async with contextlib.aclosing(fragments):
            async for fragment in fragments:
                wanted = TEXT_BLOCK if fragment.kind == "text" else fragment.index
                if wanted != block:
                    if block is not None:
                        yield {"contentBlockStop": {}}
                    yield {"contentBlockStart": {"start": start_of(fragment)}}
                    block = wanted
                if fragment.kind != "text":
                    reason = "tool_use"
                yield {"contentBlockDelta": {"delta": delta_of(fragment)}}
        if block is not None:
            yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": reason}}


def start_of(fragment: Fragment) -> dict[str, Any]:
    if fragment.kind == "text":
        return {}
    return {"toolUse": {"toolUseId": fragment.id, "name": fragment.name}}


def delta_of(fragment: Fragment) -> dict[str, Any]:
    if fragment.kind == "text":
        return {"text": fragment.text}
    # Where a call starts its text is empty, and so is its first delta, as with some providers.
    return {"toolUse": {"input": fragment.text}}


async def whole(play: Play, shown: list[dict[str, Any]]) -> AsyncIterator[Fragment]:
    """Give a whole reply in as few fragments as there can be."""
    reply = play.model(shown)
    if reply.text:
        yield Fragment("text", reply.text)
    for index, item in enumerate(reply.calls):
        yield Fragment("call", "", index, item.id, item.name)
        yield Fragment("arguments", item.arguments, index, item.id, item.name)


# --- tools ---


def native(tool: ScriptedTool) -> PythonAgentTool:
    """Make a tool by its JSON Schema, as a module of a tool does."""

    async def run(tool_use: ToolUse, **_: object) -> ToolResult:
        # The input is the parsed value, which may itself be a string.
        given, call_id = Parsed(tool_use["input"]), tool_use["toolUseId"]
        try:
            text, status = await tool.acall(given, call_id), "success"
        except ToolFailed as failure:
            text, status = failure.text, "error"
        return {"toolUseId": call_id, "status": status, "content": [{"text": text}]}

    schema = {"type": "object", "properties": {}, **tool.parameters}
    spec = {
        "name": tool.name,
        "description": f"the tool {tool.name}",
        "inputSchema": {"json": schema},
    }
    return PythonAgentTool(tool.name, spec, run)


# --- messages ---


def plain(messages: Messages) -> Iterator[dict[str, Any]]:
    """Give the library's messages in the kit's form: one message per result."""
    for one in messages:
        yield from plain_blocks(one)


def plain_blocks(one: Message) -> Iterator[dict[str, Any]]:
    blocks = one["content"]
    results = [block["toolResult"] for block in blocks if "toolResult" in block]
    for result in results:
        yield message(
            "tool",
            text_of_blocks(result["content"]),
            tool_use_id=result["toolUseId"],
            is_error=result["status"] == "error",
        )
    uses = [block["toolUse"] for block in blocks if "toolUse" in block]
    text = text_of_blocks(blocks)
    if text or not results:
        # Arguments are held as the parsed value, whatever it is.
        calls = [call(use["toolUseId"], use["name"], Parsed(use["input"])) for use in uses]
        yield message(one["role"], text, calls=calls)


def text_of_blocks(blocks: list[dict[str, Any]]) -> str:
    return "".join(block.get("text", "") for block in blocks)


# --- the codec ---


def encoding_of_history(history: Messages) -> dict[str, Any]:
    """Ask the library's store of files, which writes one for each message."""
    with tempfile.TemporaryDirectory() as folder:
        first, second = Path(folder, "first"), Path(folder, "second")
        return encoding_of(
            lambda: written(first, history),
            lambda text: written(second, read(first)) == text,
        )


def written(folder: Path, history: Messages) -> bytes:
    store = FileSessionManager(session_id="s", storage_dir=str(folder))
    for number, item in enumerate(history):
        # The time of day would tell two writings of one message apart.
        kept = SessionMessage(item, number, created_at="", updated_at="")
        store.create_message("s", "a", kept)
    files = sorted(folder.rglob("message_*.json"), key=number_of)
    return b"[" + b",".join(file.read_bytes() for file in files) + b"]"


def number_of(file: Path) -> int:
    return int(file.stem.removeprefix("message_"))


def read(folder: Path) -> Messages:
    store = FileSessionManager(session_id="s", storage_dir=str(folder))
    return [item.to_message() for item in store.list_messages("s", "a")]
