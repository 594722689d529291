"""
The adapter of openai-agents: its runner, its session, and its model of chat completions.

The model's provider is a transport of HTTP inside this process, so that what
the library sends, and how it joins a stream, is what its users get. Nothing is
configured but what a scenario asks for, and one bound: the number of steps of
a run is no matter of the contract.
"""

from __future__ import annotations

import contextlib
import json
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import httpx2
from agents import (
    Agent,
    OpenAIChatCompletionsModel,
    RunConfig,
    Runner,
    RunState,
    SQLiteSession,
    ToolExecutionConfig,
    set_tracing_disabled,
)
from agents.mcp import MCPServer
from mcp import types as mcp
from openai import AsyncOpenAI

from toolassay.adapter import (
    Fragment,
    Play,
    Reply,
    StreamBroken,
    ToolFailed,
    call,
    encoding_of,
    message,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from agents.mcp import MCPToolMetaContext
    from agents.result import RunResultBase

# Traces are sent to a server over the net, and are no part of what is judged.
set_tracing_disabled(True)

STEPS = 1000
"""Model requests, or pauses, of one turn; the default, 10, is a limit no clause speaks of."""

NO_USAGE = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}


class Adapter:
    """What toolassay asks of openai-agents."""

    def initialize(self) -> dict[str, Any]:
        return {
            "name": "openai-agents",
            "version": version("openai-agents"),
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
            "deterministic": True,
        }

    async def turn_run(self, play: Play) -> dict[str, Any]:
        with contextlib.closing(SQLiteSession("conversation")) as session:  # in memory
            await run_turns(play, session)
            items = await session.get_items()
        return play.observation(list(messages_of_items(items)), encoding=encoding_of_items(items))


async def run_turns(play: Play, session: SQLiteSession) -> None:
    async with client_of(play) as client:
        agent = agent_of(play, client)
        for turn, user in enumerate(play.users):
            try:
                await run(play, agent, session, user)
            except Exception as error:  # noqa: BLE001 - whatever a run raises ends its turn
                play.ended(turn, "failed", error)
            else:
                play.ended(turn, "done")


async def run(play: Play, agent: Agent[None], session: SQLiteSession, user: str) -> None:
    """Run one turn; where it pauses for approvals, say no and go on."""
    result = await run_once(play, agent, session, user)
    for _ in range(STEPS):
        if not result.interruptions:
            return
        state = result.to_state()
        # Only tools that the policy denies ask for approval.
        for item in result.interruptions:
            state.reject(item)
        result = await run_once(play, agent, session, state)


async def run_once(
    play: Play, agent: Agent[None], session: SQLiteSession, what: str | RunState[None]
) -> RunResultBase:
    at_once = ToolExecutionConfig(max_function_tool_concurrency=1 if play.sequential else None)
    config = RunConfig(tool_execution=at_once)
    given = {"session": session, "run_config": config, "max_turns": STEPS}
    if not play.streamed:
        return await Runner.run(agent, what, **given)
    result = Runner.run_streamed(agent, what, **given)
    async for _ in result.stream_events():
        pass
    return result


def agent_of(play: Play, client: AsyncOpenAI) -> Agent[None]:
    model = OpenAIChatCompletionsModel("scripted", client)
    return Agent("scripted", model=model, mcp_servers=[Tools(play)])


# --- the model's provider ---


def client_of(play: Play) -> AsyncOpenAI:
    """Make the client of the provider: its address is never connected to."""
    http = httpx2.AsyncClient(transport=Provider(play), trust_env=False)
    # A request that is asked again would use up another reply of the scenario.
    return AsyncOpenAI(api_key="none", http_client=http, max_retries=0)


class Provider(httpx2.AsyncBaseTransport):
    """The endpoint for chat completions: it answers with what the scenario has the model say."""

    def __init__(self, play: Play) -> None:
        self.play = play

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        body = json.loads(await request.aread())
        shown = list(messages_of_request(body["messages"]))
        if not body.get("stream"):
            return httpx2.Response(200, content=json.dumps(whole(self.play.model(shown))).encode())
        kind = {"content-type": "text/event-stream"}
        return httpx2.Response(200, headers=kind, content=events(self.play, shown))


def whole(reply: Reply) -> dict[str, Any]:
    calls = [
        {
            "id": item.id,
            "type": "function",
            "function": {"name": item.name, "arguments": item.arguments},
        }
        for item in reply.calls
    ]
    said = {"role": "assistant", "content": reply.text or (None if calls else "")}
    if calls:
        said["tool_calls"] = calls
    finish = "tool_calls" if calls else "stop"
    choice = {"index": 0, "message": said, "finish_reason": finish}
    return {**envelope("chat.completion"), "choices": [choice], "usage": NO_USAGE}


