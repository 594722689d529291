"""Declares a facet that never comes."""

from keeper import honest, is_greeting, requests, say
import json

for line in requests():
    answer = json.loads(honest(line))
    if not is_greeting(line) and isinstance(answer.get("result"), dict):
        answer["result"].get("observation", {}).pop("journal", None)
    say(json.dumps(answer).encode() + b"\n")
