"""
Checks of the two views of the arguments: ARG.

They judge the calls of the script that are found in the committed groups (in
the last request where no group is committed in sight). A text that ARG-09 only
records, such as the empty one, is judged by none of them.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Protocol

import msgspec

from toolassay.properties.evidence import Evidence, Source
from toolassay.properties.lenient import holds_whole, read_as, wraps
from toolassay.properties.script import (
    Held,
    Scripted,
    readable,
    same_text_or_value,
    verdict_on_text,
)
from toolassay.properties.siblings import may_have_thrown, undisturbed
from toolassay.properties.verdict import Answer, Note, Skip
from toolassay.properties.words import contrasted, quoted
from toolassay.spec.finding import Place
from toolassay.spec.json_value import same_value
from toolassay.spec.text import Base64, Text, shown

_NOT_REACHED = Skip("no malformed call was reached")


def stored_as_empty_object(evidence: Evidence) -> Answer:
    """ARG-01: malformed arguments are stored as `{}`."""
    if evidence.observation.outcome is not None:
        return _sanitized(evidence, "malformed", _stored_empty)
    source = evidence.sources[0] if evidence.sources else None  # a request is not committed
    judged = [held for held in evidence.held_in(source) if held.scripted.malformed]
    if source is None or not judged:
        return _NOT_REACHED
    notes: list[Note] = []
    for held in judged:
        stored = _stored(held)
        if _is_empty_object(stored) is not True:
            notes.append(
                Note(
                    "malformed arguments are stored as {}",
                    _stored_as(held.scripted.call.arguments, stored),
                    source.place_of(held.group),
                    held.id,
                    recorded=source.held_as == "text",
                )
            )
    return notes


@lru_cache(maxsize=1024)
def _is_empty_object(text: Text) -> bool | None:
    """Tell whether a text has the value of `{}`; None if readers may differ about it."""
    return same_value(readable(text), b"{}")


def _stored(held: Held) -> Text:
    return held.group.assistant.calls[held.at].arguments


def _stored_as(sent: Text, stored: Text) -> str:
    one, other = contrasted(sent, stored)
    return f"{one} is stored as {other}"


def malformed_gets_an_error(evidence: Evidence) -> Answer:
    """ARG-03: a malformed call gets an error result that the model sees, and does not run."""
    source = evidence.main
    judged = [
        held
        for held in evidence.held
        if held.scripted.malformed and not _fell_with_its_batch(evidence, held)
    ]
    runs = evidence.runs_of_malformed
    if not judged and not runs:
        return _NOT_REACHED
    notes: list[Note] = []
    if source is not None:
        flags = any(one.is_error is not None for group in source.groups for one in group.results)
        for held in judged:
            notes.extend(_error_result(source, held, flags=flags))
    for at, owner in runs:
        execution = evidence.executions[at]
        notes.append(
            Note(
                "the callback of a malformed call does not run",
                f"{shown(execution.tool, 60)} ran with {quoted(execution.arguments)}",
                Place("executions", at),
                _id_of(evidence, owner),
            )
        )
    return notes


def _fell_with_its_batch(evidence: Evidence, held: Held) -> bool:
    """Tell whether a batch has lost its results for another call's sake; MSG-05 says it."""
    if any(held.group.pairing.answers):
        return False
    return any(may_have_thrown(evidence, one) for one in evidence.script[held.scripted.reply])


def _error_result(source: Source, held: Held, *, flags: bool) -> list[Note]:
    """Judge the result of one malformed call."""
    expected = "one error result for a malformed call"
    place = source.place_of(held.group)
    answers = held.group.pairing.answers[held.at]
    if not answers:
        # The last group of a history that is not whole may still wait for its results.
        if not source.complete and held.group is source.groups[-1]:
            return []
        return [Note(expected, "no result", place, held.id)]
    if len(answers) > 1:
        return [Note(expected, f"{len(answers)} results", place, held.id)]
    result = held.group.results[answers[0]]
    if flags and result.is_error is not True:
        observed = f"a result without error flag: {quoted(result.text, 80)}"
        return [Note(expected, observed, place, held.id)]
    if not flags:
        observed = f"the text {quoted(result.text, 80)}, and no flag in this form"
        return [Note(expected, observed, place, held.id, recorded=True)]
    return []


def _id_of(evidence: Evidence, scripted: Scripted | None) -> str:
    if scripted is None:
        return ""
    return evidence.actual.get((scripted.reply, scripted.at), scripted.call.id)


def _texts_of(evidence: Evidence, run: tuple[int, Scripted | None]) -> set[Text]:
    """Give the raw texts that a run of a malformed call may have come from."""
    at, owner = run
    if owner is not None:
        return {owner.call.arguments}
    tool = evidence.executions[at].tool
    return {one.call.arguments for one in evidence.calls if one.malformed and one.call.name == tool}


