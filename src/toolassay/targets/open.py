"""Opening a target by its name."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import msgspec

from toolassay.errors import TargetSyntaxError
from toolassay.near import near
from toolassay.spec.errors import UnknownNameError
from toolassay.targets.base import DEADLINE_S, START_S, Target

SCHEMES = ("sim", "sim+stdio", "python:MODULE:FACTORY", "stdio:COMMAND", "recorded:PATH")
"""How targets are written."""


class Opening(msgspec.Struct, frozen=True):
    """How a target is to be opened."""

    python: str | None = None
    """For `python:`: the interpreter of the worker; the kit's own if not given."""
    in_process: bool = False
    """For `python:`: run the adapter in the kit's own process, for debugging."""
    folder: Path | None = None
    """Where an adapter runs; the current folder if not given."""
    start_s: float = START_S
    """Longest wait for an adapter to be started."""


def over_a_wire(spec: str) -> bool:
    """Tell whether a target is another process, of which there may be several."""
    return spec == "sim+stdio" or spec.startswith(("python:", "stdio:"))


def open_target(  # noqa: PLR0913 - flags of a run, each by its name
    spec: str,
    *,
    python: str | None = None,
    in_process: bool = False,
    folder: Path | None = None,
    start_s: float = START_S,
    deadline_s: float = DEADLINE_S,
    smoke: bool = True,
    tell: Callable[[str], None] | None = None,
) -> Target:
    """
    Open a target.

    Args:
        spec: `sim`, `sim+stdio`, `python:MODULE:FACTORY`, `stdio:COMMAND` or `recorded:PATH`.
        python: For `python:`: the interpreter of the worker; the kit's own if not given.
        in_process: For `python:`: run the adapter in the kit's own process, for debugging.
        folder: Where an adapter runs; the current folder if not given.
        start_s: Longest wait for an adapter to be started.
        deadline_s: Seconds that each step of the smoke test may take.
        smoke: Whether an adapter in another process is tried before it is used.
        tell: Hears what looks odd in the trial and is no failure, in words for people.

    Raises:
        UsageError: The target is not written right, or of no known kind.
        TargetError: It cannot be opened, or its adapter fails the smoke test.
    """
    target = _opened(spec, Opening(python, in_process, folder, start_s))
    if smoke and over_a_wire(spec) and not in_process:
        from toolassay.targets.smoke import try_out  # noqa: PLC0415 - only what is used is imported
        from toolassay.targets.stdio import StdioTarget  # noqa: PLC0415 - as above

        assert isinstance(target, StdioTarget), "what is over a wire is of one kind"
        try:
            notes = try_out(target, deadline_s)
        except BaseException:
            target.close()
            raise
        if tell is not None:
            for note in notes:
                tell(note)
    return target


def _opened(spec: str, how: Opening) -> Target:
    scheme, colon, rest = spec.partition(":")
    if spec == "sim":
        from toolassay.targets.sim import SimTarget  # noqa: PLC0415 - only what is used is imported

        return SimTarget()
    if spec == "sim+stdio":
        # -P: no module of the current folder takes the place of one of the kit's.
        return _stdio(spec, (sys.executable, "-P", "-m", "toolassay", "serve"), how)
    if scheme == "python" and colon:
        return _python(spec, rest, how)
    if scheme == "stdio" and colon:
        from toolassay.targets.command import words_of  # noqa: PLC0415 - as above

        return _stdio(spec, words_of(spec, rest), how)
    if scheme == "recorded" and colon:
        from toolassay.targets.recorded import RecordedTarget  # noqa: PLC0415 - as above

        if not rest:
            raise TargetSyntaxError(spec, "names no path", hint="write recorded:PATH")
        return RecordedTarget(Path(rest))
    raise _unknown(spec, scheme)


def _stdio(spec: str, command: tuple[str, ...], how: Opening) -> Target:
    from toolassay.targets.stdio import StdioTarget  # noqa: PLC0415 - as above

    return StdioTarget(command, spec, folder=how.folder, start_s=how.start_s)


def _python(spec: str, rest: str, how: Opening) -> Target:
    from toolassay.targets.python import InProcessTarget, PythonTarget  # noqa: PLC0415 - as above

    module, _, factory = rest.partition(":")
    if not all(part.isidentifier() for part in (*module.split("."), *factory.split("."))):
        what = "does not name a module and a factory in it"
        raise TargetSyntaxError(spec, what, hint="write python:package.module:factory")
    stem = module.removesuffix(".py")
    path = (how.folder or Path.cwd()) / f"{stem.replace('.', '/')}.py"
    if stem != module and path.is_file():
        what = "names a file, and a module has no ending"
        raise TargetSyntaxError(spec, what, hint=f"write python:{stem}:{factory}")
    if not how.in_process:
        return PythonTarget(rest, python=how.python, folder=how.folder, start_s=how.start_s)
    if how.python is not None:
        what = "cannot run in this process and under another interpreter"
        raise TargetSyntaxError(spec, what, hint="leave out --python or --in-process")
    return InProcessTarget(rest)


def _unknown(spec: str, scheme: str) -> UnknownNameError:
    names = {name.partition(":")[0]: name for name in SCHEMES}
    error = UnknownNameError("target", spec, tuple(names[name] for name in near(scheme, names)))
    error.hint = f"a target is {', '.join(SCHEMES[:-1])} or {SCHEMES[-1]}"
    return error
