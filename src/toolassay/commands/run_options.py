"""What was asked of a run: flags, over the configuration, over defaults."""

from __future__ import annotations

import math
import os
import re
import shlex
from typing import Literal

import msgspec

from toolassay.config import Config
from toolassay.selection import Selection
from toolassay.spec.errors import UsageError
from toolassay.targets.base import DEADLINE_S, START_S

DEFAULT_PROFILE = "core"
"""What is scored, unless another profile is named."""

FILES = ("ndjson", "observations", "junit", "sarif", "github_summary")
"""Reports that have a file of their own, by the names of their flags."""

STEP_SUMMARY = "$GITHUB_STEP_SUMMARY"
"""What stands for the file that GitHub Actions names in this variable."""

_TARGET = re.compile(r"sim|sim\+stdio|(python|stdio|recorded):.*", re.DOTALL)
"""What is a target, and hardly the name of a file."""


class NoTargetError(UsageError):
    """Neither the command line nor the configuration names a target."""

    code = "usage.no-target"
    hint = "for example: toolassay run sim, or toolassay run python:my_agent:adapter"


class FlagsError(UsageError):
    """Two flags contradict each other."""

    code = "usage.flags"


class RunOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The flags of `run`, as given; None where a flag was not."""

    target: str | None = None
    """How the implementation under test is reached."""
    selection: Selection = Selection()
    """Which cases."""
    paths: tuple[str, ...] = ()
    """Authored vectors."""
    no_shipped: bool = False
    """Whether the shipped vectors are left out."""
    profile: str | None = None
    """What is scored."""
    baseline: str | None = None
    """The file of known failures."""
    no_baseline: bool = False
    """Whether the baseline of the configuration is ignored."""
    seed: int = 0
    """The seed."""
    deadline: float | None = None
    """Seconds that one case may take."""
    start: float | None = None
    """Longest wait in seconds for an adapter to be started."""
    generate: int = 0
    """Number of generated cases."""
    keep: str | None = None
    """Folder of the minimal vectors that generation finds."""
    jobs: int = 1
    """Number of workers."""
    exitfirst: bool = False
    """Whether to stop at the first case that fails."""
    python: str | None = None
    """Interpreter of the worker."""
    in_process: bool = False
    """Whether the adapter runs in this process."""
    show_all: bool = False
    """Whether every divergence is shown."""
    quiet: bool = False
    """Whether the verdict alone is printed."""
    form: Literal["text", "json"] = "text"
    """What standard output holds."""
    ndjson: str | None = None
    """File of the report for programs."""
    observations: str | None = None
    """File of what was seen."""
    junit: str | None = None
    """File of the report in JUnit XML."""
    sarif: str | None = None
    """File of the report in SARIF."""
    github_summary: str | None = None
    """File of the summary of a step of GitHub Actions."""

    @property
    def spec(self) -> str:
        """The target, once it is known."""
        assert self.target is not None, "merge() has filled it in"
        return self.target


def merge(options: RunOptions, config: Config) -> RunOptions:
    """
    Fill in from the configuration what no flag said.

    Raises:
        NoTargetError: No target is named.
        FlagsError: Two flags contradict each other.
    """
    target = config.target if options.target is None else options.target
    if _TARGET.fullmatch(options.github_summary or ""):
        what = f"--github-summary takes {options.github_summary!r} for its file"
        raise FlagsError(what, hint="name the target before it, or the file too")
    if not target:
        raise NoTargetError("no target")
    _check(options, target)
    configured = None if options.no_baseline else config.baseline
    python = options.python
    if python is None and target.startswith("python:") and not options.in_process:
        python = config.python
    return msgspec.structs.replace(
        options,
        target=target,
        profile=options.profile or config.profile or DEFAULT_PROFILE,
        baseline=options.baseline or configured,
        deadline=options.deadline or config.deadline or DEADLINE_S,
        start=options.start or config.start or START_S,
        paths=options.paths or config.vectors,
        python=python,
        github_summary=_summary_file(options.github_summary),
    )


def _summary_file(name: str | None) -> str | None:
    """Find the file of the summary; a flag without a file means the one of the step."""
    if name != STEP_SUMMARY:
        return name
    found = os.environ.get(STEP_SUMMARY.removeprefix("$"))
    if not found:
        raise FlagsError("--github-summary needs a file where GITHUB_STEP_SUMMARY is not set")
    return found


def _check(options: RunOptions, target: str) -> None:
    """Refuse what contradicts itself; a flag that would be passed over is a mistake too."""
    texts = ("profile", "baseline", "keep", "python", *FILES)
    empty = next((name for name in texts if getattr(options, name) == ""), None)
    if empty is not None:  # such as a variable of a script that was never set
        raise FlagsError(f"{_flag(empty)} is empty")
    for name in ("deadline", "start"):
        value = getattr(options, name)
        if value is not None and math.isnan(value):
            raise FlagsError(f"--{name} is no number")
    wants = {"--format json": options.form == "json"}
    wants |= {f"{_flag(name)} -": getattr(options, name) == "-" for name in FILES}
    wanting = [flag for flag, wanted in wants.items() if wanted]
    if len(wanting) > 1:
        raise FlagsError(f"{' and '.join(wanting)} both want standard output")
    if options.baseline and options.no_baseline:
        raise FlagsError("--baseline and --no-baseline contradict each other")
    if options.keep and not options.generate:
        raise FlagsError("--keep is for what --generate finds")
    if options.in_process and options.jobs > 1:
        raise FlagsError("--in-process has one worker: leave out --jobs")
    if not target.startswith("python:") and (options.python or options.in_process):
        flag = "--in-process" if options.in_process else "--python"
        raise FlagsError(f"{flag} is for python: targets")


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def repro_of(options: RunOptions, config: Config) -> str:
    """Give the command that runs the target again, to which a case is added."""
    words = ["toolassay", "run", options.spec]
    own = {
        "--profile": (options.profile, config.profile or DEFAULT_PROFILE),
        "--python": (options.python, config.python),
        "--seed": (str(options.seed), "0"),
        "--generate": (str(options.generate), "0"),
        "--deadline": (_number(options.deadline), _number(config.deadline or DEADLINE_S)),
        "--start": (_number(options.start), _number(config.start or START_S)),
    }
    for flag, (value, default) in own.items():
        if value is not None and value != default:
            words += [flag, value]
    if options.in_process:
        words.append("--in-process")
    if options.no_shipped:
        words.append("--no-shipped")
    if options.paths != config.vectors:
        words += [word for path in options.paths for word in ("--vectors", path)]
    return shlex.join(words)


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:g}"
