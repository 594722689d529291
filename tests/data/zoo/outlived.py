"""Ends, and leaves a child that holds its output open."""

import os
import subprocess
import sys

from keeper import live


def misbehave(_line, _answer):
    child = subprocess.Popen([sys.executable, "-c", "import threading; threading.Event().wait()"])
    with open(os.environ["ZOO_CHILDREN"], "a") as log:
        print(child.pid, file=log)
    os._exit(7)


live(misbehave)
