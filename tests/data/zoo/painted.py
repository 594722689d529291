"""Puts what acts on terminals, pages and shells into all that it says."""

import sys

from keeper import changed, live

PAINT = (
    "\x1b[2J\x1b]0;owned\x07<script>alert(1)</script>&amp;\u202e`$(id)`|"
    "\r\n::error::\x00\x9b31m../../x"
)


def misbehave(line, answer):
    sys.stderr.write(PAINT)
    sys.stderr.buffer.write(bytes(range(256)))
    sys.stderr.flush()
    error = {"type": PAINT, "message": PAINT}
    return changed(answer, status="raised", error=error, detail=PAINT, why=PAINT)


live(misbehave, lambda answer: changed(answer, name=PAINT, version=PAINT))
