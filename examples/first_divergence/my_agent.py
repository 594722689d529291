"""
An agent loop in thirty lines, and the adapter that shows it to toolassay.

The loop has a fault that many a loop has had. From the root of the repository:

    PYTHONPATH=examples/first_divergence toolassay run python:my_agent:adapter
"""

import json

from toolassay.adapter import call, message


class Agent:
    """Ask the model, run the tools that it calls, tell it the results, ask again."""

    def __init__(self, model, tools, denied=()):
        self.model, self.tools, self.denied = model, tools, denied
        self.messages = []

    def run(self, text):
        self.messages.append({"role": "user", "text": text})
        while True:
            reply = self.model(self.messages)
            self.messages.append({"role": "assistant", "text": reply.text, "calls": reply.calls})
            if not reply.calls:
                return reply.text
            for one in reply.calls:
                result, failed = self.execute(one)
                answer = {"role": "tool", "text": result, "id": one.id, "failed": failed}
                self.messages.append(answer)

    def execute(self, one):
        if one.name not in self.tools:
            return f"there is no tool {one.name}", True
        if one.name in self.denied:
            return "permission denied", True
        try:
            arguments = json.loads(one.arguments)
        except ValueError:
            arguments = {}  # the fault: the tool runs with what the model never said
        try:
            return self.tools[one.name](arguments), False
        except Exception as error:
            return str(error), True


class adapter:  # noqa: N801 - the target is spelled python:my_agent:adapter
    """What toolassay asks for: what the agent is, and one scenario played through it."""

    def initialize(self):
        return {
            "name": "my-agent",
            "version": "1.0",
            "deterministic": True,
            "operations": ["turn/run"],
            "facets": ["history", "requests", "executions", "ending"],
            "features": ["policy", "sequential", "next-turn", "raises"],
        }

    def turn_run(self, play):
        agent = Agent(
            model=lambda messages: play.model(plain(messages)),
            tools={tool.name: tool.call for tool in play.tools},
            denied=[tool.name for tool in play.tools if tool.denied],
        )
        for turn, text in enumerate(play.users):
            try:
                agent.run(text)
                play.ended(turn, "done")
            except Exception as error:
                play.ended(turn, "failed", error)
        return play.observation(history=plain(agent.messages))


def plain(messages):
    """Tell the messages in toolassay's words."""
    return [
        message("tool", one["text"], tool_use_id=one["id"], is_error=one["failed"])
        if one["role"] == "tool"
        else message(
            one["role"],
            one["text"],
            calls=[call(c.id, c.name, c.arguments) for c in one.get("calls", ())],
        )
        for one in messages
    ]
