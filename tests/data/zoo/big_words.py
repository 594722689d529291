"""Throws with a message of many megabytes."""

from keeper import changed, live

live(lambda _line, answer: changed(answer, status="raised", error={"message": "a" * 30_000_000}))
