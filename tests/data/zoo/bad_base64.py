"""Gives texts as base64 that is none once it is set off."""

import json

from keeper import changed, live


def misbehave(_line, answer):
    observation = json.loads(answer)["result"]["observation"]
    observation["history"]["messages"][0]["text"] = {"base64": "!!"}
    return changed(answer, observation=observation)


live(misbehave)
