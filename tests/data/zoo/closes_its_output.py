"""Closes its output, and lives on."""

import os
import threading

from keeper import live


def misbehave(_line, _answer):
    os.close(1)
    threading.Event().wait()


live(misbehave)
