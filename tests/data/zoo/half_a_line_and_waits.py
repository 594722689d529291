"""Says half of an answer, and no more."""

import threading

from keeper import live, say


def misbehave(_line, answer):
    say(answer[: len(answer) // 2])
    threading.Event().wait()


live(misbehave)
