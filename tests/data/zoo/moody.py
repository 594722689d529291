"""Says that it is deterministic, and answers two equal runs differently."""

import json

from keeper import live

moods = 0


def misbehave(_line, answer):
    global moods
    moods += 1
    document = json.loads(answer)
    for message in document["result"]["observation"]["history"]["messages"]:
        if message["role"] == "user":
            message["text"] = f"mood {moods}"
    return json.dumps(document).encode() + b"\n"


live(misbehave)
