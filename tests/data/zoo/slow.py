"""Takes its time, and answers well within the deadline."""

import time

from keeper import live


def misbehave(_line, answer):
    time.sleep(0.3)
    return answer


live(misbehave)
