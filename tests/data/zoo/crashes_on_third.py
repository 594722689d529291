"""Dies of a signal at every third scenario of a life."""

import os
import signal

from keeper import honest, requests, say

count = 0
for line in requests():
    # The first scenarios of a run ask whether it can be judged at all.
    tried = b"smoke" in line or b'"model":[{"text":"done"}]' in line
    count += b'"scenario"' in line and not tried
    if count == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    say(honest(line))
