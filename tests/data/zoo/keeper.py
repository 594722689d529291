"""
What the animals share: honest answers, and what sets them off.

Every animal answers like the reference until it is set off: by a scenario in
which a tool is denied. What it does then is its own.
"""

import json
import sys
from collections.abc import Iterator

from toolassay.serving import Server
from toolassay.simulator.reference import Reference

_SERVER = Server(Reference())


def requests() -> Iterator[bytes]:
    """Give the lines of the kit, one after the other."""
    yield from sys.stdin.buffer


def sets_off(line: bytes) -> bool:
    return b'"deny"' in line


def is_greeting(line: bytes) -> bool:
    return b'"initialize"' in line


def honest(line: bytes) -> bytes:
    return _SERVER.answer(line)


def changed(answer: bytes, **result: object) -> bytes:
    """Put something else into the result of an answer."""
    document = json.loads(answer)
    document["result"] = {**document.get("result", {}), **result}
    return json.dumps(document).encode() + b"\n"


def number_of(line: bytes) -> int:
    return json.loads(line)["id"]


def say(data: bytes) -> None:
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def live(misbehave: object = None, greet: object = None) -> None:
    """Answer everything; `misbehave` answers what sets it off, `greet` the greeting."""
    for line in requests():
        answer = honest(line)
        if greet is not None and is_greeting(line):
            answer = greet(answer)
        if misbehave is not None and sets_off(line):
            answer = misbehave(line, answer)
        say(answer)
