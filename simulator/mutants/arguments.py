"""Mutants of the treatment of raw argument texts: ARG."""

from __future__ import annotations

import re

from toolassay.simulator.arguments import EMPTY_OBJECT, Arguments
from toolassay.simulator.mutants.mutant import Mutant, of_arguments, of_session
from toolassay.simulator.reference import Reference
from toolassay.simulator.session import Config, PendingCall, Session
from toolassay.spec.json_text import scan
from toolassay.spec.messages import Message
from toolassay.spec.observation import Encoding
from toolassay.spec.scenario import Reply
from toolassay.spec.text import bytes_of


class StoredRaw(Arguments):
    """Stores the text as it came."""

    def stored(self, raw: bytes) -> bytes:
        self.faults += not self.is_valid(raw)
        return raw


class ForgottenRaw(Arguments):
    """Gives execution the stored view."""

    def executable(self, raw: bytes) -> bytes:
        self.faults += not self.is_valid(raw)
        return self.stored(raw)


class TrimmedRaw(Arguments):
    """Trims the invalid text that it hands to execution."""

    def executable(self, raw: bytes) -> bytes:
        if self.is_valid(raw):
            return raw
        trimmed = raw.strip(b" \t\r\n,").decode(errors="replace").encode()
        self.faults += trimmed != raw
        return trimmed


class SilentRefusal(Session):
    """Answers a malformed call with an ordinary result."""

    def admit(self, call: PendingCall) -> bool:
        if call.name in self._tools and not self.arguments.is_valid(call.arguments):
            self.faults += 1
            call.settle("done", is_error=False)
            return False
        return super().admit(call)


class RunWithEmptyObject(Session):
    """Runs a malformed call with `{}`."""

    def pending(self, reply: Reply) -> list[PendingCall]:
        calls = super().pending(reply)
        for call in calls:
            if not self.arguments.is_valid(call.arguments):
                self.faults += 1
                call.arguments = EMPTY_OBJECT
        return calls


class RepairArguments(Session):
    """Closes what a cut text left open, and runs it."""

    def pending(self, reply: Reply) -> list[PendingCall]:
        calls = super().pending(reply)
        for call in calls:
            repaired = self.repair(call.arguments)
            if repaired != call.arguments:
                self.faults += 1
                call.arguments = repaired
        return calls

    def repair(self, raw: bytes) -> bytes:
        if self.arguments.is_valid(raw):
            return raw
        for tail in (b"}", b'"}', b"]}", b'"]}', b"}}", b'"}}'):
            if self.arguments.is_valid(raw + tail):
                return raw + tail
        return raw


class DroppedNulls(Arguments):
    """Stores an object without its members that are null."""

    _MEMBER = re.compile(rb'"[^"\\]*"\s*:\s*null\s*,?\s*')

    def stored(self, raw: bytes) -> bytes:
        stored = super().stored(raw)
        slim = self._MEMBER.sub(b"", stored)
        if slim == stored or not scan(slim).valid:
            return stored
        self.faults += 1
        return slim


class UnencodableHistory(Reference):
    """Keeps invalid texts and hands them to a codec that wants JSON."""

    def encode(self, messages: tuple[Message, ...]) -> Encoding:
        for message in messages:
            for call in message.calls:
                if not scan(bytes_of(call.arguments)).valid:
                    self.faults += 1
                    return Encoding(ok=False, error=f"arguments of {call.id!r} are not JSON")
        return super().encode(messages)


class UnreadableHistory(Reference):
    """Writes duplicate keys that it then refuses to read."""

    def encode(self, messages: tuple[Message, ...]) -> Encoding:
        for message in messages:
            for call in message.calls:
                if scan(bytes_of(call.arguments)).duplicate_key is not None:
                    self.faults += 1
                    return Encoding(ok=True, round_trips=False, error="duplicate key")
        return super().encode(messages)


