"""
The target `recorded:PATH`: observations that were made elsewhere.

Nothing is run. The recordings are the cases, and what is asked of them is what
the named checks ask of any observation. A line that cannot be read is a case
too, whose answer says why; the lines after it run on.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from toolassay.recordings import errors
from toolassay.recordings.lines import Place, find_files, places, read_place
from toolassay.recordings.reader import Recording, read_line
from toolassay.spec.case import Case
from toolassay.spec.observation import FACETS, Observation
from toolassay.targets.base import DEADLINE_S, Answer, Implementation

PREFIX: Final = "recorded."
"""What the ids of recorded cases begin with."""

MAX_FAULTS: Final = 100
"""Lines of one file that may be faulty before the rest of it is left alone."""

ABOUT: Final = "implementation.json"
"""File beside the recordings that names what was recorded."""

_KEPT: Final = 256
_RUN_FACETS: Final = tuple(facet for facet in FACETS if facet != "outcome")
_NOT_RECORDED: Final[str] = "the recording does not hold it"


class _About(msgspec.Struct, frozen=True):
    """What was recorded."""

    name: str
    version: str = ""


class _Source(msgspec.Struct, frozen=True):
    """Where the recording of a case stands, or why there is none."""

    path: Path
    place: Place | None = None
    fault: errors.RecordingError | None = None


class RecordedTarget:
    """
    Recordings, as a target that answers with what was seen.

    Args:
        path: A file of recordings, or a folder that holds one.

    Raises:
        RecordingFileError: There is none.
        RecordingEmptyError: It holds nothing.
    """

    def __init__(self, path: Path) -> None:
        self._files = find_files(path)
        self._implementation = _implementation(path, self._files[0].parent)
        self._sources: dict[str, _Source] | None = None
        self._recordings: dict[str, Recording] = {}
        for file in self._files:
            next(places(file))  # what cannot be read at all is refused here

    @property
    def implementation(self) -> Implementation:
        """What was recorded."""
        return self._implementation

    def cases(self) -> Iterator[Case]:
        """Give a case for each recording, in the order of the lines."""
        sources: dict[str, _Source] = {}
        for path in self._files:
            for identifier, source, recording in self._walk(path, sources):
                sources[identifier] = source
                yield _case(identifier, recording)
        self._sources = sources

    def run(self, case: Case, seed: int = 0, deadline_s: float = DEADLINE_S) -> Answer:  # noqa: ARG002 - nothing is run
        """Give what was seen of a case of `cases`, or of one whose very id was recorded."""
        if self._sources is None:
            for _ in self.cases():
                pass
        assert self._sources is not None
        source = self._sources.get(case.id) or self._sources.get(PREFIX + case.id)
        if source is None:
            return Answer("rejected", message="there is no recording of this case")
        try:
            recording = self._recording(case.id, source)
        except errors.RecordingError as error:
            return Answer("error", message=str(error), detail=error.hint)
        return Answer("ok", _with_reasons(recording.observation))

    def close(self) -> None:
        """Forget what was read."""
        self._recordings.clear()

    def _walk(
        self, path: Path, taken: dict[str, _Source]
    ) -> Iterator[tuple[str, _Source, Recording | None]]:
        faults = 0
        for place in places(path):
            fault: errors.RecordingError | None = None
            if isinstance(place, Place):
                try:
                    recording = read_line(read_place(path, place))
                    identifier = PREFIX + recording.id
                    if identifier not in taken:
                        self._keep(identifier, recording)
                        yield identifier, _Source(path, place), recording
                        continue
                    fault = _duplicate(path, place, recording.id)
                except errors.RecordingError as error:
                    fault = error
            else:
                fault = place
            faults += 1
            if faults > MAX_FAULTS:
                fault = _given_up(path, fault)
            yield self._line_id(path, fault.line), _Source(path, fault=fault), None
            if faults > MAX_FAULTS:
                return

    def _line_id(self, path: Path, line: int) -> str:
        """Name a line that has no id of its own."""
        of = f"{path.stem}." if len(self._files) > 1 else ""
        return f"{PREFIX}{of}line-{line}"

    def _recording(self, identifier: str, source: _Source) -> Recording:
        if source.fault is not None:
            raise source.fault
        found = self._recordings.get(identifier)
        if found is None:
            assert source.place is not None, "a recording without a fault has a place"
            found = read_line(read_place(source.path, source.place))
            self._keep(identifier, found)
        return found

    def _keep(self, identifier: str, recording: Recording) -> None:
        """Keep the last recordings that were read; the others are read again."""
        self._recordings[identifier] = recording
        while len(self._recordings) > _KEPT:
            del self._recordings[next(iter(self._recordings))]


def _case(identifier: str, recording: Recording | None) -> Case:
    said = "A recorded run keeps the contract" if recording else "A line that cannot be read"
    return Case(
        id=identifier,
        vector=identifier.partition("[")[0],
        title=said,
        contract="events",
        kind="positive",
        operation="turn/run",
        scenario=recording.scenario if recording else None,
    )


def _with_reasons(observation: Observation) -> Observation:
    """Say of every facet that was not recorded that it was not."""
    omitted: dict[str, str] = {
        facet: _NOT_RECORDED for facet in _RUN_FACETS if getattr(observation, facet) is None
    }
    omitted.update(observation.omitted)
    return msgspec.structs.replace(observation, omitted=omitted)


def _implementation(path: Path, folder: Path) -> Implementation:
    about = _about(folder / ABOUT) or _About(path.resolve().name)
    return Implementation(
        name=about.name,
        version=about.version,
        operations=("turn/run",),
        facets=_RUN_FACETS,
        deterministic=True,
        target=f"recorded:{path}",
    )


def _about(path: Path) -> _About | None:
    if not path.is_file():
        return None
    try:
        return msgspec.json.decode(path.read_bytes()[:65_536], type=_About)
    except (OSError, msgspec.DecodeError) as error:
        what = f"it must be an object with `name` and `version`: {error}"
        raise errors.RecordingFileError(what, name=str(path)) from error


def _duplicate(path: Path, place: Place, identifier: str) -> errors.RecordingError:
    what = f"the id {identifier} stands on an earlier line"
    return errors.RecordingDuplicateError(
        what, name=str(path), line=place.number, offset=place.offset
    )


def _given_up(path: Path, last: errors.RecordingError) -> errors.RecordingError:
    what = f"more than {MAX_FAULTS} lines cannot be read; the rest of the file was left alone"
    return errors.RecordingError(what, name=str(path), line=last.line, offset=last.offset)
