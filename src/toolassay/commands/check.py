"""`toolassay check`: judge a recorded file."""

from __future__ import annotations

from typing import Any

import click

from toolassay.commands.common import format_option

EPILOG = """\b
Examples:
  toolassay check session.jsonl
  toolassay check session.jsonl --complete
  gunzip -c session.jsonl.gz | toolassay check -
  toolassay check runs.jsonl --clause ORD-18 --all
  toolassay check session.jsonl --junit report.xml --sarif report.sarif

\b
Each line is one JSON object:
  an event        {"type":"StepDone","session_id":"...","class":"enduring","seq":7, ...}
  a delivery      {"event":{"type":"StepDone", ...},"class":"enduring","seq":7}
  an observation  {"id":"run-1","scenario":{...},"observation":{"history":{...}, ...}}

Without --complete a stream may end anywhere: what is still missing is no fault.
"""


@click.command(epilog=EPILOG)
@click.argument("file", metavar="FILE|-")
@click.option(
    "--profile", default="core", show_default=True, metavar="NAME", help="What is scored."
)
@click.option("--clause", "clauses", multiple=True, metavar="ID", help="Judge this clause alone.")
@click.option(
    "--complete",
    is_flag=True,
    help="The stream holds all that happened: judge what is missing at its end.",
)
@click.option("--all", "show_all", is_flag=True, help="Show every divergence.")
@click.option("-q", "--quiet", is_flag=True, help="Print the verdict alone.")
@click.option("--junit", metavar="FILE", help="Write JUnit XML; - is standard output.")
@click.option("--sarif", metavar="FILE", help="Write SARIF: findings at their lines.")
@format_option
def check(**given: Any) -> int:  # noqa: ANN401 - flags are of many types
    """Judge a recorded event stream, or recorded observations, line by line."""
    from toolassay.commands.checking import Asked, check_one  # noqa: PLC0415 - help needs none of it
    from toolassay.commands.common import clause_id  # noqa: PLC0415 - as above

    return check_one(Asked(**{**given, "clauses": tuple(map(clause_id, given["clauses"]))}))
