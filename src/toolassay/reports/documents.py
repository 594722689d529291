"""The parts that JSON documents of a run are made of; times and host facts stand apart."""

from __future__ import annotations

import platform
import re
import sys
from collections.abc import Mapping

import msgspec

from toolassay import __version__
from toolassay.results import CaseResult, RunFinished, RunStarted
from toolassay.statuses import WORST_FIRST, Status

SCHEMA_VERSION = 1
"""Version of the documents that the kit writes."""

Json = dict[str, object]
"""A JSON object."""


def run_part(started: RunStarted) -> Json:
    """Say what was judged, by what."""
    return {
        "kit": f"toolassay {__version__}",
        "target": started.target,
        "implementation": {
            "name": started.implementation,
            "version": started.version,
            "deterministic": started.deterministic,
        },
        "profile": started.profile,
        "seed": started.seed,
        "selected": started.cases,
    }


def case_part(result: CaseResult, digest: str) -> Json:
    """Say what came of a case; checks that do not apply are only counted."""
    checks = [check for check in result.checks if check.status != "not_applicable"]
    part: Json = {
        "id": result.case.id,
        "vector": result.case.vector,
        "contract": result.case.contract,
        "status": result.status,
        "checks": msgspec.to_builtins(checks),
        "checks_not_applicable": len(result.checks) - len(checks),
        "digest": digest,
    }
    if result.observation is not None:
        from toolassay.comparison.behaviour import behaviour_of  # noqa: PLC0415 - of runs alone

        part["behaviour"] = behaviour_of(result.case, result.observation)
    if result.why:
        part["why"] = result.why
    if result.detail:
        part["detail"] = result.detail
    return part


def verdict_part(finished: RunFinished, digest: str) -> Json:
    """Say the verdict, and what it rests on."""
    return {
        "verdict": finished.verdict,
        "exit_code": int(finished.exit_code),
        "reasons": list(finished.reasons),
        "faults": list(finished.faults),
        "counts": {"checks": all_counts(finished.checks), "cases": all_counts(finished.cases)},
        "not_applicable": finished.not_applicable,
        "divergences": finished.divergences,
        "broken_clauses": list(finished.broken_clauses),
        "baseline": [msgspec.to_builtins(problem) for problem in finished.problems],
        "canonical_digest": digest,
    }


def all_counts(counts: Mapping[Status, int]) -> dict[str, int]:
    """Give a number for every status."""
    return {status: counts.get(status, 0) for status in WORST_FIRST}


def host_part(seconds: float) -> Json:
    """Say what depends on the machine and the clock."""
    version = ".".join(map(str, sys.version_info[:3]))
    return {"python": version, "platform": platform.system(), "seconds": round(seconds, 3)}


def encoded(document: Json) -> str:
    """Write a document for people who may look at it; keys stay in their order."""
    return _harmless(msgspec.json.format(_encoded(document), indent=2).decode()) + "\n"


def encoded_line(document: Json) -> str:
    """Write a document in one line."""
    return _harmless(_encoded(document).decode()) + "\n"


def _encoded(document: Json) -> bytes:
    try:
        return msgspec.json.encode(document)
    except UnicodeEncodeError:  # halves of surrogate pairs, as a recorded file may name its calls
        return msgspec.json.encode(encodable(msgspec.to_builtins(document)))


def encodable(value: object) -> object:
    """Write what no UTF-8 can carry as its escape, so that it can be seen."""
    if isinstance(value, str):
        return value.encode(errors="backslashreplace").decode()
    if isinstance(value, dict):
        return {encodable(key): encodable(item) for key, item in value.items()}
    return [encodable(item) for item in value] if isinstance(value, list | tuple) else value


def _harmless(text: str) -> str:
    """Escape what JSON lets stand and a terminal, or a reader of lines, would act on."""
    return text if text.isascii() and "\x7f" not in text else _ACTS.sub(_escape, text)


def _escape(found: re.Match[str]) -> str:
    pairs = found[0].encode("utf-16-be")
    return "".join(f"\\u{pairs[at : at + 2].hex()}" for at in range(0, len(pairs), 2))


_ACTS = re.compile(
    "[\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff"
    "\U000e0000-\U000e007f]"
)
"""Controls that are none of ASCII's first, line ends, marks of direction, what is invisible."""
