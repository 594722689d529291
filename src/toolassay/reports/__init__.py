"""
Reports: what people and programs read of a run.

Each report consumes the events of `toolassay.results`. `terminal` is for
people, `ndjson` for programs that follow a run, `json_report` for those that
want one document; `timeline` draws the shortest view of what broke.
"""
