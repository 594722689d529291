"""Answers with what is no JSON."""

from keeper import live

live(lambda _line, _answer: b"Segmentation fault (core dumped)\n")