async def events(play: Play, shown: list[dict[str, Any]]) -> AsyncIterator[bytes]:
    finish = "stop"
    yield chunk({"role": "assistant", "content": ""})
    try:
        async with contextlib.aclosing(play.astream(shown)) as fragments:
            async for fragment in fragments:
                finish = "stop" if fragment.kind == "text" else "tool_calls"
                yield chunk(delta_of(fragment))
    except StreamBroken as broken:
        raise httpx2.ReadError(str(broken)) from broken  # as a lost connection shows itself
    yield chunk({}, finish)
    yield b"data: [DONE]\n\n"


def delta_of(fragment: Fragment) -> dict[str, Any]:
    if fragment.kind == "text":
        return {"content": fragment.text}
    function: dict[str, Any] = {"arguments": fragment.text}
    entry: dict[str, Any] = {"index": fragment.index, "function": function}
    if fragment.kind == "call":
        entry.update(id=fragment.id, type="function")
        function["name"] = fragment.name
    return {"tool_calls": [entry]}


def chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    data = {**envelope("chat.completion.chunk"), "choices": [choice]}
    return b"data: " + json.dumps(data).encode() + b"\n\n"


def envelope(kind: str) -> dict[str, Any]:
    return {"id": "completion", "object": kind, "created": 0, "model": "scripted"}


# --- tools ---


class Tools(MCPServer):
    """
    The scenario's tools, in the way of this library to have tools by JSON Schema.

    Its own part is to parse the arguments, to ask for approval, and to make a
    result of what the tool gives or throws.
    """

    def __init__(self, play: Play) -> None:
        self.tools = {tool.name: tool for tool in play.tools}
        super().__init__(
            require_approval={
                tool.name: "always" if tool.denied else "never" for tool in play.tools
            },
            tool_meta_resolver=id_of_call,
        )

    @property
    def name(self) -> str:
        return "scripted"

    async def connect(self) -> None:
        pass

    async def cleanup(self) -> None:
        pass

    async def list_tools(
        self, _run_context: object = None, _agent: object = None
    ) -> list[mcp.Tool]:
        return [
            mcp.Tool(
                name=tool.name,
                description=f"the tool {tool.name}",
                inputSchema={"type": "object", **tool.parameters},
            )
            for tool in self.tools.values()
        ]

    async def call_tool(
        self,
        tool_name: str,
        arguments: dict[str, Any] | None,
        meta: dict[str, Any] | None = None,
    ) -> mcp.CallToolResult:
        try:
            text = await self.tools[tool_name].acall(arguments, (meta or {}).get("call"))
        except ToolFailed as failure:
            return result_of(failure.text, is_error=True)
        return result_of(text, is_error=False)

    async def list_prompts(self) -> mcp.ListPromptsResult:
        return mcp.ListPromptsResult(prompts=[])

    async def get_prompt(
        self, _name: str, _arguments: dict[str, Any] | None = None
    ) -> mcp.GetPromptResult:
        return mcp.GetPromptResult(messages=[])


def id_of_call(context: MCPToolMetaContext) -> dict[str, Any]:
    return {"call": context.run_context.tool_call_id}


def result_of(text: str, *, is_error: bool) -> mcp.CallToolResult:
    # `model_construct` lets a lone surrogate through, as a server written elsewhere would.
    content = mcp.TextContent.model_construct(type="text", text=text)
    return mcp.CallToolResult.model_construct(content=[content], is_error=is_error)


# --- messages ---


def messages_of_request(messages: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Give what was sent to the provider in the kit's form; it has no error flag."""
    for one in messages:
        calls = one.get("tool_calls") or ()
        yield message(
            one["role"],
            text_of_content(one.get("content")),
            calls=[
                call(item["id"], item["function"]["name"], item["function"]["arguments"])
                for item in calls
            ],
            tool_use_id=one.get("tool_call_id"),
        )


def messages_of_items(items: list[Any]) -> Iterator[dict[str, Any]]:
    """
    Give the items of a session in the kit's form; they have no error flag.

    A reply is a list of items, its text and then each call: one message.
    """
    reply: dict[str, Any] | None = None
    for item in items:
        kind = item.get("type", "message")
        if kind == "function_call":
            made = call(item["call_id"], item["name"], item["arguments"])
            if reply is None:
                reply = message("assistant")
            reply["calls"].append(made)
            continue
        if reply is not None:
            yield reply
            reply = None
        if kind == "function_call_output":
            yield message("tool", text_of_content(item["output"]), tool_use_id=item["call_id"])
        elif item["role"] == "assistant":
            reply = message("assistant", text_of_content(item["content"]))
        else:
            yield message(item["role"], text_of_content(item["content"]))
    if reply is not None:
        yield reply


def text_of_content(content: str | dict[str, Any] | list[dict[str, Any]] | None) -> str:
    if content is None or isinstance(content, str):
        return content or ""
    parts = content if isinstance(content, list) else [content]
    return "".join(part.get("text", "") for part in parts)


def encoding_of_items(items: list[Any]) -> dict[str, Any]:
    """Ask the codec of the session, which is `json` with its defaults."""
    return encoding_of(
        lambda: json.dumps(items).encode(),
        lambda data: json.dumps(json.loads(data)).encode() == data,
    )
