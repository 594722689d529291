"""Tells of its progress where only answers belong."""

from keeper import live

NEWS = b'{"jsonrpc":"2.0","method":"progress","params":{"percent":50}}\n'

live(lambda _line, answer: NEWS + answer)