class BatchRefused(Session):
    """Refuses a whole batch for one malformed call."""

    def admit(self, call: PendingCall) -> bool:
        if self.broken and not self.refusal(call):
            self.faults += 1
            call.settle("error: the batch has a malformed call", is_error=True)
            return False
        return super().admit(call)

    def pending(self, reply: Reply) -> list[PendingCall]:
        calls = super().pending(reply)
        self.broken = any(not self.arguments.is_valid(call.arguments) for call in calls)
        return calls

    broken = False


class LenientParser(Arguments):
    """Takes what a lenient parser takes: NaN, trailing commas, single quotes."""

    def is_valid(self, raw: bytes) -> bool:
        if super().is_valid(raw):
            return True
        mended = re.sub(rb",(\s*[}\]])", rb"\1", raw.replace(b"'", b'"'))
        mended = re.sub(rb"-?\b(NaN|Infinity)\b", b"0", mended)
        if not super().is_valid(mended):
            return False
        self.faults += 1
        return True


class EmptyForNonObject(Session):
    """Replaces valid JSON that is no object by `{}`, and runs it."""

    def pending(self, reply: Reply) -> list[PendingCall]:
        calls = super().pending(reply)
        for call in calls:
            if self.arguments.is_valid(call.arguments) and not self.arguments.is_object(
                call.arguments
            ):
                self.faults += 1
                call.arguments = EMPTY_OBJECT
        return calls


class LostTail(Session):
    """Loses the last fragment of a streamed call."""

    def join(self, fragments: list[bytes]) -> bytes:
        if len(fragments) < 2:
            return super().join(fragments)
        self.faults += 1
        return super().join(fragments[:-1])


class FragmentsDecodedApart(Session):
    """Decodes each fragment by itself, so that a split character is lost."""

    def join(self, fragments: list[bytes]) -> bytes:
        joined = "".join(part.decode(errors="replace") for part in fragments).encode()
        self.faults += joined != b"".join(fragments)
        return joined


class AskedForMalformed(Session):
    """Asks for the approval of a call that it cannot read."""

    def refusal(self, call: PendingCall) -> str:
        refusal = super().refusal(call)
        if refusal and not self.arguments.is_valid(call.arguments):
            self.faults += 1
            self.request_permission(call)
        return refusal


MUTANTS = (
    of_arguments("stored-raw", "ARG-01", "Invalid arguments are stored as they came.", StoredRaw),
    of_arguments("forgotten-raw", "ARG-02", "Execution is given the stored view.", ForgottenRaw),
    of_arguments(
        "trimmed-raw", "ARG-02a", "The invalid raw text is trimmed for execution.", TrimmedRaw
    ),
    of_session(
        "silent-refusal", "ARG-03", "A malformed call has an ordinary result.", SilentRefusal
    ),
    of_session(
        "run-with-empty-object", "ARG-04", "A malformed call runs with `{}`.", RunWithEmptyObject
    ),
    of_session("repair-arguments", "ARG-04", "A cut text is closed and runs.", RepairArguments),
    of_arguments("dropped-nulls", "ARG-05", "Members that are null are not stored.", DroppedNulls),
    Mutant(
        "unencodable-history",
        "ARG-06",
        "Invalid arguments are kept, and the history does not encode.",
        lambda: UnencodableHistory(config=Config(arguments=StoredRaw)),
    ),
    Mutant(
        "unreadable-history",
        "ARG-07",
        "A history with duplicate keys encodes and does not decode.",
        UnreadableHistory,
    ),
    of_session(
        "batch-refused",
        "ARG-08",
        "One malformed call keeps its siblings from running.",
        BatchRefused,
    ),
    of_arguments("lenient-parser", "ARG-09", "NaN and trailing commas are taken.", LenientParser),
    of_session(
        "empty-for-non-object", "ARG-11", "`null` is replaced by `{}` and runs.", EmptyForNonObject
    ),
    of_session("lost-tail", "ARG-13", "The last fragment of a stream is lost.", LostTail),
    of_session(
        "fragments-decoded-apart",
        "ARG-13",
        "Each fragment is decoded by itself.",
        FragmentsDecodedApart,
    ),
    of_session(
        "asked-for-malformed", "ORD-17", "A malformed call asks for approval.", AskedForMalformed
    ),
)
