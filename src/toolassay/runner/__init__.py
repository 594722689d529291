"""
The runner: cases through a target to judged results.

Start at `run`, which emits events for reports to consume, or at `run_case`
for a single case. `judging` turns an answer into checks, `rules` says what a
profile scores, `applies` what a case needs of an implementation.

The names below are imported when they are asked for: who wants the rules alone
does not load every oracle.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolassay.results import CaseFinished, CaseResult, Check, RunFinished, RunStarted
    from toolassay.runner.engine import run
    from toolassay.runner.judging import judge_one, run_case
    from toolassay.runner.plan import Plan
    from toolassay.runner.relating import judge_relations
    from toolassay.runner.rules import Rules, rules_of

__all__ = [
    "CaseFinished",
    "CaseResult",
    "Check",
    "Plan",
    "Rules",
    "RunFinished",
    "RunStarted",
    "judge_one",
    "judge_relations",
    "rules_of",
    "run",
    "run_case",
]

_WHERE = {
    "CaseFinished": "toolassay.results",
    "CaseResult": "toolassay.results",
    "Check": "toolassay.results",
    "Plan": "toolassay.runner.plan",
    "Rules": "toolassay.runner.rules",
    "RunFinished": "toolassay.results",
    "RunStarted": "toolassay.results",
    "judge_one": "toolassay.runner.judging",
    "judge_relations": "toolassay.runner.relating",
    "rules_of": "toolassay.runner.rules",
    "run": "toolassay.runner.engine",
    "run_case": "toolassay.runner.judging",
}


def __getattr__(name: str) -> object:
    if name not in _WHERE:
        raise AttributeError(name)
    value = globals()[name] = getattr(importlib.import_module(_WHERE[name]), name)
    return value
