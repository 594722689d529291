"""Dies of a signal at every third scenario of a life."""

import os
import signal

from keeper import changed, honest, is_greeting, requests, say

count = 0
for line in requests():
    # The first scenarios of a run ask whether it can be judged at all.
    tried = b"trial_read" in line or b'"model":[{"text":"done"}]' in line
    count += b'"scenario"' in line and not tried
    if count == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    answer = honest(line)
    # Or some scenarios would be asked for twice.
    say(changed(answer, deterministic=False) if is_greeting(line) else answer)
