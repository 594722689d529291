"""Declares a window, and answers what is in it in the wrong order."""

from keeper import changed, honest, is_greeting, requests, say, sets_off

held = b""
for line in requests():
    if is_greeting(line):
        say(changed(honest(line), window=8))
    elif sets_off(line):
        held = honest(line)
    else:
        say(honest(line) + held)
        held = b""