def never_runs_changed(evidence: Evidence) -> Answer:
    """ARG-04: a malformed call is not run with `{}`, nor with a repaired or cut value."""
    if not any(one.malformed for one in evidence.calls):
        return Skip("no malformed call in the scenario")
    notes: list[Note] = []
    for run in evidence.runs_of_malformed:
        execution = evidence.executions[run[0]]
        sent = _texts_of(evidence, run)
        ways = {read_as(readable(text), readable(execution.arguments)) for text in sent}
        if "itself" not in ways:
            first, changed = contrasted(min(sent, key=readable), execution.arguments)
            notes.append(
                Note(
                    "a malformed call is not run with other arguments",
                    f"{first} was run as {changed}",
                    Place("executions", run[0]),
                    _id_of(evidence, run[1]),
                    # A value does not show whether a text was mended or read by other rules.
                    recorded="leniently" in ways and evidence.runs_hold_values,
                )
            )
    return notes


def stored_with_the_same_value(evidence: Evidence) -> Answer:
    """ARG-05: valid JSON arguments are stored with the same JSON value."""
    if evidence.observation.outcome is not None:
        return _sanitized(evidence, "valid", _stored_same)
    source = evidence.main
    judged = [held for held in evidence.held if held.scripted.verdict.kind == "valid"]
    if source is None or not judged:
        return Skip("no call with valid arguments was reached")
    notes: list[Note] = []
    for held in judged:
        sent, stored = held.scripted.call.arguments, _stored(held)
        same = same_text_or_value(stored, sent)
        if same is not True:
            notes.append(
                Note(
                    "valid arguments are stored with the same value",
                    _stored_as(sent, stored),
                    source.place_of(held.group),
                    held.id,
                    recorded=same is None or not held.scripted.plain,
                )
            )
    return notes


def history_encodes(evidence: Evidence) -> Answer:
    """ARG-06: whatever the raw text, the committed history encodes."""
    history = evidence.observation.history
    if history is None or history.encoding is None:
        return Skip("no encoding of the history")
    if history.encoding.ok:
        return []
    observed = shown(history.encoding.error, 120) or "it does not encode"
    # A tool's odd result may be the cause as well (MSG-21).
    odd = any(_is_odd(one) for one in evidence.calls)
    return [Note("the history encodes", observed, Place("history"), recorded=odd)]


def _is_odd(scripted: Scripted) -> bool:
    text = scripted.behaviour.returns or scripted.behaviour.fails or ""
    return isinstance(text, Base64) or "\ufffd" in text or not text.isprintable()


def history_round_trips(evidence: Evidence) -> Answer:
    """ARG-07: the encoded history decodes to the same messages."""
    if evidence.observation.outcome is not None:
        return _idempotent(evidence)
    history = evidence.observation.history
    encoding = history.encoding if history is not None else None
    if encoding is None or not encoding.ok or encoding.round_trips is None:
        return Skip("no history that was encoded and decoded")
    if encoding.round_trips:
        return []
    observed = shown(encoding.error, 120) or "other messages"
    odd = any(_is_odd(one) for one in evidence.calls)
    note = Note(
        "the encoded history decodes to the same messages",
        observed,
        Place("history"),
        recorded=odd,
    )
    return [note]


def _idempotent(evidence: Evidence) -> Answer:
    """Judge what one answer shows of idempotence: a stored view that is stable itself."""
    outcome = evidence.observation.outcome
    if outcome is None or outcome.stored is None:
        return Skip("no stored view")
    if verdict_on_text(outcome.stored).kind != "malformed":
        return []
    observed = f"{quoted(outcome.stored, 80)}, which would be changed again"
    return [Note("sanitising is idempotent", observed, Place("outcome"))]


def siblings_undisturbed(evidence: Evidence) -> Answer:
    """ARG-08: the siblings of a malformed call run and are answered."""
    return undisturbed(evidence, lambda one: one.malformed, "malformed")


def json_is_rfc_8259(evidence: Evidence) -> Answer:
    """ARG-09: what RFC 8259 refuses is not read as JSON."""
    if evidence.observation.outcome is not None:
        return _sanitized(evidence, "malformed", _read_as_json)
    source = evidence.main
    judged = [held for held in evidence.held if held.scripted.malformed]
    runs = evidence.runs_of_malformed
    if not judged and not runs:
        return _NOT_REACHED
    notes: list[Note] = []
    for held in judged if source is not None and source.held_as == "value" else []:
        stored = _stored(held)
        if _is_empty_object(stored) is not True:
            assert source is not None, "calls are held in the main source"
            note = _read(held.scripted, "stored", stored, source.place_of(held.group), held.id)
            packed = wraps(readable(stored), readable(held.scripted.call.arguments))
            notes.append(msgspec.structs.replace(note, recorded=packed))
    for at, owner in runs:
        ran = evidence.executions[at].arguments
        texts = _texts_of(evidence, (at, owner))
        packed = any(holds_whole(readable(ran), readable(text)) for text in texts)
        if _is_empty_object(ran) is not True and not packed:
            notes.append(_read(owner, "run", ran, Place("executions", at), _id_of(evidence, owner)))
    return notes


