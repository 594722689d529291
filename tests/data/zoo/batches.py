"""Answers with a batch."""

from keeper import live

live(lambda _line, answer: b"[" + answer.strip() + b"]\n")
