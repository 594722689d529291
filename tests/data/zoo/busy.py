"""Tells of more executions than any scenario has."""

import json

from keeper import live


def misbehave(_line, answer):
    document = json.loads(answer)
    observation = document["result"]["observation"]
    observation["executions"]["executions"] = [{"tool": "write_file", "arguments": "{}"}] * 200_000
    return json.dumps(document).encode() + b"\n"


live(misbehave)
