"""Declares a facet that comes most of the time."""

import json

from keeper import live


def misbehave(_line, answer):
    document = json.loads(answer)
    del document["result"]["observation"]["journal"]
    return json.dumps(document).encode() + b"\n"


live(misbehave)
