"""Ignores the signals that ask it to end, has children, and hangs."""

import os
import signal
import subprocess
import sys
import threading

from keeper import live

for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)  # what is ignored, children ignore too
child = subprocess.Popen([sys.executable, "-c", "import threading; threading.Event().wait()"])
with open(os.environ["ZOO_CHILDREN"], "a") as log:
    print(os.getpid(), child.pid, file=log)


def misbehave(_line, _answer):
    threading.Event().wait()


live(misbehave)