def _read(scripted: Scripted | None, verb: str, text: Text, place: Place, call: str) -> Note:
    if scripted is None:
        observed = f"the text was {verb} as {quoted(text)}"
    else:
        sent, read = contrasted(scripted.call.arguments, text)
        observed = f"{sent} was {verb} as {read}"
    return Note(
        "a text that is no JSON by RFC 8259 is malformed",
        observed,
        place,
        call,
    )


def no_object_never_becomes_one(evidence: Evidence) -> Answer:
    """ARG-11: valid JSON that is no object is not replaced by `{}` and run."""
    others = [
        one for one in evidence.calls if one.verdict.kind == "valid" and not one.verdict.is_object
    ]
    if not others:
        return Skip("no call with valid arguments that are no object")
    notes: list[Note] = []
    for at, execution in enumerate(evidence.executions):
        owner = evidence.attribution.owners[at]
        if _is_empty_object(execution.arguments) is not True:
            continue
        ours = owner in others if owner is not None else _is_replaced(evidence, at, others)
        if ours:
            notes.append(
                Note(
                    "arguments that are no object are not replaced by {}",
                    f"{shown(execution.tool, 60)} ran with {{}}",
                    Place("executions", at),
                    _id_of(evidence, owner),
                )
            )
    return notes


def _is_replaced(evidence: Evidence, at: int, others: list[Scripted]) -> bool:
    """Tell whether only a call whose arguments are no object explains a run with `{}`."""
    tool = evidence.executions[at].tool
    if not any(one.call.name == tool for one in others):
        return False
    return not any(
        one.call.name == tool
        and one not in others
        and _is_empty_object(one.call.arguments) is not False
        for one in evidence.calls
    )


# --- arguments/sanitize ---------------------------------------------------------------------


def executable_keeps_the_text(evidence: Evidence) -> Answer:
    """ARG-02: the executable view keeps the invalid raw text."""
    return _executable(evidence, exact=False)


def executable_keeps_the_bytes(evidence: Evidence) -> Answer:
    """ARG-02a: it keeps it byte for byte."""
    return _executable(evidence, exact=True)


def _executable(evidence: Evidence, *, exact: bool) -> Answer:
    sent, outcome = _sent(evidence), evidence.observation.outcome
    if sent is None or outcome is None or outcome.executable is None:
        return Skip("no executable view of arguments")
    kind = verdict_on_text(sent).kind
    kept = readable(outcome.executable)
    raw = readable(sent)
    same = kept == raw if exact else kept.strip() == raw.strip()
    if same:
        return []
    first, changed = contrasted(sent, outcome.executable)
    return [
        Note(
            "the executable view keeps the raw text",
            f"{first} became {changed}",
            Place("outcome"),
            recorded=kind != "malformed",
        )
    ]


def _sent(evidence: Evidence) -> Text | None:
    return evidence.case.arguments if evidence.case is not None else None


def _sanitized(evidence: Evidence, kind: str, judge: _Judge) -> Answer:
    """Judge the stored view of arguments of one kind."""
    sent, outcome = _sent(evidence), evidence.observation.outcome
    if sent is None or outcome is None or outcome.stored is None:
        return Skip("no stored view of arguments")
    if verdict_on_text(sent).kind != kind:
        return Skip(f"the arguments are not {kind}")
    return judge(sent, outcome.stored)


class _Judge(Protocol):
    def __call__(self, sent: Text, stored: Text) -> Answer:
        """Judge what is stored of what was sent."""


def _stored_empty(sent: Text, stored: Text) -> Answer:
    if readable(stored) == b"{}":
        return []
    observed = _stored_as(sent, stored)
    return [Note("malformed arguments are stored as {}", observed, Place("outcome"))]


def _stored_same(sent: Text, stored: Text) -> Answer:
    same = same_text_or_value(stored, sent)
    if same is True:
        return []
    observed = _stored_as(sent, stored)
    verdict = verdict_on_text(sent)
    open_value = verdict.duplicate_key is not None or verdict.number_out_of_range is not None
    note = Note(
        "valid arguments are stored with the same value",
        observed,
        Place("outcome"),
        recorded=same is None or open_value,
    )
    return [note]


def _read_as_json(sent: Text, stored: Text) -> Answer:
    if _is_empty_object(stored) is True:
        return []
    observed = _stored_as(sent, stored)
    return [Note("a text that is no JSON by RFC 8259 is malformed", observed, Place("outcome"))]
