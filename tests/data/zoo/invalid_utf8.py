"""Writes bytes that are no text."""

from keeper import live

live(lambda _line, answer: answer.replace(b'"2.0"', b'"\xff\xfe"'))
