"""
The adapter of pydantic-ai: its agent, its messages, its codec.

Nothing is configured but what a scenario asks for, and two bounds: tools may be
retried more often than by default, so that a scenario with several refused
calls is not ended by a limit that no clause speaks of.
"""

from __future__ import annotations

import contextlib
import dataclasses
import inspect
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from pydantic_ai import Agent, RunContext, Tool, capture_run_messages
from pydantic_ai.capabilities import HandleDeferredToolCalls
from pydantic_ai.exceptions import ToolFailed as NativeToolFailed
from pydantic_ai.messages import (
    AgentStreamEvent,
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelResponse,
    RetryFeedbackPart,
    SystemPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel
from pydantic_ai.tools import DeferredToolRequests, DeferredToolResults, ToolDefinition, ToolDenied

from toolassay.adapter import Fragment, Play, ToolFailed, call, encoding_of, message
from toolassay.adapter import Tool as ScriptedTool

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Iterator

RETRIES = 100
"""Refused calls of one tool in a run; the default, 1, is a limit and no matter of the contract."""

TYPES = {
    "string": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "array": list,
    "object": dict,
}
"""How the author of a tool would annotate a parameter of a JSON type."""

ABSENT: Any = object()
"""Default of an optional parameter, so that the record shows only what the callback was given."""


class Adapter:
    """What toolassay asks of pydantic-ai."""

    def initialize(self) -> dict[str, Any]:
        return {
            "name": "pydantic-ai",
            "version": version("pydantic-ai-slim"),
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
            # Its messages bear the time of day.
            "deterministic": False,
        }

    async def turn_run(self, play: Play) -> dict[str, Any]:
        agent = agent_of(play)
        history: list[ModelMessage] = []
        status: dict[str, tuple[str, str]] = {}
        carried = history
        mode = "sequential" if play.sequential else "parallel"
        for turn, user in enumerate(play.users):
            with capture_run_messages() as seen, agent.parallel_tool_call_execution_mode(mode):
                try:
                    # A run is streamed if and only if it has a handler of stream events.
                    result = await agent.run(
                        user,
                        message_history=carried,
                        event_stream_handler=drain if play.streamed else None,
                    )
                except Exception as error:  # noqa: BLE001 - whatever a run raises ends its turn
                    play.ended(turn, "failed", error)
                    # What a run that raised has left is no committed history. It is how an
                    # application goes on, though, and the next request shows what becomes of it.
                    carried = list(seen)
                    status = {"history": ("aborted", f"the run of turn {turn} raised")}
                else:
                    play.ended(turn, "done")
                    history = carried = result.all_messages()
                    status = {}
        return play.observation(
            plain(history), encoding=encoding_of_history(history), status=status
        )


def agent_of(play: Play) -> Agent[None, Any]:
    """Build the agent that a scenario wants, as the library's documentation does."""

    async def deny(_ctx: RunContext[None], requests: DeferredToolRequests) -> DeferredToolResults:
        # Only tools that the policy denies ask for approval.
        denied = {item.tool_call_id: ToolDenied("denied by policy") for item in requests.approvals}
        return DeferredToolResults(approvals=denied)

    def whole(messages: list[ModelMessage], _info: AgentInfo) -> ModelResponse:
        reply = play.model(plain(messages))
        calls = [ToolCallPart(item.name, item.arguments, item.id) for item in reply.calls]
        text = [TextPart(reply.text)] if reply.text or not calls else []
        return ModelResponse(parts=[*text, *calls])

    async def streamed(
        messages: list[ModelMessage], _info: AgentInfo
    ) -> AsyncIterator[str | dict[int, DeltaToolCall]]:
        nothing = True
        async with contextlib.aclosing(play.astream(plain(messages))) as fragments:
            async for fragment in fragments:
                nothing = False
                yield delta_of(fragment)
        if nothing:
            yield ""  # the test model of the library wants at least one item

    return Agent(
        FunctionModel(whole, stream_function=streamed),
        tools=[native(tool) for tool in play.tools],
        capabilities=[HandleDeferredToolCalls(handler=deny)],
        retries=RETRIES,
    )


def delta_of(fragment: Fragment) -> str | dict[int, DeltaToolCall]:
    if fragment.kind == "text":
        return fragment.text
    if fragment.kind == "call":
        return {fragment.index: DeltaToolCall(fragment.name, "", tool_call_id=fragment.id)}
    return {fragment.index: DeltaToolCall(json_args=fragment.text)}


async def drain(_ctx: RunContext[None], events: AsyncIterable[AgentStreamEvent]) -> None:
    async for _ in events:
        pass


# --- tools ---


def native(tool: ScriptedTool) -> Tool[None]:
    """Make a tool from a function whose parameters are annotated, as its author would."""

    async def callback(_context: RunContext[None], /, **arguments: object) -> str:
        given = {name: value for name, value in arguments.items() if value is not ABSENT}
        try:
            return await tool.acall(given, _context.tool_call_id)
        except ToolFailed as failure:
            raise NativeToolFailed(failure.text) from failure

    parameters = list(signature_of(tool.parameters))
    callback.__signature__ = inspect.Signature(parameters, return_annotation=str)
    callback.__annotations__ = {item.name: item.annotation for item in parameters}
    return Tool(
        callback,
        takes_ctx=True,
        name=tool.name,
        description=f"the tool {tool.name}",
        requires_approval=tool.denied,
        prepare=advertised(tool.parameters),
    )


def signature_of(schema: dict[str, Any]) -> Iterator[inspect.Parameter]:
    kind = inspect.Parameter.POSITIONAL_ONLY
    yield inspect.Parameter("_context", kind, annotation=RunContext[None])
    required = schema.get("required", ())
    kind = inspect.Parameter.KEYWORD_ONLY
    for name, rule in schema.get("properties", {}).items():
        default = inspect.Parameter.empty if name in required else ABSENT
        named = rule.get("type") if isinstance(rule, dict) else None
        annotation = TYPES.get(named, Any) if isinstance(named, str) else Any
        yield inspect.Parameter(name, kind, default=default, annotation=annotation)
    if schema.get("additionalProperties", True) is not False:
        yield inspect.Parameter("_others", inspect.Parameter.VAR_KEYWORD, annotation=Any)


def advertised(schema: dict[str, Any]) -> Callable[..., Awaitable[ToolDefinition]]:
    """Show the model the scenario's schema in place of the one made from the function."""

    async def prepare(_ctx: RunContext[None], definition: ToolDefinition) -> ToolDefinition:
        return dataclasses.replace(definition, parameters_json_schema=schema)

    return prepare


# --- messages ---


def plain(messages: list[ModelMessage]) -> list[dict[str, Any]]:
    """Give the library's messages in the kit's form: one message per result."""
    return [item for one in messages for item in plain_parts(one)]


def plain_parts(one: ModelMessage) -> Iterator[dict[str, Any]]:
    if isinstance(one, ModelResponse):
        calls = [item for item in one.parts if isinstance(item, ToolCallPart)]
        yield message(
            "assistant",
            "".join(item.content for item in one.parts if isinstance(item, TextPart)),
            # The arguments are held as the model sent them: a str, or a dict.
            calls=[call(item.tool_call_id, item.tool_name, item.args) for item in calls],
        )
        return
    for part in one.parts:
        if isinstance(part, ToolReturnPart):
            # `outcome` is the flag of this library. Anything but success says that the
            # call gave no result; `denied` is one of these, though no provider is told so.
            yield message(
                "tool",
                text_of_result(part),
                tool_use_id=part.tool_call_id,
                is_error=part.outcome != "success",
            )
        elif isinstance(part, SystemPromptPart):
            yield message("system", part.content)
        elif isinstance(part, (UserPromptPart, RetryFeedbackPart)):
            yield message("user", part.content if isinstance(part.content, str) else "...")


def text_of_result(part: ToolReturnPart) -> str:
    try:
        return part.model_response_str(wrap_if_error=False)
    except Exception:  # noqa: BLE001 - what cannot be shown must not look like a fault of the run
        return repr(part.content)


def encoding_of_history(history: list[ModelMessage]) -> dict[str, Any]:
    codec = ModelMessagesTypeAdapter
    return encoding_of(
        lambda: codec.dump_json(history), lambda data: codec.validate_json(data) == history
    )
