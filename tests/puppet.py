"""
An adapter that does what a test tells it to.

    puppet.py WINDOW MISDEED [DESCRIPTION [UNKNOWN]]

The misdeed is Python, run for each argument text that says `bad`, or for all if
it begins with `#always`; `number` is
the id of the request, `ok(number)` answers one, `say(data)` writes bytes. `UNKNOWN` is
run for a method that is not known; without it that is answered as it should be. Each
request is noted in the file `asked` of the current folder. Standard library
only: tests start it many times.
"""

import json
import os
import sys

WINDOW, MISDEED = int(sys.argv[1]), sys.argv[2]
UNKNOWN = sys.argv[4] if len(sys.argv) > 4 else None
DESCRIPTION = {
    "protocol": 1,
    "name": "puppet",
    "operations": ["arguments/sanitize"],
    "facets": [],
    "window": WINDOW,
    **json.loads(sys.argv[3] if len(sys.argv) > 3 else "{}"),
}


def say(data: bytes) -> None:
    """Write bytes, all of them."""
    while data:
        data = data[os.write(1, data) :]


def line(number: int, **part: object) -> bytes:
    """Write an answer."""
    return json.dumps({"jsonrpc": "2.0", "id": number, **part}).encode() + b"\n"


def good(number: int) -> bytes:
    """Write a good answer."""
    outcome = {"status": "ok", "stored": "{}", "executable": str(number)}
    return line(number, result={"status": "ok", "outcome": outcome})


def give(number: int, **part: object) -> None:
    """Answer a request."""
    say(line(number, **part))


def ok(number: int) -> None:
    """Answer a request well."""
    say(good(number))


def main() -> None:
    """Answer requests, well or not."""
    log = open("asked", "a", encoding="utf-8", buffering=1)  # noqa: SIM115, PTH123 - until the end
    for request in sys.stdin.buffer:
        asked = json.loads(request)
        number, method, params = asked["id"], asked["method"], asked["params"]
        log.write(f"{method} {params.get('arguments', '')}".strip() + "\n")
        if method == "initialize":
            give(number, result=DESCRIPTION)
        elif params.get("arguments") == "bad" or (params and MISDEED.startswith("#always")):
            exec(MISDEED, {**globals(), "number": number})
        elif method == "arguments/sanitize":
            ok(number)
        elif method in {"reset", "shutdown"}:
            give(number, result={"status": "ok"})
        elif UNKNOWN is None:
            give(number, error={"code": -32601, "message": "unknown method"})
        else:
            exec(UNKNOWN or "give(number, result={})", {**globals(), "number": number})
        if method == "shutdown":
            return


if __name__ == "__main__":
    main()
