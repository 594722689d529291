"""Opening a target by its name."""

from __future__ import annotations

from pathlib import Path

from toolassay.errors import TargetSyntaxError
from toolassay.near import near
from toolassay.spec.errors import UnknownNameError
from toolassay.targets.base import Target

SCHEMES = ("sim", "python:MODULE:FACTORY", "recorded:PATH")
"""How targets are written."""


def open_target(
    spec: str, *, python: str | None = None, in_process: bool = False, folder: Path | None = None
) -> Target:
    """
    Open a target.

    Args:
        spec: `sim`, `python:MODULE:FACTORY` or `recorded:PATH`.
        python: For `python:`: the interpreter of the worker; the kit's own if not given.
        in_process: For `python:`: run the adapter in the kit's own process, for debugging.
        folder: For `python:`: where the worker runs; the current folder if not given.

    Raises:
        UsageError: The target is not written right, or of no known kind.
        TargetError: It cannot be opened.
    """
    scheme, colon, rest = spec.partition(":")
    if spec == "sim":
        from toolassay.targets.sim import SimTarget  # noqa: PLC0415 - only what is used is imported

        return SimTarget()
    if scheme == "python" and colon:
        return _open_python(spec, rest, python=python, in_process=in_process, folder=folder)
    if scheme == "recorded" and colon:
        from toolassay.targets.recorded import RecordedTarget  # noqa: PLC0415 - as above

        if not rest:
            raise TargetSyntaxError(spec, "names no path", hint="write recorded:PATH")
        return RecordedTarget(Path(rest))
    raise _unknown(spec, scheme)


def _open_python(
    spec: str, rest: str, *, python: str | None, in_process: bool, folder: Path | None
) -> Target:
    from toolassay.targets.python import InProcessTarget, PythonTarget  # noqa: PLC0415 - as above

    module, _, factory = rest.partition(":")
    if not all(part.isidentifier() for part in (*module.split("."), *factory.split("."))):
        what = "does not name a module and a factory in it"
        raise TargetSyntaxError(spec, what, hint="write python:package.module:factory")
    stem = module.removesuffix(".py")
    if stem != module and ((folder or Path.cwd()) / f"{stem.replace('.', '/')}.py").is_file():
        what = "names a file, and a module has no ending"
        raise TargetSyntaxError(spec, what, hint=f"write python:{stem}:{factory}")
    if in_process and python is not None:
        what = "cannot run in this process and under another interpreter"
        raise TargetSyntaxError(spec, what, hint="leave out --python or --in-process")
    return InProcessTarget(rest) if in_process else PythonTarget(rest, python=python, folder=folder)


def _unknown(spec: str, scheme: str) -> UnknownNameError:
    names = {name.partition(":")[0]: name for name in SCHEMES}
    error = UnknownNameError("target", spec, tuple(names[name] for name in near(scheme, names)))
    error.hint = f"a target is {', '.join(SCHEMES[:-1])} or {SCHEMES[-1]}"
    return error
