"""Ends when it is set off, and says another thing of itself when it is started again."""

import json
import os
from pathlib import Path

from keeper import changed, live

_DIED = Path(os.environ["ZOO_CHILDREN"]).with_name("died")


def greet(answer):
    facets = json.loads(answer)["result"]["facets"]
    return changed(answer, facets=facets[:1] if _DIED.exists() else facets)


def misbehave(_line, _answer):
    _DIED.touch()
    os._exit(1)


live(misbehave, greet)
