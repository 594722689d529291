"""Says no more once it is set off."""

import threading

from keeper import live


def misbehave(_line, _answer):
    threading.Event().wait()


live(misbehave)
