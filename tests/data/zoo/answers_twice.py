"""Answers once more than it is asked."""

from keeper import live

live(lambda _line, answer: answer + answer)
