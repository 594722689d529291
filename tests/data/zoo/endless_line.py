"""Begins a line that never ends."""

from keeper import live, say


def misbehave(_line, _answer):
    while True:
        say(b"a" * 65536)


live(misbehave)
