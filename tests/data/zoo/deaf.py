"""Declares a wide window, and stops reading."""

import threading

from keeper import changed, honest, is_greeting, requests, say, sets_off

for line in requests():
    if sets_off(line):
        threading.Event().wait()
    answer = honest(line)
    say(changed(answer, window=64) if is_greeting(line) else answer)
