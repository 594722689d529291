"""The adapter: shows the loop to toolassay."""

from agent.loop import Agent
from toolassay.adapter import call, message


class Adapter:
    def initialize(self):
        return {
            "name": "foreign-agent",
            "version": "1.0",
            "deterministic": True,
            "operations": ["turn/run"],
            "facets": ["history", "requests", "executions", "ending"],
            "features": ["policy", "sequential", "next-turn", "raises"],
        }

    def turn_run(self, play):
        agent = Agent(
            lambda messages: play.model(plain(messages)),
            {tool.name: tool.call for tool in play.tools},
            {tool.name for tool in play.tools if tool.denied},
        )
        for turn, text in enumerate(play.users):
            try:
                agent.run(text)
                play.ended(turn, "done")
            except Exception as error:
                play.ended(turn, "failed", error)
        return play.observation(history=plain(agent.messages))


def plain(messages):
    return [
        message("tool", one["text"], tool_use_id=one["call"], is_error=one["failed"])
        if one["role"] == "tool"
        else message(one["role"], one["text"], calls=[call(*c) for c in one.get("calls", ())])
        for one in messages
    ]
