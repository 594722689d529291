"""
The runner: cases through a target to judged results.

Start at `run`, which emits events for reports to consume, or at `run_case`
for a single case. `judging` turns an answer into checks, `rules` says what a
profile scores, `applies` what a case needs of an implementation.
"""

from toolassay.results import CaseFinished, CaseResult, Check, RunFinished, RunStarted
from toolassay.runner.engine import Plan, run
from toolassay.runner.judging import judge_one, run_case
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
