"""
How complete each facet of a recorded run is, and why it is not.

A run that was faulted on purpose (a crash, a refused append, a filter) or
given up has facets that end early. They say so, so that nothing is missed in
them that could not have come.
"""

from __future__ import annotations

from typing import Final

import msgspec

from toolassay.recordings.looprig_run import Envelope, Run, number, refused, text, texts
from toolassay.spec.observation import Completeness

COMMANDS: Final = frozenset(
    {
        "ApproveToolCall",
        "DenyToolCall",
        "Interrupt",
        "ProvideUserInput",
        "Shutdown",
        "UserInput",
    }
)
"""Records of the ledger that hold no event: refusing one takes nothing from a facet."""

COMMITS: Final = frozenset(
    {"StepDone", "TurnStarted", "TurnFoldedInto", "TurnDone", "TurnFailed", "TurnInterrupted"}
)
"""Events whose refusal leaves its mark in the history and in the ending too."""

_ENDS: Final = frozenset({"SessionIdle", "SessionStopped"})


class Limit(msgspec.Struct, frozen=True):
    """The completeness of one facet."""

    status: Completeness = "complete"
    """Whether all that happened is in it."""
    why: str = ""
    """Why not."""


WHOLE: Final = Limit()
"""Nothing is missing."""


def of_run(run: Run) -> Limit:
    """Say whether the run came to its end."""
    crash = text(run.scenario, "crash_on")
    if crash:
        return Limit("aborted", f"the store was cut off at {crash}")
    if any(note.startswith("timeout waiting") for note in run.notes):
        return Limit("deadline", "a turn had not ended when the recorder gave up")
    return WHOLE


def of_ending(run: Run) -> Limit:
    """Say whether all turns that were asked for ended in sight."""
    if of_run(run) is not WHOLE:
        return of_run(run)
    faulted = next((note for note in run.notes if note.startswith("submit ")), "")
    if faulted:
        return Limit("aborted", faulted[:200])
    if len(run.endings) < len(texts(run.scenario, "user") or ("go",)):
        return Limit("aborted", "fewer turns ended than were asked for")
    return _of_refusal(run, COMMITS)


def of_history(run: Run) -> Limit:
    """Say whether the replayed messages are all that were committed."""
    if replay_error(run):
        return Limit("aborted", f"the journal could not be replayed: {replay_error(run)}"[:300])
    return of_run(run) if of_run(run) is not WHOLE else _of_refusal(run, COMMITS)


def of_journal(run: Run) -> Limit:
    """Say whether the ledger holds all that was written until the session stopped."""
    if text(run.scenario, "crash_on"):
        return of_run(run)
    if not run.journal or run.journal[-1].type != "SessionStopped":
        return Limit("aborted", "the journal ends before the session was stopped")
    return _of_refusal(run, None)


def of_stream(run: Run, deliveries: tuple[Envelope, ...]) -> Limit:
    """Say whether a subscriber got all that it had asked for."""
    filtered = text(run.scenario, "filter")
    if filtered not in {"", "all", "enduring"}:
        return Limit("cut", f"the subscriber had a filter: {filtered}")
    if subscription_error(run) is not None:
        return WHOLE
    if run.scenario.get("stall_subscriber") and number(run.scenario, "stall_subscriber") is None:
        return Limit("cut", "the subscriber stopped reading")
    return of_reader(run, deliveries)


def of_reader(run: Run, deliveries: tuple[Envelope, ...]) -> Limit:
    """Say whether a subscriber that only reads got all that there was."""
    if of_run(run) is not WHOLE:
        return Limit("unsubscribed", of_run(run).why)
    enduring = [delivery for delivery in deliveries if delivery.durability == "enduring"]
    if not enduring or enduring[-1].type not in _ENDS:
        return Limit("unsubscribed", "the subscriber left before the session was idle")
    if _joined_late(run, enduring):
        return Limit("cut", "the subscriber came when the turn had begun")
    return _of_refusal(run, None)


def subscription_error(run: Run) -> str | None:
    """Give the error with which the recording subscriber's stream ended."""
    note = next((note for note in run.notes if note.startswith("subscription ended")), None)
    return None if note is None else note.removeprefix("subscription ended").strip(" :") or note


def replay_error(run: Run) -> str:
    """Give the error with which the system refused its own journal; empty if it did not."""
    note = next((note for note in run.notes if note.startswith("replay: ")), "")
    if note:
        return note.removeprefix("replay: ")
    resumed = run.resume.removeprefix("error: ") if run.resume.startswith("error: ") else ""
    # A journal that was damaged on purpose may be refused: that is no fault.
    return resumed or ("" if text(run.scenario, "tamper") else run.restore_error)


def commit_error(run: Run) -> str:
    """Give the error with which a step could not be encoded for its commit."""
    return next(
        (
            note
            for note in run.notes
            if "persistence fault on event.StepDone" in note and "injected" not in note
        ),
        "",
    )


def _of_refusal(run: Run, kinds: frozenset[str] | None) -> Limit:
    """Say what a store that was told to refuse a record takes from a facet."""
    felt = [
        kind
        for kind in refused(run.scenario)
        if kind not in COMMANDS and (kinds is None or kind in kinds)
    ]
    return Limit("cut", f"the store was told to refuse {', '.join(felt)}") if felt else WHOLE


def _joined_late(run: Run, enduring: list[Envelope]) -> bool:
    started = next((record.seq for record in run.journal if record.type == "TurnStarted"), None)
    return started is not None and enduring[0].seq > started
