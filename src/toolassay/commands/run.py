"""`toolassay run`: judge an implementation by vectors."""

from __future__ import annotations

from typing import Any

import click

from toolassay.commands.common import (
    format_option,
    running_options,
    selection_of,
    selection_options,
    vector_options,
)

EPILOG = """\b
Examples:
  toolassay run sim
  toolassay run python:my_agent:adapter
  toolassay run python:my_agent:adapter --python .venv/bin/python -j 4
  toolassay run stdio:"node adapter.mjs" --start 120
  toolassay run recorded:runs.jsonl
  toolassay run sim --case 'ord.denied*' --all
  toolassay run python:my_agent:adapter --baseline known.yaml --ndjson report.ndjson
  toolassay run python:my_agent:adapter --no-shipped --generate 500 --seed 7
  toolassay run sim --case ord.plain-call --observations seen.jsonl
  toolassay run sim --format json > report.json
  toolassay run python:my_agent:adapter --junit report.xml --github-summary

\b
Targets:
  sim                       the reference simulator
  sim+stdio                 the same in another process, over the wire of stdio: targets
  python:MODULE:FACTORY     an adapter in Python, in a worker process
  stdio:COMMAND             an adapter in any language; no shell reads the command
  recorded:PATH             observations that were made elsewhere

A target runs with your rights. [tool.toolassay] in pyproject.toml can hold target,
profile, baseline, deadline, start, vectors and python; flags win over it.
"""


@click.command(epilog=EPILOG)
@click.argument("target", required=False)
@selection_options
@vector_options
@running_options
@click.option("--baseline", metavar="FILE", help="Known failures.")
@click.option("--no-baseline", is_flag=True, help="Ignore the baseline of the configuration.")
@click.option(
    "--generate",
    type=click.IntRange(0),
    default=0,
    metavar="N",
    help="Run N generated cases of the seed too.",
)
@click.option(
    "--keep",
    metavar="DIR",
    help="Where the minimal vectors go that show what generation found. Default toolassay-found.",
)
@click.option("-x", "--exitfirst", is_flag=True, help="Stop at the first case that fails.")
@click.option("--all", "show_all", is_flag=True, help="Show every divergence in full.")
@click.option("-q", "--quiet", is_flag=True, help="Print the verdict alone.")
@format_option
@click.option(
    "--ndjson",
    metavar="FILE",
    help="Write a report for programs, a line per case; - is standard output.",
)
@click.option(
    "--observations",
    metavar="FILE",
    help="Write what was seen in each case, in the form that recorded: and check read.",
)
@click.option("--junit", metavar="FILE", help="Write JUnit XML, for viewers of test results.")
@click.option(
    "--sarif",
    metavar="FILE",
    help="Write SARIF: what breaks in vectors of your own, at their lines.",
)
@click.option(
    "--github-summary",
    is_flag=False,
    flag_value="$GITHUB_STEP_SUMMARY",
    metavar="[FILE]",
    help="Add a summary in Markdown to FILE; without it, to the summary of the step.",
)
def run(**given: Any) -> int:  # noqa: ANN401 - flags are of many types
    """
    Judge an implementation by vectors.

    The first thing printed is the first divergence, the last line is the verdict.
    """
    from toolassay.commands.run_options import RunOptions  # noqa: PLC0415 - help needs none of it
    from toolassay.commands.running import run_target  # noqa: PLC0415 - as above

    return run_target(RunOptions(selection=selection_of(given), **given))
