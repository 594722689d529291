"""Says half of an answer, and ends."""

import sys

from keeper import live, say


def misbehave(_line, answer):
    say(answer[: len(answer) // 2])
    sys.exit(0)


live(misbehave)
