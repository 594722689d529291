"""
An agent with two planted faults, to see what a divergence looks like.

It runs a tool with `{}` where the model's arguments are no JSON, and it runs a
tool that the policy denies: it asks for permission after the fact. From the
root of the repository:

    PYTHONPATH=examples toolassay run python:broken_agent:make
"""

import json

from toolassay.adapter import call, message


class Agent:
    """A loop of thirty lines with two faults."""

    def __init__(self, model, tools, allowed):
        self.model, self.tools, self.allowed = model, tools, allowed
        self.messages = []

    def run(self, text):
        self.messages.append(message("user", text))
        while True:
            reply = self.model(self.messages)
            calls = [call(one.id, one.name, one.arguments) for one in reply.calls]
            self.messages.append(message("assistant", reply.text, calls=calls))
            if not reply.calls:
                return
            for one in reply.calls:
                text, failed = self.execute(one)
                answer = message("tool", text, tool_use_id=one.id, is_error=failed)
                self.messages.append(answer)

    def execute(self, one):
        if one.name not in self.tools:
            return f"there is no tool {one.name}", True
        try:
            arguments = json.loads(one.arguments)
        except ValueError:
            arguments = {}  # first fault: what the model asked is silently changed
        try:
            result = self.tools[one.name](arguments)
        except Exception as error:
            return str(error), True
        if not self.allowed(one.name):
            return "permission denied", True  # second fault: by now it has run
        return result, False


class Adapter:
    """What toolassay asks for."""

    def initialize(self):
        return {
            "name": "broken-agent",
            "version": "1.0",
            "deterministic": True,
            "operations": ["turn/run"],
            "facets": ["history", "requests", "executions", "ending"],
            "features": ["policy", "sequential", "next-turn", "raises"],
        }

    def turn_run(self, play):
        tools = {tool.name: tool.call for tool in play.tools}
        agent = Agent(play.model, tools, lambda name: not play.denies(name))
        for turn, text in enumerate(play.users):
            try:
                agent.run(text)
                play.ended(turn, "done")
            except Exception as error:
                play.ended(turn, "failed", error)
        return play.observation(history=agent.messages)


def make():
    return Adapter()
